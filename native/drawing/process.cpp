#include "drawing/process.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "drawing/domain_mask.hpp"

namespace halfmask {

namespace {

std::optional<std::string> check_order(std::span<const Item> order, std::size_t n_domains) {
  if (order.empty()) return std::nullopt;
  if (order.size() != n_domains) return "an order must name every column once";
  std::vector<bool> named(n_domains, false);
  for (const auto d : order) {
    if (d < 0 || static_cast<std::size_t>(d) >= n_domains) return "an order names no such column";
    if (named[static_cast<std::size_t>(d)]) return "an order must name every column once";
    named[static_cast<std::size_t>(d)] = true;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> Process::validate() const {
  if (first_item.empty() || first_item.front() != 0) return "the first domain must start at item 0";
  if (!std::is_sorted(first_item.begin(), first_item.end())) return "domains must not overlap";
  if (first_item.back() > most_items) return "there are too many items";
  if (n_domains() > max_domains) return "a table may have at most 4096 columns";
  if (auto reason = patterns.validate(first_item.back())) return reason;
  if (weights.size() != patterns.size()) return "every pattern needs one weight";
  double total = 0;
  for (std::size_t p = 0; p < weights.size(); ++p) {
    if (!(weights[p] >= 0) || std::isinf(weights[p]))
      return "a weight must be a finite number of at least 0";
    total += weights[p] * static_cast<double>(patterns[p].size());
  }
  if (std::isinf(total)) return "the weights add up to more than a number can hold";
  const auto domain = domain_of_items(*this);
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    const auto items = patterns[p];
    if (items.empty()) return "a pattern is empty";
    for (std::size_t k = 1; k < items.size(); ++k)
      if (domain[static_cast<std::size_t>(items[k])] ==
          domain[static_cast<std::size_t>(items[k - 1])])
        return "a pattern holds two values of one column";
  }
  return check_order(order, n_domains());
}

std::vector<std::uint32_t> domain_of_items(const Process& process) {
  std::vector<std::uint32_t> domain(static_cast<std::size_t>(process.first_item.back()));
  for (std::size_t d = 0; d < process.n_domains(); ++d)
    for (auto i = process.first_item[d]; i < process.first_item[d + 1]; ++i)
      domain[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(d);
  return domain;
}

}  // namespace halfmask

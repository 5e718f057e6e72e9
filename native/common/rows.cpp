#include "common/rows.hpp"

#include <limits>

namespace halfmask {

namespace {

// Offsets start at 0, never fall and end at the number of items; runs increase strictly in range.
std::optional<std::string> check_runs(std::span<const std::int64_t> offsets,
                                      std::span<const Item> items, Item n_items) {
  if (offsets.empty() || offsets.front() != 0) return "offsets must start with 0";
  if (offsets.back() != static_cast<std::int64_t>(items.size()))
    return "the last offset must be the number of items";
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r)
    if (offsets[r] > offsets[r + 1]) return "offsets must not fall";
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r) {
    for (auto k = offsets[r]; k < offsets[r + 1]; ++k) {
      const auto item = items[static_cast<std::size_t>(k)];
      if (item < 0 || item >= n_items) return "an item lies outside the alphabet";
      if (k > offsets[r] && items[static_cast<std::size_t>(k - 1)] >= item)
        return "items of a row must increase strictly";
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> Rows::validate() const {
  if (offsets.size() != weights.size() + 1) return "offsets must be one longer than weights";
  if (size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    return "there are too many rows";
  if (n_items < 0 || n_items > most_items) return "the number of items is negative or too large";
  constexpr auto heaviest = std::numeric_limits<Count>::max();
  Count total = 0;
  for (const auto w : weights) {
    if (w < 1) return "a weight is below 1";
    if (w > heaviest - total) return "the weights add up to more than 64 bits can count";
    total += w;
  }
  return check_runs(offsets, items, n_items);
}

std::optional<std::string> Itemsets::validate(Item n_items) const {
  return check_runs(offsets, items, n_items);
}

}  // namespace halfmask

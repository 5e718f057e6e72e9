#include "anatomy/buckets.hpp"

#include <algorithm>
#include <limits>

namespace halfmask {

std::optional<std::string> Cells::validate(std::size_t n_values) const {
  if (columns == 0) return "there must be at least one column";
  if (values.size() % columns != 0) return "cells must be rows times columns";
  for (const auto v : values)
    if (v < 0 || static_cast<std::size_t>(v) >= n_values) return "a cell holds an unknown value";
  return std::nullopt;
}

std::optional<std::string> Bounds::validate(std::size_t rows) const {
  if (rises.size() != falls.size()) return "bounds must have one denominator per numerator";
  const auto room =
      std::numeric_limits<std::int64_t>::max() / (static_cast<std::int64_t>(rows) + 2);
  for (std::size_t v = 0; v < rises.size(); ++v) {
    if (falls[v] < 1 || rises[v] < 0) return "a bound must not be negative";
    if (rises[v] != 0 && rises[v] < falls[v]) return "a bound must not be below 1";
    if (rises[v] >= room || falls[v] >= room) return "a bound is too fine for so many rows";
  }
  return std::nullopt;
}

double Bounds::slack(Value value, std::int64_t count, std::int64_t size) const {
  const auto v = static_cast<std::size_t>(value);
  if (rises[v] == 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(size * falls[v]) / static_cast<double>(rises[v]) -
         static_cast<double>(count);
}

std::vector<std::int32_t> close_buckets(const Cells& cells, const Bounds& bounds,
                                        std::span<const std::int64_t> order,
                                        std::int64_t min_bucket, Watch& watch) {
  std::vector<std::int32_t> bucket_of(cells.rows(), -1);
  std::vector<std::int32_t> counts(bounds.rises.size(), 0);
  std::size_t opened = 0;     // position in the order where the open bucket starts
  std::int64_t required = 0;  // the least size that its values allow
  std::int32_t closed = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i % 4096 == 0 &&
        !watch.tick(static_cast<std::int64_t>(i), static_cast<std::int64_t>(order.size())))
      break;
    for (const auto value : cells.row(static_cast<std::size_t>(order[i])))
      required =
          std::max(required, bounds.least_size(value, ++counts[static_cast<std::size_t>(value)]));
    const auto size = static_cast<std::int64_t>(i + 1 - opened);
    if (size < min_bucket || required > size) continue;
    for (std::size_t k = opened; k <= i; ++k) {
      const auto row = static_cast<std::size_t>(order[k]);
      bucket_of[row] = closed;
      for (const auto value : cells.row(row)) counts[static_cast<std::size_t>(value)] = 0;
    }
    ++closed;
    opened = i + 1;
    required = 0;
  }
  return bucket_of;
}

}  // namespace halfmask

#include "counting/correlation.hpp"

namespace halfmask {

namespace {

// The slots of a row's items that have one, ascending when slots ascend with the items.
void gather(std::span<const Item> row, std::span<const std::int32_t> slots,
            std::vector<std::size_t>& found) {
  found.clear();
  for (const auto item : row)
    if (const auto slot = slots[static_cast<std::size_t>(item)]; slot >= 0)
      found.push_back(static_cast<std::size_t>(slot));
}

}  // namespace

std::vector<std::uint32_t> pair_counts(const Rows& rows, std::span<const std::int32_t> slots,
                                       std::size_t n, Watch& watch) {
  std::vector<std::uint32_t> counts(n * n, 0);
  std::vector<std::size_t> found;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (r % 1024 == 0 &&
        !watch.tick(static_cast<std::int64_t>(r), static_cast<std::int64_t>(rows.size())))
      break;
    gather(rows.row(r), slots, found);
    const auto weight = static_cast<std::uint32_t>(rows.weights[r]);
    for (std::size_t a = 0; a < found.size(); ++a) {
      auto* line = counts.data() + found[a] * n;
      for (std::size_t b = a; b < found.size(); ++b) line[found[b]] += weight;
    }
  }
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a + 1; b < n; ++b) {
      const auto both = counts[a * n + b] + counts[b * n + a];
      counts[a * n + b] = counts[b * n + a] = both;
    }
  return counts;
}

std::vector<std::uint32_t> cross_counts(const Rows& rows, std::span<const std::int32_t> left,
                                        std::size_t n_left, std::span<const std::int32_t> right,
                                        std::size_t n_right) {
  std::vector<std::uint32_t> counts(n_left * n_right, 0);
  std::vector<std::size_t> lines;
  std::vector<std::size_t> places;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    gather(rows.row(r), right, places);
    if (places.empty()) continue;
    gather(rows.row(r), left, lines);
    const auto weight = static_cast<std::uint32_t>(rows.weights[r]);
    for (const auto line : lines)
      for (const auto place : places) counts[line * n_right + place] += weight;
  }
  return counts;
}

}  // namespace halfmask

#include "distinct.hpp"

#include <numeric>

namespace halfmask {

void RowMerger::widen() {
  table_.assign(4 * table_.size(), Slot{});
  for (std::uint32_t kind = 0; kind < hashes_.size(); ++kind) {
    auto s = hashes_[kind] & (table_.size() - 1);
    while (table_[s].kind != empty) s = (s + 1) & (table_.size() - 1);
    table_[s] = {static_cast<std::uint32_t>(hashes_[kind] >> 32), kind};
  }
}

DistinctRows distinct(const Rows& rows) {
  std::vector<std::size_t> firsts;
  std::vector<Count> weights;
  RowMerger().merge(
      rows.size(), [&](std::size_t r) { return rows.row(r); },
      [&](std::size_t r) {
        firsts.push_back(r);
        weights.push_back(rows.weights[r]);
      },
      [&](std::size_t kind, std::size_t r) { weights[kind] += rows.weights[r]; });

  std::vector<std::uint32_t> order(firsts.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return std::ranges::lexicographical_compare(rows.row(firsts[a]), rows.row(firsts[b]));
  });
  DistinctRows result;
  result.offsets.reserve(order.size() + 1);
  result.weights.reserve(order.size());
  for (const auto kind : order) {
    const auto row = rows.row(firsts[kind]);
    result.items.insert(result.items.end(), row.begin(), row.end());
    result.offsets.push_back(static_cast<std::int64_t>(result.items.size()));
    result.weights.push_back(weights[kind]);
  }
  return result;
}

}  // namespace halfmask

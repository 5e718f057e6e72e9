#include "counting/distinct.hpp"

#include <bit>

namespace halfmask {

void RowMerger::widen() {
  table_.assign(4 * table_.size(), Slot{});
  for (std::uint32_t kind = 0; kind < hashes_.size(); ++kind) {
    auto s = hashes_[kind] & (table_.size() - 1);
    while (table_[s].kind != empty) s = (s + 1) & (table_.size() - 1);
    table_[s] = {static_cast<std::uint32_t>(hashes_[kind] >> 32), kind};
  }
}

namespace {

// As many first items as fit 64 bits: numbers that compare like the rows, as far as they go.
[[nodiscard]] std::uint64_t leading_items(std::span<const Item> row, int bits) {
  std::uint64_t key = 0;
  int left = 64 / bits;
  for (std::size_t i = 0; left > 0; ++i, --left)
    key = key << bits | (i < row.size() ? static_cast<std::uint64_t>(row[i]) + 1 : 0);
  return key;
}

}  // namespace

DistinctRows distinct(const Rows& rows) {
  struct Kind {
    std::uint64_t key;
    std::size_t first;
    Count weight;
  };
  const int bits = std::bit_width(static_cast<std::uint32_t>(rows.n_items));
  std::vector<Kind> kinds;
  RowMerger().merge(
      rows.size(), [&](std::size_t r) { return rows.row(r); },
      [&](std::size_t r) {
        kinds.push_back({leading_items(rows.row(r), std::max(bits, 1)), r, rows.weights[r]});
      },
      [&](std::size_t kind, std::size_t r) { kinds[kind].weight += rows.weights[r]; });
  std::ranges::sort(kinds, [&](const Kind& a, const Kind& b) {
    if (a.key != b.key) return a.key < b.key;
    return std::ranges::lexicographical_compare(rows.row(a.first), rows.row(b.first));
  });
  DistinctRows result;
  result.offsets.reserve(kinds.size() + 1);
  result.weights.reserve(kinds.size());
  for (const auto& kind : kinds) {
    const auto row = rows.row(kind.first);
    result.items.insert(result.items.end(), row.begin(), row.end());
    result.offsets.push_back(static_cast<std::int64_t>(result.items.size()));
    result.weights.push_back(kind.weight);
  }
  return result;
}

std::vector<Item> relabelled(const Rows& rows, std::span<const Item> new_of_old) {
  std::vector<Item> items(rows.items.size());
  std::ranges::transform(rows.items, items.begin(),
                         [&](Item item) { return new_of_old[static_cast<std::size_t>(item)]; });
  for (std::size_t r = 0; r < rows.size(); ++r)
    std::sort(items.begin() + rows.offsets[r], items.begin() + rows.offsets[r + 1]);
  return items;
}

}  // namespace halfmask

// Distinct rows: equal rows merged into one that carries their weight.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/rows.hpp"

namespace halfmask {

// Rows that own their arrays; the layout is that of Rows.
struct DistinctRows {
  std::vector<std::int64_t> offsets{0};
  std::vector<Item> items;
  std::vector<Count> weights;
};

// Lexicographic on the item lists (a prefix comes first), whatever the order of the rows given.
[[nodiscard]] DistinctRows distinct(const Rows& rows);

// The items of all rows under other numbers, increasing inside each row again.
[[nodiscard]] std::vector<Item> relabelled(const Rows& rows, std::span<const Item> new_of_old);

// Finds equal rows. An object because its table is used again and again.
class RowMerger {
 public:
  // Numbers the kinds of rows in order of first appearance: row_of(r) is the r-th row as a span;
  // first(r) is told of the first row of each new kind, again(kind, r) of every later one.
  template <typename RowOf, typename First, typename Again>
  void merge(std::size_t n_rows, RowOf&& row_of, First&& first, Again&& again);

 private:
  static constexpr std::uint32_t empty = 0xFFFFFFFF;
  struct Slot {
    std::uint32_t tag = 0;  // the other half of the hash: rows are compared almost only when equal
    std::uint32_t kind = empty;
  };

  template <typename Row>
  [[nodiscard]] static std::uint64_t hash(const Row& row) {
    std::uint64_t h = 0x9E3779B97F4A7C15u + row.size();
    for (const auto item : row) {
      h = (h ^ static_cast<std::uint32_t>(item)) * 0xD6E8FEB86659FD93u;
      h ^= h >> 32;
    }
    return h;
  }
  void widen();

  std::vector<Slot> table_;
  std::vector<std::uint64_t> hashes_;  // by kind
  std::vector<std::uint32_t> firsts_;  // by kind
};

template <typename RowOf, typename First, typename Again>
void RowMerger::merge(std::size_t n_rows, RowOf&& row_of, First&& first, Again&& again) {
  table_.assign(64, Slot{});
  hashes_.clear();
  firsts_.clear();
  for (std::size_t r = 0; r < n_rows; ++r) {
    const auto row = row_of(r);
    const auto h = hash(row);
    const auto tag = static_cast<std::uint32_t>(h >> 32);
    auto s = h & (table_.size() - 1);
    while (table_[s].kind != empty &&
           !(table_[s].tag == tag && std::ranges::equal(row, row_of(firsts_[table_[s].kind]))))
      s = (s + 1) & (table_.size() - 1);
    if (table_[s].kind != empty) {
      again(std::size_t{table_[s].kind}, r);
      continue;
    }
    table_[s] = {tag, static_cast<std::uint32_t>(firsts_.size())};
    firsts_.push_back(static_cast<std::uint32_t>(r));
    hashes_.push_back(h);
    first(r);
    if (2 * firsts_.size() > table_.size()) widen();
  }
}

}  // namespace halfmask

#include "distinct.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace halfmask {

namespace {

constexpr std::uint32_t empty = 0xFFFFFFFF;

[[nodiscard]] std::uint64_t hash(std::span<const Item> row) {
  std::uint64_t h = 0x9E3779B97F4A7C15u ^ row.size();
  for (const auto item : row) {
    h = (h ^ static_cast<std::uint32_t>(item)) * 0xD6E8FEB86659FD93u;
    h ^= h >> 32;
  }
  return h;
}

struct Merged {
  std::vector<std::uint32_t> firsts;  // the first row of each kind
  std::vector<Count> weights;
};

// Open addressing; the hash is kept beside the index so that rows are compared almost only when
// they are equal.
[[nodiscard]] Merged merge(const Rows& rows) {
  struct Slot {
    std::uint32_t tag;
    std::uint32_t kind = empty;
  };
  Merged merged;
  std::vector<Slot> table(std::size_t{1024});
  const auto insert = [&](std::uint64_t h, auto&& same) -> Slot& {
    const auto mask = table.size() - 1;
    for (auto s = static_cast<std::size_t>(h) & mask;; s = (s + 1) & mask) {
      auto& slot = table[s];
      if (slot.kind == empty ||
          (slot.tag == static_cast<std::uint32_t>(h >> 32) && same(slot.kind)))
        return slot;
    }
  };
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto row = rows.row(r);
    const auto h = hash(row);
    auto& slot = insert(h, [&](std::uint32_t kind) {
      return std::ranges::equal(row, rows.row(merged.firsts[kind]));
    });
    if (slot.kind != empty) {
      merged.weights[slot.kind] += rows.weights[r];
      continue;
    }
    slot = {static_cast<std::uint32_t>(h >> 32), static_cast<std::uint32_t>(merged.firsts.size())};
    merged.firsts.push_back(static_cast<std::uint32_t>(r));
    merged.weights.push_back(rows.weights[r]);
    if (2 * merged.firsts.size() > table.size()) {
      table.assign(4 * table.size(), Slot{});
      for (std::uint32_t k = 0; k < merged.firsts.size(); ++k) {
        const auto again = hash(rows.row(merged.firsts[k]));
        insert(again, [](std::uint32_t) { return false; }) = {
            static_cast<std::uint32_t>(again >> 32), k};
      }
    }
  }
  return merged;
}

}  // namespace

DistinctRows distinct(const Rows& rows) {
  const auto merged = merge(rows);
  std::vector<std::uint32_t> order(merged.firsts.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::ranges::lexicographical_compare(rows.row(merged.firsts[a]),
                                                rows.row(merged.firsts[b]));
  });
  DistinctRows result;
  result.offsets.reserve(order.size() + 1);
  result.weights.reserve(order.size());
  for (const auto kind : order) {
    const auto row = rows.row(merged.firsts[kind]);
    result.items.insert(result.items.end(), row.begin(), row.end());
    result.offsets.push_back(static_cast<std::int64_t>(result.items.size()));
    result.weights.push_back(merged.weights[kind]);
  }
  return result;
}

}  // namespace halfmask

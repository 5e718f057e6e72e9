// Live rows: a database as the search keeps it.
//
// Rows hold live items only (those of some candidate of two or more items); equal rows are one with
// a weight, in lexicographic order. Items that never meet in a row may share a slot, so the items
// of a row, and of any set inside a row, are a mask over few slots: a table needs about as many as
// it has columns, whatever the number of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/rows.hpp"
#include "mining/candidates.hpp"

namespace halfmask {

struct LiveRows {
  std::vector<std::size_t> offsets{0};
  std::vector<Rank> items;
  std::vector<Count> weights;
  std::vector<std::uint16_t> slots;  // by rank; dead items have slot 0
  std::size_t n_slots = 0;

  [[nodiscard]] std::size_t size() const { return weights.size(); }
  [[nodiscard]] std::span<const Rank> row(std::size_t r) const {
    return {items.data() + offsets[r], items.data() + offsets[r + 1]};
  }
};

[[nodiscard]] LiveRows live_rows(const Rows& rows, const Candidates& candidates);
[[nodiscard]] LiveRows live_rows(const Rows& rows, const std::vector<bool>& live);

// A database under other item numbers, owned.
struct RankedRows {
  std::vector<std::int64_t> offsets{0};
  std::vector<Item> items;
  std::vector<Count> weights;
  Item n_items = 0;

  [[nodiscard]] Rows view() const { return {offsets, items, weights, n_items}; }
};

// Row by row the same items under their ranks, increasing.
[[nodiscard]] RankedRows ranked_rows(const Rows& rows, std::span<const Item> ranks);

}  // namespace halfmask

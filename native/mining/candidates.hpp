// Candidates: itemsets in the order in which a search looks at them.
//
// Representation: candidate c holds items[offsets[c]] .. items[offsets[c + 1] - 1], strictly
// increasing *ranks* (0 is the most frequent item, see patterns/order.py), and supports[c].
// Invariant, the candidate order: support descending, then length descending, then
// lexicographically ascending on the ranks. Ranks fit 16 bits because only frequent items have one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace halfmask {

using Rank = std::uint16_t;

struct Candidates {
  std::vector<std::uint64_t> offsets{0};
  std::vector<Rank> items;
  std::vector<std::uint32_t> supports;

  [[nodiscard]] std::size_t size() const { return supports.size(); }
  [[nodiscard]] std::span<const Rank> operator[](std::size_t c) const {
    return {items.data() + offsets[c], items.data() + offsets[c + 1]};
  }
};

}  // namespace halfmask

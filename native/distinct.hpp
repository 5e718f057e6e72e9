// Distinct rows: equal rows merged into one that carries their weight.
#pragma once

#include <cstdint>
#include <vector>

#include "rows.hpp"

namespace halfmask {

// Rows that own their arrays; the layout is that of Rows.
struct DistinctRows {
  std::vector<std::int64_t> offsets{0};
  std::vector<Item> items;
  std::vector<Count> weights;
};

// Lexicographic on the item lists (a prefix comes first), whatever the order of the rows given.
[[nodiscard]] DistinctRows distinct(const Rows& rows);

}  // namespace halfmask

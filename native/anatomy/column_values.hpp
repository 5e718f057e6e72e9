// Column values: what each row holds in each column of items, as exact numbers.
//
// Representation: items are split into columns; the value of row r in column j is the set of its
// items there. Values are numbered through all columns: those of column j are
// starts[j] .. starts[j + 1] - 1, the first of them always the empty value, the rest in
// lexicographic order, so that the numbering says nothing about the order of the rows.
// Value v holds items[offsets[v]] .. items[offsets[v + 1] - 1], increasing.
// cells[r * columns + j] is the value of row r in column j. Two values get the same number exactly
// when they are equal: a privacy check must not rest on a hash.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/rows.hpp"
#include "common/watch.hpp"

namespace halfmask {

using Value = std::int32_t;

struct ColumnValues {
  std::vector<Value> cells;
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> offsets;
  std::vector<Item> items;
};

// column_of[item] is in [0, columns). Weights of the rows are ignored: give each row once.
[[nodiscard]] ColumnValues column_values(const Rows& rows, std::span<const std::int32_t> column_of,
                                         std::size_t columns, Watch& watch);

}  // namespace halfmask

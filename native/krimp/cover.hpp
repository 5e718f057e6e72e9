// Cover: a database described by a given code table.
//
// The sets come in cover order; a row is covered by every set that still fits into its uncovered
// items, in that order, and then by the single items that are left. Elements are numbered: the
// sets in their order, then the items.
#pragma once

#include <span>
#include <vector>

#include "common/rows.hpp"
#include "common/watch.hpp"

namespace halfmask {

struct Encoded {
  std::vector<double> bits;   // one per row, for one copy of it
  std::vector<Count> usages;  // sets in cover order, then items, in these rows
};

// `lengths` is the code length of every element, sets then items.
// Cost: rows are taken 512 at a time as one bitmap per item, so that a set is tried on all of them
// with a few ANDs; only used elements cost work per row.
[[nodiscard]] Encoded encode(const Rows& rows, const Itemsets& sets,
                             std::span<const double> lengths, Watch& watch);

}  // namespace halfmask

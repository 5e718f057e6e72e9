// Correlation: how often two items stand in the same row.
//
// Representation: slots[item] is the line of an item in the result, or -1 for an item left out.
// A result of a × b counts is row-major. Counts are 32 bits wide: rows must weigh less than 2^32.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/rows.hpp"
#include "common/watch.hpp"

namespace halfmask {

// The symmetric n × n matrix of joint counts; the diagonal holds the counts of the single items.
[[nodiscard]] std::vector<std::uint32_t> pair_counts(const Rows& rows,
                                                     std::span<const std::int32_t> slots,
                                                     std::size_t n, Watch& watch);

// Joint counts of the items on the left with those on the right.
[[nodiscard]] std::vector<std::uint32_t> cross_counts(const Rows& rows,
                                                      std::span<const std::int32_t> left,
                                                      std::size_t n_left,
                                                      std::span<const std::int32_t> right,
                                                      std::size_t n_right);

}  // namespace halfmask

// Nearest: exact search for the rows that differ in the fewest columns (Hamming distance).
//
// Representation: codes column by column; row r has codes[c * rows + r] in column c. A code and a
// distance are one byte where every column has at most 256 codes and there are at most 255
// columns, and two bytes beyond.
// The search looks at every pair. Column-wise bytes let the compiler compare 16 pairs with one
// instruction on any x86-64: about 2.5 billion pairs a second and core for 15 columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/watch.hpp"

namespace halfmask {

template <typename Code>
struct Columns {
  std::span<const Code> codes;
  std::size_t rows = 0;
  std::size_t columns = 0;

  [[nodiscard]] Code at(std::size_t row, std::size_t column) const {
    return codes[column * rows + row];
  }
  // The first broken invariant in words, or nothing when the view is sound.
  [[nodiscard]] std::optional<std::string> validate() const {
    if (codes.size() != rows * columns) return "codes must be rows times columns";
    if (columns > static_cast<Code>(-1)) return "there are too many columns for this code type";
    return std::nullopt;
  }
};

struct Nearest {
  std::vector<std::int32_t> distance;  // to the closest reference row; -1 without any
  std::vector<std::int64_t> row;       // the first of the closest rows; -1 without any
  std::vector<std::int64_t> ties;      // how many rows are as close
};

// The closest reference rows of every query row.
template <typename Code>
[[nodiscard]] Nearest nearest(const Columns<Code>& reference, const Columns<Code>& queries,
                              unsigned threads, Watch& watch);

// Among the closest reference rows of every query, how many carry each label:
// votes[q * n_labels + l]; a label of -1 does not vote.
template <typename Code>
[[nodiscard]] std::vector<std::int64_t> nearest_votes(const Columns<Code>& reference,
                                                      std::span<const std::int32_t> labels,
                                                      std::int32_t n_labels,
                                                      const Columns<Code>& queries,
                                                      unsigned threads, Watch& watch);

// How many reference rows lie at distance `at[q]` from query q in both of two sets of columns.
template <typename Code>
struct Facet {
  Columns<Code> reference;
  Columns<Code> queries;
  std::span<const std::int32_t> at;
};
template <typename Code>
[[nodiscard]] std::vector<std::int64_t> coincidences(const Facet<Code>& first,
                                                     const Facet<Code>& second, unsigned threads,
                                                     Watch& watch);

}  // namespace halfmask

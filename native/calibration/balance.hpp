// Rows chosen from a weighed pool so that many tables come out at once as the weights say.
//
// Chosen by chance, so many rows would be off in every table by what chance does to a sample of
// that size. Here rows are exchanged for others of the pool, drawn by weight, while that brings the
// tables nearer to what they expect (balanced sampling; Deville & Tillé 2004 by a flight through
// the cube, here by exchanges, which take any number of tables). The distance is chi-squared:
//   sum over cells of (chosen - expected)^2 / (expected + 1)
//   + sum over links of (sum over chosen rows of a score times another - wanted)^2 / rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibration/tables.hpp"
#include "common/watch.hpp"

namespace halfmask {

// Link l is over columns[2 l] and columns[2 l + 1]; a code has a score in each. The scores of its
// first column start at offsets[2 l], those of the second at offsets[2 l + 1].
struct Links {
  std::span<const std::int32_t> columns;
  std::span<const std::int64_t> offsets;
  std::span<const double> scores;
  std::span<const double> wanted;  // the sum over the rows to be chosen of score times score

  [[nodiscard]] std::size_t size() const { return wanted.size(); }
  [[nodiscard]] std::optional<std::string> validate(std::span<const std::int32_t> sizes) const;
};

struct BalancePlan {
  std::span<const double> weights;       // of the rows of the pool
  std::span<const std::int32_t> chosen;  // rows of the pool to begin with
  std::size_t passes = 1;                // exchanges offered to each chosen row
  std::uint64_t key = 0;

  [[nodiscard]] std::optional<std::string> validate(std::size_t rows) const;
};

// As many rows of the pool as were chosen. When the watch says stop, what there is comes back.
[[nodiscard]] std::vector<std::int32_t> balance(const Coded& pool, const Tables& tables,
                                                const Links& links, const BalancePlan& plan,
                                                Watch& watch);

}  // namespace halfmask

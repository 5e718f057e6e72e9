// Raking: weights of rows with which their tables meet given margins.
//
// Representation: a row counts `multiplicities[r]` times and is given by its codes, column after
// column. Table t is over columns[column_offsets[t]] .. and sends each of its cells (row-major) to
// a class class_of[cell_offsets[t] + cell]; classes are numbered through all tables, those of table
// t from class_offsets[t], and targets[class] is the share of the rows that the class should have.
//
// Shares are summed as whole numbers of 2^-60, so that the result does not depend on how the rows
// are dealt out to threads. The spans stay owned by the caller and must outlive the views.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/watch.hpp"

namespace halfmask {

struct Pool {
  std::span<const std::int32_t> codes;
  std::span<const std::int32_t> sizes;  // how many codes each column has
  std::span<const double> multiplicities;

  [[nodiscard]] std::size_t rows() const { return multiplicities.size(); }
  [[nodiscard]] std::span<const std::int32_t> column(std::size_t c) const {
    return codes.subspan(c * rows(), rows());
  }
  [[nodiscard]] std::optional<std::string> validate() const;
};

// Each is a finite number above 0, and so is what they add up to.
[[nodiscard]] std::optional<std::string> check_multiplicities(
    std::span<const double> multiplicities);

struct MarginTables {
  std::span<const std::int64_t> column_offsets;
  std::span<const std::int32_t> columns;
  std::span<const std::int64_t> cell_offsets;
  std::span<const std::int32_t> class_of;
  std::span<const std::int64_t> class_offsets;
  std::span<const double> targets;

  [[nodiscard]] std::size_t size() const {
    return column_offsets.empty() ? 0 : column_offsets.size() - 1;
  }
  [[nodiscard]] std::optional<std::string> validate(std::span<const std::int32_t> sizes) const;
};

struct RakeLimits {
  std::size_t rounds = 10;
  double tolerance = 0;    // done when no class is off by more than this share of the rows
  double max_factor = 10;  // one correction changes a weight at most so many times
  // Done when a round finds classes off by more than this share of what the one before found, in
  // all: tables that contradict each other, for want of rows in some class, are never all met.
  double stalled = std::numeric_limits<double>::infinity();

  [[nodiscard]] std::optional<std::string> validate() const;
};

struct Raked {
  std::vector<double> weights;  // of the rows, in all about 1
  std::vector<double> factors;  // a weight is its multiplicity times a factor for each table
  std::vector<double> shares;   // what each class has in the end
  std::size_t rounds = 0;       // begun; the last one may only have looked
};

// Corrects table after table, round after round; starts from `factors` (one for each class).
// When the watch says stop, the weights after the last full table come back.
[[nodiscard]] Raked rake(const Pool& pool, const MarginTables& tables,
                         std::span<const double> factors, const RakeLimits& limits,
                         std::size_t threads, Watch& watch);

// Row numbers in lexicographic order of the codes; equal rows keep their order.
[[nodiscard]] std::vector<std::int32_t> row_order(std::span<const std::int32_t> codes,
                                                  std::span<const std::int32_t> sizes,
                                                  std::size_t rows);

}  // namespace halfmask

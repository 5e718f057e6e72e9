// Target trees: a tree of splits "is this column that value?", grown where a model of the classes
// is wrong, and the fitting of the class shares of rows to what is told of the leaves.
//
// A count is told from `floor` rows on. Of each side of a split the growth sees the classes that so
// many rows have, and the rest as one number, which is 0, told, or "few": then what is expected
// stands for it as far as that is few, so that no smaller count can decide a split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/watch.hpp"

namespace halfmask {

struct Growing {
  std::span<const std::int32_t> codes;    // of the original, column after column; -1 is no value
  std::span<const std::int32_t> classes;  // of the rows of the original
  std::span<const std::int32_t> drawn;    // codes of drawn rows, column after column
  std::span<const double> shares;         // of the classes in each drawn row, row after row
  std::span<const std::int32_t> sizes;    // how many codes each column has
  std::span<const std::uint8_t> apart;    // columns × columns: never asked on one path
  std::span<const std::int32_t> most;     // columns on a path that asks this one, at most
  std::size_t n_classes = 0;

  [[nodiscard]] std::size_t columns() const { return sizes.size(); }
  [[nodiscard]] std::size_t rows() const { return classes.size(); }
  [[nodiscard]] std::size_t drawn_rows() const { return shares.size() / n_classes; }
  [[nodiscard]] std::optional<std::string> validate() const;
};

struct GrowthLimits {
  std::int64_t floor = 1;
  std::size_t leaves = 64;
  double caution = 1;  // how surely splits must bring more than the luckiest of all candidates
};

// Node n asks whether column[n] is value[n]: yes[n] and no[n] are the next; a leaf has column -1.
struct Tree {
  std::vector<std::int32_t> column, value, yes, no;
};

[[nodiscard]] Tree grow(const Growing& growing, const GrowthLimits& limits, Watch& watch);

// What is disclosed of the leaves of several trees: leaves are numbered through all of them.
struct DisclosedLeaves {
  std::span<const std::int32_t> leaf_of;       // tree after tree: the leaf of each row, or -1
  std::span<const std::int64_t> leaf_offsets;  // where the leaves of each tree begin
  std::span<const double> told;                // leaves × classes; below 0 where it is not told
  std::span<const double> rest;                // of each leaf; below 0 where it is few
  std::span<const double> few;                 // of each tree: all rests that are few together
  std::size_t n_classes = 0;
  std::int64_t floor = 1;  // few are fewer than this

  [[nodiscard]] std::size_t trees() const { return few.size(); }
  [[nodiscard]] std::size_t leaves() const { return rest.size(); }
  [[nodiscard]] std::optional<std::string> validate(std::size_t rows) const;
};

struct ClassShares {
  std::vector<double> shares;   // rows × classes, in each row 1 in all
  std::vector<double> factors;  // leaves × classes: what the shares were multiplied by
};

// Multiplies the shares of the classes, tree after tree, until the leaves have what is told of
// them; `size` is the number of rows of the original. The number of rows in a leaf is left alone.
[[nodiscard]] ClassShares fit_classes(const DisclosedLeaves& leaves, std::span<const double> shares,
                                      double size, std::size_t rounds, Watch& watch);

}  // namespace halfmask

// Conditional: the rows that hold a prefix, reduced to what can still extend it.
//
// Representation: local item k stands for rank names[k]; local items go from rare to frequent, so
// names fall. Item k occurs, together with the prefix, in supports[k] >= min_support rows. Row r is
// items[offsets[r]] .. items[offsets[r + 1] - 1], increasing, counted weights[r] times. Equal rows
// are mostly merged, and rows that cannot matter any more may be left out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/rows.hpp"
#include "counting/distinct.hpp"
#include "mining/candidates.hpp"

namespace halfmask {

using Local = std::uint16_t;

// The pairs of ranks that no itemset may hold, as a sorted list for each rank.
class ForbiddenPairs {
 public:
  explicit ForbiddenPairs(const std::vector<std::pair<Rank, Rank>>& pairs);

  [[nodiscard]] bool empty() const { return partners_.empty(); }
  [[nodiscard]] bool operator()(Rank a, Rank b) const {
    return a < partners_.size() && std::ranges::binary_search(partners_[a], b);
  }

 private:
  std::vector<std::vector<Rank>> partners_;
};

struct Conditional {
  std::vector<Rank> names;
  std::vector<std::uint32_t> supports;
  std::vector<std::uint32_t> offsets{0};
  std::vector<Local> items;
  std::vector<std::uint32_t> weights;

  [[nodiscard]] std::size_t width() const { return names.size(); }
  [[nodiscard]] std::size_t size() const { return weights.size(); }
  [[nodiscard]] std::span<const Local> row(std::size_t r) const {
    return {items.data() + offsets[r], items.data() + offsets[r + 1]};
  }
  void clear();
  void merge_equal(RowMerger& merger);
};

// Where each local item occurs: the row, and the place just behind the item inside the row.
struct Occurrences {
  struct Place {
    std::uint32_t row;
    std::uint32_t next;
  };
  std::vector<std::uint32_t> starts;
  std::vector<Place> places;

  [[nodiscard]] std::span<const Place> operator[](std::size_t k) const {
    return {places.data() + starts[k], places.data() + starts[k + 1]};
  }
  void list(const Conditional& rows);
};

// A database without what is infrequent. For closed sets, items that every row holds stand apart,
// because they are in every closed set, and a row of one item stays, because it can keep the item's
// closure from growing; for all sets such a row supports nothing that is not known already.
struct Database {
  Conditional rows;
  Occurrences occurrences;
  std::vector<Rank> in_all;
  std::uint32_t size = 0;

  Database(const Rows& all, Count min_support, bool closed);
};

// Turns the rows of a parent that hold some item into conditional rows, in three steps: count what
// else is in them, choose which items stay, fill the child. An object because its scratch space is
// used again and again.
class Projector {
 public:
  using Places = std::span<const Occurrences::Place>;
  enum class Part { behind, whole };  // of each row: what stands behind the item, or all of it

  // The weight of each item of the parent in that part of the rows at `places`.
  [[nodiscard]] std::span<const std::uint32_t> count(const Conditional& parent, Places places,
                                                     Part part);
  // Gives the child the item, with the support that was counted.
  void keep(const Conditional& parent, std::size_t item, Conditional& child);
  // Gives the child its rows, over the items that were kept, unless shorter than `shortest`.
  void fill(const Conditional& parent, Places places, Part part, std::size_t shortest,
            Conditional& child);

 private:
  std::vector<std::uint32_t> counts_;
  std::vector<Local> child_of_;
  RowMerger merger_;
};

}  // namespace halfmask

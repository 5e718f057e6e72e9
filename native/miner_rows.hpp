// Conditional: the rows that hold a prefix, reduced to what can still extend it.
//
// Representation: local item k stands for rank names[k] (ascending) and occurs, together with the
// prefix, in supports[k] >= min_support rows. Row r is items[offsets[r]] .. items[offsets[r+1]-1],
// increasing local items, counted weights[r] times. Rows that cannot matter any more may be left
// out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "candidates.hpp"
#include "rows.hpp"

namespace halfmask {

using Local = std::uint16_t;
constexpr Local absent = 0xFFFF;

// The pairs of ranks that no itemset may hold, as a sorted list for each rank.
class Forbidden {
 public:
  Forbidden() = default;
  explicit Forbidden(const std::vector<std::pair<Rank, Rank>>& pairs);

  [[nodiscard]] bool empty() const { return partners_.empty(); }
  [[nodiscard]] bool operator()(Rank a, Rank b) const {
    return a < partners_.size() && std::binary_search(partners_[a].begin(), partners_[a].end(), b);
  }

 private:
  std::vector<std::vector<Rank>> partners_;
};

struct Conditional {
  std::vector<Rank> names;
  std::vector<std::uint32_t> supports;
  std::vector<std::uint32_t> offsets;
  std::vector<Local> items;
  std::vector<std::uint32_t> weights;

  [[nodiscard]] std::size_t width() const { return names.size(); }
  [[nodiscard]] std::size_t size() const { return weights.size(); }
  [[nodiscard]] std::span<const Local> row(std::size_t r) const {
    return {items.data() + offsets[r], items.data() + offsets[r + 1]};
  }
  void clear() {
    names.clear();
    supports.clear();
    offsets.assign(1, 0);
    items.clear();
    weights.clear();
  }
};

// Where each local item occurs: the rows, and the place just behind the item inside the row.
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

// The frequent items of a database and its rows of at least `shortest` of them, equal rows merged.
[[nodiscard]] Conditional frequent_part(const Rows& rows, Count min_support, std::size_t shortest);

// Turns the rows of `parent` that hold local item k into the conditional rows of prefix + k.
// Rows with one item are left out: its support is known, and the row supports nothing longer.
// An object because its scratch space is used again and again.
class Projector {
 public:
  void project(const Conditional& parent, const Occurrences& occurrences, std::size_t k,
               Count min_support, const Forbidden& forbidden, Conditional& child);

 private:
  std::vector<std::uint32_t> counts_;
  std::vector<Local> child_of_;
};

}  // namespace halfmask

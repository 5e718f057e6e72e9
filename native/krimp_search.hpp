// The state of a search: what covers each row, and which items are still free when.
//
//   cover(r)      the sets that cover row r, in cover order; its other items stand alone
//   contained(r)  all sets of the table that row r contains, in cover order
//   level(L)      for every item the bitmap of rows in which it is outside the sets of length >= L
//                 that cover the row: the rows in which a new set of length L still finds it
// A set of length L enters behind the others of its length, so it will cover exactly the rows in
// which all its items are free at level L. W is the number of words of a mask over slots.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "krimp.hpp"
#include "krimp_rows.hpp"
#include "krimp_sizes.hpp"

namespace halfmask {

using Word = std::uint64_t;
using Element = std::uint32_t;
using Row = std::uint32_t;

// Changes of usages that are being weighed.
class Tally {
 public:
  void resize(std::size_t elements) { change_.resize(elements, 0); }
  void add(Element e, Count by) {
    if (change_[e] == 0) touched_.push_back(e);
    change_[e] += by;
  }
  // Calls with every changed element once, and forgets everything.
  template <typename Call>
  void drain(Call call) {
    for (const auto e : touched_) {
      if (change_[e] != 0) call(e, change_[e]);
      change_[e] = 0;
    }
    touched_.clear();
  }

 private:
  std::vector<Count> change_;
  std::vector<Element> touched_;  // an element whose change went through 0 is named twice
};

template <std::size_t W>
class KrimpSearch {
 public:
  KrimpSearch(const Rows& rows, const Candidates& candidates, LiveRows&& live);

  // True when the candidate was taken into the table.
  bool consider(std::size_t candidate);
  // Deletes sets that lost usage through the last acceptance and no longer pay.
  void prune_repaired();
  void prune_as_authors();
  [[nodiscard]] KrimpTable table() const;

 private:
  using Mask = std::array<Word, W>;
  struct Set {
    std::size_t candidate;
    std::span<const Rank> items;
    Mask mask;
    bool alive = true;
  };

  static bool inside(const Mask& part, const Mask& whole) {
    Word outside = 0;
    for (std::size_t w = 0; w < W; ++w) outside |= part[w] & ~whole[w];
    return outside == 0;
  }
  static void remove(Mask& from, const Mask& part) {
    for (std::size_t w = 0; w < W; ++w) from[w] &= ~part[w];
  }
  static bool has(const Mask& mask, std::size_t slot) {
    return (mask[slot / 64] >> (slot % 64)) & 1;
  }

  [[nodiscard]] Mask mask_of(std::span<const Rank> items) const;
  [[nodiscard]] const Set& set(Element e) const { return sets_[e - n_items_]; }
  [[nodiscard]] std::size_t length(Element e) const { return set(e).items.size(); }
  [[nodiscard]] bool before(Element a, Element b) const {
    return length(a) != length(b) ? length(a) > length(b) : a < b;
  }
  [[nodiscard]] std::span<const Rank> items_of(Element e) const {
    return e < n_items_ ? std::span<const Rank>(&identity_[e], 1) : set(e).items;
  }
  [[nodiscard]] const Word* bitmap(std::size_t length, Rank item) const {
    const auto& level = length < levels_.size() ? levels_[length] : base_;
    return level.data() + item * words_;
  }

  void find_rows(std::span<const Rank> items, std::size_t length);
  void recover(Row row, std::span<const Element> candidates, Mask left);
  [[nodiscard]] Mask left_after(Row row, std::size_t kept) const;
  void cover_with(Row row, Element added);
  void cover_without(Row row, Element removed);
  void weigh_row(Row row, std::size_t kept);
  void store_row(Row row, std::size_t kept);
  void own(Row row, Element set, bool free);
  [[nodiscard]] bool smaller(bool or_equal);
  void book();
  void insert(Element added);
  void erase(Element removed);
  [[nodiscard]] std::vector<Row> rows_using(Element e);
  bool try_without(Element e, std::vector<Element>& fallen);
  [[nodiscard]] std::vector<Element> in_cover_order() const;

  const Candidates& candidates_;
  LiveRows rows_;
  std::size_t n_items_;
  std::size_t words_;
  std::vector<Rank> identity_;
  std::vector<Mask> row_masks_;
  std::vector<std::vector<Element>> covers_;
  std::vector<std::vector<Element>> contained_;
  std::vector<Word> base_;
  std::vector<std::vector<Word>> levels_;  // index is the length; shorter than a length: base_
  std::vector<Set> sets_;
  std::vector<Count> usages_;  // by element
  Sums sums_;
  Sizes sizes_;
  Tally tally_;
  std::vector<UsageChange> changes_;
  std::vector<Element> fallen_;  // sets whose usage fell through the last change, any order

  std::vector<Row> found_;         // rows of the last find_rows
  std::vector<Element> new_tail_;  // sets that cover the rest of a row
};

}  // namespace halfmask

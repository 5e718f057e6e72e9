// SlimCover: a database covered by a growing code table, and what one more set would change.
//
// Elements are numbered: 0 .. n_items - 1 are the single items, then the sets in order of
// acceptance. For every element: its mask of slots, its length, its usage, and two bitmaps over
// rows, those that hold it and those whose cover uses it. For every row: the sets it holds in cover
// order (length descending, then acceptance), the sets that cover it, and the mask of the items
// left to stand alone.
// Invariant: cover and left are what greedy covering gives; the used bitmaps repeat them.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "common/rows.hpp"
#include "krimp/krimp_masks.hpp"
#include "krimp/krimp_rows.hpp"

namespace halfmask {

using Element = std::uint32_t;
using Bitmap = std::vector<std::uint64_t>;

// Changes of usages that are being weighed; one for each thread, reused from trial to trial.
class SlimTally {
 public:
  void start(std::size_t elements) {
    for (const auto e : touched_) change_[e] = 0;
    touched_.clear();
    change_.resize(elements, 0);
    newcomer = 0;
  }
  void add(Element e, Count by) {
    if (change_[e] == 0) touched_.push_back(e);
    change_[e] += by;
  }
  // Calls with every changed element and its change, once, and forgets them.
  template <typename Call>
  void drain(Call call) {
    for (const auto e : touched_) {
      if (change_[e] != 0) call(e, change_[e]);
      change_[e] = 0;
    }
    touched_.clear();
  }

  Count newcomer = 0;  // the usage of the set on trial

 private:
  std::vector<Count> change_;
  std::vector<Element> touched_;  // an element whose change went through 0 is named twice
};

// One row whose cover changed: the elements that left, came and stayed.
struct Recovered {
  std::vector<Element> gone;
  std::vector<Element> come;
  std::vector<Element> kept;
  Count weight = 0;
};

template <std::size_t W>
class SlimCover {
 public:
  using Listener = std::function<void(const Recovered&)>;

  SlimCover(const Rows& rows, const LiveRows& live);

  [[nodiscard]] std::size_t elements() const { return masks_.size(); }
  [[nodiscard]] std::size_t length(Element e) const { return lengths_[e]; }
  [[nodiscard]] Count usage(Element e) const { return usages_[e]; }
  [[nodiscard]] std::span<const Count> usages() const { return usages_; }
  [[nodiscard]] Count support(Element e) const;
  // Of a bitmap over rows.
  [[nodiscard]] std::size_t words() const { return (weights_.size() + 63) / 64; }
  // Rows that hold both.
  [[nodiscard]] Count joint_support(Element a, Element b) const;
  // Tells the cover of every row as if it had just come.
  void tell_all(const Listener& listener) const;

  // What the union of two elements that `joint` rows use together would change; the steps it took.
  std::uint64_t try_union(Element a, Element b, Count joint, SlimTally& tally) const;
  // What deleting a set would change.
  void try_without(Element e, SlimTally& tally) const;
  // Both tell the listener every row whose cover changed.
  Element insert_union(Element a, Element b, const Listener& listener);
  void erase(Element e, const Listener& listener);

 private:
  using Bits = Mask<W>;
  static constexpr std::size_t refused = static_cast<std::size_t>(-1);

  [[nodiscard]] Element item_at(std::size_t row, std::size_t slot) const {
    return row_items_[row_offsets_[row] + full_[row].rank(slot)];
  }
  void cover_into(std::size_t row, std::vector<Element>& elements) const;
  [[nodiscard]] std::size_t admitted(std::size_t row, const Bits& x, std::size_t length) const;
  [[nodiscard]] std::size_t first_shorter(std::size_t row, std::size_t length) const;
  [[nodiscard]] Bits open_after(std::size_t row, std::size_t kept) const;
  void try_in_row(std::size_t row, const Bits& x, std::size_t length, SlimTally& tally) const;
  void change_tail(std::size_t row, std::size_t kept, Bits left, std::size_t from,
                   SlimTally& tally) const;
  void change_singles(std::size_t row, const Bits& before, const Bits& after,
                      SlimTally& tally) const;
  void recover(std::size_t row, std::size_t kept, std::size_t from, const Listener& listener);

  std::vector<Count> weights_;
  std::vector<std::size_t> row_offsets_;
  std::vector<Element> row_items_;  // those of a row by slot
  std::vector<Bits> full_;
  std::vector<Bits> left_;
  std::vector<std::vector<Element>> held_;
  std::vector<std::vector<Element>> covers_;

  std::vector<Bits> masks_;
  std::vector<std::uint32_t> lengths_;
  std::vector<Count> usages_;
  std::vector<Bitmap> holders_;
  std::vector<Bitmap> users_;

  Recovered told_;  // room that recover() uses again and again
  std::vector<Element> before_;
  std::vector<Element> after_;
};

}  // namespace halfmask

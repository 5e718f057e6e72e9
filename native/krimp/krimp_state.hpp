// The state of a search: the table so far, and what covers each row.
//
// Elements are numbered: item i is element i, the set accepted as the k-th is element n_items + k.
// While candidates are tried the state does not change, so several threads may read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "krimp/krimp.hpp"
#include "krimp/krimp_levels.hpp"
#include "krimp/krimp_masks.hpp"
#include "krimp/krimp_rows.hpp"
#include "krimp/krimp_sizes.hpp"

namespace halfmask {

// A row and what covers it, close together: most of a trial is waiting for memory.
template <typename M>
class CoveredRow {
 public:
  CoveredRow(const M& items, std::size_t length, Count weight)
      : cover_(length / 2), weight_(weight), alone_(items) {}

  [[nodiscard]] Count weight() const { return weight_; }
  // The items that no set covers.
  [[nodiscard]] const M& alone() const { return alone_; }
  // The sets that cover the row, in cover order.
  [[nodiscard]] std::span<const Element> cover() const { return {cover_.data(), covers_}; }
  // All sets of the table that the row contains, in cover order.
  [[nodiscard]] std::span<const Inside> inside() const { return inside_; }

  void include(std::size_t place, const M& mask, Element e) {
    inside_.insert(inside_.begin() + static_cast<std::ptrdiff_t>(place), {fold(mask), e});
  }
  void exclude(std::size_t place) {
    inside_.erase(inside_.begin() + static_cast<std::ptrdiff_t>(place));
  }
  void shorten_cover(const M& freed) {
    alone_.add(freed);
    --covers_;
  }
  void lengthen_cover(const M& taken, Element e) {
    alone_.remove(taken);
    cover_[covers_++] = e;
  }
  void prefetch_lists() const {
    __builtin_prefetch(cover_.data());
    __builtin_prefetch(inside_.data());
    __builtin_prefetch(inside_.data() + 64 / sizeof(Inside));
  }

 private:
  std::vector<Inside> inside_;
  std::vector<Element> cover_;  // room for the longest; the first covers_ are in use
  Count weight_;
  std::uint32_t covers_ = 0;
  M alone_;
};

template <typename M>
class KrimpState {
 public:
  KrimpState(const Rows& rows, const Candidates& candidates, LiveRows&& live);

  struct Set {
    M mask;
    std::uint32_t length = 0;
  };

  [[nodiscard]] const LiveRows& live() const { return live_; }
  [[nodiscard]] const Levels& levels() const { return levels_; }
  [[nodiscard]] const Sizes& sizes() const { return sizes_; }
  [[nodiscard]] const Sums& sums() const { return sums_; }
  [[nodiscard]] std::size_t n_items() const { return n_items_; }
  [[nodiscard]] std::size_t n_elements() const { return usages_.size(); }
  [[nodiscard]] Count usage(Element e) const { return usages_[e]; }
  [[nodiscard]] const Set& set(Element e) const { return sets_[e - n_items_]; }
  [[nodiscard]] bool is_set(Element e) const { return e >= n_items_; }
  [[nodiscard]] std::span<const Rank> items(Element e) const {
    return is_set(e) ? candidates_[chosen_[e - n_items_].candidate]
                     : std::span<const Rank>(&identity_[e], 1);
  }
  [[nodiscard]] double standard(Element e) const { return standard_[e]; }
  [[nodiscard]] M mask_of(std::span<const Rank> items) const;
  // The whole mask of a set that a row holds.
  [[nodiscard]] const M& mask_of(const Inside& entry) const {
    if constexpr (std::is_same_v<M, Narrow>) {
      return entry.folded;
    } else {
      return set(entry.set).mask;
    }
  }
  [[nodiscard]] const CoveredRow<M>& row(Row row) const { return covered_[row]; }
  [[nodiscard]] Rank item_at(Row row, std::size_t slot) const {
    return item_at_.empty() ? find_item(row, slot) : item_at_[row * live_.n_slots + slot];
  }
  // Cover order.
  [[nodiscard]] bool before(Element a, Element b) const {
    const auto x = set(a).length;
    const auto y = set(b).length;
    return x != y ? x > y : a < b;
  }
  [[nodiscard]] std::vector<Element> in_cover_order() const;
  [[nodiscard]] KrimpTable table() const;

  // The candidate as the next element; it covers the given rows.
  Element insert(std::size_t candidate, std::span<const Row> covered, std::span<const Row> holders);
  // Takes a set out of the table again.
  void erase(Element e, std::span<const Row> covered, std::span<const Row> holders);
  // Usages as the trial that preceded found them.
  void book(std::span<const UsageChange> changes);

 private:
  struct Chosen {
    std::size_t candidate = 0;
    bool alive = true;
  };

  [[nodiscard]] Rank find_item(Row row, std::size_t slot) const;
  // Gives up all but the first sets of the row's cover.
  void uncover(Row row, std::size_t kept);
  void cover_with(Row row, Element e);
  // Covers what stands alone with the sets that the row contains.
  void cover_rest(Row row);

  const Candidates& candidates_;
  LiveRows live_;
  std::size_t n_items_;
  std::vector<Rank> identity_;
  std::vector<CoveredRow<M>> covered_;
  std::vector<Rank> item_at_;  // by row and slot, unless there are many slots
  std::vector<Set> sets_;
  std::vector<Chosen> chosen_;  // of each set
  std::vector<Count> usages_;
  std::vector<double> standard_;
  Levels levels_;
  Sizes sizes_;
  Sums sums_;
};

}  // namespace halfmask

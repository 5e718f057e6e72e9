// The state of a search: the table so far, and what covers each row.
//
//   cover(r)      the sets that cover row r, in cover order
//   alone(r)      the mask of the row's other items: they stand alone
//   contained(r)  all sets of the table that row r contains, in cover order
// Elements are numbered: item i is element i, the set accepted as the k-th is element n_items + k.
// While candidates are tried the state does not change, so several threads may read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "krimp.hpp"
#include "krimp_levels.hpp"
#include "krimp_masks.hpp"
#include "krimp_rows.hpp"
#include "krimp_sizes.hpp"

namespace halfmask {

template <std::size_t W>
class KrimpState {
 public:
  KrimpState(const Rows& rows, const Candidates& candidates, LiveRows&& live);

  struct Set {
    Mask<W> mask;
    std::uint32_t length = 0;
    bool alive = true;
    std::size_t candidate = 0;
  };

  [[nodiscard]] const LiveRows& rows() const { return rows_; }
  [[nodiscard]] const Levels& levels() const { return levels_; }
  [[nodiscard]] const Sizes& sizes() const { return sizes_; }
  [[nodiscard]] const Sums& sums() const { return sums_; }
  [[nodiscard]] std::size_t n_items() const { return n_items_; }
  [[nodiscard]] std::size_t n_elements() const { return usages_.size(); }
  [[nodiscard]] Count usage(Element e) const { return usages_[e]; }
  [[nodiscard]] const Set& set(Element e) const { return sets_[e - n_items_]; }
  [[nodiscard]] bool is_set(Element e) const { return e >= n_items_; }
  [[nodiscard]] std::span<const Rank> items(Element e) const {
    return is_set(e) ? candidates_[set(e).candidate] : std::span<const Rank>(&identity_[e], 1);
  }
  [[nodiscard]] double standard(Element e) const { return standard_[e]; }
  [[nodiscard]] Mask<W> mask_of(std::span<const Rank> items) const;
  [[nodiscard]] std::span<const Element> cover(Row row) const {
    return {covers_.data() + cover_offsets_[row], cover_sizes_[row]};
  }
  [[nodiscard]] std::span<const Element> contained(Row row) const { return contained_[row]; }
  [[nodiscard]] const Mask<W>& alone(Row row) const { return alone_[row]; }
  [[nodiscard]] Rank item_at(Row row, std::size_t slot) const;
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
  void rewrite(Row row, std::size_t kept, std::span<const Element> tail);

  const Candidates& candidates_;
  LiveRows rows_;
  std::size_t n_items_;
  std::vector<Rank> identity_;
  std::vector<std::uint32_t> cover_offsets_;
  std::vector<std::uint32_t> cover_sizes_;
  std::vector<Element> covers_;
  std::vector<Mask<W>> alone_;
  std::vector<std::vector<Element>> contained_;
  std::vector<Set> sets_;
  std::vector<Count> usages_;
  std::vector<double> standard_;
  Levels levels_;
  Sizes sizes_;
  Sums sums_;
};

// Covers what is left with the sets that are inside it, in order; returns what is left then.
template <std::size_t W, typename Call>
Mask<W> recover(const KrimpState<W>& state, std::span<const Element> sets, Mask<W> left,
                Call used) {
  for (const auto e : sets) {
    const auto& mask = state.set(e).mask;
    if (!mask.inside(left)) continue;
    used(e);
    left.remove(mask);
  }
  return left;
}

}  // namespace halfmask

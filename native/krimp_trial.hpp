// A trial: what a change of the table would do to the usages, and so to the total.
//
// Only the rows that a set covers, or would cover, are looked at. Inside a row the new set
// displaces the shorter sets that share an item with it; as long as these lie inside the new set,
// that is all that happens. Otherwise they free items, and the shorter sets get a new chance.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "krimp_state.hpp"

namespace halfmask {

template <std::size_t W>
class Trial {
 public:
  explicit Trial(const KrimpState<W>& state)
      : state_(state), admission_(state.levels()), holding_(state.levels()) {}

  // Sign of the change of the total if the candidate entered: -1 is an improvement.
  [[nodiscard]] int with(std::span<const Rank> items);
  // The same if the set left the table.
  [[nodiscard]] int without(Element e);

  // Of the last trial: the usages that change, and the rows whose cover does.
  [[nodiscard]] std::span<const UsageChange> changes() const { return changes_; }
  [[nodiscard]] std::span<const Row> covered() const { return covered_; }
  // All rows that contain the items.
  [[nodiscard]] std::span<const Row> holders(std::span<const Rank> items) {
    return holding_.rows(items, state_.levels().top());
  }

 private:
  void displace(Row row, const Mask<W>& added, std::size_t length);
  void cover_anew(Row row, std::size_t kept, Mask<W> left, std::span<const Element> sets);
  void count_alone(std::span<const Rank> items, const Mask<W>& added, Count usage);
  [[nodiscard]] int weigh(std::span<const Rank> items, Count usage);

  void add(Element e, Count by) {
    if (change_[e] == 0) touched_.push_back(e);
    change_[e] += by;
  }

  const KrimpState<W>& state_;
  Admission admission_;
  Admission holding_;
  std::span<const Row> covered_;
  std::vector<Row> users_;
  std::vector<Count> change_;       // by element; all 0 between trials
  std::vector<Element> touched_;    // an element whose change went through 0 is named twice
  std::vector<Count> set_covered_;  // by slot: rows whose item was in a displaced set
  std::vector<UsageChange> changes_;
};

}  // namespace halfmask

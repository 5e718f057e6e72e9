// A trial: what a change of the table would do to the usages, and so to the total.
//
// Only the rows that a set covers, or would cover, are looked at. Inside a row a new set displaces
// the shorter sets that share an item with it. Their other items are freed; a set of the row can
// then enter only if it holds a freed item and lies in what the sets before it leave over, and may
// displace later ones in its turn. As every other set stays, nothing else has to be looked at.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "krimp/krimp_state.hpp"

namespace halfmask {

template <typename M>
class Trial {
 public:
  explicit Trial(const KrimpState<M>& state)
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
  void displace(Row row, const M& added, std::size_t length);
  void refill(Row row, M left, M freed, std::size_t first);
  [[nodiscard]] std::size_t find_fitting(std::span<const Inside> inside, std::size_t from,
                                         const M& left, const M& freed) const;
  [[nodiscard]] bool enters(const M& mask, Element e) const;
  void drop_met(const M& mask, Count weight, M& freed);
  void count_alone(std::span<const Rank> items, const M& added, Count usage);
  [[nodiscard]] int weigh(std::span<const Rank> items, Count usage);

  void add(Element e, Count by) {
    if (change_[e] == 0) touched_.push_back(e);
    change_[e] += by;
  }

  const KrimpState<M>& state_;
  Admission admission_;
  Admission holding_;
  std::span<const Row> covered_;
  std::vector<Row> users_;
  std::vector<Element> staying_;  // sets of the row in hand that may yet be displaced
  std::vector<Count> change_;     // by element; all 0 between trials
  std::vector<Element> touched_;  // an element whose change went through 0 is named twice
  std::vector<Count> from_sets_;  // by slot: rows whose item was in a displaced set
  std::vector<UsageChange> changes_;
};

}  // namespace halfmask

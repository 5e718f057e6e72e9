// Pruning after an acceptance: sets that lost usage may no longer pay.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/team.hpp"
#include "krimp/krimp_state.hpp"
#include "krimp/krimp_trial.hpp"
#include "krimp/prune.hpp"

namespace halfmask {

// Sets among the changes whose usage falls, in cover order.
template <typename M>
std::vector<Element> fallen_sets(const KrimpState<M>& state, std::span<const UsageChange> changes) {
  std::vector<Element> fallen;
  for (const auto& c : changes)
    if (state.is_set(c.element) && c.after < c.before) fallen.push_back(c.element);
  std::ranges::sort(fallen, [&](Element a, Element b) { return state.before(a, b); });
  return fallen;
}

// The table in the words of prune.hpp.
template <typename M>
class KrimpPruning {
 public:
  // One trial for each member of the team; the sets of the queue are tried together at first,
  // against the table as it is. Those that stay need no second look until one leaves: few do.
  KrimpPruning(KrimpState<M>& state, std::span<Trial<M>> trials, Team& team,
               std::span<const Element> queue)
      : state_(state), trial_(trials.front()) {
    constexpr std::size_t worth_the_team = 4;
    if (team.size() == 1 || queue.size() < worth_the_team) return;
    std::vector<char> stays(queue.size());
    std::atomic<std::size_t> next{0};
    team.run([&](std::size_t member) {
      for (auto k = next++; k < queue.size(); k = next++)
        stays[k] = trials[member].without(queue[k]) > 0;
    });
    for (std::size_t k = 0; k < queue.size(); ++k)
      if (stays[k]) staying_.push_back(queue[k]);
  }

  [[nodiscard]] Count usage(Element e) const { return state_.usage(e); }
  [[nodiscard]] bool before(Element a, Element b) const { return state_.before(a, b); }
  [[nodiscard]] std::vector<Element> in_cover_order() const { return state_.in_cover_order(); }
  void drop(Element e) { (void)drop_if_it_pays(e); }  // nothing grows without an unused set
  [[nodiscard]] std::optional<std::vector<Element>> drop_if_it_pays(Element e) {
    if (std::ranges::find(staying_, e) != staying_.end()) return std::nullopt;
    if (trial_.without(e) > 0) return std::nullopt;
    staying_.clear();
    auto fallen = fallen_sets(state_, trial_.changes());
    std::erase(fallen, e);
    state_.erase(e, trial_.covered(), trial_.holders(state_.items(e)));
    state_.book(trial_.changes());
    return fallen;
  }

 private:
  KrimpState<M>& state_;
  Trial<M>& trial_;
  std::vector<Element> staying_;
};

}  // namespace halfmask

// Pruning after an acceptance: sets that lost usage may no longer pay.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "krimp_state.hpp"
#include "krimp_trial.hpp"
#include "prune.hpp"

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
  KrimpPruning(KrimpState<M>& state, Trial<M>& trial) : state_(state), trial_(trial) {}

  [[nodiscard]] Count usage(Element e) const { return state_.usage(e); }
  [[nodiscard]] bool before(Element a, Element b) const { return state_.before(a, b); }
  [[nodiscard]] std::vector<Element> in_cover_order() const { return state_.in_cover_order(); }
  void drop(Element e) { (void)drop_if_it_pays(e); }  // nothing grows without an unused set
  [[nodiscard]] std::optional<std::vector<Element>> drop_if_it_pays(Element e) {
    if (trial_.without(e) > 0) return std::nullopt;
    auto fallen = fallen_sets(state_, trial_.changes());
    std::erase(fallen, e);
    state_.erase(e, trial_.covered(), trial_.holders(state_.items(e)));
    state_.book(trial_.changes());
    return fallen;
  }

 private:
  KrimpState<M>& state_;
  Trial<M>& trial_;
};

}  // namespace halfmask

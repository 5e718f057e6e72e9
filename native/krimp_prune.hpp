// Pruning after an acceptance: sets that lost usage may no longer pay.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "krimp_state.hpp"
#include "krimp_trial.hpp"

namespace halfmask {

// Sets among the changes whose usage falls, in cover order.
template <std::size_t W>
std::vector<Element> fallen_sets(const KrimpState<W>& state, std::span<const UsageChange> changes) {
  std::vector<Element> fallen;
  for (const auto& c : changes)
    if (state.is_set(c.element) && c.after < c.before) fallen.push_back(c.element);
  std::ranges::sort(fallen, [&](Element a, Element b) { return state.before(a, b); });
  return fallen;
}

// Deletes the set unless the total would grow. Answers whether it did, and who lost usage by it.
template <std::size_t W>
std::pair<bool, std::vector<Element>> try_without(KrimpState<W>& state, Trial<W>& trial,
                                                  Element e) {
  if (trial.without(e) > 0) return {false, {}};
  auto fallen = fallen_sets(state, trial.changes());
  std::erase(fallen, e);
  state.erase(e, trial.covered(), trial.holders(state.items(e)));
  state.book(trial.changes());
  return {true, std::move(fallen)};
}

// Least used first, in cover order when equal; whoever loses usage by a deletion is looked at too.
template <std::size_t W>
void prune_repaired(KrimpState<W>& state, Trial<W>& trial, std::vector<Element> queue) {
  const auto first = [&](Element a, Element b) {
    const auto x = state.usage(a);
    const auto y = state.usage(b);
    return x != y ? x < y : state.before(a, b);
  };
  while (!queue.empty()) {
    const auto next = std::ranges::min_element(queue, first);
    const auto e = *next;
    queue.erase(next);
    for (const auto f : try_without(state, trial, e).second)
      if (std::ranges::find(queue, f) == queue.end()) queue.push_back(f);
  }
}

// The authors' program to the letter; patterns/reference.py names its three slips.
template <std::size_t W>
void prune_as_authors(KrimpState<W>& state, Trial<W>& trial, std::vector<Element> queue) {
  const auto usage = [&](Element e) { return state.usage(e); };
  while (!queue.empty()) {
    const auto e = queue.front();
    queue.erase(queue.begin());
    const bool unused = usage(e) == 0;
    const auto order = state.in_cover_order();
    const auto next = std::ranges::find(order, e) + 1;
    const auto skipped = next == order.end() ? e : *next;
    const auto [deleted, fallen] = try_without(state, trial, e);
    if (unused || !deleted) continue;
    for (std::size_t a = 0; a + 1 < queue.size(); ++a) {
      bool swapped = false;
      for (std::size_t b = a; b + 1 < queue.size(); ++b) {
        if (usage(queue[b]) <= usage(queue[b + 1])) continue;
        std::swap(queue[b], queue[b + 1]);
        swapped = true;
      }
      if (!swapped) break;
    }
    for (const auto f : fallen) {
      if (f == skipped || std::ranges::find(queue, f) != queue.end()) continue;
      queue.insert(std::ranges::find_if(queue, [&](Element q) { return usage(q) > usage(f); }), f);
    }
  }
}

}  // namespace halfmask

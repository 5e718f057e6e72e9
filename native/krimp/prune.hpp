// Pruning: sets that lost usage when another was accepted, and no longer pay, leave the table.
//
// Written for any search whose table can say
//   usage(e)            the usage of a set
//   before(a, b)        cover order
//   in_cover_order()    the sets
//   drop(e)             deletes an unused set
//   drop_if_it_pays(e)  deletes a set unless the total would grow; the sets that lost usage by it,
//                       in cover order, or nothing when the set stays
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace halfmask {

enum class Prune { none, repaired, authors };

// Least used first, in cover order when equal; every set that loses usage is looked at (again).
template <typename Table, typename Element>
void prune_repaired(Table& table, std::vector<Element> queue) {
  const auto sooner = [&](Element a, Element b) {
    return table.usage(a) != table.usage(b) ? table.usage(a) < table.usage(b) : table.before(a, b);
  };
  while (!queue.empty()) {
    const auto least = std::ranges::min_element(queue, sooner);
    const auto e = *least;
    queue.erase(least);
    const auto fallen = table.drop_if_it_pays(e);
    if (!fallen) continue;
    for (const auto f : *fallen)
      if (std::ranges::find(queue, f) == queue.end()) queue.push_back(f);
  }
}

// The sort of the authors' program: each pass starts one place later instead of ending one earlier.
template <typename Table, typename Element>
void sort_incompletely(const Table& table, std::vector<Element>& queue) {
  for (std::size_t start = 0; start + 1 < queue.size(); ++start) {
    bool swapped = false;
    for (std::size_t b = start; b + 1 < queue.size(); ++b)
      if (table.usage(queue[b]) > table.usage(queue[b + 1])) {
        std::swap(queue[b], queue[b + 1]);
        swapped = true;
      }
    if (!swapped) return;
  }
}

// The authors' program to the letter (patterns/reference.py names its slips): the queue starts in
// cover order, not by usage, and the set that moves into the place of a deleted one is not looked
// at.
template <typename Table, typename Element>
void prune_as_authors(Table& table, std::vector<Element> queue) {
  std::ranges::sort(queue, [&](Element a, Element b) { return table.before(a, b); });
  while (!queue.empty()) {
    const auto e = queue.front();
    queue.erase(queue.begin());
    if (table.usage(e) == 0) {
      table.drop(e);
      continue;
    }
    const auto order = table.in_cover_order();
    const auto next = std::ranges::find(order, e) + 1;
    const auto fallen = table.drop_if_it_pays(e);
    if (!fallen) continue;
    sort_incompletely(table, queue);
    for (const auto f : *fallen) {
      if ((next != order.end() && f == *next) || std::ranges::find(queue, f) != queue.end())
        continue;
      queue.insert(
          std::ranges::find_if(queue, [&](Element q) { return table.usage(q) > table.usage(f); }),
          f);
    }
  }
}

// The queue: the sets that lost usage through the acceptance.
template <typename Table, typename Element>
void prune_after(Table& table, Prune mode, std::vector<Element> queue) {
  if (mode == Prune::repaired) prune_repaired(table, std::move(queue));
  if (mode == Prune::authors) prune_as_authors(table, std::move(queue));
}

}  // namespace halfmask

#include "krimp/krimp_rows.hpp"

#include <algorithm>
#include <numeric>

namespace halfmask {

namespace {

std::vector<bool> live_items(const Candidates& candidates, std::size_t n_items) {
  std::vector<bool> live(n_items, false);
  for (std::size_t c = 0; c < candidates.size(); ++c)
    if (const auto itemset = candidates[c]; itemset.size() > 1)
      for (const auto item : itemset) live[item] = true;
  return live;
}

// Greedy colouring: the most frequent items first, each in the first slot that no item it meets
// has.
void assign_slots(LiveRows& rows, std::size_t n_items) {
  std::vector<std::vector<std::uint32_t>> rows_of(n_items);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (const auto item : rows.row(r)) rows_of[item].push_back(static_cast<std::uint32_t>(r));
  rows.slots.assign(n_items, 0);
  std::vector<std::size_t> taken_by(n_items + 1, n_items);  // slot -> last item that excluded it
  for (std::size_t item = 0; item < n_items; ++item) {
    if (rows_of[item].empty()) continue;
    for (const auto r : rows_of[item])
      for (const auto other : rows.row(r)) {
        if (other >= item) break;
        taken_by[rows.slots[other]] = item;
      }
    std::size_t slot = 0;
    while (taken_by[slot] == item) ++slot;
    rows.slots[item] = static_cast<std::uint16_t>(slot);
    rows.n_slots = std::max(rows.n_slots, slot + 1);
  }
}

}  // namespace

LiveRows live_rows(const Rows& rows, const Candidates& candidates) {
  return live_rows(rows, live_items(candidates, static_cast<std::size_t>(rows.n_items)));
}

LiveRows live_rows(const Rows& rows, const std::vector<bool>& live) {
  const auto n_items = static_cast<std::size_t>(rows.n_items);
  std::vector<std::size_t> offsets{0};
  std::vector<Rank> items;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const auto item : rows.row(r))
      if (live[static_cast<std::size_t>(item)]) items.push_back(static_cast<Rank>(item));
    offsets.push_back(items.size());
  }
  const auto row = [&](std::size_t r) {
    return std::span<const Rank>(items.data() + offsets[r], items.data() + offsets[r + 1]);
  };
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return std::ranges::lexicographical_compare(row(a), row(b)); });
  LiveRows result;
  for (const auto r : order) {
    const auto found = row(r);
    if (found.size() < 2) continue;  // no set is in it: its items stand alone for ever
    if (result.size() > 0 && std::ranges::equal(found, result.row(result.size() - 1))) {
      result.weights.back() += rows.weights[r];
      continue;
    }
    result.items.insert(result.items.end(), found.begin(), found.end());
    result.offsets.push_back(result.items.size());
    result.weights.push_back(rows.weights[r]);
  }
  assign_slots(result, n_items);
  return result;
}

RankedRows ranked_rows(const Rows& rows, std::span<const Item> ranks) {
  RankedRows result;
  result.n_items = rows.n_items;
  result.weights.assign(rows.weights.begin(), rows.weights.end());
  result.offsets.assign(rows.offsets.begin(), rows.offsets.end());
  result.items.reserve(rows.items.size());
  for (const auto item : rows.items) result.items.push_back(ranks[static_cast<std::size_t>(item)]);
  for (std::size_t r = 0; r < rows.size(); ++r)
    std::sort(result.items.begin() + rows.offsets[r], result.items.begin() + rows.offsets[r + 1]);
  return result;
}

}  // namespace halfmask

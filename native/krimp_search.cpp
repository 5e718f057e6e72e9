#include "krimp_search.hpp"

namespace halfmask {

template <std::size_t W>
KrimpSearch<W>::KrimpSearch(const Rows& rows, const Candidates& candidates, LiveRows&& live)
    : candidates_(candidates),
      rows_(std::move(live)),
      n_items_(static_cast<std::size_t>(rows.n_items)),
      words_((rows_.size() + 63) / 64),
      identity_(n_items_),
      row_masks_(rows_.size(), Mask{}),
      covers_(rows_.size()),
      contained_(rows_.size()),
      base_(n_items_ * words_, 0),
      usages_(n_items_, 0),
      sizes_({}, 0) {
  Count cells = 0;
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (const auto item : rows.row(r)) {
      usages_[static_cast<std::size_t>(item)] += rows.weights[r];
      cells += rows.weights[r];
    }
  for (std::size_t i = 0; i < n_items_; ++i) identity_[i] = static_cast<Rank>(i);
  for (const auto u : usages_) sums_.used += u > 0;
  sums_.usage = cells;
  sizes_ = Sizes(usages_, cells);
  tally_.resize(n_items_);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    row_masks_[r] = mask_of(rows_.row(r));
    for (const auto item : rows_.row(r)) base_[item * words_ + r / 64] |= Word{1} << (r % 64);
  }
}

template <std::size_t W>
auto KrimpSearch<W>::mask_of(std::span<const Rank> items) const -> Mask {
  Mask mask{};
  for (const auto item : items) {
    const auto slot = rows_.slots[item];
    mask[slot / 64] |= Word{1} << (slot % 64);
  }
  return mask;
}

// Rows in which all items are free at the level of this length, into found_.
template <std::size_t W>
void KrimpSearch<W>::find_rows(std::span<const Rank> items, std::size_t length) {
  found_.clear();
  for (std::size_t w = 0; w < words_; ++w) {
    Word hits = ~Word{0};
    for (const auto item : items) hits &= bitmap(length, item)[w];
    for (; hits != 0; hits &= hits - 1)
      found_.push_back(static_cast<Row>(w * 64 + static_cast<std::size_t>(std::countr_zero(hits))));
  }
}

template <std::size_t W>
auto KrimpSearch<W>::left_after(Row row, std::size_t kept) const -> Mask {
  Mask left = row_masks_[row];
  for (std::size_t k = 0; k < kept; ++k) remove(left, set(covers_[row][k]).mask);
  return left;
}

// Covers what is left of a row with the given contained sets, in order, into new_tail_.
template <std::size_t W>
void KrimpSearch<W>::recover(Row row, std::span<const Element> candidates, Mask left) {
  (void)row;
  for (const auto e : candidates)
    if (inside(set(e).mask, left)) {
      new_tail_.push_back(e);
      remove(left, set(e).mask);
    }
}

template <std::size_t W>
void KrimpSearch<W>::cover_with(Row row, Element added) {
  const auto n = length(added);
  const auto& cover = covers_[row];
  const auto shorter = [&](Element e) { return length(e) >= n; };
  const auto kept = static_cast<std::size_t>(
      std::partition_point(cover.begin(), cover.end(), shorter) - cover.begin());
  auto left = left_after(row, kept);
  remove(left, set(added).mask);
  new_tail_.assign(1, added);
  const auto& contained = contained_[row];
  const auto first = std::partition_point(contained.begin(), contained.end(), shorter);
  recover(row, {first, contained.end()}, left);
  weigh_row(row, kept);
}

template <std::size_t W>
void KrimpSearch<W>::cover_without(Row row, Element removed) {
  const auto& cover = covers_[row];
  const auto kept = static_cast<std::size_t>(std::ranges::find(cover, removed) - cover.begin());
  new_tail_.clear();
  const auto& contained = contained_[row];
  const auto first = std::ranges::find(contained, removed) + 1;
  recover(row, {first, contained.end()}, left_after(row, kept));
  weigh_row(row, kept);
}

template <std::size_t W>
void KrimpSearch<W>::weigh_row(Row row, std::size_t kept) {
  const auto weight = rows_.weights[row];
  Mask before = row_masks_[row];
  Mask after = row_masks_[row];
  const auto& cover = covers_[row];
  for (std::size_t k = 0; k < cover.size(); ++k) {
    remove(before, set(cover[k]).mask);
    if (k < kept) {
      remove(after, set(cover[k]).mask);
    } else {
      tally_.add(cover[k], -weight);
    }
  }
  for (const auto e : new_tail_) {
    remove(after, set(e).mask);
    tally_.add(e, weight);
  }
  for (const auto item : rows_.row(row)) {
    const auto slot = rows_.slots[item];
    if (has(before, slot) != has(after, slot))
      tally_.add(item, has(after, slot) ? weight : -weight);
  }
}

template <std::size_t W>
void KrimpSearch<W>::own(Row row, Element e, bool free) {
  const Word bit = Word{1} << (row % 64);
  for (std::size_t n = 2; n <= length(e); ++n)
    for (const auto item : set(e).items) {
      auto& word = levels_[n][item * words_ + row / 64];
      word = free ? word | bit : word & ~bit;
    }
}

template <std::size_t W>
void KrimpSearch<W>::store_row(Row row, std::size_t kept) {
  auto& cover = covers_[row];
  for (std::size_t k = kept; k < cover.size(); ++k) own(row, cover[k], true);
  cover.resize(kept);
  for (const auto e : new_tail_) {
    own(row, e, false);
    cover.push_back(e);
  }
}

template <std::size_t W>
bool KrimpSearch<W>::smaller(bool or_equal) {
  changes_.clear();
  fallen_.clear();
  tally_.drain([&](Element e, Count by) {
    changes_.push_back({usages_[e], usages_[e] + by, items_of(e)});
    if (e >= n_items_ && by < 0) fallen_.push_back(e);
  });
  const auto sign = sizes_.compare(sums_, changes_);
  return or_equal ? sign <= 0 : sign < 0;
}

// Takes the changes of the tally over into the usages.
template <std::size_t W>
void KrimpSearch<W>::book() {
  changes_.clear();
  tally_.drain([&](Element e, Count by) {
    changes_.push_back({usages_[e], usages_[e] + by, {}});
    usages_[e] += by;
  });
  sums_ = sizes_.after(sums_, changes_);
}

template <std::size_t W>
bool KrimpSearch<W>::consider(std::size_t candidate) {
  const auto items = candidates_[candidate];
  find_rows(items, items.size());
  if (found_.empty()) return false;
  const auto added = static_cast<Element>(n_items_ + sets_.size());
  sets_.push_back({candidate, items, mask_of(items)});
  usages_.push_back(0);
  tally_.resize(usages_.size());
  for (const auto row : found_) cover_with(row, added);
  if (!smaller(false)) {
    sets_.pop_back();
    usages_.pop_back();
    return false;
  }
  insert(added);
  return true;
}

template <std::size_t W>
void KrimpSearch<W>::insert(Element added) {
  const auto n = length(added);
  while (levels_.size() <= n) levels_.push_back(levels_.size() < 2 ? std::vector<Word>{} : base_);
  for (const auto row : found_) {
    cover_with(row, added);
    const auto& cover = covers_[row];
    const auto kept =
        std::partition_point(cover.begin(), cover.end(), [&](Element e) { return length(e) >= n; });
    store_row(row, static_cast<std::size_t>(kept - cover.begin()));
  }
  book();
  find_rows(set(added).items, levels_.size());
  for (const auto row : found_) {
    auto& contained = contained_[row];
    contained.insert(std::partition_point(contained.begin(), contained.end(),
                                          [&](Element e) { return length(e) >= n; }),
                     added);
  }
}

template <std::size_t W>
std::vector<Row> KrimpSearch<W>::rows_using(Element e) {
  find_rows(set(e).items, levels_.size());
  std::erase_if(found_,
                [&](Row r) { return std::ranges::find(covers_[r], e) == covers_[r].end(); });
  return found_;
}

template <std::size_t W>
void KrimpSearch<W>::erase(Element removed) {
  for (const auto row : rows_using(removed)) {
    cover_without(row, removed);
    const auto& cover = covers_[row];
    store_row(row, static_cast<std::size_t>(std::ranges::find(cover, removed) - cover.begin()));
  }
  book();
  find_rows(set(removed).items, levels_.size());
  for (const auto row : found_) contained_[row].erase(std::ranges::find(contained_[row], removed));
  sets_[removed - n_items_].alive = false;
}

// Deletes the set unless the total would grow; `fallen` gets the sets that lose usage by it.
template <std::size_t W>
bool KrimpSearch<W>::try_without(Element e, std::vector<Element>& fallen) {
  for (const auto row : rows_using(e)) cover_without(row, e);
  const bool pays = smaller(true);
  if (!pays) return false;
  fallen = fallen_;
  std::erase(fallen, e);
  std::ranges::sort(fallen, [&](Element a, Element b) { return before(a, b); });
  erase(e);
  return true;
}

template <std::size_t W>
std::vector<Element> KrimpSearch<W>::in_cover_order() const {
  std::vector<Element> order;
  for (std::size_t k = 0; k < sets_.size(); ++k)
    if (sets_[k].alive) order.push_back(static_cast<Element>(n_items_ + k));
  std::ranges::sort(order, [&](Element a, Element b) { return before(a, b); });
  return order;
}

template <std::size_t W>
KrimpTable KrimpSearch<W>::table() const {
  KrimpTable table;
  for (const auto e : in_cover_order()) {
    table.sets.push_back(set(e).candidate);
    table.usages.push_back(usages_[e]);
  }
  table.item_usages.assign(usages_.begin(),
                           usages_.begin() + static_cast<std::ptrdiff_t>(n_items_));
  return table;
}

template <std::size_t W>
void KrimpSearch<W>::prune_repaired() {
  auto queue = fallen_;
  const auto first = [&](Element a, Element b) {
    return usages_[a] != usages_[b] ? usages_[a] < usages_[b] : before(a, b);
  };
  while (!queue.empty()) {
    const auto next = std::ranges::min_element(queue, first);
    const auto e = *next;
    queue.erase(next);
    std::vector<Element> fallen;
    if (!try_without(e, fallen)) continue;
    for (const auto f : fallen)
      if (std::ranges::find(queue, f) == queue.end()) queue.push_back(f);
  }
}

template <std::size_t W>
void KrimpSearch<W>::prune_as_authors() {
  auto queue = fallen_;
  std::ranges::sort(queue, [&](Element a, Element b) { return before(a, b); });
  while (!queue.empty()) {
    const auto e = queue.front();
    queue.erase(queue.begin());
    if (usages_[e] == 0) {
      erase(e);
      continue;
    }
    // The set that will move into the place of a deleted one is not looked at.
    const auto order = in_cover_order();
    const auto next = std::ranges::find(order, e) + 1;
    const auto skipped = next == order.end() ? e : *next;
    std::vector<Element> fallen;
    if (!try_without(e, fallen)) continue;
    for (std::size_t a = 0; a + 1 < queue.size(); ++a) {
      bool swapped = false;
      for (std::size_t b = a; b + 1 < queue.size(); ++b)
        if (usages_[queue[b]] > usages_[queue[b + 1]]) {
          std::swap(queue[b], queue[b + 1]);
          swapped = true;
        }
      if (!swapped) break;
    }
    for (const auto f : fallen) {
      if (f == skipped || std::ranges::find(queue, f) != queue.end()) continue;
      queue.insert(std::ranges::find_if(queue, [&](Element q) { return usages_[q] > usages_[f]; }),
                   f);
    }
  }
}

template class KrimpSearch<1>;
template class KrimpSearch<2>;
template class KrimpSearch<4>;
template class KrimpSearch<16>;
template class KrimpSearch<1024>;

}  // namespace halfmask

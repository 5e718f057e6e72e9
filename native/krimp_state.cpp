#include "krimp_state.hpp"

#include <algorithm>

namespace halfmask {

template <std::size_t W>
KrimpState<W>::KrimpState(const Rows& rows, const Candidates& candidates, LiveRows&& live)
    : candidates_(candidates),
      rows_(std::move(live)),
      n_items_(static_cast<std::size_t>(rows.n_items)),
      identity_(n_items_),
      cover_offsets_(rows_.size()),
      cover_sizes_(rows_.size(), 0),
      alone_(rows_.size()),
      contained_(rows_.size()),
      usages_(n_items_, 0),
      levels_(rows_, n_items_),
      sizes_({}, 0) {
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (const auto item : rows.row(r)) usages_[static_cast<std::size_t>(item)] += rows.weights[r];
  for (std::size_t i = 0; i < n_items_; ++i) {
    identity_[i] = static_cast<Rank>(i);
    sums_.usage += usages_[i];
    sums_.used += usages_[i] > 0;
  }
  sizes_ = Sizes(usages_, sums_.usage);
  for (const auto& item : identity_) standard_.push_back(sizes_.standard({&item, 1}));
  std::size_t room = 0;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    alone_[r] = mask_of(rows_.row(r));
    cover_offsets_[r] = static_cast<std::uint32_t>(room);
    room += rows_.row(r).size() / 2;
  }
  covers_.resize(room);
}

template <std::size_t W>
Mask<W> KrimpState<W>::mask_of(std::span<const Rank> items) const {
  Mask<W> mask;
  for (const auto item : items) mask.add(rows_.slots[item]);
  return mask;
}

template <std::size_t W>
Rank KrimpState<W>::item_at(Row row, std::size_t slot) const {
  for (const auto item : rows_.row(row))
    if (rows_.slots[item] == slot) return item;
  return 0;
}

template <std::size_t W>
std::vector<Element> KrimpState<W>::in_cover_order() const {
  std::vector<Element> order;
  for (std::size_t k = 0; k < sets_.size(); ++k)
    if (sets_[k].alive) order.push_back(static_cast<Element>(n_items_ + k));
  std::ranges::sort(order, [&](Element a, Element b) { return before(a, b); });
  return order;
}

template <std::size_t W>
KrimpTable KrimpState<W>::table() const {
  KrimpTable table;
  for (const auto e : in_cover_order()) {
    table.sets.push_back(set(e).candidate);
    table.usages.push_back(usages_[e]);
  }
  table.item_usages.assign(usages_.begin(),
                           usages_.begin() + static_cast<std::ptrdiff_t>(n_items_));
  return table;
}

// The row keeps the first sets of its cover, the others give way to the tail.
template <std::size_t W>
void KrimpState<W>::rewrite(Row row, std::size_t kept, std::span<const Element> tail) {
  auto* sets = covers_.data() + cover_offsets_[row];
  auto& alone = alone_[row];
  for (std::size_t k = kept; k < cover_sizes_[row]; ++k) {
    alone.add(set(sets[k]).mask);
    levels_.release(row, items(sets[k]));
  }
  for (const auto e : tail) {
    sets[kept++] = e;
    alone.remove(set(e).mask);
    levels_.claim(row, items(e));
  }
  cover_sizes_[row] = static_cast<std::uint32_t>(kept);
}

template <std::size_t W>
Element KrimpState<W>::insert(std::size_t candidate, std::span<const Row> covered,
                              std::span<const Row> holders) {
  const auto added = static_cast<Element>(n_elements());
  const auto items = candidates_[candidate];
  sets_.push_back({mask_of(items), static_cast<std::uint32_t>(items.size()), true, candidate});
  usages_.push_back(0);
  standard_.push_back(sizes_.standard(items));
  const auto longer = [&](Element e) { return set(e).length >= items.size(); };
  std::vector<Element> tail;
  for (const auto row : covered) {
    const auto sets = cover(row);
    const auto kept = std::ranges::partition_point(sets, longer) - sets.begin();
    auto left = alone(row);
    for (const auto e : sets.subspan(static_cast<std::size_t>(kept))) left.add(set(e).mask);
    left.remove(set(added).mask);
    tail.assign(1, added);
    const auto inside = contained(row);
    const auto first = std::ranges::partition_point(inside, longer);
    recover(*this, {first, inside.end()}, left, [&](Element e) { tail.push_back(e); });
    rewrite(row, static_cast<std::size_t>(kept), tail);
  }
  for (const auto row : holders) {
    auto& inside = contained_[row];
    inside.insert(std::ranges::partition_point(inside, longer), added);
  }
  return added;
}

template <std::size_t W>
void KrimpState<W>::erase(Element e, std::span<const Row> covered, std::span<const Row> holders) {
  std::vector<Element> tail;
  for (const auto row : holders) {
    auto& inside = contained_[row];
    inside.erase(std::ranges::find(inside, e));
  }
  const auto earlier = [&](Element f) { return before(f, e); };
  for (const auto row : covered) {
    const auto sets = cover(row);
    const auto kept = std::ranges::find(sets, e) - sets.begin();
    auto left = alone(row);
    for (const auto f : sets.subspan(static_cast<std::size_t>(kept))) left.add(set(f).mask);
    tail.clear();
    const auto inside = contained(row);
    const auto first = std::ranges::partition_point(inside, earlier);
    recover(*this, {first, inside.end()}, left, [&](Element f) { tail.push_back(f); });
    rewrite(row, static_cast<std::size_t>(kept), tail);
  }
  sets_[e - n_items_].alive = false;
}

template <std::size_t W>
void KrimpState<W>::book(std::span<const UsageChange> changes) {
  sums_ = Sizes::after(sums_, changes);
  for (const auto& c : changes) usages_[c.element] = c.after;
}

template class KrimpState<1>;
template class KrimpState<2>;
template class KrimpState<4>;
template class KrimpState<16>;
template class KrimpState<1024>;

}  // namespace halfmask

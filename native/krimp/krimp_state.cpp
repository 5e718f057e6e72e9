#include "krimp/krimp_state.hpp"

#include <algorithm>

namespace halfmask {

template <typename M>
KrimpState<M>::KrimpState(const Rows& rows, const Candidates& candidates, LiveRows&& live)
    : candidates_(candidates),
      live_(std::move(live)),
      n_items_(static_cast<std::size_t>(rows.n_items)),
      identity_(n_items_),
      usages_(n_items_, 0),
      levels_(live_),
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
  for (std::size_t r = 0; r < live_.size(); ++r)
    covered_.emplace_back(mask_of(live_.row(r)), live_.row(r).size(), live_.weights[r]);
  constexpr std::size_t few_slots = 64;
  if (live_.n_slots > few_slots) return;
  item_at_.resize(live_.size() * live_.n_slots);
  for (std::size_t r = 0; r < live_.size(); ++r)
    for (const auto item : live_.row(r)) item_at_[r * live_.n_slots + live_.slots[item]] = item;
}

template <typename M>
M KrimpState<M>::mask_of(std::span<const Rank> items) const {
  M mask;
  for (const auto item : items) mask.add(live_.slots[item]);
  return mask;
}

template <typename M>
Rank KrimpState<M>::find_item(Row row, std::size_t slot) const {
  for (const auto item : live_.row(row))
    if (live_.slots[item] == slot) return item;
  return 0;
}

template <typename M>
std::vector<Element> KrimpState<M>::in_cover_order() const {
  std::vector<Element> order;
  for (std::size_t k = 0; k < sets_.size(); ++k)
    if (chosen_[k].alive) order.push_back(static_cast<Element>(n_items_ + k));
  std::ranges::sort(order, [&](Element a, Element b) { return before(a, b); });
  return order;
}

template <typename M>
KrimpTable KrimpState<M>::table() const {
  KrimpTable table;
  for (const auto e : in_cover_order()) {
    table.sets.push_back(chosen_[e - n_items_].candidate);
    table.usages.push_back(usages_[e]);
  }
  table.item_usages.assign(usages_.begin(),
                           usages_.begin() + static_cast<std::ptrdiff_t>(n_items_));
  return table;
}

template <typename M>
void KrimpState<M>::uncover(Row row, std::size_t kept) {
  auto& covered = covered_[row];
  while (covered.cover().size() > kept) {
    const auto e = covered.cover().back();
    levels_.release(row, items(e));
    covered.shorten_cover(set(e).mask);
  }
}

template <typename M>
void KrimpState<M>::cover_with(Row row, Element e) {
  levels_.claim(row, items(e));
  covered_[row].lengthen_cover(set(e).mask, e);
}

template <typename M>
void KrimpState<M>::cover_rest(Row row) {
  const auto& covered = covered_[row];
  auto left = covered.alone();
  for (const auto& entry : covered.inside()) {
    if (!entry.folded.inside(fold(left)) || !mask_of(entry).inside(left)) continue;
    left.remove(mask_of(entry));
    cover_with(row, entry.set);
  }
}

template <typename M>
Element KrimpState<M>::insert(std::size_t candidate, std::span<const Row> covered,
                              std::span<const Row> holders) {
  const auto added = static_cast<Element>(n_elements());
  const auto items = candidates_[candidate];
  sets_.push_back({mask_of(items), static_cast<std::uint32_t>(items.size())});
  chosen_.push_back({candidate});
  usages_.push_back(0);
  standard_.push_back(sizes_.standard(items));
  const auto longer = [&](Element e) { return set(e).length >= items.size(); };
  for (const auto row : covered) {
    const auto cover = covered_[row].cover();
    const auto first = std::ranges::partition_point(cover, longer);
    uncover(row, static_cast<std::size_t>(first - cover.begin()));
    cover_with(row, added);
    cover_rest(row);
  }
  for (const auto row : holders) {
    const auto inside = covered_[row].inside();
    const auto place = std::ranges::partition_point(inside, longer, &Inside::set);
    covered_[row].include(static_cast<std::size_t>(place - inside.begin()), set(added).mask, added);
  }
  return added;
}

template <typename M>
void KrimpState<M>::erase(Element e, std::span<const Row> covered, std::span<const Row> holders) {
  for (const auto row : holders) {
    const auto inside = covered_[row].inside();
    const auto place = std::ranges::find(inside, e, &Inside::set);
    covered_[row].exclude(static_cast<std::size_t>(place - inside.begin()));
  }
  for (const auto row : covered) {
    const auto cover = covered_[row].cover();
    uncover(row, static_cast<std::size_t>(std::ranges::find(cover, e) - cover.begin()));
    cover_rest(row);
  }
  chosen_[e - n_items_].alive = false;
}

template <typename M>
void KrimpState<M>::book(std::span<const UsageChange> changes) {
  sums_ = Sizes::after(sums_, changes);
  for (const auto& c : changes) usages_[c.element] = c.after;
}

template class KrimpState<Mask<1, std::uint32_t>>;
template class KrimpState<Mask<1>>;
template class KrimpState<Mask<2>>;
template class KrimpState<Mask<16>>;
template class KrimpState<Mask<1024>>;

}  // namespace halfmask

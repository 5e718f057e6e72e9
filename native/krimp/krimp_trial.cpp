#include "krimp/krimp_trial.hpp"

#include <algorithm>

namespace halfmask {

template <typename M>
int Trial<M>::with(std::span<const Rank> items) {
  covered_ = admission_.rows(items, items.size());
  if (covered_.empty()) return 1;
  change_.resize(state_.n_elements(), 0);
  const auto added = state_.mask_of(items);
  Count usage = 0;
  constexpr std::size_t ahead = 4;
  for (std::size_t k = 0; k < covered_.size(); ++k) {
    if (k + 2 * ahead < covered_.size()) __builtin_prefetch(&state_.row(covered_[k + 2 * ahead]));
    if (k + ahead < covered_.size()) state_.row(covered_[k + ahead]).prefetch_lists();
    usage += state_.row(covered_[k]).weight();
    displace(covered_[k], added, items.size());
  }
  count_alone(items, added, usage);
  return weigh(items, usage);
}

// The new set pushes the shorter sets that share an item with it out of the row.
template <typename M>
void Trial<M>::displace(Row row, const M& added, std::size_t length) {
  const auto& covered = state_.row(row);
  const auto cover = covered.cover();
  M left = covered.alone();
  M freed;
  staying_.clear();
  for (auto k = cover.size(); k > 0; --k) {
    const auto& set = state_.set(cover[k - 1]);
    if (set.length >= length) break;
    left.add(set.mask);
    if (set.mask.meets(added)) {
      add(cover[k - 1], -covered.weight());
      freed.add(set.mask);
    } else {
      staying_.push_back(cover[k - 1]);
    }
  }
  freed.remove(added);
  if (!freed.empty()) refill(row, left.without(added), freed, 0);
}

// Lets the sets of the row from the first on enter where they find a freed item. `left` is what
// the sets before them leave over; no set before them lies inside it.
template <typename M>
void Trial<M>::refill(Row row, M left, M freed, std::size_t first) {
  const auto& covered = state_.row(row);
  const auto weight = covered.weight();
  const auto inside = covered.inside();
  M gone;  // from standing alone
  for (auto k = find_fitting(inside, first, left, freed); k < inside.size();
       k = freed.empty() ? inside.size() : find_fitting(inside, k + 1, left, freed)) {
    const auto e = inside[k].set;
    const auto& mask = state_.mask_of(inside[k]);
    if (!enters(mask, e)) continue;
    add(e, weight);
    drop_met(mask, weight, freed);
    gone.add(mask);
    left.remove(mask);
    freed.remove(mask);
  }
  freed.each([&](std::size_t slot) { add(state_.item_at(row, slot), weight); });
  gone.each([&](std::size_t slot) {
    if (covered.alone().has(slot)) add(state_.item_at(row, slot), -weight);
  });
}

// The first set at or behind `from` that lies inside `left` and meets `freed`; the size if none.
template <typename M>
std::size_t Trial<M>::find_fitting(std::span<const Inside> inside, std::size_t from, const M& left,
                                   const M& freed) const {
  const auto folded_left = fold(left), folded_freed = fold(freed);
  auto k = find_entering(inside, from, folded_left, folded_freed);
  if constexpr (!std::is_same_v<M, Narrow>) {
    const auto fits = [&](const M& mask) { return mask.inside(left) && mask.meets(freed); };
    while (k < inside.size() && !fits(state_.mask_of(inside[k])))
      k = find_entering(inside, k + 1, folded_left, folded_freed);
  }
  return k;
}

// A set that stays and comes first keeps its items.
template <typename M>
bool Trial<M>::enters(const M& mask, Element e) const {
  return std::ranges::none_of(
      staying_, [&](Element f) { return state_.set(f).mask.meets(mask) && state_.before(f, e); });
}

// The later sets that share an item with one that enters go, and free their items.
template <typename M>
void Trial<M>::drop_met(const M& mask, Count weight, M& freed) {
  std::erase_if(staying_, [&](Element f) {
    if (!state_.set(f).mask.meets(mask)) return false;
    add(f, -weight);
    freed.add(state_.set(f).mask);
    return true;
  });
}

// In a row that the new set covers, each of its items was in a displaced set or stood alone.
template <typename M>
void Trial<M>::count_alone(std::span<const Rank> items, const M& added, Count usage) {
  from_sets_.assign(state_.live().n_slots, 0);
  for (const auto e : touched_) {
    if (!state_.is_set(e) || change_[e] >= 0 || !state_.set(e).mask.meets(added)) continue;
    state_.set(e).mask.each([&](std::size_t slot) { from_sets_[slot] -= change_[e]; });
  }
  for (const auto item : items) {
    const auto alone = usage - from_sets_[state_.live().slots[item]];
    if (alone > 0) add(item, -alone);
  }
}

template <typename M>
int Trial<M>::weigh(std::span<const Rank> items, Count usage) {
  changes_.clear();
  for (const auto e : touched_) {
    if (change_[e] == 0) continue;
    const auto before = state_.usage(e);
    changes_.push_back({e, before, before + change_[e], state_.standard(e), state_.items(e)});
    change_[e] = 0;
  }
  touched_.clear();
  if (usage > 0)
    changes_.push_back({static_cast<Element>(state_.n_elements()), 0, usage,
                        state_.sizes().standard(items), items});
  return state_.sizes().compare(state_.sums(), changes_);
}

template <typename M>
int Trial<M>::without(Element e) {
  users_.clear();
  for (const auto row : holders(state_.items(e)))
    if (const auto cover = state_.row(row).cover(); std::ranges::find(cover, e) != cover.end())
      users_.push_back(row);
  covered_ = users_;
  change_.resize(state_.n_elements(), 0);
  const auto& mask = state_.set(e).mask;
  for (const auto row : users_) {
    const auto& covered = state_.row(row);
    const auto cover = covered.cover();
    M left = covered.alone();
    left.add(mask);
    staying_.clear();
    for (auto k = cover.size(); cover[k - 1] != e; --k) {
      staying_.push_back(cover[k - 1]);
      left.add(state_.set(cover[k - 1]).mask);
    }
    add(e, -covered.weight());
    const auto inside = covered.inside();
    const auto place = std::ranges::find(inside, e, &Inside::set) - inside.begin();
    refill(row, left, mask, static_cast<std::size_t>(place) + 1);
  }
  return weigh({}, 0);
}

template class Trial<Mask<1, std::uint32_t>>;
template class Trial<Mask<1>>;
template class Trial<Mask<2>>;
template class Trial<Mask<16>>;
template class Trial<Mask<1024>>;

}  // namespace halfmask

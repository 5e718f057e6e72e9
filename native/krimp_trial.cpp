#include "krimp_trial.hpp"

namespace halfmask {

template <std::size_t W>
int Trial<W>::with(std::span<const Rank> items) {
  covered_ = admission_.rows(items, items.size());
  if (covered_.empty()) return 1;
  change_.resize(state_.n_elements(), 0);
  const auto added = state_.mask_of(items);
  Count usage = 0;
  for (const auto row : covered_) {
    usage += state_.rows().weights[row];
    displace(row, added, items.size());
  }
  count_alone(items, added, usage);
  return weigh(items, usage);
}

// The new set pushes the shorter sets that share an item with it out of the row.
template <std::size_t W>
void Trial<W>::displace(Row row, const Mask<W>& added, std::size_t length) {
  const auto cover = state_.cover(row);
  const auto weight = state_.rows().weights[row];
  bool frees = false;
  auto kept = cover.size();
  for (; kept > 0; --kept) {
    const auto e = cover[kept - 1];
    const auto& set = state_.set(e);
    if (set.length >= length) break;
    if (!set.mask.meets(added)) continue;
    add(e, -weight);
    frees = frees || !set.mask.inside(added);
  }
  if (!frees) return;
  auto left = state_.alone(row);
  for (const auto e : cover.subspan(kept)) {
    left.add(state_.set(e).mask);
    if (!state_.set(e).mask.meets(added)) add(e, -weight);
  }
  left.remove(added);
  const auto inside = state_.contained(row);
  const auto first = std::ranges::partition_point(
      inside, [&](Element e) { return state_.set(e).length >= length; });
  const auto rest =
      recover(state_, {first, inside.end()}, left, [&](Element e) { add(e, weight); });
  const auto before = state_.alone(row).without(added);
  rest.without(before).each([&](std::size_t slot) { add(state_.item_at(row, slot), weight); });
  before.without(rest).each([&](std::size_t slot) { add(state_.item_at(row, slot), -weight); });
}

// In a row that the new set covers, each of its items was in a displaced set or stood alone.
template <std::size_t W>
void Trial<W>::count_alone(std::span<const Rank> items, const Mask<W>& added, Count usage) {
  set_covered_.assign(state_.rows().n_slots, 0);
  for (const auto e : touched_) {
    if (!state_.is_set(e) || change_[e] >= 0) continue;
    const auto& mask = state_.set(e).mask;
    if (!mask.meets(added)) continue;
    mask.each([&](std::size_t slot) { set_covered_[slot] -= change_[e]; });
  }
  for (const auto item : items) {
    const auto stood_alone = usage - set_covered_[state_.rows().slots[item]];
    if (stood_alone > 0) add(item, -stood_alone);
  }
}

template <std::size_t W>
int Trial<W>::weigh(std::span<const Rank> items, Count usage) {
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

template <std::size_t W>
int Trial<W>::without(Element e) {
  const auto items = state_.items(e);
  users_.clear();
  for (const auto row : holders(items))
    if (const auto cover = state_.cover(row); std::ranges::find(cover, e) != cover.end())
      users_.push_back(row);
  covered_ = users_;
  change_.resize(state_.n_elements(), 0);
  for (const auto row : users_) {
    const auto cover = state_.cover(row);
    const auto weight = state_.rows().weights[row];
    const auto place = std::ranges::find(cover, e) - cover.begin();
    auto left = state_.alone(row);
    for (const auto f : cover.subspan(static_cast<std::size_t>(place))) {
      left.add(state_.set(f).mask);
      add(f, -weight);
    }
    const auto inside = state_.contained(row);
    const auto first = std::ranges::partition_point(
        inside, [&](Element f) { return f == e || state_.before(f, e); });
    const auto rest =
        recover(state_, {first, inside.end()}, left, [&](Element f) { add(f, weight); });
    const auto& before = state_.alone(row);
    rest.without(before).each([&](std::size_t slot) { add(state_.item_at(row, slot), weight); });
    before.without(rest).each([&](std::size_t slot) { add(state_.item_at(row, slot), -weight); });
  }
  return weigh({}, 0);
}

template class Trial<1>;
template class Trial<2>;
template class Trial<4>;
template class Trial<16>;
template class Trial<1024>;

}  // namespace halfmask

#include "slim/slim_cover.hpp"

#include <algorithm>

namespace halfmask {

namespace {

template <typename Visit>
void each_bit(std::uint64_t bits, std::size_t word, Visit&& visit) {
  for (; bits != 0; bits &= bits - 1)
    visit(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
}

template <typename Visit>
void each_row(const Bitmap& rows, Visit&& visit) {
  for (std::size_t w = 0; w < rows.size(); ++w) each_bit(rows[w], w, visit);
}

constexpr std::uint64_t steps_of_a_row = 20;  // of one word of a bitmap, as measured

std::size_t place_of(const std::vector<Element>& list, Element e) {
  return static_cast<std::size_t>(std::ranges::find(list, e) - list.begin());
}

}  // namespace

template <std::size_t W>
SlimCover<W>::SlimCover(const Rows& rows, const LiveRows& live)
    : weights_(live.weights),
      row_offsets_(live.offsets),
      row_items_(live.items.begin(), live.items.end()),
      full_(live.size()),
      held_(live.size()),
      covers_(live.size()),
      masks_(static_cast<std::size_t>(rows.n_items)),
      lengths_(masks_.size(), 1),
      usages_(masks_.size(), 0),
      holders_(masks_.size()) {
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (const auto item : rows.row(r)) usages_[static_cast<std::size_t>(item)] += rows.weights[r];
  for (std::size_t i = 0; i < masks_.size(); ++i) masks_[i].add(live.slots[i]);
  for (std::size_t r = 0; r < live.size(); ++r) {
    std::sort(row_items_.begin() + static_cast<std::ptrdiff_t>(row_offsets_[r]),
              row_items_.begin() + static_cast<std::ptrdiff_t>(row_offsets_[r + 1]),
              [&](Element a, Element b) { return live.slots[a] < live.slots[b]; });
    for (const auto item : live.row(r)) {
      full_[r].add(live.slots[item]);
      // Items that stand alone for ever get no bitmap: baskets have thousands of them.
      if (holders_[item].empty()) holders_[item].resize((live.size() + 63) / 64, 0);
      holders_[item][r / 64] |= std::uint64_t{1} << (r % 64);
    }
  }
  left_ = full_;
  users_ = holders_;
}

template <std::size_t W>
Count SlimCover<W>::support(Element e) const {
  Count sum = 0;
  each_row(holders_[e], [&](std::size_t row) { sum += weights_[row]; });
  return sum;
}

template <std::size_t W>
Count SlimCover<W>::joint_support(Element a, Element b) const {
  Count sum = 0;
  for (std::size_t w = 0; w < holders_[a].size(); ++w)
    each_bit(holders_[a][w] & holders_[b][w], w, [&](std::size_t row) { sum += weights_[row]; });
  return sum;
}

template <std::size_t W>
void SlimCover<W>::cover_into(std::size_t row, std::vector<Element>& elements) const {
  elements = covers_[row];
  left_[row].each([&](std::size_t slot) { elements.push_back(item_at(row, slot)); });
}

template <std::size_t W>
void SlimCover<W>::tell_all(const Listener& listener) const {
  Recovered told;
  for (std::size_t row = 0; row < weights_.size(); ++row) {
    cover_into(row, told.come);
    told.weight = weights_[row];
    listener(told);
  }
}

// How many sets of a row's cover come before a newcomer; refused when one of them holds an item
// of it.
template <std::size_t W>
std::size_t SlimCover<W>::admitted(std::size_t row, const Bits& x, std::size_t length) const {
  const auto& cover = covers_[row];
  std::size_t before = 0;
  for (; before < cover.size() && lengths_[cover[before]] >= length; ++before)
    if (masks_[cover[before]].meets(x)) return refused;
  return before;
}

template <std::size_t W>
std::size_t SlimCover<W>::first_shorter(std::size_t row, std::size_t length) const {
  const auto& held = held_[row];
  const auto first =
      std::ranges::partition_point(held, [&](Element e) { return lengths_[e] >= length; });
  return static_cast<std::size_t>(first - held.begin());
}

// The items of a row that the first `kept` sets of its cover leave open.
template <std::size_t W>
auto SlimCover<W>::open_after(std::size_t row, std::size_t kept) const -> Bits {
  Bits open = left_[row];
  for (auto k = kept; k < covers_[row].size(); ++k) open.add(masks_[covers_[row][k]]);
  return open;
}

template <std::size_t W>
void SlimCover<W>::change_singles(std::size_t row, const Bits& before, const Bits& after,
                                  SlimTally& tally) const {
  const auto weight = weights_[row];
  before.without(after).each([&](std::size_t slot) { tally.add(item_at(row, slot), -weight); });
  after.without(before).each([&](std::size_t slot) { tally.add(item_at(row, slot), weight); });
}

// What changes when the first `kept` sets of a cover stay and the held sets from place `from` on
// cover what is left.
template <std::size_t W>
void SlimCover<W>::change_tail(std::size_t row, std::size_t kept, Bits left, std::size_t from,
                               SlimTally& tally) const {
  const auto& held = held_[row];
  const auto& cover = covers_[row];
  for (auto k = kept; k < cover.size(); ++k) tally.add(cover[k], -weights_[row]);
  for (auto k = from; k < held.size(); ++k) {
    const auto e = held[k];
    if (!masks_[e].inside(left)) continue;
    tally.add(e, weights_[row]);
    left.remove(masks_[e]);
  }
  change_singles(row, left_[row], left, tally);
}

template <std::size_t W>
void SlimCover<W>::try_in_row(std::size_t row, const Bits& x, std::size_t length,
                              SlimTally& tally) const {
  const auto kept = admitted(row, x, length);
  if (kept == refused) return;
  tally.newcomer += weights_[row];
  const auto& cover = covers_[row];
  Bits displaced{};
  for (auto k = kept; k < cover.size(); ++k)
    if (masks_[cover[k]].meets(x)) displaced.add(masks_[cover[k]]);
  if (!displaced.inside(x)) {
    change_tail(row, kept, open_after(row, kept).without(x), first_shorter(row, length), tally);
    return;
  }
  // No item comes free, so what is left can only shrink: nothing enters, only parts of x leave.
  for (auto k = kept; k < cover.size(); ++k)
    if (masks_[cover[k]].meets(x)) tally.add(cover[k], -weights_[row]);
  change_singles(row, left_[row].common(x), Bits{}, tally);
}

template <std::size_t W>
std::uint64_t SlimCover<W>::try_union(Element a, Element b, Count joint, SlimTally& tally) const {
  tally.start(elements());
  // Where both are used, the union takes exactly their place: no row need be looked at.
  tally.newcomer = joint;
  tally.add(a, -joint);
  tally.add(b, -joint);
  auto x = masks_[a];
  x.add(masks_[b]);
  const auto length = lengths_[a] + lengths_[b];
  const auto &held_a = holders_[a], &held_b = holders_[b], &used_a = users_[a], &used_b = users_[b];
  std::uint64_t looked_at = 0;
  for (std::size_t w = 0; w < held_a.size(); ++w)
    each_bit(held_a[w] & held_b[w] & ~(used_a[w] & used_b[w]), w, [&](std::size_t row) {
      try_in_row(row, x, length, tally);
      ++looked_at;
    });
  return held_a.size() + steps_of_a_row * looked_at;
}

template <std::size_t W>
void SlimCover<W>::try_without(Element e, SlimTally& tally) const {
  tally.start(elements());
  each_row(users_[e], [&](std::size_t row) {
    const auto kept = place_of(covers_[row], e);
    change_tail(row, kept, open_after(row, kept), place_of(held_[row], e) + 1, tally);
  });
}

// Covers a row anew from set `kept` of its cover and place `from` of its held sets on.
template <std::size_t W>
void SlimCover<W>::recover(std::size_t row, std::size_t kept, std::size_t from,
                           const Listener& listener) {
  cover_into(row, before_);
  auto& cover = covers_[row];
  auto& left = left_[row];
  left = open_after(row, kept);
  cover.resize(kept);
  for (auto k = from; k < held_[row].size(); ++k) {
    const auto e = held_[row][k];
    if (!masks_[e].inside(left)) continue;
    cover.push_back(e);
    left.remove(masks_[e]);
  }

  told_.gone.clear();
  told_.come.clear();
  told_.kept.clear();
  told_.weight = weights_[row];
  const auto bit = std::uint64_t{1} << (row % 64);
  cover_into(row, after_);
  for (const auto e : after_) {
    auto& word = users_[e][row / 64];
    ((word & bit) != 0 ? told_.kept : told_.come).push_back(e);
    word |= bit;
  }
  for (const auto e : before_)
    if (std::ranges::find(told_.kept, e) == told_.kept.end()) {
      told_.gone.push_back(e);
      users_[e][row / 64] &= ~bit;
      usages_[e] -= told_.weight;
    }
  for (const auto e : told_.come) usages_[e] += told_.weight;
  listener(told_);
}

template <std::size_t W>
Element SlimCover<W>::insert_union(Element a, Element b, const Listener& listener) {
  const auto x = static_cast<Element>(elements());
  masks_.push_back(Bits(masks_[a]));
  masks_.back().add(masks_[b]);
  lengths_.push_back(lengths_[a] + lengths_[b]);
  usages_.push_back(0);
  holders_.push_back(holders_[a]);
  for (std::size_t w = 0; w < holders_[x].size(); ++w) holders_[x][w] &= holders_[b][w];
  users_.emplace_back(holders_[x].size(), 0);
  each_row(holders_[x], [&](std::size_t row) {
    const auto place = first_shorter(row, lengths_[x]);
    held_[row].insert(held_[row].begin() + static_cast<std::ptrdiff_t>(place), x);
    const auto kept = admitted(row, masks_[x], lengths_[x]);
    if (kept != refused) recover(row, kept, place, listener);
  });
  return x;
}

template <std::size_t W>
void SlimCover<W>::erase(Element e, const Listener& listener) {
  each_row(holders_[e], [&](std::size_t row) {
    const auto place = place_of(held_[row], e);
    held_[row].erase(held_[row].begin() + static_cast<std::ptrdiff_t>(place));
    const auto kept = place_of(covers_[row], e);
    if (kept < covers_[row].size()) recover(row, kept, place, listener);
  });
  holders_[e].clear();
  users_[e].clear();
}

template class SlimCover<1>;
template class SlimCover<2>;
template class SlimCover<8>;
template class SlimCover<64>;
template class SlimCover<1024>;

}  // namespace halfmask

#include "baskets/quest.hpp"

#include <algorithm>
#include <utility>

#include "common/uniforms.hpp"

namespace halfmask {

namespace {

constexpr std::size_t nothing = static_cast<std::size_t>(-1);

class Filler {
 public:
  Filler(const QuestPool& pool, std::uint64_t key)
      : pool_(pool), random_(key, 0), held_(static_cast<std::size_t>(pool.n_items), 0) {}

  // The items of one basket in the order in which they came.
  const std::vector<Item>& fill(std::int64_t wanted) {
    basket_.clear();
    ++stamp_;
    const auto room = static_cast<std::size_t>(std::max<std::int64_t>(wanted, 0));
    for (std::size_t tries = 0; basket_.size() < room && tries < pool_.size(); ++tries)
      if (!offer(next_pattern(), room)) break;
    return basket_;
  }

 private:
  // A pattern that did not fit the last basket is the first of this one.
  std::size_t next_pattern() {
    if (pending_ != nothing) return std::exchange(pending_, nothing);
    const auto at = std::ranges::upper_bound(pool_.cumulative, random_.next());
    return std::min(static_cast<std::size_t>(at - pool_.cumulative.begin()), pool_.size() - 1);
  }

  // False: the pattern waits for the next basket and this one is closed.
  bool offer(std::size_t pattern, std::size_t room) {
    const auto items = pool_[pattern];
    auto kept = items.size();
    while (kept > 0 && random_.next() < pool_.corruption[pattern]) --kept;
    if (kept + basket_.size() > room && random_.next() < 0.5) {
      pending_ = pattern;
      return false;
    }
    scratch_.assign(items.begin(), items.end());
    for (std::size_t i = 0; i < kept; ++i) {
      std::swap(scratch_[i], scratch_[i + random_.below(scratch_.size() - i)]);
      auto& mark = held_[static_cast<std::size_t>(scratch_[i])];
      if (mark != stamp_) basket_.push_back(scratch_[i]);
      mark = stamp_;
    }
    return true;
  }

  const QuestPool& pool_;
  Uniforms random_;
  std::size_t pending_ = nothing;
  std::vector<Item> basket_;
  std::vector<Item> scratch_;
  std::vector<std::uint64_t> held_;  // held_[item] == stamp_: the item is in the basket
  std::uint64_t stamp_ = 0;
};

}  // namespace

std::optional<std::string> QuestPool::validate() const {
  if (cumulative.size() != corruption.size() || offsets.size() != cumulative.size() + 1)
    return "a pool needs one weight and one corruption for each pattern";
  if (cumulative.empty()) return "a pool needs at least one pattern";
  if (offsets.front() != 0 || offsets.back() != static_cast<std::int64_t>(items.size()) ||
      !std::ranges::is_sorted(offsets))
    return "the offsets of the patterns do not fit their items";
  if (n_items < 0 || n_items > most_items) return "the number of items is negative or too large";
  const auto is_chance = [](double p) { return p >= 0 && p <= 1; };
  if (!std::ranges::all_of(corruption, is_chance)) return "a corruption lies outside 0 to 1";
  if (!std::ranges::all_of(cumulative, [](double w) { return w >= 0 && w <= 2; }))
    return "a cumulative weight is no share";
  if (!std::ranges::is_sorted(cumulative)) return "cumulative weights must not fall";
  if (std::ranges::any_of(items, [this](Item i) { return i < 0 || i >= n_items; }))
    return "an item of a pattern lies outside the alphabet";
  return std::nullopt;
}

QuestBaskets fill_baskets(const QuestPool& pool, std::span<const std::int64_t> sizes, int retries,
                          std::uint64_t key, Watch& watch) {
  Filler filler(pool, key);
  QuestBaskets baskets;
  baskets.offsets.reserve(sizes.size() + 1);
  for (std::size_t b = 0; b < sizes.size(); ++b) {
    const auto* basket = &filler.fill(sizes[b]);
    for (int again = 0; basket->empty() && again < retries; ++again)
      basket = &filler.fill(sizes[b]);
    baskets.items.insert(baskets.items.end(), basket->begin(), basket->end());
    std::sort(baskets.items.begin() + baskets.offsets.back(), baskets.items.end());
    baskets.offsets.push_back(static_cast<std::int64_t>(baskets.items.size()));
    if (b % 1024 == 0 &&
        !watch.tick(static_cast<std::int64_t>(b), static_cast<std::int64_t>(sizes.size())))
      break;
  }
  return baskets;
}

}  // namespace halfmask

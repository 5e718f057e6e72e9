#include <algorithm>

#include "baskets/basket_sampler.hpp"
#include "baskets/quest.hpp"
#include "fuzz/checks.hpp"

namespace halfmask::fuzz {

namespace {

constexpr std::size_t n_baskets = 300;

// Patterns by length, as the sampler wants them; every item is one, sets may follow.
struct OwnedPatterns {
  std::vector<Itemset> sets;
  Listed listed{{}};
  std::vector<double> weights;
  Item n_items;

  [[nodiscard]] BasketPatterns view() const { return {listed.view(), weights, n_items}; }
};

OwnedPatterns patterns_of(const Database& database, std::vector<Itemset> sets, Dice& dice) {
  OwnedPatterns made;
  made.n_items = database.n_items;
  for (Item i = 0; i < database.n_items; ++i)
    if (dice.chance(0.8)) made.sets.push_back({i});
  std::ranges::stable_sort(sets, {}, &Itemset::size);
  for (const auto& set : sets)
    if (!set.empty()) made.sets.push_back(set);
  std::ranges::stable_sort(made.sets, {}, &Itemset::size);
  made.listed = Listed(made.sets);
  for (std::size_t p = 0; p < made.sets.size(); ++p)
    made.weights.push_back(static_cast<double>(dice.between(0, 9)));
  return made;
}

struct OwnedLinks {
  std::vector<std::int64_t> offsets;
  std::vector<Item> items;
  std::vector<double> weights;
  double fresh = 1;

  [[nodiscard]] Links view() const { return {offsets, items, weights, fresh}; }
};

OwnedLinks links_of(Item n_items, Dice& dice) {
  OwnedLinks made{{0}, {}, {}, dice.chance(0.2) ? 0.0 : 0.5};
  for (Item i = 0; i < n_items; ++i) {
    for (Item other = 0; other < n_items; ++other)
      if (other != i && dice.chance(0.2)) {
        made.items.push_back(other);
        made.weights.push_back(static_cast<double>(dice.between(1, 9)));
      }
    made.offsets.push_back(static_cast<std::int64_t>(made.items.size()));
  }
  return made;
}

// A basket that stayed smaller than wanted had no pattern left to take.
void check_full(const OwnedPatterns& pool, const Itemset& basket, std::size_t room) {
  for (std::size_t p = 0; p < pool.sets.size(); ++p) {
    const auto free =
        std::ranges::none_of(pool.sets[p], [&](Item i) { return basket.contains(i); });
    require(!(free && pool.weights[p] > 0 && pool.sets[p].size() <= room),
            "baskets: one that could have been fuller");
  }
}

void check_sampled(const OwnedPatterns& pool, const Links& links, Dice& dice) {
  std::vector<std::int64_t> sizes(n_baskets);
  for (auto& size : sizes) size = dice.between(0, pool.n_items + 1);
  const auto key = static_cast<std::uint64_t>(dice.between(0, 1 << 30));
  Watch watch;
  const auto drawn = sample_baskets(pool.view(), links, sizes, key, 0, watch);
  const std::vector<Count> ones(n_baskets, 1);
  const Database baskets{drawn.offsets, drawn.items, ones, pool.n_items, {}};
  require(!baskets.view().validate(), "baskets: rows that are not sound");
  for (std::size_t b = 0; b < n_baskets; ++b) {
    const auto basket = baskets.row(b);
    const auto wanted = static_cast<std::size_t>(sizes[b]);
    require(basket.size() <= wanted, "baskets: one that is too large");
    require(drawn.steps[b] <= static_cast<std::int32_t>(basket.size()), "baskets: too many steps");
    if (basket.size() < wanted) check_full(pool, basket, wanted - basket.size());
  }
  if (links.offsets.empty()) {
    std::size_t items = 0;
    for (std::size_t p = 0; p < pool.sets.size(); ++p) {
      require(pool.weights[p] > 0 || drawn.usages[p] == 0, "baskets: a pattern without weight");
      items += static_cast<std::size_t>(drawn.usages[p]) * pool.sets[p].size();
    }
    require(items == drawn.items.size(), "baskets: items that no pattern brought");
  }
  constexpr std::size_t cut = 100;
  const auto later =
      sample_baskets(pool.view(), links, std::span(sizes).subspan(cut), key, cut, watch);
  require(std::ranges::equal(
              later.items,
              std::span(drawn.items).subspan(static_cast<std::size_t>(drawn.offsets[cut]))),
          "baskets: one depends on those before it");
}

void check_quest(const Database& database, const OwnedPatterns& pool, Dice& dice) {
  if (pool.sets.empty()) return;
  std::vector<double> cumulative, corruption;
  for (std::size_t p = 0; p < pool.sets.size(); ++p) {
    cumulative.push_back(static_cast<double>(p + 1) / static_cast<double>(pool.sets.size()));
    corruption.push_back(dice.chance(0.5) ? 0.0 : 0.5);
  }
  const QuestPool given{pool.listed.offsets, pool.listed.items, cumulative, corruption,
                        database.n_items};
  require(!given.validate(), "the driver made a pool that is not sound");
  std::vector<std::int64_t> sizes(n_baskets);
  for (auto& size : sizes) size = dice.between(0, 6);
  Watch watch;
  const auto made = fill_baskets(given, sizes, 3, 7, watch);
  const std::vector<Count> ones(n_baskets, 1);
  const Database baskets{made.offsets, made.items, ones, database.n_items, {}};
  require(!baskets.view().validate(), "quest: rows that are not sound");
  const auto longest = pool.sets.back().size();
  Itemset known;
  for (const auto& set : pool.sets) known.insert(set.begin(), set.end());
  for (std::size_t b = 0; b < n_baskets; ++b) {
    const auto basket = baskets.row(b);
    const auto wanted = static_cast<std::size_t>(sizes[b]);
    require(wanted > 0 ? basket.size() < wanted + longest : basket.empty(),
            "quest: a basket that is too large");
    require(std::ranges::includes(known, basket), "quest: an item of no pattern");
  }
  require(fill_baskets(given, sizes, 3, 7, watch).items == made.items, "quest: other baskets");
}

}  // namespace

void check_baskets(const Database& database, const std::vector<Itemset>& sets, Dice& dice) {
  const auto pool = patterns_of(database, sets, dice);
  require(!pool.view().validate(), "the driver made patterns that are not sound");
  check_sampled(pool, Links{}, dice);
  const auto links = links_of(database.n_items, dice);
  require(!links.view().validate(database.n_items), "the driver made links that are not sound");
  check_sampled(pool, links.view(), dice);
  check_quest(database, pool, dice);
}

}  // namespace halfmask::fuzz

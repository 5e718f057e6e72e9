// Basket sampler: baskets of a wanted size, filled with disjoint patterns drawn by weight.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/rows.hpp"
#include "common/watch.hpp"

namespace halfmask {

// Pattern p holds patterns[p] and has weights[p] >= 0; patterns stand in the order of their length,
// shortest first, so that those that still fit are always the first ones.
struct BasketPatterns {
  Itemsets patterns;
  std::span<const double> weights;
  Item n_items = 0;

  // The first broken invariant in words, or nothing when the view is sound.
  [[nodiscard]] std::optional<std::string> validate() const;
};

// Item i is tied to items[offsets[i]] .. items[offsets[i + 1] - 1], each with a weight above 0.
// Without offsets there are no links, and every pattern is drawn afresh.
struct Links {
  std::span<const std::int64_t> offsets;
  std::span<const Item> items;
  std::span<const double> weights;
  double fresh = 1;  // the share of steps that take a pattern, whatever is in the basket

  [[nodiscard]] std::optional<std::string> validate(Item n_items) const;
};

struct SampledBaskets {
  std::vector<std::int64_t> offsets{0};
  std::vector<Item> items;
  std::vector<std::int64_t> usages;  // how many baskets took pattern p
  std::vector<std::int32_t> steps;   // how many patterns and linked items basket b took
};

// Basket b takes patterns until it holds sizes[b] items: one that fits and shares no item with what
// is there, with probability proportional to its weight; where none is left it stays smaller.
// With links, a step that is not fresh looks at an item of the basket and takes one that is tied to
// it, by weight; where that is there already or nothing is tied to it, the step is a fresh one.
// Row b depends on (key, first + b) alone. Cost: a few draws per step, a scan when draws collide.
[[nodiscard]] SampledBaskets sample_baskets(const BasketPatterns& pool, const Links& links,
                                            std::span<const std::int64_t> sizes, std::uint64_t key,
                                            std::uint64_t first, Watch& watch);

}  // namespace halfmask

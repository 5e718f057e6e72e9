// Basket sampler: baskets of a wanted size, filled with disjoint patterns drawn by weight.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rows.hpp"
#include "watch.hpp"

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

struct SampledBaskets {
  std::vector<std::int64_t> offsets{0};
  std::vector<Item> items;
  std::vector<std::int64_t> usages;  // how many baskets took pattern p
};

// Basket b takes patterns until it holds sizes[b] items: one that fits and shares no item with what
// is there, with probability proportional to its weight; where none is left it stays smaller.
// Row b depends on (key, b) alone. Cost: a few draws per pattern, a scan only when draws collide.
[[nodiscard]] SampledBaskets sample_baskets(const BasketPatterns& pool,
                                            std::span<const std::int64_t> sizes, std::uint64_t key,
                                            Watch& watch);

}  // namespace halfmask

// Quest: baskets filled with corrupted patterns, the second half of the IBM Quest generator
// (Agrawal & Srikant, VLDB 1994). The pool of patterns and the wanted sizes are drawn by the
// caller.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/rows.hpp"
#include "common/watch.hpp"

namespace halfmask {

// Pattern p holds items[offsets[p]] .. items[offsets[p + 1] - 1] (repeats allowed), is chosen with
// the probability cumulative[p] - cumulative[p - 1] and loses an item with probability
// corruption[p], again and again until it keeps one.
struct QuestPool {
  std::span<const std::int64_t> offsets;
  std::span<const Item> items;
  std::span<const double> cumulative;
  std::span<const double> corruption;
  Item n_items = 0;

  [[nodiscard]] std::size_t size() const { return cumulative.size(); }
  [[nodiscard]] std::span<const Item> operator[](std::size_t p) const {
    return items.subspan(static_cast<std::size_t>(offsets[p]),
                         static_cast<std::size_t>(offsets[p + 1] - offsets[p]));
  }
  [[nodiscard]] std::optional<std::string> validate() const;
};

struct QuestBaskets {
  std::vector<std::int64_t> offsets{0};
  std::vector<Item> items;
};

// One basket for each wanted size. At most pool.size() patterns are tried for a basket; one that
// stays empty is filled anew up to `retries` times. Cost: proportional to the output.
[[nodiscard]] QuestBaskets fill_baskets(const QuestPool& pool, std::span<const std::int64_t> sizes,
                                        int retries, std::uint64_t key, Watch& watch);

}  // namespace halfmask

// The options of mining as they come from Python, checked.
#pragma once

#include <utility>
#include <vector>

#include "bindings/checks.hpp"
#include "mining/miner.hpp"

namespace halfmask::bindings {

using Pairs = std::vector<std::pair<Rank, Rank>>;

[[nodiscard]] inline MiningOptions checked_mining(Count min_support, bool closed,
                                                  std::int64_t max_length, Pairs forbidden,
                                                  std::uint64_t max_itemsets,
                                                  std::uint64_t max_bytes, std::uint64_t threads,
                                                  Item n_items) {
  check_pairs(forbidden, static_cast<std::size_t>(std::max<Item>(n_items, 0)));
  return {number<Count>("min_support", min_support, 1, any_number),
          closed ? Kind::closed : Kind::all,
          number("max_length", max_length, 1, any_number),
          std::move(forbidden),
          max_itemsets,
          max_bytes,
          checked_threads(threads)};
}

}  // namespace halfmask::bindings

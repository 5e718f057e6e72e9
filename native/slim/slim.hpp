// Slim: a code table grown by joining pairs of its elements, the most promising pair first.
//
// Smets & Vreeken, "Slim: Directly Mining Descriptive Patterns" (2012). Items are ranks here, as in
// Candidates. A pair is judged by the exact change of the total; the promise only orders the
// trials.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "common/rows.hpp"
#include "common/watch.hpp"
#include "krimp/prune.hpp"
#include "mining/candidates.hpp"
#include "slim/slim_pairs.hpp"

namespace halfmask {

struct SlimOptions {
  Count min_support = 1;
  Gain gain = Gain::full;
  Prune prune = Prune::none;
  double min_gain = 0.0;  // a set must save more than this many bits
  std::size_t max_length = static_cast<std::size_t>(-1);
  std::vector<std::pair<Rank, Rank>> forbidden;  // no set holds both items of a pair
  std::size_t threads = 1;
  // Steps after which the search ends with what it has. They are counted and not timed, so that
  // the same rows give the same table everywhere.
  std::uint64_t most_steps = std::numeric_limits<std::uint64_t>::max();
};

struct SlimTable {
  std::vector<std::int64_t> offsets{0};  // the sets in cover order
  std::vector<Item> items;
  std::vector<Count> usages;
  std::vector<Count> supports;
  std::vector<Count> item_usages;
};

struct SlimResult {
  SlimTable table;
  std::size_t evaluated = 0;
  std::size_t accepted = 0;
  bool complete = true;  // false when the watch or the number of steps ended the search
};

// The table is that of the moment when the search ends or the watch stops it.
[[nodiscard]] SlimResult slim(const Rows& rows, const SlimOptions& options, Watch& watch);

}  // namespace halfmask

// The miner: all or all closed frequent itemsets of a database, in candidate order.
//
// Rows hold ranks (see candidates.hpp). The result is the same for any number of threads.
// What is kept while mining is one short record for each itemset (8 bytes); the lists themselves
// are written once, at the end, straight to their places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/rows.hpp"
#include "common/watch.hpp"
#include "mining/candidates.hpp"

namespace halfmask {

enum class Kind { all, closed };

struct MiningOptions {
  Count min_support = 1;
  Kind kind = Kind::all;
  std::size_t max_length = std::numeric_limits<std::size_t>::max();
  // No itemset holds both items of a pair. With Kind::closed, closed is meant in the database as
  // it is: the pairs remove itemsets from the answer, they do not make other sets closed.
  std::vector<std::pair<Rank, Rank>> forbidden;
  std::uint64_t max_itemsets = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t max_bytes = std::numeric_limits<std::uint64_t>::max();
  unsigned threads = 1;
};

// More itemsets than the options allow; `fitting` is the smallest support whose itemsets fit.
struct TooManyItemsets : std::runtime_error {
  TooManyItemsets(std::uint64_t found_, Count fitting_)
      : std::runtime_error("more frequent itemsets than the limit allows"),
        found(found_),
        fitting(fitting_) {}
  std::uint64_t found;
  Count fitting;
};

// Empty when the watch was told to stop: a part of the itemsets would be no prefix of the order.
// Throws TooManyItemsets before more than the allowed memory is held.
[[nodiscard]] Candidates mine(const Rows& rows, const MiningOptions& options, Watch& watch);

// The items of all candidates under the numbers people know, increasing inside each candidate.
[[nodiscard]] std::vector<Item> named(const Candidates& candidates,
                                      std::span<const Item> item_of_rank);

}  // namespace halfmask

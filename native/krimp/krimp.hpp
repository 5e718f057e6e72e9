// Krimp: from candidates in order to the code table that describes the rows best.
//
// Items are ranks here, as in Candidates. Elements of a table are numbered: item i is element i,
// the set accepted as the k-th is element n_items + k.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/rows.hpp"
#include "common/watch.hpp"
#include "krimp/prune.hpp"
#include "mining/candidates.hpp"

namespace halfmask {

struct KrimpOptions {
  Prune prune = Prune::none;
  std::vector<Count> snapshots;  // supports, descending: the table as it is when candidates of
                                 // smaller support begin
  unsigned threads = 1;          // the result is the same for any number
};

// A table at one moment; sets are indexes of candidates in cover order.
struct KrimpTable {
  std::vector<std::size_t> sets;
  std::vector<Count> usages;
  std::vector<Count> item_usages;
};

struct KrimpResult {
  std::vector<KrimpTable> tables;  // one for each snapshot that was reached, then the last table
  std::size_t seen = 0;            // candidates looked at, single items included
  std::size_t accepted = 0;
  bool complete = true;  // false when the watch stopped the search
};

[[nodiscard]] KrimpResult krimp(const Rows& rows, const Candidates& candidates,
                                const KrimpOptions& options, Watch& watch);

}  // namespace halfmask

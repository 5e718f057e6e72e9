#include "slim/slim.hpp"

#include <limits>
#include <stdexcept>

#include "slim/slim_search.hpp"

namespace halfmask {

namespace {

template <std::size_t W>
SlimResult run(const Rows& rows, const LiveRows& live, const SlimOptions& options, Watch& watch) {
  SlimSearch<W> search(rows, live, options);
  return search.run(watch);
}

}  // namespace

SlimResult slim(const Rows& rows, const SlimOptions& options, Watch& watch) {
  std::vector<Count> counts(static_cast<std::size_t>(rows.n_items), 0);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (const auto item : rows.row(r)) counts[static_cast<std::size_t>(item)] += rows.weights[r];
  // An item in fewer rows can be in no set: it stands alone for ever.
  std::vector<bool> live_items;
  for (const auto count : counts) {
    if (count >= options.min_support && live_items.size() > std::numeric_limits<Rank>::max())
      throw std::invalid_argument("a frequent item has a rank above 65535");
    live_items.push_back(count >= options.min_support);
  }

  const auto live = live_rows(rows, live_items);
  if (live.n_slots <= 64) return run<1>(rows, live, options, watch);
  if (live.n_slots <= 128) return run<2>(rows, live, options, watch);
  if (live.n_slots <= 512) return run<8>(rows, live, options, watch);
  if (live.n_slots <= 4096) return run<64>(rows, live, options, watch);
  return run<1024>(rows, live, options, watch);
}

}  // namespace halfmask

#include "krimp.hpp"

#include <numeric>
#include <stdexcept>

#include "krimp_prune.hpp"
#include "krimp_state.hpp"
#include "krimp_trial.hpp"

namespace halfmask {

namespace {

template <std::size_t W>
KrimpResult run(const Rows& rows, const Candidates& candidates, LiveRows&& live,
                const KrimpOptions& options, Watch& watch) {
  KrimpState<W> state(rows, candidates, std::move(live));
  Trial<W> trial(state);
  KrimpPruning<W> pruning(state, trial);
  KrimpResult result;
  auto snapshot = options.snapshots.begin();
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    for (; snapshot != options.snapshots.end() && candidates.supports[c] < *snapshot; ++snapshot)
      result.tables.push_back(state.table());
    if (!watch.tick(static_cast<std::int64_t>(c), static_cast<std::int64_t>(candidates.size()))) {
      result.complete = false;
      break;
    }
    ++result.seen;
    if (candidates[c].size() < 2 || trial.with(candidates[c]) >= 0) continue;
    ++result.accepted;
    auto fallen = fallen_sets(state, trial.changes());
    state.insert(c, trial.covered(), trial.holders(candidates[c]));
    state.book(trial.changes());
    prune_after(pruning, options.prune, std::move(fallen));
  }
  if (result.complete)
    for (; snapshot != options.snapshots.end(); ++snapshot) result.tables.push_back(state.table());
  result.tables.push_back(state.table());
  return result;
}

}  // namespace

KrimpResult krimp(const Rows& rows, const Candidates& candidates, const KrimpOptions& options,
                  Watch& watch) {
  auto live = live_rows(rows, candidates);
  const auto slots = live.n_slots;
  if (slots <= 64) return run<1>(rows, candidates, std::move(live), options, watch);
  if (slots <= 128) return run<2>(rows, candidates, std::move(live), options, watch);
  if (slots <= 256) return run<4>(rows, candidates, std::move(live), options, watch);
  if (slots <= 1024) return run<16>(rows, candidates, std::move(live), options, watch);
  return run<1024>(rows, candidates, std::move(live), options, watch);
}

}  // namespace halfmask

#include "krimp/krimp.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "common/team.hpp"
#include "krimp/krimp_prune.hpp"
#include "krimp/krimp_state.hpp"
#include "krimp/krimp_trial.hpp"

namespace halfmask {

namespace {

// Looks for the next candidate that improves the table. Acceptance is rare, so a team may try many
// candidates against the same table; the first that improves it is the one that a single thread
// would have found, and those behind it are tried again.
template <typename M>
class Scout {
 public:
  Scout(const Candidates& candidates, const KrimpState<M>& state, std::size_t threads)
      : candidates_(candidates), team_(threads) {
    for (std::size_t t = 0; t < threads; ++t) trials_.emplace_back(state);
  }

  [[nodiscard]] std::span<Trial<M>> trials() { return trials_; }
  [[nodiscard]] Team& team() { return team_; }

  // The first candidate in [from, to) that improves the table, or `to`.
  [[nodiscard]] std::size_t first_improving(std::size_t from, std::size_t to) {
    if (team_.size() == 1 || to - from <= alone) return first_alone(trials_[0], from, to);
    std::atomic<std::size_t> next{from};
    std::atomic<std::size_t> first{to};
    team_.run([&](std::size_t member) {
      for (;;) {
        const auto begin = next.fetch_add(share);
        if (begin >= first.load()) return;
        const auto end = std::min(begin + share, to);
        const auto found = first_alone(trials_[member], begin, end);
        if (found == end) continue;
        for (auto known = first.load(); found < known;)
          if (first.compare_exchange_weak(known, found)) break;
      }
    });
    return first.load();
  }

  // How many candidates to ask for next: few after an acceptance, as they may come in swarms. Many
  // otherwise, as the team ends a batch early where it finds one.
  [[nodiscard]] std::size_t batch() const { return batch_; }
  void found(bool any) { batch_ = any ? alone : most; }

 private:
  static constexpr std::size_t alone = 64;   // fewer are not worth waking the team
  static constexpr std::size_t share = 32;   // that a member takes at once: they share prefixes
  static constexpr std::size_t most = 4096;  // between two looks at the watch

  [[nodiscard]] std::size_t first_alone(Trial<M>& trial, std::size_t from, std::size_t to) const {
    for (auto c = from; c < to; ++c)
      if (candidates_[c].size() > 1 && trial.with(candidates_[c]) < 0) return c;
    return to;
  }

  const Candidates& candidates_;
  std::vector<Trial<M>> trials_;
  Team team_;
  std::size_t batch_ = alone;
};

template <typename M>
void accept(KrimpState<M>& state, Scout<M>& scout, std::size_t candidate,
            std::span<const Rank> items, Prune prune) {
  auto& trial = scout.trials().front();
  // The changes are those of the member who found the candidate; the first one repeats the trial.
  if (trial.with(items) >= 0) return;
  auto fallen = fallen_sets(state, trial.changes());
  state.insert(candidate, trial.covered(), trial.holders(items));
  state.book(trial.changes());
  if (prune == Prune::none) return;
  KrimpPruning<M> pruning(state, scout.trials(), scout.team(), fallen);
  prune_after(pruning, prune, std::move(fallen));
}

// The first candidate whose support is below the given one.
std::size_t end_of_support(const Candidates& candidates, Count support) {
  const auto& all = candidates.supports;
  const auto frequent = [&](std::uint32_t s) { return static_cast<Count>(s) >= support; };
  return static_cast<std::size_t>(std::ranges::partition_point(all, frequent) - all.begin());
}

template <typename M>
KrimpResult run(const Rows& rows, const Candidates& candidates, LiveRows&& live,
                const KrimpOptions& options, Watch& watch) {
  KrimpState<M> state(rows, candidates, std::move(live));
  Scout<M> scout(candidates, state, std::max(options.threads, 1U));
  KrimpResult result;
  auto stops = options.snapshots;
  stops.push_back(0);
  for (const auto support : stops) {
    const auto stop = end_of_support(candidates, support);
    while (result.seen < stop) {
      if (!watch.tick(static_cast<std::int64_t>(result.seen),
                      static_cast<std::int64_t>(candidates.size()))) {
        result.complete = false;
        result.tables.push_back(state.table());
        return result;
      }
      const auto to = std::min(stop, result.seen + scout.batch());
      const auto c = scout.first_improving(result.seen, to);
      scout.found(c < to);
      result.seen = std::min(c + 1, to);
      if (c == to) continue;
      ++result.accepted;
      accept(state, scout, c, candidates[c], options.prune);
    }
    result.tables.push_back(state.table());
  }
  result.complete = !watch.stopped();  // the miner may have been stopped before
  return result;
}

}  // namespace

KrimpResult krimp(const Rows& rows, const Candidates& candidates, const KrimpOptions& options,
                  Watch& watch) {
  auto live = live_rows(rows, candidates);
  const auto slots = live.n_slots;
  const auto fitting = [&]<typename M>(M) {
    return run<M>(rows, candidates, std::move(live), options, watch);
  };
  if (slots <= 32) return fitting(Mask<1, std::uint32_t>{});
  if (slots <= 64) return fitting(Mask<1>{});
  if (slots <= 128) return fitting(Mask<2>{});
  if (slots <= 1024) return fitting(Mask<16>{});
  return fitting(Mask<1024>{});
}

}  // namespace halfmask

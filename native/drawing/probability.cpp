#include "drawing/probability.hpp"

#include <algorithm>
#include <iterator>

#include "common/parallel.hpp"
#include "drawing/moves.hpp"

namespace halfmask {

namespace {

template <typename Mask>
class Walker {
 public:
  Walker(const Process& process, const std::vector<Move<Mask>>& all_moves, const WalkLimits& limits,
         KeepGoing keep_going)
      : n_domains_(process.n_domains()),
        order_(process.order.begin(), process.order.end()),
        dense_(order_.empty() && n_domains_ <= 16),
        limits_(limits),
        keep_going_(std::move(keep_going)),
        factors_(all_moves, n_domains_, order_.empty()),
        index_(n_domains_),
        levels_(n_domains_ + 1) {}

  // A walk that loses at most the tolerance; moves shortest first.
  [[nodiscard]] Walk walk(std::span<const Move<Mask>> moves) {
    // Some hundred states end just below the floor, so the first floor lies that much lower.
    for (double floor = limits_.tolerance / 256;; floor /= 64) {
      const auto result = dense_ ? walk_dense(floor, moves) : walk_sparse(floor, moves);
      if (result.dropped <= limits_.tolerance || !keep_going_()) return result;
    }
  }

 private:
  // States with less mass than the floor are not followed. With few columns in random order nearly
  // every set of open domains is met, so a mask is its own address and numerical order is a valid
  // order: 2.1 ms a row of adult (15 columns, exact) where walk_sparse needs 5.1 ms.
  [[nodiscard]] Walk walk_dense(double floor, std::span<const Move<Mask>> moves) {
    const auto all = static_cast<std::size_t>(Mask::first(n_domains_).words[0]);
    mass_.assign(all + 1, 0.0);
    steps_.assign(all + 1, 0.0);
    mass_[all] = 1.0;
    Walk result;
    for (auto open = all; open > 0; --open) {
      const Mask mask{{open}};
      // 256 neighbouring states share their upper domains: what fits those is sifted once.
      if (const Mask widest{{open | 255}}; open == all || open % 256 == 255) {
        fitting_.clear();
        std::ranges::copy_if(moves, std::back_inserter(fitting_),
                             [&](const auto& m) { return m.domains.within(widest); });
      }
      const double mass = mass_[open], steps = steps_[open] + mass_[open];
      if (mass == 0) continue;
      if (mass < floor) {
        result.dropped += mass;
        continue;
      }
      const double* factor = factors_.of(mask, mask.count());
      for (const auto& move : fitting_) {
        if (!move.domains.within(mask)) continue;
        double share = 0;
        move.domains.each([&](std::size_t d) { share += factor[d]; });
        share *= move.weight;
        const auto rest = static_cast<std::size_t>(mask.without(move.domains).words[0]);
        mass_[rest] += mass * share;
        steps_[rest] += steps * share;
      }
    }
    result.arrived = mass_[0];
    result.steps = mass_[0] > 0 ? steps_[0] / mass_[0] : 0.0;
    return result;
  }

  // The same where only few of very many sets are met.
  [[nodiscard]] Walk walk_sparse(double floor, std::span<const Move<Mask>> moves) {
    index_.clear();
    mass_.clear();
    steps_.clear();
    for (auto& level : levels_) level.clear();
    arrive(Mask::first(n_domains_), n_domains_, 1.0, 0.0);
    Walk result;
    for (auto n_open = n_domains_; n_open > 0; --n_open) {
      for (std::size_t k = 0; k < levels_[n_open].size(); ++k) {
        const auto state = levels_[n_open][k];
        if (mass_[state] < floor) {
          result.dropped += mass_[state];
          continue;
        }
        leave(state, n_open, moves);
        if (k % 1024 == 1023 && !keep_going_()) return result;
      }
    }
    if (!levels_[0].empty()) {
      const auto done = levels_[0].front();
      result.arrived = mass_[done];
      result.steps = mass_[done] > 0 ? steps_[done] / mass_[done] : 0.0;
    }
    return result;
  }

  void leave(std::uint32_t state, std::size_t n_open, std::span<const Move<Mask>> moves) {
    const Mask open = index_.mask(state);
    const double mass = mass_[state], steps = steps_[state] + mass_[state];
    const double* factor = factors_.of(open, n_open);
    const auto next = order_.empty() ? n_domains_ : first_open(open);
    for (const auto& move : moves) {
      if (move.length > n_open) break;
      if (!move.domains.within(open)) continue;
      double share = 0;
      if (order_.empty()) {
        move.domains.each([&](std::size_t d) { share += factor[d]; });
      } else if (move.domains.has(next)) {
        share = factor[next];
      } else {
        continue;
      }
      share *= move.weight;
      arrive(open.without(move.domains), n_open - move.length, mass * share, steps * share);
    }
  }

  void arrive(const Mask& open, std::size_t n_open, double mass, double steps) {
    const auto state = index_.number(open);
    if (state == mass_.size()) {
      if (mass_.size() >= limits_.max_states)
        throw TooManyStates("more sets of open columns than the limit");
      mass_.push_back(0.0);
      steps_.push_back(0.0);
      levels_[n_open].push_back(state);
    }
    mass_[state] += mass;
    steps_[state] += steps;
  }

  [[nodiscard]] std::size_t first_open(const Mask& open) const {
    for (const auto d : order_)
      if (open.has(d)) return d;
    return n_domains_;
  }

  std::size_t n_domains_;
  std::vector<std::uint32_t> order_;
  bool dense_;
  WalkLimits limits_;
  KeepGoing keep_going_;
  Factors<Mask> factors_;
  StateIndex<Mask> index_;
  std::vector<double> mass_;   // a(R)
  std::vector<double> steps_;  // a(R) times the mean number of patterns used to get there
  std::vector<std::vector<std::uint32_t>> levels_;
  std::vector<Move<Mask>> fitting_;
};

// Few, because one row of twenty columns may take a tenth of a second.
constexpr std::size_t rows_per_chunk = 16;

template <typename Mask>
void fill(RowProbabilities& result, const Process& process, std::span<const std::int32_t> codes,
          const WalkLimits& limits, std::size_t threads, Watch& watch) {
  const auto n_rows = result.arrived.size();
  const auto all_moves = merged_moves<Mask>(process);
  const PatternFinder<Mask> finder(process);
  auto make_worker = [&](const KeepGoing& keep_going) {
    return [&, walker = Walker<Mask>(process, all_moves, limits, keep_going),
            moves = std::vector<Move<Mask>>()](std::size_t chunk) mutable {
      const auto end = std::min(n_rows, (chunk + 1) * rows_per_chunk);
      for (auto r = chunk * rows_per_chunk; r < end; ++r) {
        if (!finder.find(codes, n_rows, r, moves)) continue;
        const auto walk = walker.walk(moves);
        result.arrived[r] = walk.arrived;
        result.dropped[r] = walk.dropped;
      }
    };
  };
  const auto chunks = (n_rows + rows_per_chunk - 1) / rows_per_chunk;
  const auto begun = in_chunks(chunks, threads, watch, make_worker);
  result.done = std::min(n_rows, begun * rows_per_chunk);
}

}  // namespace

RowProbabilities row_probabilities(const Process& process, std::span<const std::int32_t> codes,
                                   std::size_t n_rows, const WalkLimits& limits,
                                   std::size_t threads, Watch& watch) {
  RowProbabilities result;
  result.arrived.resize(n_rows, 0.0);
  result.dropped.resize(n_rows, 0.0);
  with_mask(process.n_domains(), [&](auto mask) {
    fill<decltype(mask)>(result, process, codes, limits, threads, watch);
  });
  return result;
}

Walk walk_process(const Process& process, const WalkLimits& limits, Watch& watch) {
  Walk result;
  with_mask(process.n_domains(), [&](auto mask) {
    const auto moves = merged_moves<decltype(mask)>(process);
    const auto make_worker = [&](const KeepGoing& keep_going) {
      return [&, walker = Walker<decltype(mask)>(process, moves, limits, keep_going)](
                 std::size_t) mutable { result = walker.walk(moves); };
    };
    (void)in_chunks(1, 1, watch, make_worker);
  });
  return result;
}

}  // namespace halfmask

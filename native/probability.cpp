#include "probability.hpp"

#include <algorithm>
#include <numeric>

#include "domain_mask.hpp"
#include "parallel.hpp"
#include "state_index.hpp"

namespace halfmask {

namespace {

// A pattern, or several with the same domains, as far as a walk needs it.
template <typename Mask>
struct Move {
  Mask domains;
  std::size_t length = 0;
  double weight = 0;
};

template <typename Mask>
void shortest_first(std::vector<Move<Mask>>& moves) {
  std::stable_sort(moves.begin(), moves.end(),
                   [](const auto& a, const auto& b) { return a.length < b.length; });
}

// One move for every set of domains that some pattern has.
template <typename Mask>
std::vector<Move<Mask>> merged_moves(const Process& process) {
  const auto domain = domain_of_items(process);
  StateIndex<Mask> seen(process.n_domains());
  std::vector<Move<Mask>> moves;
  for (std::size_t p = 0; p < process.patterns.size(); ++p) {
    if (process.weights[p] == 0) continue;
    Mask mask;
    for (const auto item : process.patterns[p]) mask.add(domain[static_cast<std::size_t>(item)]);
    const auto number = seen.number(mask);
    if (number == moves.size()) moves.push_back({mask, process.patterns[p].size(), 0});
    moves[number].weight += process.weights[p];
  }
  shortest_first(moves);
  return moves;
}

// For every state met the factors 1 / (c(R) * W_D(R)) by domain D; 0 where no pattern can set D.
template <typename Mask>
class Factors {
 public:
  Factors(const std::vector<Move<Mask>>& moves, std::size_t n_domains, bool any_order)
      : moves_(moves), n_domains_(n_domains), any_order_(any_order), known_(n_domains) {}

  [[nodiscard]] const double* of(const Mask& open, std::size_t n_open) {
    const auto state = known_.number(open);
    const auto at = state * n_domains_;
    if (at == values_.size()) add(open, n_open);
    return values_.data() + at;
  }

 private:
  void add(const Mask& open, std::size_t n_open) {
    const auto at = values_.size();
    values_.resize(at + n_domains_, 0.0);
    double* weight = values_.data() + at;
    for (const auto& move : moves_) {
      if (move.length > n_open) break;
      if (move.domains.within(open))
        move.domains.each([&](std::size_t d) { weight[d] += move.weight; });
    }
    const double chances = any_order_ ? static_cast<double>(n_open) : 1.0;
    for (std::size_t d = 0; d < n_domains_; ++d)
      if (weight[d] > 0) weight[d] = 1.0 / (chances * weight[d]);
  }

  const std::vector<Move<Mask>>& moves_;
  std::size_t n_domains_;
  bool any_order_;
  StateIndex<Mask> known_;
  std::vector<double> values_;
};

template <typename Mask>
class Walker {
 public:
  Walker(const Process& process, const std::vector<Move<Mask>>& all_moves, const WalkLimits& limits,
         KeepGoing keep_going)
      : n_domains_(process.n_domains()),
        order_(process.order.begin(), process.order.end()),
        limits_(limits),
        keep_going_(std::move(keep_going)),
        factors_(all_moves, n_domains_, order_.empty()),
        index_(n_domains_),
        levels_(n_domains_ + 1) {}

  // A walk that loses at most the tolerance; moves shortest first.
  [[nodiscard]] Walk walk(std::span<const Move<Mask>> moves) {
    // Some hundred states end just below the floor, so the first floor lies that much lower.
    for (double floor = limits_.tolerance / 256;; floor /= 64) {
      const auto result = walk_above(floor, moves);
      if (result.dropped <= limits_.tolerance || !keep_going_()) return result;
    }
  }

 private:
  // States with less mass than the floor are not followed.
  [[nodiscard]] Walk walk_above(double floor, std::span<const Move<Mask>> moves) {
    index_.clear();
    mass_.clear();
    for (auto& level : levels_) level.clear();
    add_mass(Mask::first(n_domains_), n_domains_, 1.0);
    Walk result;
    for (auto n_open = n_domains_; n_open > 0; --n_open) {
      for (std::size_t k = 0; k < levels_[n_open].size(); ++k) {
        const auto state = levels_[n_open][k];
        if (mass_[state] < floor) {
          result.dropped += mass_[state];
          continue;
        }
        result.steps += mass_[state];
        leave(state, n_open, moves);
        if (k % 1024 == 1023 && !keep_going_()) return result;
      }
    }
    result.arrived = levels_[0].empty() ? 0.0 : mass_[levels_[0].front()];
    return result;
  }

  void leave(std::uint32_t state, std::size_t n_open, std::span<const Move<Mask>> moves) {
    const Mask open = index_.mask(state);
    const double mass = mass_[state];
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
      add_mass(open.without(move.domains), n_open - move.length, mass * move.weight * share);
    }
  }

  void add_mass(const Mask& open, std::size_t n_open, double mass) {
    const auto state = index_.number(open);
    if (state == mass_.size()) {
      if (mass_.size() >= limits_.max_states)
        throw TooManyStates("more sets of open columns than the limit");
      mass_.push_back(0.0);
      levels_[n_open].push_back(state);
    }
    mass_[state] += mass;
  }

  [[nodiscard]] std::size_t first_open(const Mask& open) const {
    for (const auto d : order_)
      if (open.has(d)) return d;
    return n_domains_;
  }

  std::size_t n_domains_;
  std::vector<std::uint32_t> order_;
  WalkLimits limits_;
  KeepGoing keep_going_;
  Factors<Mask> factors_;
  StateIndex<Mask> index_;
  std::vector<double> mass_;
  std::vector<std::vector<std::uint32_t>> levels_;
};

// Finds the patterns contained in a row: each waits under the item that the fewest patterns hold.
template <typename Mask>
class PatternFinder {
 public:
  explicit PatternFinder(const Process& process)
      : process_(process),
        domain_(domain_of_items(process)),
        waiting_(static_cast<std::size_t>(process.first_item.back())) {
    std::vector<std::size_t> holders(waiting_.size(), 0);
    for (const auto item : process.patterns.items) ++holders[static_cast<std::size_t>(item)];
    for (std::uint32_t p = 0; p < process.patterns.size(); ++p) {
      if (process.weights[p] == 0) continue;
      const auto items = process.patterns[p];
      const auto rarest = *std::ranges::min_element(
          items, {}, [&](Item item) { return holders[static_cast<std::size_t>(item)]; });
      waiting_[static_cast<std::size_t>(rarest)].push_back(p);
    }
  }

  // False when the row lacks a value somewhere, and so can never be made.
  [[nodiscard]] bool find(std::span<const std::int32_t> codes, std::size_t n_rows, std::size_t row,
                          std::vector<Move<Mask>>& moves) const {
    moves.clear();
    const auto holds = [&](Item item) {
      const auto d = domain_[static_cast<std::size_t>(item)];
      return process_.first_item[d] + codes[d * n_rows + row] == item;
    };
    for (std::size_t d = 0; d < process_.n_domains(); ++d) {
      const auto code = codes[d * n_rows + row];
      if (code < 0) return false;
      for (const auto p : waiting_[static_cast<std::size_t>(process_.first_item[d] + code)])
        if (const auto items = process_.patterns[p]; std::ranges::all_of(items, holds))
          moves.push_back(move_of(p));
    }
    shortest_first(moves);
    return true;
  }

 private:
  [[nodiscard]] Move<Mask> move_of(std::uint32_t p) const {
    Move<Mask> move;
    for (const auto item : process_.patterns[p])
      move.domains.add(domain_[static_cast<std::size_t>(item)]);
    move.length = process_.patterns[p].size();
    move.weight = process_.weights[p];
    return move;
  }

  const Process& process_;
  std::vector<std::uint32_t> domain_;
  std::vector<std::vector<std::uint32_t>> waiting_;
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

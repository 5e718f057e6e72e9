// Moves: what a computation of probabilities needs to know of the patterns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "drawing/domain_mask.hpp"
#include "drawing/process.hpp"
#include "drawing/state_index.hpp"

namespace halfmask {

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
    if (values_.size() > max_values) forget();
    const auto at = known_.number(open) * n_domains_;
    if (at == values_.size()) add(open, n_open);
    return values_.data() + at;
  }

 private:
  static constexpr std::size_t max_values = std::size_t{1} << 24;  // 128 MB

  void forget() {
    known_.clear();
    values_.clear();
  }

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

}  // namespace halfmask

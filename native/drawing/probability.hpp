// Probability: how likely the process of the generator is to make a given row, without sampling.
//
// A row t is made by a sequence of patterns contained in t that fills all domains. Let a(R) be the
// probability that the process, having set only values of t, stands with exactly the domains R
// open; a(all) = 1, and the probability of t is a(none). With c(R) the number of domains that may
// be set next (|R|, or 1 when the order is fixed: D is the first open one) and W_D(R) the weight of
// all patterns that may set D,
//
//     a(R \ dom X)  +=  a(R) * sum over D in dom X of  w(X) / (c(R) * W_D(R))
//
// for every pattern X of t with dom X within R. States are taken by falling number of open domains,
// so a(R) is complete when its turn comes. Walking with all patterns of the table instead of those
// of one row gives the probability to complete, and the patterns used on the way, carried along in
// the same manner, give the expected number of patterns per row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "common/watch.hpp"
#include "drawing/process.hpp"

namespace halfmask {

struct WalkLimits {
  // Mass that a walk may lose by not following unlikely states; 0: exact.
  double tolerance = 0;
  // States of one walk; more end it with TooManyStates.
  std::size_t max_states = std::size_t{1} << 20;
};

// Python sees an OverflowError.
struct TooManyStates : std::overflow_error {
  using std::overflow_error::overflow_error;
};

struct Walk {
  double arrived = 0;  // probability to complete
  double steps = 0;    // expected number of patterns used by those that complete
  double dropped = 0;  // mass not followed: the truth is within arrived .. arrived + dropped
};

struct RowProbabilities {
  std::size_t done = 0;  // rows computed: all, or the first ones when the watch said stop
  std::vector<double> arrived;
  std::vector<double> dropped;
};

// The probability of each of `n_rows` rows; codes[d * n_rows + r] is the value number of domain d
// in row r, or negative when the row has none (such a row is never made: 0).
[[nodiscard]] RowProbabilities row_probabilities(const Process& process,
                                                 std::span<const std::int32_t> codes,
                                                 std::size_t n_rows, const WalkLimits& limits,
                                                 std::size_t threads, Watch& watch);

struct RowEstimates {
  std::size_t done = 0;
  std::vector<double> mean;
  std::vector<double> standard_error;
};

// The probability of each row, estimated without bias from `paths` random ways to make it: a way
// takes only patterns of the row, by weight, and counts with the probability that the process
// would have done so too. For tables too wide to follow every way; same key, same estimates.
[[nodiscard]] RowEstimates estimate_probabilities(const Process& process,
                                                  std::span<const std::int32_t> codes,
                                                  std::size_t n_rows, std::size_t paths,
                                                  std::uint64_t key, std::size_t threads,
                                                  Watch& watch);

// The walk of the process itself over whatever rows it makes.
[[nodiscard]] Walk walk_process(const Process& process, const WalkLimits& limits, Watch& watch);

}  // namespace halfmask

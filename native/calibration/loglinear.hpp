// A log-linear model of coded rows, fitted to tables that were counted with errors.
//
// Every cell of every table has a potential; a row has the weight exp(sum of its potentials). A
// potential is as far from 0 as the count of its cell bears out: with mu expected, y observed with
// variance v, and a prior variance tau2, at the fit mu (y - mu) / v = potential / tau2. The model
// is carried by a pool of rows: raking passes move potentials and weights of the pool together, the
// pool is resampled by weight, and every cell of every row is drawn anew (gibbs.hpp), so that no
// table of all combinations is ever made.
//
// Weights are summed as whole numbers, and randomness is by row number: the threads do not matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibration/tables.hpp"
#include "common/watch.hpp"

namespace halfmask {

struct Observations {
  std::span<const double> counts;     // of each cell of each table; may be below 0
  std::span<const double> variances;  // of the noise in it; infinite where nothing was observed
  std::span<const double> priors;     // of each table: the variance of its potentials
  double sampling = 0;                // times mu: added to the variance, 1 for counts of a sample
  double total = 1;                   // rows that the whole pool stands for

  [[nodiscard]] std::optional<std::string> validate(const Tables& tables) const;
};

struct FitPlan {
  std::span<const double> steps;        // of each round: the share of a Newton step that is gone
  std::size_t passes = 1;               // over all tables in a round
  std::span<const double> last_steps;   // of passes after the last round, for the weights
  std::span<const std::uint8_t> drawn;  // columns that are drawn anew
  std::span<const std::int32_t> pairs;  // tied columns, two after two
  std::uint64_t key = 0;
  std::size_t threads = 1;

  [[nodiscard]] std::optional<std::string> validate(std::size_t columns) const;
};

struct Fitted {
  std::vector<std::int32_t> codes;  // of the pool, column after column
  std::vector<double> weights;      // of its rows, 1 on average
  std::vector<double> potentials;
  std::vector<double> expected;  // rows in each cell under the weights
};

// Rounds of passes, resampling and a sweep. When the watch says stop, what there is comes back.
[[nodiscard]] Fitted fit_loglinear(const Coded& pool, const Tables& tables,
                                   const Observations& observed, std::span<const double> potentials,
                                   const FitPlan& plan, Watch& watch);

}  // namespace halfmask

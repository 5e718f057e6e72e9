#include "calibration/loglinear.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "calibration/gibbs.hpp"
#include "common/random.hpp"
#include "common/team.hpp"

namespace halfmask {

namespace {

constexpr double kUnits = 0x1p30;        // of the weight 1: weights are summed in whole numbers
constexpr double kLeastEffective = 0.3;  // share of the rows that the weights must rest on
constexpr double kMostStep = 1.5;        // of one correction, as a logarithm
constexpr std::size_t kChunk = 2048;     // rows that are counted before the next
// Rows take turns in so many sums of each cell, as when raking.
constexpr std::size_t kTurns = 4;
constexpr std::size_t kMostInTurns = 1024;
constexpr std::size_t kBlock = 128;             // rows that are drawn before they are put back
constexpr std::size_t kRowsOfMember = 1 << 13;  // fewer are not worth another thread

class Fit {
 public:
  Fit(const Coded& pool, const Tables& tables, const Observations& observed,
      std::span<const double> potentials, const FitPlan& plan)
      : sizes_(pool.sizes),
        tables_(tables),
        observed_(observed),
        plan_(plan),
        rows_(pool.rows()),
        codes_(pool.narrow()),
        next_codes_(codes_.size()),
        weights_(rows_, 1.0),
        potentials_(potentials.begin(), potentials.end()),
        expected_(potentials.size(), 0.0),
        gibbs_(pool.sizes, tables, plan.drawn, plan.pairs),
        team_(std::clamp<std::size_t>(rows_ / kRowsOfMember, 1,
                                      std::max<std::size_t>(plan.threads, 1))),
        sums_(team_.size()),
        cell_of_row_(rows_),
        spread_((rows_ + kChunk - 1) / kChunk) {}

  // One pass over all tables; a step of 1 is Newton's. Where the weights have come to rest on too
  // few rows, the pool may be drawn anew before the next table.
  void pass(double step, bool redraws) {
    redraws_ = redraws;
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      count(t);
      correct(t, step);
      if (redraws && t + 1 < tables_.size() && effective() < kLeastEffective) redraw();
    }
    settle();
  }

  // Each row as often as its weight asks, and then every cell of it anew.
  void redraw() {
    settle();
    resample(redrawn_);
    sweep(redrawn_++);
  }

  void count_all() {
    for (std::size_t t = 0; t < tables_.size(); ++t) count(t);
  }

  [[nodiscard]] Fitted take() {
    normalise();
    count_all();
    return {{codes_.begin(), codes_.end()},
            std::move(weights_),
            std::move(potentials_),
            std::move(expected_)};
  }

 private:
  // The share of the rows that the weights amount to, as they were when last counted.
  [[nodiscard]] double effective() const {
    double sum = 0, squares = 0;  // chunk after chunk: the same whatever the team
    for (const auto& chunk : spread_) {
      sum += chunk[0];
      squares += chunk[1];
    }
    return sum * sum / squares / static_cast<double>(rows_);
  }

  // Each row as often as its weight asks, then all weights are 1 again.
  void resample(std::uint64_t round) {
    double total = 0;
    for (const auto weight : weights_) total += weight;
    const auto gap = total / static_cast<double>(rows_);
    auto point = gap * unit(philox(plan_.key, round, ~std::uint64_t{0}).first);
    std::vector<std::uint32_t> source(rows_);
    double reach = weights_[0];
    std::size_t from = 0;
    for (std::size_t r = 0; r < rows_; ++r, point += gap) {
      while (point >= reach && from + 1 < rows_) reach += weights_[++from];
      source[r] = static_cast<std::uint32_t>(from);
    }
    for (std::size_t c = 0; c < sizes_.size(); ++c)
      for (std::size_t r = 0; r < rows_; ++r)
        next_codes_[c * rows_ + r] = codes_[c * rows_ + source[r]];
    std::swap(codes_, next_codes_);
    std::ranges::fill(weights_, 1.0);
  }

  void sweep(std::uint64_t round) {
    gibbs_.use(potentials_);
    const auto columns = sizes_.size();
    team_.run([&](std::size_t member) {
      auto desk = gibbs_.desk();
      std::vector<Code> block(kBlock * columns);
      for (auto first = member * kBlock; first < rows_; first += team_.size() * kBlock) {
        const auto last = std::min(rows_, first + kBlock);
        for (std::size_t c = 0; c < columns; ++c)
          for (auto r = first; r < last; ++r)
            block[(r - first) * columns + c] = codes_[c * rows_ + r];
        for (auto r = first; r < last; ++r)
          gibbs_.draw(block.data() + (r - first) * columns, desk, plan_.key, round, r);
        for (std::size_t c = 0; c < columns; ++c)
          for (auto r = first; r < last; ++r)
            codes_[c * rows_ + r] = block[(r - first) * columns + c];
      }
    });
  }

  // What is expected in each cell of a table; first does what was left for later.
  void count(std::size_t table) {
    const auto cells = tables_.cells(table);
    const auto turns = cells <= kMostInTurns ? kTurns : 1;
    team_.run([&](std::size_t member) {
      auto& sums = sums_[member];
      sums.assign(turns * cells, 0);
      for (auto first = member * kChunk; first < rows_; first += team_.size() * kChunk) {
        const auto last = std::min(rows_, first + kChunk);
        apply(first, last);
        cells_of_rows(tables_, table, sizes_, codes_, rows_, first, last,
                      cell_of_row_.data() + first);
        if (turns == kTurns)
          add<kTurns>(sums, first, last);
        else
          add<1>(sums, first, last);
        if (redraws_) spread_[first / kChunk] = spread(first, last);
      }
    });
    factors_.clear();
    std::int64_t total = 0;
    std::vector<std::int64_t> found(cells, 0);
    for (const auto& sums : sums_)
      for (std::size_t k = 0; k < sums.size(); ++k) {
        found[k % cells] += sums[k];
        total += sums[k];
      }
    for (std::size_t cell = 0; cell < cells; ++cell)
      expected_[tables_.first_cell(table) + cell] =
          observed_.total * static_cast<double>(found[cell]) / static_cast<double>(total);
  }

  template <std::size_t turns>
  void add(std::vector<std::int64_t>& sums, std::size_t first, std::size_t last) const {
    const auto cells = sums.size() / turns;
    auto r = first;
    for (; r + turns <= last; r += turns)
      for (std::size_t k = 0; k < turns; ++k)
        sums[k * cells + cell_of_row_[r + k]] +=
            static_cast<std::int64_t>(weights_[r + k] * kUnits);
    for (; r < last; ++r) sums[cell_of_row_[r]] += static_cast<std::int64_t>(weights_[r] * kUnits);
  }

  // The sum of some weights, and that of their squares.
  [[nodiscard]] std::array<double, 2> spread(std::size_t first, std::size_t last) const {
    double sum = 0, squares = 0;
    for (auto r = first; r < last; ++r) {
      sum += weights_[r];
      squares += weights_[r] * weights_[r];
    }
    return {sum, squares};
  }

  // A damped Newton step of every potential of the table; the weights follow later.
  void correct(std::size_t table, double step) {
    factors_.assign(tables_.cells(table), 1.0);
    const auto least = 0.5 * observed_.total / static_cast<double>(rows_);
    const auto precision = 1 / observed_.priors[table];
    for (std::size_t k = 0; k < factors_.size(); ++k) {
      const auto cell = tables_.first_cell(table) + k;
      const auto mu = std::max(expected_[cell], least), y = observed_.counts[cell];
      const auto variance = observed_.variances[cell] + observed_.sampling * mu;
      auto& potential = potentials_[cell];
      const auto slope = mu * (y - mu) / variance - potential * precision;
      const auto bend = mu * std::max(mu, (mu + y) / 2) / variance + precision;
      const auto change = step * std::clamp(slope / bend, -kMostStep, kMostStep);
      potential += change;
      factors_[k] = std::exp(change);
    }
  }

  // Whatever the rows were counted in last has been corrected.
  void apply(std::size_t first, std::size_t last) {
    if (factors_.empty()) return;
    for (auto r = first; r < last; ++r) weights_[r] *= factors_[cell_of_row_[r]];
  }

  void settle() {
    team_.run([&](std::size_t member) {
      for (auto first = member * kChunk; first < rows_; first += team_.size() * kChunk)
        apply(first, std::min(rows_, first + kChunk));
    });
    factors_.clear();
    normalise();
  }

  void normalise() {
    double total = 0;  // in the order of the rows, by one thread: the same whatever the team
    for (const auto weight : weights_) total += weight;
    for (auto& weight : weights_) weight *= static_cast<double>(rows_) / total;
  }

  std::span<const std::int32_t> sizes_;
  const Tables& tables_;
  const Observations& observed_;
  const FitPlan& plan_;
  std::size_t rows_;
  std::vector<Code> codes_, next_codes_;
  std::vector<double> weights_;
  std::vector<double> potentials_;
  std::vector<double> expected_;
  Gibbs gibbs_;
  Team team_;
  std::vector<std::vector<std::int64_t>> sums_;
  std::vector<std::uint32_t> cell_of_row_;  // in the table counted last
  bool redraws_ = false;                    // whether it matters how far the weights are spread
  std::vector<double> factors_;  // of the table corrected last, where rows do not have them yet
  std::vector<std::array<double, 2>> spread_;  // of each chunk: its weights and their squares
  std::uint64_t redrawn_ = 0;
};

}  // namespace

Fitted fit_loglinear(const Coded& pool, const Tables& tables, const Observations& observed,
                     std::span<const double> potentials, const FitPlan& plan, Watch& watch) {
  Fit fit(pool, tables, observed, potentials, plan);
  const auto work = static_cast<std::int64_t>(plan.steps.size() + plan.last_steps.size());
  std::int64_t done = 0;
  for (const auto step : plan.steps) {
    if (!watch.tick(done, work)) return fit.take();
    for (std::size_t pass = 0; pass < plan.passes; ++pass) fit.pass(step, true);
    fit.redraw();
    ++done;
  }
  for (const auto step : plan.last_steps) {
    if (!watch.tick(done++, work)) break;
    fit.pass(step, false);
  }
  return fit.take();
}

std::optional<std::string> Observations::validate(const Tables& tables) const {
  const auto cells = static_cast<std::size_t>(tables.cell_offsets.back());
  if (counts.size() != cells || variances.size() != cells)
    return "there must be a count and a variance for each cell";
  if (priors.size() != tables.size()) return "there must be a prior for each table";
  if (!(total > 0) || !std::isfinite(total)) return "the total must be above 0";
  if (!(sampling >= 0)) return "the share of sampling must not be below 0";
  for (const auto count : counts)
    if (!std::isfinite(count)) return "a count is not a number";
  for (const auto variance : variances)
    if (!(variance + sampling > 0)) return "a count without any variance";
  for (const auto prior : priors)
    if (!(prior > 0) || !std::isfinite(prior)) return "a prior variance must be above 0";
  return std::nullopt;
}

std::optional<std::string> FitPlan::validate(std::size_t columns) const {
  if (drawn.size() != columns) return "it must be said of each column whether it is drawn";
  if (pairs.size() % 2 != 0) return "tied columns come in pairs";
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const auto c = pairs[p];
    if (c < 0 || static_cast<std::size_t>(c) >= columns || drawn[static_cast<std::size_t>(c)] == 0)
      return "a tied column must be one that is drawn";
    if (p % 2 == 1 && c == pairs[p - 1]) return "a column is not tied to itself";
  }
  for (const auto& each : {steps, last_steps})
    for (const auto step : each)
      if (!(step >= 0 && step <= 1)) return "a step is between 0 and 1";
  return std::nullopt;
}

}  // namespace halfmask

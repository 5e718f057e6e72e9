#include "calibration/set_raking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace halfmask {

namespace {

// The rows of every item, in order: the database turned on its side.
class Columns {
 public:
  explicit Columns(const Rows& rows)
      : starts_(static_cast<std::size_t>(rows.n_items) + 1, 0), rows_(rows.items.size()) {
    for (const auto item : rows.items) ++starts_[static_cast<std::size_t>(item) + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    auto next = starts_;
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (const auto item : rows.row(r))
        rows_[next[static_cast<std::size_t>(item)]++] = static_cast<std::int32_t>(r);
  }

  [[nodiscard]] std::span<const std::int32_t> operator[](Item item) const {
    const auto i = static_cast<std::size_t>(item);
    return {rows_.data() + starts_[i], starts_[i + 1] - starts_[i]};
  }

 private:
  std::vector<std::size_t> starts_;
  std::vector<std::int32_t> rows_;
};

class SetRaking {
 public:
  SetRaking(std::span<const double> multiplicities, const SetMargins& margins)
      : margins_(margins), weights_(multiplicities.begin(), multiplicities.end()) {
    normalise();
  }

  [[nodiscard]] double sum(std::size_t margin) const {
    double found = 0;
    for (const auto row : margins_[margin]) found += weights_[static_cast<std::size_t>(row)];
    return found;
  }

  [[nodiscard]] double total() const { return total_; }

  // `found` is the sum of the margin, known already.
  void multiply(std::size_t margin, double found, double factor) {
    for (const auto row : margins_[margin]) weights_[static_cast<std::size_t>(row)] *= factor;
    total_ += found * (factor - 1);
    if (!(total_ > kSmall && total_ < kLarge)) normalise();  // far from where numbers end
  }

  // All weights in all 1, added up in the order of the rows.
  void normalise() {
    double total = 0;
    for (const auto weight : weights_) total += weight;
    for (auto& weight : weights_) weight /= total;
    total_ = 1;
  }

  [[nodiscard]] std::vector<double> take_weights() { return std::move(weights_); }

 private:
  static constexpr double kSmall = 1e-100, kLarge = 1e100;

  const SetMargins& margins_;
  std::vector<double> weights_;
  double total_ = 1;
};

// The odds wanted to the odds found; none where all rows or no row are in the margin.
[[nodiscard]] double correction(double share, double target, double max_factor) {
  if (!(share > 0) || share >= 1) return 1;
  if (target >= 1) return max_factor;
  return std::clamp(target / share * ((1 - share) / (1 - target)), 1 / max_factor, max_factor);
}

}  // namespace

Holders holders_of(const Rows& rows, const Itemsets& sets) {
  const Columns columns(rows);
  Holders found;
  found.offsets.reserve(sets.size() + 1);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const auto set = sets[s];
    if (!set.empty()) {
      const auto rarest =
          std::ranges::min(set, {}, [&](Item item) { return columns[item].size(); });
      for (const auto r : columns[rarest]) {
        const auto row = rows.row(static_cast<std::size_t>(r));
        const auto holds = [&](Item item) { return std::ranges::binary_search(row, item); };
        if (set.size() == 1 || std::ranges::all_of(set, holds)) found.rows.push_back(r);
      }
    }
    found.offsets.push_back(static_cast<std::int64_t>(found.rows.size()));
  }
  return found;
}

RakedSets rake_sets(std::span<const double> multiplicities, const SetMargins& margins,
                    const RakeLimits& limits, Watch& watch) {
  RakedSets result;
  result.shares.assign(margins.size(), 0.0);
  SetRaking raking(multiplicities, margins);
  bool met = false;
  while (!met && result.rounds < limits.rounds) {
    if (!watch.tick(static_cast<std::int64_t>(result.rounds),
                    static_cast<std::int64_t>(limits.rounds)))
      break;
    double worst = 0;
    for (std::size_t m = 0; m < margins.size(); ++m) {
      const auto found = raking.sum(m), share = found / raking.total();
      worst = std::max(worst, std::abs(share - margins.targets[m]));
      raking.multiply(m, found, correction(share, margins.targets[m], limits.max_factor));
    }
    raking.normalise();
    ++result.rounds;
    met = worst <= limits.tolerance;
  }
  for (std::size_t m = 0; m < margins.size(); ++m) result.shares[m] = raking.sum(m);
  result.weights = raking.take_weights();
  return result;
}

std::optional<std::string> SetMargins::validate(std::size_t rows) const {
  if (rows > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    return "there are too many rows";
  if (const auto reason = Itemsets{offsets, holders}.validate(static_cast<Item>(rows)))
    return reason;
  if (offsets.size() != targets.size() + 1) return "every margin needs a target";
  for (const auto target : targets)
    if (!(target >= 0) || target > 1) return "a target lies outside 0 to 1";
  return std::nullopt;
}

}  // namespace halfmask

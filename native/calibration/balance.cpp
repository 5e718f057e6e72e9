#include "calibration/balance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/random.hpp"

namespace halfmask {

namespace {

constexpr std::size_t kTick = 1024;  // exchanges between two looks at the watch
constexpr double kLeast = 1e-9;      // of a gain: less may be rounding

class Balance {
 public:
  Balance(const Coded& pool, const Tables& tables, const Links& links, const BalancePlan& plan)
      : sizes_(pool.sizes),
        tables_(tables),
        links_(links),
        plan_(plan),
        chosen_(plan.chosen.begin(), plan.chosen.end()),
        rows_(by_row(pool)),
        reach_(plan.weights.size()),
        scale_(static_cast<std::size_t>(tables.cell_offsets.back())),
        off_(scale_.size(), 0.0),
        sums_(links.size()),
        out_(tables.size()),
        in_(tables.size()),
        change_(links.size()) {
    std::partial_sum(plan.weights.begin(), plan.weights.end(), reach_.begin());
    expect();
    for (const auto row : chosen_) add(static_cast<std::size_t>(row), 1.0);
  }

  // Offers the chosen row another one of the pool, and takes it where that brings all nearer.
  void offer(std::size_t place, std::size_t pass) {
    const auto random = unit(philox(plan_.key, pass, place).first) * reach_.back();
    const auto found = std::upper_bound(reach_.begin(), reach_.end(), random) - reach_.begin();
    const auto other = std::min(static_cast<std::size_t>(found), reach_.size() - 1);
    const auto own = static_cast<std::size_t>(chosen_[place]);
    if (own == other || worse(own, other)) return;
    chosen_[place] = static_cast<std::int32_t>(other);
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      off_[out_[t]] -= 1;
      off_[in_[t]] += 1;
    }
    for (std::size_t l = 0; l < links_.size(); ++l) sums_[l] += change_[l];
  }

  [[nodiscard]] std::vector<std::int32_t> take() { return std::move(chosen_); }

 private:
  // The codes row after row: an exchange looks at all columns of two rows.
  static std::vector<Code> by_row(const Coded& pool) {
    const auto rows = pool.rows(), columns = pool.sizes.size();
    std::vector<Code> found(rows * columns);
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t r = 0; r < rows; ++r)
        found[r * columns + c] = static_cast<Code>(pool.codes[c * rows + r]);
    return found;
  }

  // What each cell expects of so many rows, put down as what is lacking while none is chosen.
  void expect() {
    const auto share = static_cast<double>(chosen_.size()) / reach_.back();
    for (std::size_t r = 0; r < plan_.weights.size(); ++r) {
      const auto weight = plan_.weights[r] * share;
      for (std::size_t t = 0; t < tables_.size(); ++t) off_[cell(t, r)] -= weight;
    }
    for (std::size_t k = 0; k < off_.size(); ++k) scale_[k] = 1 / (1 - off_[k]);
    for (std::size_t l = 0; l < links_.size(); ++l) sums_[l] = -links_.wanted[l];
  }

  void add(std::size_t row, double count) {
    for (std::size_t t = 0; t < tables_.size(); ++t) off_[cell(t, row)] += count;
    for (std::size_t l = 0; l < links_.size(); ++l) sums_[l] += count * product(l, row);
  }

  [[nodiscard]] bool worse(std::size_t own, std::size_t other) {
    double gain = 0;
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      const auto out = out_[t] = cell(t, own), in = in_[t] = cell(t, other);
      if (out != in) gain += scale_[out] * (1 - 2 * off_[out]) + scale_[in] * (1 + 2 * off_[in]);
    }
    const auto rows = static_cast<double>(chosen_.size());
    for (std::size_t l = 0; l < links_.size(); ++l) {
      change_[l] = product(l, other) - product(l, own);
      gain += change_[l] * (2 * sums_[l] + change_[l]) / rows;
    }
    return gain > -kLeast;
  }

  [[nodiscard]] std::size_t cell(std::size_t table, std::size_t row) const {
    const auto* const codes = rows_.data() + row * sizes_.size();
    std::size_t found = 0;
    for (const auto c : tables_.of(table)) {
      const auto column = static_cast<std::size_t>(c);
      found = found * static_cast<std::size_t>(sizes_[column]) + codes[column];
    }
    return tables_.first_cell(table) + found;
  }

  [[nodiscard]] double product(std::size_t link, std::size_t row) const {
    const auto* const codes = rows_.data() + row * sizes_.size();
    double found = 1;
    for (const auto side : {2 * link, 2 * link + 1}) {
      const auto code = codes[static_cast<std::size_t>(links_.columns[side])];
      found *= links_.scores[static_cast<std::size_t>(links_.offsets[side]) + code];
    }
    return found;
  }

  std::span<const std::int32_t> sizes_;
  const Tables& tables_;
  const Links& links_;
  const BalancePlan& plan_;
  std::vector<std::int32_t> chosen_;
  std::vector<Code> rows_;
  std::vector<double> reach_;
  std::vector<double> scale_;  // of each cell: 1 / (expected + 1)
  std::vector<double> off_;    // chosen less expected
  std::vector<double> sums_;   // of each link: what there is less what is wanted
  std::vector<std::size_t> out_, in_;
  std::vector<double> change_;
};

}  // namespace

std::vector<std::int32_t> balance(const Coded& pool, const Tables& tables, const Links& links,
                                  const BalancePlan& plan, Watch& watch) {
  Balance balance(pool, tables, links, plan);
  const auto rows = plan.chosen.size();
  const auto work = static_cast<std::int64_t>(rows * plan.passes);
  for (std::size_t pass = 0; pass < plan.passes; ++pass)
    for (std::size_t place = 0; place < rows; ++place) {
      const auto done = pass * rows + place;
      if (done % kTick == 0 && !watch.tick(static_cast<std::int64_t>(done), work))
        return balance.take();
      balance.offer(place, pass);
    }
  return balance.take();
}

std::optional<std::string> Links::validate(std::span<const std::int32_t> sizes) const {
  if (columns.size() != 2 * wanted.size() || offsets.size() != 2 * wanted.size())
    return "a link is over two columns";
  for (std::size_t side = 0; side < columns.size(); ++side) {
    const auto column = columns[side];
    if (column < 0 || static_cast<std::size_t>(column) >= sizes.size())
      return "a link is over a column that is not there";
    const auto size = sizes[static_cast<std::size_t>(column)];
    if (offsets[side] < 0 || offsets[side] > static_cast<std::int64_t>(scores.size()) - size)
      return "a link lacks scores";
  }
  for (const auto& each : {scores, wanted})
    for (const auto one : each)
      if (!std::isfinite(one)) return "a number of a link is not finite";
  return std::nullopt;
}

std::optional<std::string> BalancePlan::validate(std::size_t rows) const {
  if (weights.size() != rows) return "there must be a weight for each row of the pool";
  double total = 0;
  for (const auto weight : weights) {
    if (!(weight >= 0) || !std::isfinite(weight)) return "a weight must not be below 0";
    total += weight;
  }
  if (!(total > 0) || !std::isfinite(total)) return "some weight must be above 0";
  for (const auto row : chosen)
    if (row < 0 || static_cast<std::size_t>(row) >= rows)
      return "a row that is chosen is not in the pool";
  return std::nullopt;
}

}  // namespace halfmask

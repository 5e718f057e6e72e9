#include <algorithm>
#include <numeric>

#include "calibration/balance.hpp"
#include "fuzz/checks.hpp"

namespace halfmask::fuzz {

namespace {

constexpr double rounding = 1e-6;

struct Choice {
  std::vector<std::int32_t> sizes, codes, chosen, columns{0, 0, 1};
  std::vector<std::int64_t> column_offsets{0, 1, 3}, cell_offsets;
  std::vector<double> weights;
  std::vector<std::int32_t> link_columns{1, 0};
  std::vector<std::int64_t> score_offsets;
  std::vector<double> scores, wanted{1.5};

  [[nodiscard]] std::size_t rows() const { return weights.size(); }
  [[nodiscard]] Coded pool() const { return {codes, sizes}; }
  [[nodiscard]] Tables tables() const { return {column_offsets, columns, cell_offsets}; }
  [[nodiscard]] Links links() const { return {link_columns, score_offsets, scores, wanted}; }
  [[nodiscard]] std::size_t code(std::size_t column, std::int32_t row) const {
    return static_cast<std::size_t>(codes[column * rows() + static_cast<std::size_t>(row)]);
  }
};

Choice random_choice(Dice& dice) {
  Choice task;
  for (int c = 0; c < 2; ++c) task.sizes.push_back(static_cast<std::int32_t>(dice.between(1, 4)));
  const auto rows = dice.between(1, 30);
  for (std::size_t c = 0; c < 2; ++c)
    for (std::int64_t r = 0; r < rows; ++r)
      task.codes.push_back(static_cast<std::int32_t>(dice.between(0, task.sizes[c] - 1)));
  for (std::int64_t r = 0; r < rows; ++r)
    task.weights.push_back(static_cast<double>(dice.between(1, 9)));
  for (auto n = dice.between(1, 20); n > 0; --n)
    task.chosen.push_back(static_cast<std::int32_t>(dice.between(0, rows - 1)));
  task.cell_offsets = {0, task.sizes[0], task.sizes[0] + task.sizes[0] * task.sizes[1]};
  task.score_offsets = {0, task.sizes[1]};
  for (int k = 0; k < task.sizes[0] + task.sizes[1]; ++k)
    task.scores.push_back(static_cast<double>(dice.between(-3, 3)));
  return task;
}

// By definition: (chosen - expected)^2 / (expected + 1) over all cells, and the link.
double distance(const Choice& task, const std::vector<std::int32_t>& chosen) {
  const auto first = static_cast<std::size_t>(task.sizes[0]);
  const auto width = static_cast<std::size_t>(task.sizes[1]);
  std::vector<double> found(first + first * width, 0.0), expected(found.size(), 0.0);
  const auto add = [&](std::vector<double>& to, std::int32_t row, double count) {
    to[task.code(0, row)] += count;
    to[first + task.code(0, row) * width + task.code(1, row)] += count;
  };
  const auto all = std::accumulate(task.weights.begin(), task.weights.end(), 0.0);
  const auto rows = static_cast<double>(chosen.size());
  for (std::size_t r = 0; r < task.rows(); ++r)
    add(expected, static_cast<std::int32_t>(r), task.weights[r] * rows / all);
  double sum = -task.wanted[0], far = 0;
  for (const auto row : chosen) {
    add(found, row, 1.0);
    sum += task.scores[task.code(1, row)] * task.scores[width + task.code(0, row)];
  }
  for (std::size_t k = 0; k < found.size(); ++k)
    far += (found[k] - expected[k]) * (found[k] - expected[k]) / (expected[k] + 1);
  return far + sum * sum / rows;
}

}  // namespace

void check_balance(Dice& dice) {
  const auto task = random_choice(dice);
  const BalancePlan plan{task.weights, task.chosen, 3,
                         static_cast<std::uint64_t>(dice.between(0, 1000))};
  require(!task.pool().validate() && !task.tables().validate(task.sizes) &&
              !task.links().validate(task.sizes) && !plan.validate(task.rows()),
          "the driver made a choice that is not sound");
  Watch watch;
  const auto found = balance(task.pool(), task.tables(), task.links(), plan, watch);
  require(found.size() == task.chosen.size(), "balance: another number of rows");
  require(
      std::ranges::all_of(
          found, [&](auto row) { return row >= 0 && static_cast<std::size_t>(row) < task.rows(); }),
      "balance: a row that is not in the pool");
  require(distance(task, found) <= distance(task, task.chosen) + rounding,
          "balance: further off than before");
}

}  // namespace halfmask::fuzz

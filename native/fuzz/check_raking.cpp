#include <algorithm>
#include <cmath>
#include <numeric>

#include "calibration/raking.hpp"
#include "calibration/set_raking.hpp"
#include "fuzz/checks.hpp"

namespace halfmask::fuzz {

namespace {

// A pool and tables over it that own their arrays.
struct Task {
  std::vector<std::int32_t> codes, sizes;
  std::vector<double> multiplicities, targets, factors;
  std::vector<std::int64_t> column_offsets{0}, cell_offsets{0}, class_offsets{0};
  std::vector<std::int32_t> columns, class_of;

  [[nodiscard]] Pool pool() const { return {codes, sizes, multiplicities}; }
  [[nodiscard]] MarginTables tables() const {
    return {column_offsets, columns, cell_offsets, class_of, class_offsets, targets};
  }
};

void add_table(Task& task, Dice& dice) {
  std::int64_t cells = 1;
  for (std::size_t c = 0; c < task.sizes.size(); ++c)
    if (dice.chance(0.6)) {
      task.columns.push_back(static_cast<std::int32_t>(c));
      cells *= task.sizes[c];
    }
  const auto first = task.class_offsets.back(),
             classes = dice.between(1, std::min<std::int64_t>(cells, 4));
  for (std::int64_t cell = 0; cell < cells; ++cell)
    task.class_of.push_back(static_cast<std::int32_t>(first + dice.between(0, classes - 1)));
  for (std::int64_t k = 0; k < classes; ++k) {
    task.targets.push_back(static_cast<double>(dice.between(0, 9)) / 10);
    task.factors.push_back(dice.chance(0.8) ? 1.0 : static_cast<double>(dice.between(1, 9)) / 3);
  }
  task.column_offsets.push_back(std::ssize(task.columns));
  task.cell_offsets.push_back(std::ssize(task.class_of));
  task.class_offsets.push_back(first + classes);
}

Task random_task(std::size_t rows, Dice& dice) {
  Task task;
  task.sizes.resize(static_cast<std::size_t>(dice.between(1, 4)));
  for (auto& size : task.sizes) {
    size = static_cast<std::int32_t>(dice.between(1, 3));
    for (std::size_t r = 0; r < rows; ++r)
      task.codes.push_back(static_cast<std::int32_t>(dice.between(0, size - 1)));
  }
  for (std::size_t r = 0; r < rows; ++r)
    task.multiplicities.push_back(static_cast<double>(dice.between(1, 30)));
  for (auto tables = dice.between(1, 3); tables > 0; --tables) add_table(task, dice);
  return task;
}

// The class of a row in a table, looked up cell by cell.
std::size_t class_of(const Task& task, std::size_t table, std::size_t row) {
  const auto rows = task.multiplicities.size();
  std::int64_t cell = 0;
  for (auto k = task.column_offsets[table]; k < task.column_offsets[table + 1]; ++k) {
    const auto c = static_cast<std::size_t>(task.columns[static_cast<std::size_t>(k)]);
    cell = cell * task.sizes[c] + task.codes[c * rows + row];
  }
  return static_cast<std::size_t>(
      task.class_of[static_cast<std::size_t>(task.cell_offsets[table] + cell)]);
}

// Iterative proportional fitting as it is written in a textbook, with factors held in bounds.
std::vector<double> fitted(const Task& task, std::size_t rounds, double max_factor) {
  const auto rows = task.multiplicities.size(), tables = task.column_offsets.size() - 1;
  auto weights = task.multiplicities;
  for (std::size_t t = 0; t < tables; ++t)
    for (std::size_t r = 0; r < rows; ++r) weights[r] *= task.factors[class_of(task, t, r)];
  const auto all = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (auto& weight : weights) weight /= all;
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t t = 0; t < tables; ++t) {
      std::vector<double> found(task.targets.size(), 0.0);
      for (std::size_t r = 0; r < rows; ++r) found[class_of(task, t, r)] += weights[r];
      double reachable = 0;
      for (std::size_t k = 0; k < found.size(); ++k)
        reachable += found[k] > 0 ? task.targets[k] : 0;
      if (reachable <= 0) continue;
      const auto total = std::accumulate(found.begin(), found.end(), 0.0);
      for (std::size_t r = 0; r < rows; ++r) {
        const auto k = class_of(task, t, r);
        weights[r] *=
            std::clamp(task.targets[k] / reachable * total / found[k], 1 / max_factor, max_factor);
      }
    }
  return weights;
}

void check_tables_met(const Task& task, const Raked& raked, const std::vector<double>& expected) {
  const auto rows = task.multiplicities.size();
  for (std::size_t r = 0; r < rows; ++r)
    require(std::abs(raked.weights[r] - expected[r]) <= 1e-6 * expected[r] + 1e-12,
            "rake: another weight");
  const auto all = std::accumulate(raked.weights.begin(), raked.weights.end(), 0.0);
  for (std::size_t t = 0; t + 1 < task.column_offsets.size(); ++t) {
    std::vector<double> shares(task.targets.size(), 0.0);
    for (std::size_t r = 0; r < rows; ++r) shares[class_of(task, t, r)] += raked.weights[r] / all;
    for (auto k = task.class_offsets[t]; k < task.class_offsets[t + 1]; ++k)
      require(std::abs(shares[static_cast<std::size_t>(k)] -
                       raked.shares[static_cast<std::size_t>(k)]) < 1e-9,
              "rake: another share");
  }
}

void check_order(const Task& task) {
  const auto rows = task.multiplicities.size();
  std::vector<std::int32_t> expected(rows);
  std::iota(expected.begin(), expected.end(), 0);
  std::ranges::stable_sort(expected, [&](std::int32_t a, std::int32_t b) {
    for (std::size_t c = 0; c < task.sizes.size(); ++c) {
      const auto x = task.codes[c * rows + static_cast<std::size_t>(a)];
      const auto y = task.codes[c * rows + static_cast<std::size_t>(b)];
      if (x != y) return x < y;
    }
    return false;
  });
  require(row_order(task.codes, task.sizes, rows) == expected, "row order: another order");
}

// A team is asked only where there are very many rows.
void check_teamwork(Dice& dice) {
  const auto task = random_task(300'000, dice);
  const RakeLimits limits{3, 0.0, 10.0};
  Watch watch;
  const auto one = rake(task.pool(), task.tables(), task.factors, limits, 1, watch);
  const auto two = rake(task.pool(), task.tables(), task.factors, limits, 2, watch);
  require(one.weights == two.weights && one.factors == two.factors && one.shares == two.shares,
          "rake: two threads find other weights");
}

// The weights after correcting margin after margin, added up anew each time.
std::vector<double> corrected(std::vector<double> weights, const SetMargins& margins,
                              std::size_t rounds, double max_factor) {
  const auto all = [&] { return std::accumulate(weights.begin(), weights.end(), 0.0); };
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t m = 0; m < margins.size(); ++m) {
      double held = 0;
      for (const auto r : margins[m]) held += weights[static_cast<std::size_t>(r)];
      const auto share = held / all(), target = margins.targets[m];
      const auto odds = target / share * (1 - share) / (1 - target);
      const auto factor = target >= 1 ? max_factor : std::clamp(odds, 1 / max_factor, max_factor);
      for (const auto r : margins[m]) weights[static_cast<std::size_t>(r)] *= factor;
    }
  const auto total = all();
  for (auto& weight : weights) weight /= total;
  return weights;
}

void check_sets(const Database& database, const std::vector<Itemset>& sets, Dice& dice) {
  const Listed listed(sets);
  const auto found = holders_of(database.view(), listed.view());
  const Itemsets holding{found.offsets, found.rows};
  // Only sets that some rows hold and others lack can be moved; few, so that no weight vanishes.
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> holders;
  std::vector<double> targets;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    std::vector<std::int32_t> expected;
    for (std::size_t r = 0; r < database.size(); ++r)
      if (!sets[s].empty() && std::ranges::includes(database.row(r), sets[s]))
        expected.push_back(static_cast<std::int32_t>(r));
    require(std::ranges::equal(holding[s], expected), "holders: other rows");
    if (expected.empty() || expected.size() == database.size() || targets.size() == 5) continue;
    holders.insert(holders.end(), expected.begin(), expected.end());
    offsets.push_back(std::ssize(holders));
    targets.push_back(static_cast<double>(dice.between(0, 10)) / 10);
  }
  const std::vector<double> weights(database.weights.begin(), database.weights.end());
  const SetMargins margins{offsets, holders, targets};
  require(!margins.validate(database.size()), "the driver made margins that are not sound");
  const RakeLimits limits{4, 0.0, 5.0};
  Watch watch;
  const auto raked = rake_sets(weights, margins, limits, watch);
  const auto expected = corrected(weights, margins, raked.rounds, limits.max_factor);
  for (std::size_t r = 0; r < weights.size(); ++r)
    require(std::abs(raked.weights[r] - expected[r]) < 1e-6, "rake sets: another weight");
}

}  // namespace

void check_raking(const Database& database, const std::vector<Itemset>& sets, Dice& dice) {
  const auto task = random_task(static_cast<std::size_t>(dice.between(1, 40)), dice);
  require(!task.pool().validate() && !task.tables().validate(task.sizes),
          "the driver made margins that are not sound");
  const auto rounds = static_cast<std::size_t>(dice.between(0, 4));
  const RakeLimits limits{rounds, 0.0, 10.0};
  Watch watch;
  const auto raked = rake(task.pool(), task.tables(), task.factors, limits, 2, watch);
  check_tables_met(task, raked, fitted(task, raked.rounds, limits.max_factor));
  check_order(task);
  if (dice.chance(0.03)) check_teamwork(dice);
  check_sets(database, sets, dice);
}

}  // namespace halfmask::fuzz

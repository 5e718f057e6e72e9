#include "calibration/raking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/bitmap.hpp"
#include "common/team.hpp"
#include "common/within.hpp"

namespace halfmask {

namespace {

constexpr double kUnits = 0x1p60;     // of one whole: shares are whole numbers of these
constexpr std::size_t kChunk = 2048;  // rows whose codes and weights fit the nearest cache
// Classes that are remembered from one round to the next: to look them up takes longer than to
// read.
constexpr std::size_t kMostRemembered = std::size_t{1} << 27;
constexpr std::uint16_t kMostClasses = std::numeric_limits<std::uint16_t>::max();
// Rows take turns in so many sums of each class: most rows are often in one class, whose sum would
// otherwise have to be stored before the next row can be added.
constexpr std::size_t kTurns = 4;
constexpr std::size_t kMostInTurns = 1024;  // classes whose sums fit the nearest cache so often
// Members meet after every table; with fewer rows each than this, waiting costs more than it saves.
constexpr std::size_t kRowsOfMember = 1 << 17;

[[nodiscard]] std::size_t at(std::span<const std::int64_t> offsets, std::size_t n) {
  return static_cast<std::size_t>(offsets[n]);
}

// The number of each row's cell, with one column more.
HALFMASK_MULTIVERSION void extend_cells(std::span<const std::int32_t> codes, std::uint32_t size,
                                        std::uint32_t* cells) {
  for (std::size_t r = 0; r < codes.size(); ++r)
    cells[r] = cells[r] * size + static_cast<std::uint32_t>(codes[r]);
}

class Raking {
 public:
  Raking(const Pool& pool, const MarginTables& tables, std::size_t threads)
      : pool_(pool),
        tables_(tables),
        weights_(pool.multiplicities.begin(), pool.multiplicities.end()),
        class_of_row_(pool.rows()),
        remembered_(tables.size()),
        room_(kMostRemembered / std::max<std::size_t>(pool.rows(), 1)),
        team_(std::clamp<std::size_t>(pool.rows() / kRowsOfMember, 1,
                                      std::max<std::size_t>(threads, 1))),
        sums_(team_.size()) {}

  // Weights that are their multiplicity times the factor of each table, in all 1.
  void start(std::span<const double> factors) {
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      const auto first = static_cast<std::ptrdiff_t>(at(tables_.class_offsets, t));
      const auto last = static_cast<std::ptrdiff_t>(at(tables_.class_offsets, t + 1));
      const std::vector<double> given(factors.begin() + first, factors.begin() + last);
      if (std::ranges::all_of(given, [](double f) { return f == 1; })) continue;
      look_up(t, [](const auto*, std::size_t, std::size_t, std::size_t) {});
      apply_later(given);
    }
    settle();
    double total = 0;  // in the order of the rows, by one thread: the same whatever the team
    for (const auto weight : weights_) total += weight;
    for (auto& weight : weights_) weight /= total;
  }

  // What each class of a table has, in whole units; first does what was left for later.
  [[nodiscard]] std::vector<std::int64_t> count(std::size_t table) {
    const auto classes = classes_of(table);
    const auto turns = classes <= kMostInTurns ? kTurns : 1;
    for (auto& sums : sums_) sums.assign(turns * classes, 0);
    look_up(table,
            [&](const auto* class_of_row, std::size_t member, std::size_t first, std::size_t last) {
              if (turns == kTurns)
                add<kTurns>(class_of_row, sums_[member], first, last);
              else
                add<1>(class_of_row, sums_[member], first, last);
            });
    std::vector<std::int64_t> found(classes, 0);
    for (const auto& sums : sums_)
      for (std::size_t k = 0; k < sums.size(); ++k) found[k % classes] += sums[k];
    return found;
  }

  // The table counted last is corrected when the rows are next in hand.
  void apply_later(std::vector<double> factors) { pending_ = std::move(factors); }

  void settle() {
    if (pending_.empty()) return;
    team_.run([&](std::size_t member) {
      for_chunks(member, [&](std::size_t first, std::size_t last) { correct(first, last); });
    });
    pending_.clear();
  }

  [[nodiscard]] std::vector<double> take_weights() { return std::move(weights_); }

 private:
  [[nodiscard]] std::size_t classes_of(std::size_t table) const {
    return at(tables_.class_offsets, table + 1) - at(tables_.class_offsets, table);
  }

  // Finds the class of each row, and shows the classes of a chunk to `use`.
  template <typename Use>
  void look_up(std::size_t table, Use use) {
    const bool known = !remembered_[table].empty();
    if (!known && classes_of(table) <= kMostClasses && room_ > 0) {
      remembered_[table].resize(pool_.rows());
      --room_;
    }
    team_.run([&](std::size_t member) {
      for_chunks(member, [&](std::size_t first, std::size_t last) {
        correct(first, last);
        if (!known) classify(table, first, last);
        if (remembered_[table].empty())
          use(class_of_row_.data(), member, first, last);
        else
          use(remembered_[table].data(), member, first, last);
      });
    });
    pending_.clear();
    last_ = table;
  }

  template <typename Visit>
  void for_chunks(std::size_t member, Visit visit) const {
    const auto rows = pool_.rows();
    for (auto first = member * kChunk; first < rows; first += team_.size() * kChunk)
      visit(first, std::min(rows, first + kChunk));
  }

  void correct(std::size_t first, std::size_t last) {
    if (pending_.empty()) return;
    if (remembered_[last_].empty())
      multiply(class_of_row_.data(), first, last);
    else
      multiply(remembered_[last_].data(), first, last);
  }

  template <typename Class>
  void multiply(const Class* class_of_row, std::size_t first, std::size_t last) {
    for (auto r = first; r < last; ++r) weights_[r] *= pending_[class_of_row[r]];
  }

  template <std::size_t turns, typename Class>
  void add(const Class* class_of_row, std::vector<std::int64_t>& sums, std::size_t first,
           std::size_t last) const {
    const auto classes = sums.size() / turns;
    auto r = first;
    for (; r + turns <= last; r += turns)
      for (std::size_t k = 0; k < turns; ++k)
        sums[k * classes + class_of_row[r + k]] +=
            static_cast<std::int64_t>(weights_[r + k] * kUnits);
    for (; r < last; ++r) sums[class_of_row[r]] += static_cast<std::int64_t>(weights_[r] * kUnits);
  }

  // Classes are numbered from 0 within the table here.
  void classify(std::size_t table, std::size_t first, std::size_t last) {
    const auto begin = at(tables_.column_offsets, table),
               end = at(tables_.column_offsets, table + 1);
    std::fill(class_of_row_.data() + first, class_of_row_.data() + last, 0U);
    for (auto k = begin; k < end; ++k) {
      const auto c = static_cast<std::size_t>(tables_.columns[k]);
      extend_cells(pool_.column(c).subspan(first, last - first),
                   static_cast<std::uint32_t>(pool_.sizes[c]), class_of_row_.data() + first);
    }
    const auto* class_of = tables_.class_of.data() + at(tables_.cell_offsets, table);
    const auto zero = static_cast<std::int32_t>(at(tables_.class_offsets, table));
    for (auto r = first; r < last; ++r)
      class_of_row_[r] = static_cast<std::uint32_t>(class_of[class_of_row_[r]] - zero);
    if (auto& kept = remembered_[table]; !kept.empty())
      for (auto r = first; r < last; ++r) kept[r] = static_cast<std::uint16_t>(class_of_row_[r]);
  }

  const Pool& pool_;
  const MarginTables& tables_;
  std::vector<double> weights_;
  std::vector<std::uint32_t> class_of_row_;  // in the table looked up last
  std::vector<std::vector<std::uint16_t>>
      remembered_;        // the same of each table, where there is room
  std::size_t room_;      // for so many more tables
  std::size_t last_ = 0;  // the table counted last
  Team team_;
  std::vector<std::vector<std::int64_t>> sums_;
  std::vector<double> pending_;
};

// What is there of the classes that have rows, to what should be there of them.
std::vector<double> corrections(std::span<const std::int64_t> sums, std::span<const double> targets,
                                double max_factor) {
  const auto total =
      static_cast<double>(std::accumulate(sums.begin(), sums.end(), std::int64_t{0}));
  double reachable = 0;
  for (std::size_t c = 0; c < sums.size(); ++c)
    if (sums[c] > 0) reachable += targets[c];
  std::vector<double> factors(sums.size(), 1.0);
  if (reachable <= 0) return factors;
  for (std::size_t c = 0; c < sums.size(); ++c)
    if (sums[c] > 0) {
      const auto wanted = targets[c] / reachable;
      const auto found = static_cast<double>(sums[c]) / total;
      factors[c] = std::clamp(wanted / found, 1 / max_factor, max_factor);
    }
  return factors;
}

void put_shares(std::span<const std::int64_t> sums, double* shares) {
  const auto total =
      static_cast<double>(std::accumulate(sums.begin(), sums.end(), std::int64_t{0}));
  for (std::size_t c = 0; c < sums.size(); ++c) shares[c] = static_cast<double>(sums[c]) / total;
}

// How far the classes that a round looked at are off: the worst, and all of them.
struct Errors {
  double worst = 0;
  double sum = 0;

  void add(std::span<const double> shares, std::span<const double> targets) {
    for (std::size_t c = 0; c < shares.size(); ++c) {
      const auto off = std::abs(shares[c] - targets[c]);
      worst = std::max(worst, off);
      sum += off;
    }
  }
};

}  // namespace

Raked rake(const Pool& pool, const MarginTables& tables, std::span<const double> factors,
           const RakeLimits& limits, std::size_t threads, Watch& watch) {
  Raked result;
  result.factors.assign(factors.begin(), factors.end());
  result.shares.assign(tables.targets.size(), 0.0);
  Raking raking(pool, tables, threads);
  raking.start(factors);
  const auto work = static_cast<std::int64_t>(limits.rounds * tables.size());
  auto before = std::numeric_limits<double>::infinity();
  bool done = false, stopped = false;
  while (!done && !stopped && result.rounds < limits.rounds) {
    Errors errors;
    for (std::size_t t = 0; t < tables.size() && !stopped; ++t) {
      const auto first = at(tables.class_offsets, t), last = at(tables.class_offsets, t + 1);
      const auto sums = raking.count(t);
      put_shares(sums, result.shares.data() + first);
      const auto targets = tables.targets.subspan(first, last - first);
      errors.add({result.shares.data() + first, last - first}, targets);
      auto change = corrections(sums, targets, limits.max_factor);
      for (std::size_t c = first; c < last; ++c) result.factors[c] *= change[c - first];
      raking.apply_later(std::move(change));
      stopped = !watch.tick(static_cast<std::int64_t>(result.rounds * tables.size() + t), work);
    }
    ++result.rounds;
    done = errors.worst <= limits.tolerance || errors.sum > limits.stalled * before;
    before = errors.sum;
  }
  for (std::size_t t = 0; t < tables.size(); ++t)
    put_shares(raking.count(t), result.shares.data() + at(tables.class_offsets, t));
  raking.settle();
  result.weights = raking.take_weights();
  return result;
}

std::vector<std::int32_t> row_order(std::span<const std::int32_t> codes,
                                    std::span<const std::int32_t> sizes, std::size_t rows) {
  std::vector<std::int32_t> order(rows), next(rows);
  std::iota(order.begin(), order.end(), 0);
  for (auto c = sizes.size(); c-- > 0;) {  // the last column first: each sort keeps the one before
    const auto column = codes.subspan(c * rows, rows);
    std::vector<std::size_t> place(static_cast<std::size_t>(sizes[c]) + 1, 0);
    for (const auto code : column) ++place[static_cast<std::size_t>(code) + 1];
    std::partial_sum(place.begin(), place.end(), place.begin());
    for (const auto row : order)
      next[place[static_cast<std::size_t>(column[static_cast<std::size_t>(row)])]++] = row;
    std::swap(order, next);
  }
  return order;
}

std::optional<std::string> Pool::validate() const {
  if (rows() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    return "there are too many rows";
  if (codes.size() != rows() * sizes.size()) return "codes must be rows times columns";
  constexpr std::int32_t most_codes = 1 << 26;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    if (sizes[c] < 0 || sizes[c] > most_codes)
      return "a column has a negative or too large number of codes";
    if (!all_within(column(c), 0, sizes[c])) return "a code lies outside its column";
  }
  return check_multiplicities(multiplicities);
}

std::optional<std::string> check_multiplicities(std::span<const double> multiplicities) {
  double total = 0;
  for (const auto m : multiplicities) {
    if (!(m > 0) || !std::isfinite(m)) return "a multiplicity is not above 0";
    total += m;
  }
  if (!std::isfinite(total)) return "the multiplicities add up to more than a number can hold";
  return std::nullopt;
}

std::optional<std::string> RakeLimits::validate() const {
  if (!(tolerance >= 0) || !(stalled >= 0)) return "a tolerance must be a number of at least 0";
  if (!(max_factor >= 1) || !std::isfinite(max_factor))
    return "the largest factor must be a finite number of at least 1";
  return std::nullopt;
}

std::optional<std::string> MarginTables::validate(std::span<const std::int32_t> sizes) const {
  const auto tables = size();
  for (const auto& offsets : {column_offsets, cell_offsets, class_offsets}) {
    if (offsets.size() != tables + 1 || offsets.front() != 0) return "offsets must start with 0";
    if (!std::ranges::is_sorted(offsets)) return "offsets must not fall";
  }
  if (at(column_offsets, tables) != columns.size() || at(cell_offsets, tables) != class_of.size() ||
      at(class_offsets, tables) != targets.size())
    return "the last offset must be the length of what it cuts";
  for (const auto c : columns)
    if (c < 0 || static_cast<std::size_t>(c) >= sizes.size()) return "there is no such column";
  for (std::size_t t = 0; t < tables; ++t) {
    std::uint64_t cells = 1;
    for (auto k = at(column_offsets, t); k < at(column_offsets, t + 1); ++k) {
      cells *= static_cast<std::uint64_t>(sizes[static_cast<std::size_t>(columns[k])]);
      if (cells > std::numeric_limits<std::int32_t>::max()) return "a table has too many cells";
    }
    if (cells != at(cell_offsets, t + 1) - at(cell_offsets, t))
      return "a table must have a class for each of its cells";
    for (auto k = at(cell_offsets, t); k < at(cell_offsets, t + 1); ++k)
      if (class_of[k] < class_offsets[t] || class_of[k] >= class_offsets[t + 1])
        return "a class lies outside its table";
  }
  for (const auto target : targets)
    if (!(target >= 0) || !std::isfinite(target)) return "a target is below 0";
  return std::nullopt;
}

}  // namespace halfmask

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "anatomy/anatomised.hpp"
#include "anatomy/buckets.hpp"
#include "anatomy/column_values.hpp"
#include "fuzz/checks.hpp"

namespace halfmask::fuzz {

namespace {

// The items of a database dealt out to columns, and what each row then holds in each.
struct Split {
  std::vector<std::int32_t> column_of;
  std::size_t columns = 0;
  ColumnValues values;

  [[nodiscard]] Cells cells() const { return {values.cells, columns}; }
  [[nodiscard]] Itemsets sets() const { return {values.offsets, values.items}; }
  [[nodiscard]] std::size_t n_values() const { return values.offsets.size() - 1; }
};

Split split(const Database& database, Dice& dice) {
  Split made;
  made.columns = static_cast<std::size_t>(dice.between(1, std::min<Item>(3, database.n_items)));
  for (Item i = 0; i < database.n_items; ++i)
    made.column_of.push_back(
        static_cast<std::int32_t>(dice.between(0, static_cast<Item>(made.columns) - 1)));
  Watch watch;
  made.values = column_values(database.view(), made.column_of, made.columns, watch);
  return made;
}

void check_values(const Database& database, const Split& split) {
  const auto sets = split.sets();
  require(!sets.validate(database.n_items), "column values: values that are no sets of items");
  for (std::size_t r = 0; r < database.size(); ++r)
    for (std::size_t j = 0; j < split.columns; ++j) {
      Itemset part;
      for (const auto item : database.row(r))
        if (split.column_of[static_cast<std::size_t>(item)] == static_cast<std::int32_t>(j))
          part.insert(item);
      const auto value = split.cells().row(r)[j];
      require(value >= split.values.starts[j] && value < split.values.starts[j + 1],
              "column values: a value of another column");
      require(std::ranges::equal(sets[static_cast<std::size_t>(value)], part),
              "column values: another value");
    }
  for (std::size_t j = 0; j < split.columns; ++j)
    for (auto v = split.values.starts[j] + 1; v < split.values.starts[j + 1]; ++v)
      require(std::ranges::lexicographical_compare(sets[static_cast<std::size_t>(v - 1)],
                                                   sets[static_cast<std::size_t>(v)]),
              "column values: out of order, or one value twice");
}

// Whether a bucket of these rows keeps the bounds of all its values.
bool keeps_bounds(const Cells& cells, const Bounds& bounds, const std::vector<std::int64_t>& rows) {
  std::map<Value, std::int64_t> counts;
  for (const auto r : rows)
    for (const auto value : cells.row(static_cast<std::size_t>(r))) ++counts[value];
  return std::ranges::all_of(counts, [&](const auto& entry) {
    const auto v = static_cast<std::size_t>(entry.first);
    return entry.second * bounds.rises[v] <= std::ssize(rows) * bounds.falls[v];
  });
}

// One row after the other: a bucket closes as soon as it may.
std::vector<std::int32_t> scan(const Cells& cells, const Bounds& bounds,
                               const std::vector<std::int64_t>& order, std::int64_t min_bucket) {
  std::vector<std::int32_t> bucket_of(cells.rows(), -1);
  std::vector<std::int64_t> open;
  std::int32_t closed = 0;
  for (const auto r : order) {
    open.push_back(r);
    if (std::ssize(open) < min_bucket || !keeps_bounds(cells, bounds, open)) continue;
    for (const auto each : open) bucket_of[static_cast<std::size_t>(each)] = closed;
    ++closed;
    open.clear();
  }
  return bucket_of;
}

std::vector<std::vector<std::int64_t>> by_bucket(const std::vector<std::int32_t>& bucket_of) {
  std::vector<std::vector<std::int64_t>> rows;
  for (std::size_t r = 0; r < bucket_of.size(); ++r) {
    if (bucket_of[r] < 0) continue;
    const auto b = static_cast<std::size_t>(bucket_of[r]);
    rows.resize(std::max(rows.size(), b + 1));
    rows[b].push_back(static_cast<std::int64_t>(r));
  }
  return rows;
}

void check_settled(const Cells& cells, const Bounds& bounds,
                   const std::vector<std::int32_t>& bucket_of, Dice& dice) {
  std::vector<std::int64_t> leftovers, all(bucket_of.size());
  std::iota(all.begin(), all.end(), 0);
  for (const auto r : all)
    if (bucket_of[static_cast<std::size_t>(r)] < 0) leftovers.push_back(r);
  const auto key = dice.chance(0.5) ? std::optional(Key{1, 2, 3}) : std::nullopt;
  const auto absorb = keeps_bounds(cells, bounds, all) && dice.chance(0.7);
  Watch watch;
  const auto settled = settle_leftovers(cells, bounds, bucket_of, leftovers, key, absorb, watch);
  std::int64_t without = 0;
  for (const auto b : settled.bucket_of) without += b < 0;
  require(settled.placed + settled.absorbed + without == std::ssize(leftovers),
          "leftovers: a row is counted twice or not at all");
  require(!absorb || without == 0, "leftovers: a row without a bucket");
  for (const auto& rows : by_bucket(settled.bucket_of))
    require(!rows.empty() && keeps_bounds(cells, bounds, rows), "leftovers: a bound is broken");
}

std::vector<std::int32_t> check_buckets(const Split& split, Dice& dice) {
  std::vector<std::int64_t> rises, falls, order(split.cells().rows());
  for (std::size_t v = 0; v < split.n_values(); ++v) {
    falls.push_back(dice.between(1, 2));
    rises.push_back(dice.chance(0.2) ? 0 : falls.back() + dice.between(0, 3));
  }
  const Bounds bounds{rises, falls};
  require(!bounds.validate(order.size()), "the driver made bounds that are not sound");
  std::iota(order.begin(), order.end(), 0);
  dice.shuffle(order);
  const auto min_bucket = dice.between(1, 4);
  Watch watch;
  const auto closed = close_buckets(split.cells(), bounds, order, min_bucket, watch);
  require(closed == scan(split.cells(), bounds, order, min_bucket), "buckets: another partition");
  check_settled(split.cells(), bounds, closed, dice);
  return closed;
}

using Counts = std::map<std::pair<std::int32_t, Value>, std::int64_t>;

void check_tables(const Split& split, const std::vector<std::int32_t>& bucket_of,
                  const Database& database, const std::vector<Itemset>& asked) {
  const auto rows = by_bucket(bucket_of);
  std::vector<std::int64_t> sizes;
  for (const auto& each : rows) sizes.push_back(std::ssize(each));
  const auto made = tabulate(split.cells(), bucket_of, rows.size());
  const EntriesView entries{made.buckets, made.values, made.counts, made.starts};
  require(!entries.validate(rows.size(), split.n_values()), "tabulate: entries that are not sound");
  Counts expected, found;
  for (std::size_t b = 0; b < rows.size(); ++b)
    for (const auto r : rows[b])
      for (const auto value : split.cells().row(static_cast<std::size_t>(r)))
        ++expected[{static_cast<std::int32_t>(b), value}];
  for (std::size_t e = 0; e < made.values.size(); ++e)
    found[{made.buckets[e], made.values[e]}] = made.counts[e];
  require(found == expected && found.size() == made.values.size(), "tabulate: other counts");

  const Listed listed(asked);
  const auto supports =
      expected_supports(entries, split.sets(), sizes, split.column_of, listed.view());
  for (std::size_t s = 0; s < asked.size(); ++s) {
    double sum = 0;
    for (std::size_t b = 0; b < rows.size(); ++b) {
      auto share = static_cast<double>(sizes[b]);
      for (std::size_t j = 0; j < split.columns; ++j) {
        double holding = 0;
        for (const auto r : rows[b]) {
          const auto row = database.row(static_cast<std::size_t>(r));
          holding += std::ranges::all_of(asked[s], [&](Item item) {
            return split.column_of[static_cast<std::size_t>(item)] !=
                       static_cast<std::int32_t>(j) ||
                   row.contains(item);
          });
        }
        share *= holding / static_cast<double>(sizes[b]);
      }
      sum += share;
    }
    require(std::abs(sum - supports[s]) < 1e-9 * (1 + sum), "anatomised: another support");
  }

  const auto joined = join_at_random(entries, split.sets(), sizes, Key{4, 5, 6});
  const std::vector<Count> ones(joined.bucket_of.size(), 1);
  Database permuted{joined.offsets, joined.items, ones, database.n_items, {}};
  require(!permuted.view().validate(), "join: rows that are not sound");
  Watch watch;
  const auto again = column_values(permuted.view(), split.column_of, split.columns, watch);
  std::map<std::tuple<std::int32_t, std::size_t, Itemset>, std::int64_t> before, after;
  const auto count = [&](auto& counts, std::int32_t bucket, const auto& values, std::size_t r) {
    const Itemsets sets{values.offsets, values.items};
    for (std::size_t j = 0; j < split.columns; ++j) {
      const auto set = sets[static_cast<std::size_t>(values.cells[r * split.columns + j])];
      ++counts[{bucket, j, {set.begin(), set.end()}}];
    }
  };
  for (std::size_t r = 0; r < bucket_of.size(); ++r)
    if (bucket_of[r] >= 0) count(before, bucket_of[r], split.values, r);
  for (std::size_t r = 0; r < ones.size(); ++r) count(after, joined.bucket_of[r], again, r);
  require(before == after, "join: other values in a bucket");
}

}  // namespace

void check_anatomy(const Database& database, const std::vector<Itemset>& sets, Dice& dice) {
  const auto parts = split(database, dice);
  check_values(database, parts);
  const auto buckets = check_buckets(parts, dice);
  check_tables(parts, buckets, database, sets);
}

}  // namespace halfmask::fuzz

#include <algorithm>
#include <cmath>
#include <numeric>

#include "counting/correlation.hpp"
#include "counting/distinct.hpp"
#include "counting/nearest.hpp"
#include "distortion/distortion.hpp"
#include "fuzz/checks.hpp"

namespace halfmask::fuzz {

namespace {

// Every other item has a line of its own.
std::vector<std::int32_t> random_slots(Item n_items, Dice& dice, std::size_t& n) {
  std::vector<std::int32_t> slots;
  n = 0;
  for (Item i = 0; i < n_items; ++i)
    slots.push_back(dice.chance(0.5) ? static_cast<std::int32_t>(n++) : -1);
  return slots;
}

void check_correlation(const Database& database, Dice& dice) {
  std::size_t n_left = 0, n_right = 0;
  const auto left = random_slots(database.n_items, dice, n_left);
  const auto right = random_slots(database.n_items, dice, n_right);
  Watch watch;
  const auto pairs = pair_counts(database.view(), left, n_left, watch);
  const auto crossed = cross_counts(database.view(), left, n_left, right, n_right);
  for (std::size_t a = 0; a < left.size(); ++a)
    for (std::size_t b = 0; b < left.size(); ++b) {
      if (left[a] < 0) continue;
      const auto line = static_cast<std::size_t>(left[a]);
      const Itemset both{static_cast<Item>(a), static_cast<Item>(b)};
      if (left[b] >= 0)
        require(pairs[line * n_left + static_cast<std::size_t>(left[b])] == database.support(both),
                "pair counts: another count");
      if (right[b] >= 0)
        require(
            crossed[line * n_right + static_cast<std::size_t>(right[b])] == database.support(both),
            "cross counts: another count");
    }
}

void check_relabelled(const Database& database, Dice& dice) {
  std::vector<Item> numbers(static_cast<std::size_t>(database.n_items));
  std::iota(numbers.begin(), numbers.end(), 0);
  dice.shuffle(numbers);
  const auto items = relabelled(database.view(), numbers);
  const Rows changed{database.offsets, items, database.weights, database.n_items};
  require(!changed.validate(), "relabelled: rows that are not sound");
  for (std::size_t r = 0; r < database.size(); ++r) {
    Itemset expected;
    for (const auto item : database.row(r))
      expected.insert(numbers[static_cast<std::size_t>(item)]);
    require(std::ranges::equal(changed.row(r), expected), "relabelled: another row");
  }
}

// Codes column by column; few values, so that distances tie.
template <typename Code>
std::vector<Code> random_columns(std::size_t rows, std::size_t columns, Dice& dice) {
  std::vector<Code> codes(rows * columns);
  for (auto& code : codes) code = static_cast<Code>(dice.between(0, 2));
  return codes;
}

template <typename Code>
std::int32_t distance(const Columns<Code>& a, std::size_t r, const Columns<Code>& b,
                      std::size_t q) {
  std::int32_t n = 0;
  for (std::size_t c = 0; c < a.columns; ++c) n += a.at(r, c) != b.at(q, c);
  return n;
}

template <typename Code>
void check_nearest(Dice& dice) {
  const auto columns = static_cast<std::size_t>(dice.between(1, 5));
  const auto rows = static_cast<std::size_t>(dice.chance(0.1) ? 2100 : dice.between(0, 30));
  const auto asked = static_cast<std::size_t>(dice.between(0, 140));
  const auto threads = static_cast<unsigned>(dice.between(1, 3));
  const auto reference_codes = random_columns<Code>(rows, columns, dice);
  const auto query_codes = random_columns<Code>(asked, columns, dice);
  const Columns<Code> reference{reference_codes, rows, columns};
  const Columns<Code> queries{query_codes, asked, columns};
  std::vector<std::int32_t> labels(rows), at(asked, 1);
  for (auto& label : labels) label = static_cast<std::int32_t>(dice.between(-1, 2));
  Watch watch;
  const auto found = nearest(reference, queries, threads, watch);
  const auto votes = nearest_votes(reference, labels, 3, queries, threads, watch);
  const auto same = coincidences<Code>({reference, queries, found.distance},
                                       {reference, queries, at}, threads, watch);
  for (std::size_t q = 0; q < asked; ++q) {
    std::int32_t best = -1;
    std::int64_t first = -1, ties = 0, once = 0;
    std::vector<std::int64_t> expected(3, 0);
    for (std::size_t r = 0; r < rows; ++r) {
      const auto d = distance(reference, r, queries, q);
      once += d == 1;
      if (best >= 0 && d > best) continue;
      if (d != best) {
        best = d;
        first = static_cast<std::int64_t>(r);
        ties = 0;
        expected.assign(3, 0);
      }
      ++ties;
      if (labels[r] >= 0) ++expected[static_cast<std::size_t>(labels[r])];
    }
    require(found.distance[q] == best && found.row[q] == first && found.ties[q] == ties,
            "nearest: another row, distance or number");
    require(std::equal(expected.begin(), expected.end(),
                       votes.begin() + static_cast<std::ptrdiff_t>(3 * q)),
            "nearest: other votes");
    require(same[q] == (best == 1 ? once : 0), "nearest: other coincidences");
  }
}

// The rows again and again, so that there are several blocks and chances can be counted.
Database repeated(const Database& database, std::size_t rows) {
  Database many;
  many.n_items = database.n_items;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto row = database.view().row(r % database.size());
    many.items.insert(many.items.end(), row.begin(), row.end());
    many.offsets.push_back(static_cast<std::int64_t>(many.items.size()));
    many.weights.push_back(1);
  }
  return many;
}

void check_rate(std::int64_t hits, std::int64_t tries, double p, const char* what) {
  const auto n = static_cast<double>(tries);
  const auto spread = 7 * std::sqrt(n * p * (1 - p)) + (p > 0 && p < 1 ? 10 : 0);
  require(std::abs(static_cast<double>(hits) - n * p) <= spread, what);
}

void check_distortion(const Database& few, Dice& dice) {
  const auto database = repeated(few, 2500);
  const auto n_items = static_cast<std::size_t>(database.n_items);
  constexpr double chances[] = {0, 0.001, 0.3, 0.5, 0.9, 1};
  std::vector<double> keeps, inserts;
  for (std::size_t i = 0; i < n_items; ++i) {
    keeps.push_back(chances[dice.between(0, 5)]);
    inserts.push_back(chances[dice.between(0, n_items > 12 ? 2 : 5)]);
  }
  const Key key{static_cast<std::uint32_t>(dice.between(0, 1 << 30)), 2, 3};
  const ItemChannel channel{keeps, inserts};
  Watch watch;
  const auto one = distort(database.view(), channel, key, 1, watch);
  const auto two = distort(database.view(), channel, key, 2, watch);
  require(one.offsets == two.offsets && one.items == two.items,
          "distort: two threads make other rows");
  const Rows noisy{one.offsets, one.items, database.weights, database.n_items};
  require(!noisy.validate(), "distort: rows that are not sound");
  std::vector<std::int64_t> had(n_items, 0), kept(n_items, 0), inserted(n_items, 0);
  for (std::size_t r = 0; r < database.size(); ++r) {
    const auto before = database.row(r);
    for (const auto item : before) ++had[static_cast<std::size_t>(item)];
    for (const auto item : noisy.row(r))
      ++(before.contains(item) ? kept : inserted)[static_cast<std::size_t>(item)];
  }
  const auto rows = static_cast<std::int64_t>(database.size());
  for (std::size_t i = 0; i < n_items; ++i) {
    check_rate(kept[i], had[i], keeps[i], "distort: items are kept too often or too seldom");
    check_rate(inserted[i], rows - had[i], inserts[i],
               "distort: items are inserted too often or too seldom");
  }
}

}  // namespace

void check_counts(const Database& database, Dice& dice) {
  if (database.n_items <= 64) check_correlation(database, dice);
  check_relabelled(database, dice);
  check_nearest<std::uint8_t>(dice);
  check_nearest<std::uint16_t>(dice);
  if (dice.chance(0.3)) check_distortion(database, dice);
}

}  // namespace halfmask::fuzz

#include "fuzz/database.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace halfmask::fuzz {

namespace {

using Lists = std::vector<Itemset>;

// Later columns mostly copy earlier ones, so that there is something to find; some cells are empty.
Lists table_rows(Dice& dice, std::vector<std::size_t>& column_of) {
  const auto columns = static_cast<std::size_t>(dice.between(1, 6));
  std::vector<Item> sizes, first{0};
  for (std::size_t c = 0; c < columns; ++c) {
    sizes.push_back(static_cast<Item>(dice.between(1, 3)));
    first.push_back(first.back() + sizes.back());
    column_of.insert(column_of.end(), static_cast<std::size_t>(sizes.back()), c);
  }
  const auto missing = dice.chance(0.3) ? 0.1 : 0.0;
  Lists rows(static_cast<std::size_t>(dice.between(1, 40)));
  for (auto& row : rows) {
    Item code = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      if (c == 0 || dice.chance(0.4)) code = static_cast<Item>(dice.between(0, 2));
      if (!dice.chance(missing)) row.insert(first[c] + code % sizes[c]);
    }
  }
  return rows;
}

Lists basket_rows(Dice& dice, std::size_t rows, Item n_items, double density) {
  Lists lists(rows);
  for (auto& row : lists) {
    if (&row != &lists.front() && dice.chance(0.4))
      row = lists[static_cast<std::size_t>(dice.between(0, &row - lists.data() - 1))];
    for (Item i = 0; i < n_items; ++i)
      if (dice.chance(density)) row.insert(i);
    if (dice.chance(0.05)) row.clear();
  }
  return lists;
}

std::vector<Item> ranks_of(const Lists& rows, const std::vector<Count>& weights, Item n_items) {
  std::vector<Count> counts(static_cast<std::size_t>(n_items));
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (const auto item : rows[r]) counts[static_cast<std::size_t>(item)] += weights[r];
  std::vector<Item> by_count(counts.size()), ranks(counts.size());
  std::iota(by_count.begin(), by_count.end(), 0);
  std::ranges::stable_sort(by_count, [&](Item a, Item b) {
    return counts[static_cast<std::size_t>(a)] > counts[static_cast<std::size_t>(b)];
  });
  for (std::size_t rank = 0; rank < by_count.size(); ++rank)
    ranks[static_cast<std::size_t>(by_count[rank])] = static_cast<Item>(rank);
  return ranks;
}

double lg(Count x) { return std::log2(static_cast<double>(x)); }

}  // namespace

Itemset Database::row(std::size_t r) const {
  const auto span = view().row(r);
  return {span.begin(), span.end()};
}

Count Database::support(const Itemset& itemset) const {
  Count n = 0;
  for (std::size_t r = 0; r < size(); ++r)
    if (std::ranges::includes(view().row(r), itemset)) n += weights[r];
  return n;
}

Count Database::total_weight() const {
  return std::accumulate(weights.begin(), weights.end(), Count{0});
}

Database random_database(Dice& dice) {
  Database made;
  Lists rows;
  switch (dice.between(0, 3)) {
    case 0:
    case 1:
      rows = table_rows(dice, made.column_of);
      made.n_items = static_cast<Item>(made.column_of.size());
      break;
    case 2:
      made.n_items = static_cast<Item>(dice.between(1, 12));
      rows = basket_rows(dice, static_cast<std::size_t>(dice.between(1, 30)), made.n_items, 0.3);
      break;
    default:
      made.n_items = static_cast<Item>(dice.between(66, 200));
      rows = basket_rows(dice, static_cast<std::size_t>(dice.between(1, 7)), made.n_items, 0.6);
  }
  const auto heaviest = dice.chance(0.5) ? 1 : 9;
  for (std::size_t r = 0; r < rows.size(); ++r) made.weights.push_back(dice.between(1, heaviest));
  const auto ranks = ranks_of(rows, made.weights, made.n_items);
  for (const auto& row : rows) {
    Itemset ranked;
    for (const auto item : row) ranked.insert(ranks[static_cast<std::size_t>(item)]);
    made.items.insert(made.items.end(), ranked.begin(), ranked.end());
    made.offsets.push_back(static_cast<std::int64_t>(made.items.size()));
  }
  const auto columns = made.column_of;
  for (std::size_t i = 0; i < columns.size(); ++i)
    made.column_of[static_cast<std::size_t>(ranks[i])] = columns[i];
  return made;
}

Covered cover_by_definition(const Database& database, const std::vector<Itemset>& sets) {
  const auto n_items = static_cast<std::size_t>(database.n_items);
  Covered covered{std::vector<Count>(sets.size()), std::vector<Count>(n_items), 0.0};
  std::vector<Count> counts(n_items);
  for (std::size_t r = 0; r < database.size(); ++r) {
    auto left = database.row(r);
    for (const auto item : left) counts[static_cast<std::size_t>(item)] += database.weights[r];
    for (std::size_t s = 0; s < sets.size(); ++s) {
      if (!std::ranges::includes(left, sets[s])) continue;
      covered.usages[s] += database.weights[r];
      for (const auto item : sets[s]) left.erase(item);
    }
    for (const auto item : left)
      covered.item_usages[static_cast<std::size_t>(item)] += database.weights[r];
  }
  const auto sum = [](const std::vector<Count>& xs) {
    return std::accumulate(xs.begin(), xs.end(), Count{0});
  };
  const auto cells = sum(counts), used = sum(covered.usages) + sum(covered.item_usages);
  const auto add = [&](Count usage, const Itemset& items) {
    if (usage == 0) return;
    covered.total += static_cast<double>(usage + 1) * (lg(used) - lg(usage));
    for (const auto i : items) covered.total += lg(cells) - lg(counts[static_cast<std::size_t>(i)]);
  };
  for (std::size_t s = 0; s < sets.size(); ++s) add(covered.usages[s], sets[s]);
  for (std::size_t i = 0; i < n_items; ++i) add(covered.item_usages[i], {static_cast<Item>(i)});
  return covered;
}

Listed::Listed(const std::vector<Itemset>& sets) {
  for (const auto& set : sets) {
    items.insert(items.end(), set.begin(), set.end());
    offsets.push_back(static_cast<std::int64_t>(items.size()));
  }
}

}  // namespace halfmask::fuzz

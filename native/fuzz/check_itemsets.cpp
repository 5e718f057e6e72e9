#include <algorithm>
#include <map>
#include <tuple>

#include "counting/counting.hpp"
#include "counting/distinct.hpp"
#include "fuzz/checks.hpp"
#include "mining/miner.hpp"

namespace halfmask::fuzz {

namespace {

constexpr Item enumerable = 12;  // all subsets of so many items are tried

Itemset set_at(const Candidates& found, std::size_t c) {
  return {found[c].begin(), found[c].end()};
}

void check_distinct(const Database& database) {
  std::map<std::vector<Item>, Count> kinds;
  for (std::size_t r = 0; r < database.size(); ++r) {
    const auto row = database.view().row(r);
    kinds[{row.begin(), row.end()}] += database.weights[r];
  }
  const auto merged = distinct(database.view());
  require(merged.weights.size() == kinds.size(), "distinct: another number of rows");
  const Rows rows{merged.offsets, merged.items, merged.weights, database.n_items};
  require(!rows.validate(), "distinct: rows that are not sound");
  std::size_t r = 0;
  for (const auto& [items, weight] : kinds) {
    require(std::ranges::equal(rows.row(r), items), "distinct: another row or order");
    require(merged.weights[r++] == weight, "distinct: another weight");
  }
}

bool is_closed(const Database& database, const Itemset& itemset, Count support) {
  for (Item i = 0; i < database.n_items; ++i) {
    auto larger = itemset;
    if (larger.insert(i).second && database.support(larger) == support) return false;
  }
  return true;
}

// Supports and order of what was found; together with the count below this is the whole answer.
void check_found(const Database& database, const Candidates& found, const MiningOptions& options) {
  using Place = std::tuple<Count, std::ptrdiff_t, std::vector<Item>>;
  std::vector<Itemset> sets;
  Place last{};
  for (std::size_t c = 0; c < found.size(); ++c) {
    sets.push_back(set_at(found, c));
    const auto support = Count{found.supports[c]};
    require(!sets.back().empty() && sets.back().size() <= options.max_length,
            "mine: a wrong length");
    require(support >= options.min_support, "mine: an infrequent itemset");
    require(support == database.support(sets.back()), "mine: another support");
    require(options.kind == Kind::all || is_closed(database, sets.back(), support),
            "mine: a set that is not closed");
    Place place{-support, -std::ssize(sets.back()), {sets.back().begin(), sets.back().end()}};
    require(c == 0 || last < place, "mine: out of candidate order");
    last = std::move(place);
  }
  const Listed listed(sets);
  const auto counted = supports(database.view(), listed.view());
  require(
      std::ranges::equal(counted, found.supports, {}, {}, [](std::uint32_t n) { return Count{n}; }),
      "supports: another support than the miner's");
}

// How many itemsets there are, by trying all.
std::size_t number_by_definition(const Database& database, const MiningOptions& options) {
  std::size_t n = 0;
  for (std::uint32_t mask = 1; mask < (1U << database.n_items); ++mask) {
    Itemset itemset;
    for (Item i = 0; i < database.n_items; ++i)
      if (mask >> i & 1U) itemset.insert(i);
    if (itemset.size() > options.max_length) continue;
    const auto support = database.support(itemset);
    if (support < options.min_support) continue;
    n += options.kind == Kind::all || is_closed(database, itemset, support);
  }
  return n;
}

void check_limit(const Database& database, MiningOptions options, std::size_t found) {
  Watch watch;
  options.max_itemsets = found / 2;
  try {
    (void)mine(database.view(), options, watch);
  } catch (const TooManyItemsets& excess) {
    options.min_support = excess.fitting;
    require(mine(database.view(), options, watch).size() <= found / 2, "mine: bad advice");
    return;
  }
  throw std::runtime_error("mine: a limit that was not kept");
}

}  // namespace

Candidates check_itemsets(const Database& database, Dice& dice) {
  check_distinct(database);
  const bool narrow = database.n_items <= enumerable;
  Candidates chosen;
  for (const auto kind : {Kind::all, Kind::closed}) {
    MiningOptions options;
    options.kind = kind;
    options.min_support = dice.between(1, std::min<Count>(4, database.total_weight()));
    if (dice.chance(0.3)) options.max_length = static_cast<std::size_t>(dice.between(1, 4));
    // All itemsets of rows of a hundred items would never end.
    if (kind == Kind::all && database.n_items > 64) options.max_length = 2;
    Watch watch;
    const auto found = mine(database.view(), options, watch);
    // A wide database has tens of thousands of pairs: their supports are counted by the kernel.
    if (narrow || kind == Kind::closed) check_found(database, found, options);
    if (narrow)
      require(found.size() == number_by_definition(database, options), "mine: sets are missing");
    options.threads = 2;
    const auto again = mine(database.view(), options, watch);
    require(again.items == found.items && again.supports == found.supports,
            "mine: two threads find something else");
    if (found.size() > 1) check_limit(database, options, found.size());
    if (chosen.size() == 0 || dice.chance(0.5)) chosen = found;
  }
  return chosen;
}

}  // namespace halfmask::fuzz

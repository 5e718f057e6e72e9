#include <algorithm>
#include <cmath>

#include "fuzz/checks.hpp"
#include "krimp/cover.hpp"
#include "krimp/krimp.hpp"
#include "slim/slim.hpp"

namespace halfmask::fuzz {

namespace {

constexpr double rounding = 1e-6;

void check_encoding(const Database& database, const std::vector<Itemset>& sets,
                    const Covered& truth) {
  std::vector<double> lengths;
  for (std::size_t e = 0; e < sets.size() + static_cast<std::size_t>(database.n_items); ++e)
    lengths.push_back(1.0 + static_cast<double>(e % 7));
  const Listed listed(sets);
  Watch watch;
  const auto encoded = encode(database.view(), listed.view(), lengths, watch);
  auto usages = truth.usages;
  usages.insert(usages.end(), truth.item_usages.begin(), truth.item_usages.end());
  require(encoded.usages == usages, "encode: another usage");
  double bits = 0.0, expected = 0.0;
  for (std::size_t r = 0; r < database.size(); ++r)
    bits += encoded.bits[r] * static_cast<double>(database.weights[r]);
  for (std::size_t e = 0; e < usages.size(); ++e)
    expected += static_cast<double>(usages[e]) * lengths[e];
  require(std::abs(bits - expected) < rounding, "encode: another number of bits");
}

// Usages by definition, longer sets first; the total of the table comes back.
double check_table(const Database& database, const std::vector<Itemset>& sets,
                   const std::vector<Count>& usages, const std::vector<Count>& item_usages,
                   const std::string& who) {
  require(std::ranges::is_sorted(sets, std::ranges::greater{}, &Itemset::size),
          who + ": sets out of cover order");
  const auto truth = cover_by_definition(database, sets);
  require(truth.usages == usages, who + ": another usage of a set");
  require(truth.item_usages == item_usages, who + ": another usage of an item");
  check_encoding(database, sets, truth);
  return truth.total;
}

std::vector<Itemset> sets_of(const KrimpTable& table, const Candidates& candidates) {
  std::vector<Itemset> sets;
  for (const auto c : table.sets) sets.emplace_back(candidates[c].begin(), candidates[c].end());
  return sets;
}

std::vector<Itemset> check_krimp(const Database& database, const Candidates& candidates,
                                 Prune prune, double standard) {
  KrimpOptions options;
  options.prune = prune;
  options.snapshots = {8, 5, 3, 2};
  Watch watch;
  const auto found = krimp(database.view(), candidates, options, watch);
  require(found.complete && found.seen == candidates.size(), "krimp: candidates were left out");
  auto before = standard;
  for (const auto& table : found.tables) {
    const auto total =
        check_table(database, sets_of(table, candidates), table.usages, table.item_usages, "krimp");
    require(total <= before + rounding, "krimp: a later table is longer");
    before = total;
  }
  options.threads = 2;
  const auto again = krimp(database.view(), candidates, options, watch);
  require(again.tables.back().sets == found.tables.back().sets && again.accepted == found.accepted,
          "krimp: two threads find another table");
  return sets_of(found.tables.back(), candidates);
}

void check_slim(const Database& database, Gain gain, double standard, Dice& dice) {
  constexpr Prune kinds[] = {Prune::none, Prune::repaired, Prune::authors};
  SlimOptions options;
  options.gain = gain;
  options.prune = kinds[dice.between(0, 2)];
  options.min_support = dice.between(1, 3);
  if (dice.chance(0.3)) options.max_length = static_cast<std::size_t>(dice.between(2, 4));
  if (dice.chance(0.3)) options.forbidden = {{0, static_cast<Rank>(database.n_items - 1)}};
  Watch watch;
  const auto result = slim(database.view(), options, watch);
  const auto& found = result.table;
  const Itemsets listed{found.offsets, found.items};
  std::vector<Itemset> sets;
  for (std::size_t s = 0; s < listed.size(); ++s) {
    sets.emplace_back(listed[s].begin(), listed[s].end());
    require(database.support(sets[s]) == found.supports[s], "slim: another support");
    require(found.supports[s] >= options.min_support, "slim: a set below the floor");
    require(sets[s].size() <= options.max_length, "slim: a set that is too long");
    for (const auto& [a, b] : options.forbidden)
      require(a == b || !sets[s].contains(a) || !sets[s].contains(b), "slim: a forbidden pair");
  }
  const auto total = check_table(database, sets, found.usages, found.item_usages, "slim");
  require(result.complete && total <= standard + rounding, "slim: longer than the standard table");
  options.threads = 2;
  require(slim(database.view(), options, watch).table.items == found.items,
          "slim: two threads find another table");
}

}  // namespace

std::vector<Itemset> check_tables(const Database& database, const Candidates& candidates,
                                  Dice& dice) {
  const auto standard = cover_by_definition(database, {}).total;
  std::vector<Itemset> sets;
  for (const auto prune : {Prune::repaired, Prune::authors, Prune::none})
    sets = check_krimp(database, candidates, prune, standard);
  for (const auto gain : {Gain::full, Gain::unpaid, Gain::authors})
    check_slim(database, gain, standard, dice);
  return sets;
}

}  // namespace halfmask::fuzz

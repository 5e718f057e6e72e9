// The fuzz driver: random databases through the kernels, checked against plain definitions.
//
// fuzz_kernels [databases] [first seed]
// Built with the sanitizers (`make sanitize`), so that a read past an array or an overflow ends the
// run as surely as a wrong answer. Database n depends on its seed alone: a failure names it.
#include <cstdlib>
#include <exception>
#include <iostream>

#include "fuzz/checks.hpp"

namespace {

void check(std::uint64_t seed) {
  using namespace halfmask::fuzz;
  Dice dice(seed);
  const auto database = random_database(dice);
  require(!database.view().validate(), "the driver made rows that are not sound");
  const auto candidates = check_itemsets(database, dice);
  const auto sets = check_tables(database, candidates, dice);
  check_counts(database, dice);
  check_anatomy(database, sets, dice);
  check_medoids(dice);
  check_baskets(database, sets, dice);
  check_raking(database, sets, dice);
  check_target_trees(dice);
  check_balance(dice);
  check_settle(dice);
  if (!database.column_of.empty()) check_draws(database, sets, dice);
}

}  // namespace

int main(int n_arguments, char** arguments) {
  const auto databases = n_arguments > 1 ? std::strtoull(arguments[1], nullptr, 10) : 200;
  const auto first = n_arguments > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
  std::uint64_t failed = 0;
  for (auto seed = first; seed < first + databases; ++seed) {
    try {
      check(seed);
    } catch (const std::exception& reason) {
      ++failed;
      std::cerr << "database of seed " << seed << ": " << reason.what() << '\n';
    }
  }
  std::cout << databases - failed << " passed, " << failed << " failed\n";
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

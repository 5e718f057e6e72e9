#include <algorithm>
#include <cmath>
#include <map>

#include "drawing/probability.hpp"
#include "drawing/sampler.hpp"
#include "fuzz/checks.hpp"

namespace halfmask::fuzz {

namespace {

// The process owned: items numbered column by column, every item a pattern, then the sets.
struct OwnedProcess {
  std::vector<Item> first_item{0};
  Listed patterns{{}};
  std::vector<double> weights;
  std::vector<Item> order;

  [[nodiscard]] Process view() const { return {first_item, patterns.view(), weights, order}; }
};

OwnedProcess process_of(const Database& database, const std::vector<Itemset>& sets, Dice& dice) {
  OwnedProcess made;
  const auto columns = 1 + *std::ranges::max_element(database.column_of);
  std::vector<Item> number(database.column_of.size());
  Item next = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t i = 0; i < number.size(); ++i)
      if (database.column_of[i] == c) number[i] = next++;
    made.first_item.push_back(next);
  }
  std::vector<Itemset> patterns;
  for (Item i = 0; i < next; ++i) patterns.push_back({i});
  for (const auto& set : sets) {
    Itemset renumbered;
    for (const auto item : set) renumbered.insert(number[static_cast<std::size_t>(item)]);
    patterns.push_back(renumbered);
  }
  made.patterns = Listed(patterns);
  // Sets may have no weight; every single item has some, so that each row can be completed.
  for (std::size_t p = 0; p < patterns.size(); ++p)
    made.weights.push_back(static_cast<double>(dice.between(p < number.size() ? 1 : 0, 20)));
  if (dice.chance(0.5))
    for (std::size_t c = 0; c < columns; ++c) made.order.push_back(static_cast<Item>(c));
  return made;
}

void check_sampling(const Process& process, Dice& dice) {
  Watch watch;
  const std::size_t size = 300, cut = 100;
  const auto key = static_cast<std::uint64_t>(dice.between(0, 1 << 30));
  const auto drawn = sample_rows(process, size, key, 0, 1, watch);
  require(drawn.done == size && !drawn.stuck, "sample: rows were left out");
  for (std::size_t d = 0; d < process.n_domains(); ++d)
    for (std::size_t r = 0; r < size; ++r) {
      const auto code = drawn.codes[d * size + r];
      require(code >= 0 && code < process.first_item[d + 1] - process.first_item[d],
              "sample: a code outside its column");
    }
  for (const auto used : drawn.patterns_used)
    require(used >= 1 && used <= process.n_domains(), "sample: patterns that cannot make a row");
  SamplerLimits tight;
  tight.cache_bytes = 0;
  const auto later = sample_rows(process, size - cut, key, cut, 2, watch, tight);
  for (std::size_t d = 0; d < process.n_domains(); ++d)
    for (std::size_t r = cut; r < size; ++r)
      require(later.codes[d * (size - cut) + r - cut] == drawn.codes[d * size + r],
              "sample: a row depends on threads, memory or cuts");
}

// No row holds a combination that is forbidden; a process that cannot do without one is stuck.
void check_forbidden(const Process& process, Dice& dice) {
  if (process.n_domains() < 2) return;
  std::vector<Itemset> combinations;
  for (std::int64_t k = dice.between(1, 4); k > 0; --k) {
    Itemset combination;
    for (std::size_t d = 0; d < process.n_domains(); ++d)
      if (dice.chance(0.5) && process.first_item[d] < process.first_item[d + 1])
        combination.insert(
            static_cast<Item>(dice.between(process.first_item[d], process.first_item[d + 1] - 1)));
    if (!combination.empty()) combinations.push_back(combination);
  }
  const Listed forbidden(combinations);
  Watch watch;
  const std::size_t size = 300;
  const auto key = static_cast<std::uint64_t>(dice.between(0, 1 << 30));
  const auto drawn = sample_rows(process, size, key, 0, 2, watch, {}, forbidden.view());
  if (drawn.stuck) return;
  require(drawn.attempts >= size, "forbidden: fewer rows begun than drawn");
  for (std::size_t r = 0; r < size; ++r) {
    Itemset row;
    for (std::size_t d = 0; d < process.n_domains(); ++d)
      row.insert(process.first_item[d] + drawn.codes[d * size + r]);
    for (const auto& combination : combinations)
      require(!std::ranges::includes(row, combination), "forbidden: a row holds a combination");
  }
}

// What was estimated is what was computed, as far as the error that the estimate names allows.
void check_estimates(const Process& process, std::span<const std::int32_t> codes,
                     const std::vector<double>& exact) {
  Watch watch;
  const auto one = estimate_probabilities(process, codes, exact.size(), 100, 3, 1, watch);
  const auto two = estimate_probabilities(process, codes, exact.size(), 100, 3, 2, watch);
  require(one.mean == two.mean && one.standard_error == two.standard_error,
          "estimates: two threads find others");
  for (std::size_t r = 0; r < exact.size(); ++r) {
    require(exact[r] > 0 || one.mean[r] == 0, "estimates: an impossible row");
    require(std::abs(one.mean[r] - exact[r]) <= 10 * one.standard_error[r] + 0.05,
            "estimates: far from the probability");
  }
}

// The process completes for certain, with about as many patterns as rows drawn from it took.
void check_walk(const Process& process) {
  Watch watch;
  const auto walk = walk_process(process, {0.0, 1 << 20}, watch);
  require(std::abs(walk.arrived - 1) < 1e-9 && walk.dropped == 0, "walk: it does not complete");
  constexpr std::size_t size = 1000;
  double used = 0;
  for (const auto n : sample_rows(process, size, 5, 0, 2, watch).patterns_used) used += n;
  require(std::abs(used / size - walk.steps) < 0.6, "walk: another number of patterns");
}

// The probabilities of all possible rows add up to one.
void check_probabilities(const Process& process) {
  std::size_t n_rows = 1;
  for (std::size_t d = 0; d < process.n_domains(); ++d)
    n_rows *= static_cast<std::size_t>(process.first_item[d + 1] - process.first_item[d]);
  std::vector<std::int32_t> codes(n_rows * process.n_domains());
  std::size_t stride = 1;
  for (std::size_t d = 0; d < process.n_domains(); ++d) {
    const auto values = static_cast<std::size_t>(process.first_item[d + 1] - process.first_item[d]);
    for (std::size_t r = 0; r < n_rows; ++r)
      codes[d * n_rows + r] = static_cast<std::int32_t>(r / stride % values);
    stride *= values;
  }
  Watch watch;
  const auto rows = row_probabilities(process, codes, n_rows, {0.0, 1 << 20}, 2, watch);
  double sum = 0.0;
  for (const auto p : rows.arrived) sum += p;
  require(rows.done == n_rows && std::abs(sum - 1.0) < 1e-9, "probabilities do not add up to one");
  check_estimates(process, codes, rows.arrived);
}

}  // namespace

void check_draws(const Database& database, const std::vector<Itemset>& sets, Dice& dice) {
  const auto process = process_of(database, sets, dice);
  require(!process.view().validate(), "the driver made a process that is not sound");
  check_sampling(process.view(), dice);
  check_forbidden(process.view(), dice);
  check_probabilities(process.view());
  check_walk(process.view());
}

}  // namespace halfmask::fuzz

#include "krimp/krimp.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/convert.hpp"
#include "bindings/mining_options.hpp"
#include "bindings/prune_mode.hpp"
#include "krimp/krimp_rows.hpp"
#include "mining/miner.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

namespace {

// (set offsets, set ranks, usages, supports, item usages by rank)
nb::tuple to_tuple(const KrimpTable& table, const Candidates& candidates) {
  std::vector<std::int64_t> offsets{0};
  std::vector<Item> items;
  std::vector<Count> supports;
  for (const auto c : table.sets) {
    for (const auto item : candidates[c]) items.push_back(item);
    offsets.push_back(static_cast<std::int64_t>(items.size()));
    supports.push_back(candidates.supports[c]);
  }
  return nb::make_tuple(to_numpy(std::move(offsets)), to_numpy(std::move(items)),
                        to_numpy(std::vector<Count>(table.usages)), to_numpy(std::move(supports)),
                        to_numpy(std::vector<Count>(table.item_usages)));
}

nb::tuple to_tuple(const KrimpResult& result, const Candidates& candidates) {
  nb::list tables;
  for (const auto& table : result.tables) tables.append(to_tuple(table, candidates));
  return nb::make_tuple(tables, result.seen, result.accepted, result.complete);
}

}  // namespace

void bind_krimp(nb::module_& module) {
  module.def(
      "krimp",
      [](const Vector<std::int64_t>& offsets, const Vector<Item>& items,
         const Vector<Count>& weights, Item n_items, const Vector<Item>& ranks, Count min_support,
         bool closed, std::int64_t max_length, std::vector<std::pair<Rank, Rank>> forbidden,
         std::uint64_t max_itemsets, const std::string& prune, std::vector<Count> snapshots,
         std::uint64_t threads, nb::object progress) {
        const Rows rows{view(offsets), view(items), view(weights), n_items};
        const auto mining = checked_mining(min_support, closed, max_length, std::move(forbidden),
                                           max_itemsets, any_number, threads, n_items);
        check_snapshots(snapshots, min_support);
        const KrimpOptions options{prune_mode(prune), std::move(snapshots), mining.threads};
        auto watch = watch_over(std::move(progress));
        Candidates candidates;
        KrimpResult result;
        {
          nb::gil_scoped_release free_threads;
          checked(rows);
          check_permutation("ranks", view(ranks), static_cast<std::size_t>(n_items));
          const auto ranked = ranked_rows(rows, view(ranks));
          candidates = mine(ranked.view(), mining, watch);
          result = krimp(ranked.view(), candidates, options, watch);
        }
        return to_tuple(result, candidates);
      },
      "offsets"_array, "items"_array, "weights"_array, "n_items"_a, "ranks"_array, "min_support"_a,
      "closed"_a, "max_length"_a, "forbidden"_a, "max_itemsets"_a, "prune"_a, "snapshots"_a,
      "threads"_a, "progress"_a.none(),
      "Mines the candidates and searches the code table: tables in ranks, seen, accepted, "
      "complete.");
}

}  // namespace halfmask::bindings

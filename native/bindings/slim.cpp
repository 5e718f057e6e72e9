#include "slim/slim.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/convert.hpp"
#include "bindings/prune_mode.hpp"
#include "krimp/krimp_rows.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

namespace {

Gain gain_mode(const std::string& name) {
  if (name == "estimate") return Gain::full;
  if (name == "unpaid") return Gain::unpaid;
  if (name == "authors") return Gain::authors;
  throw std::invalid_argument("unknown kind of gain");
}

nb::tuple to_tuple(SlimTable table) {
  return nb::make_tuple(to_numpy(std::move(table.offsets)), to_numpy(std::move(table.items)),
                        to_numpy(std::move(table.usages)), to_numpy(std::move(table.supports)),
                        to_numpy(std::move(table.item_usages)));
}

}  // namespace

void bind_slim(nb::module_& module) {
  module.def(
      "slim",
      [](const Vector<std::int64_t>& offsets, const Vector<Item>& items,
         const Vector<Count>& weights, Item n_items, const Vector<Item>& ranks, Count min_support,
         const std::string& gain, const std::string& prune, double min_gain,
         std::int64_t max_length, std::vector<std::pair<Rank, Rank>> forbidden,
         std::uint64_t most_steps, std::uint64_t threads, nb::object progress) {
        const Rows rows{view(offsets), view(items), view(weights), n_items};
        SlimOptions options{number<Count>("min_support", min_support, 1, any_number),
                            gain_mode(gain), prune_mode(prune), amount("min_gain", min_gain),
                            number("max_length", max_length, 1, any_number)};
        check_pairs(forbidden, static_cast<std::size_t>(std::max<Item>(n_items, 0)));
        options.forbidden = std::move(forbidden);
        options.threads = checked_threads(threads);
        options.most_steps = most_steps;
        auto watch = watch_over(std::move(progress));
        SlimResult result;
        {
          nb::gil_scoped_release free_threads;
          checked(rows);
          check_permutation("ranks", view(ranks), static_cast<std::size_t>(n_items));
          const auto ranked = ranked_rows(rows, view(ranks));
          result = slim(ranked.view(), options, watch);
        }
        return nb::make_tuple(to_tuple(std::move(result.table)), result.evaluated, result.accepted,
                              result.complete);
      },
      "offsets"_array, "items"_array, "weights"_array, "n_items"_a, "ranks"_array, "min_support"_a,
      "gain"_a, "prune"_a, "min_gain"_a, "max_length"_a, "forbidden"_a, "most_steps"_a, "threads"_a,
      "progress"_a.none(),
      "Grows a code table by joining pairs: its table in ranks, evaluated, accepted, complete.");
}

}  // namespace halfmask::bindings

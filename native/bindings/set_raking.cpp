#include "calibration/set_raking.hpp"

#include "bindings/convert.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

void bind_set_raking(nb::module_& module) {
  module.def(
      "holders",
      [](const Vector<std::int64_t>& offsets, const Vector<Item>& items,
         const Vector<Count>& weights, Item n_items, const Vector<std::int64_t>& set_offsets,
         const Vector<Item>& set_items) {
        const Rows rows{view(offsets), view(items), view(weights), n_items};
        const Itemsets sets{view(set_offsets), view(set_items)};
        Holders found;
        {
          nb::gil_scoped_release free_threads;
          found = holders_of(checked(rows), checked(sets, n_items));
        }
        return nb::make_tuple(to_numpy(std::move(found.offsets)), to_numpy(std::move(found.rows)));
      },
      "offsets"_array, "items"_array, "weights"_array, "n_items"_a, "set_offsets"_array,
      "set_items"_array, "Offsets and numbers of the rows that hold each set.");
  module.def(
      "rake_sets",
      [](const Vector<double>& multiplicities, const Vector<std::int64_t>& offsets,
         const Vector<std::int32_t>& holders, const Vector<double>& targets, std::int64_t rounds,
         double tolerance, double max_factor, nb::object progress) {
        const SetMargins margins{view(offsets), view(holders), view(targets)};
        auto watch = watch_over(std::move(progress));
        RakedSets raked;
        {
          nb::gil_scoped_release free_threads;
          checked(margins, multiplicities.shape(0));
          if (const auto reason = check_multiplicities(view(multiplicities)))
            throw std::invalid_argument(*reason);
          const RakeLimits limits{number("rounds", rounds, 0, most_rounds), tolerance, max_factor};
          raked = rake_sets(view(multiplicities), margins, checked(limits), watch);
        }
        return nb::make_tuple(to_numpy(std::move(raked.weights)), to_numpy(std::move(raked.shares)),
                              raked.rounds);
      },
      "multiplicities"_array, "offsets"_array, "holders"_array, "targets"_array, "rounds"_a,
      "tolerance"_a, "max_factor"_a, "progress"_a = nb::none(),
      "Weights of the rows, shares of the margins, rounds.");
}

}  // namespace halfmask::bindings

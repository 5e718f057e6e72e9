#include "calibration/loglinear.hpp"

#include <cmath>

#include "bindings/checks.hpp"
#include "bindings/convert.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

void bind_loglinear(nb::module_& module) {
  module.def(
      "count_cells",
      [](const Vector<std::int32_t>& codes, const Vector<std::int32_t>& sizes,
         const Vector<std::int64_t>& column_offsets, const Vector<std::int32_t>& columns,
         const Vector<std::int64_t>& cell_offsets, std::uint64_t threads, nb::object progress) {
        const Coded coded{view(codes), view(sizes)};
        const Tables tables{view(column_offsets), view(columns), view(cell_offsets)};
        auto watch = watch_over(std::move(progress));
        std::vector<std::int64_t> counts;
        {
          nb::gil_scoped_release free_threads;
          counts = count_cells(checked(coded), checked(tables, coded.sizes),
                               checked_threads(threads), watch);
        }
        return to_numpy(std::move(counts));
      },
      "codes"_array, "sizes"_array, "column_offsets"_array, "columns"_array, "cell_offsets"_array,
      "threads"_a, "progress"_a.none(), "The rows in each cell of each table.");
  module.def(
      "fit_loglinear",
      [](const Vector<std::int32_t>& codes, const Vector<std::int32_t>& sizes,
         const Vector<std::int64_t>& column_offsets, const Vector<std::int32_t>& columns,
         const Vector<std::int64_t>& cell_offsets, const Vector<double>& counts,
         const Vector<double>& variances, const Vector<double>& priors, double sampling,
         double total, const Vector<double>& potentials, const Vector<double>& steps,
         std::int64_t passes, const Vector<double>& last_steps, const Vector<std::uint8_t>& drawn,
         const Vector<std::int32_t>& pairs, std::uint64_t key, std::uint64_t threads,
         nb::object progress) {
        const Coded pool{view(codes), view(sizes)};
        const Tables tables{view(column_offsets), view(columns), view(cell_offsets)};
        const Observations observed{view(counts), view(variances), view(priors), sampling, total};
        const FitPlan plan{view(steps),
                           number("passes", passes, 0, most_rounds),
                           view(last_steps),
                           view(drawn),
                           view(pairs),
                           key,
                           checked_threads(threads)};
        auto watch = watch_over(std::move(progress));
        Fitted fitted;
        {
          nb::gil_scoped_release free_threads;
          if (checked(pool).rows() == 0) throw std::invalid_argument("the pool has no rows");
          (void)checked(observed, checked(tables, pool.sizes));
          (void)checked(plan, sizes.shape(0));
          require(std::isfinite(sampling), "a number of the fit is not finite");
          require(potentials.shape(0) == counts.shape(0),
                  "there must be a potential for each cell");
          for (const auto& given : {view(potentials), view(counts), view(variances), view(steps),
                                    view(last_steps), view(priors)})
            for (const double one : given)
              require(std::isfinite(one), "a number of the fit is not finite");
          fitted = fit_loglinear(pool, tables, observed, view(potentials), plan, watch);
        }
        return nb::make_tuple(
            to_numpy(std::move(fitted.codes)), to_numpy(std::move(fitted.weights)),
            to_numpy(std::move(fitted.potentials)), to_numpy(std::move(fitted.expected)));
      },
      "codes"_array, "sizes"_array, "column_offsets"_array, "columns"_array, "cell_offsets"_array,
      "counts"_array, "variances"_array, "priors"_array, "sampling"_a, "total"_a,
      "potentials"_array, "steps"_array, "passes"_a, "last_steps"_array, "drawn"_array,
      "pairs"_array, "key"_a, "threads"_a, "progress"_a.none(),
      "Codes and weights of the pool, potentials and expected counts of the cells.");
}

}  // namespace halfmask::bindings

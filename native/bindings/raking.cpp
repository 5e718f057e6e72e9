#include "calibration/raking.hpp"

#include "bindings/convert.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

void bind_raking(nb::module_& module) {
  module.def(
      "rake",
      [](const Vector<std::int32_t>& codes, const Vector<std::int32_t>& sizes,
         const Vector<double>& multiplicities, const Vector<std::int64_t>& column_offsets,
         const Vector<std::int32_t>& columns, const Vector<std::int64_t>& cell_offsets,
         const Vector<std::int32_t>& class_of, const Vector<std::int64_t>& class_offsets,
         const Vector<double>& targets, const Vector<double>& factors, std::int64_t rounds,
         double tolerance, double max_factor, double stalled, std::uint64_t threads,
         nb::object progress) {
        const Pool pool{view(codes), view(sizes), view(multiplicities)};
        const MarginTables tables{view(column_offsets), view(columns),       view(cell_offsets),
                                  view(class_of),       view(class_offsets), view(targets)};
        auto watch = watch_over(std::move(progress));
        Raked raked;
        {
          nb::gil_scoped_release free_threads;
          checked(pool);
          checked(tables, pool.sizes);
          require(factors.shape(0) == targets.shape(0), "there must be a factor for each class");
          check_amounts("a factor", view(factors));
          const RakeLimits limits{number("rounds", rounds, 0, most_rounds), tolerance, max_factor,
                                  stalled};
          raked =
              rake(pool, tables, view(factors), checked(limits), checked_threads(threads), watch);
        }
        return nb::make_tuple(to_numpy(std::move(raked.weights)),
                              to_numpy(std::move(raked.factors)), to_numpy(std::move(raked.shares)),
                              raked.rounds);
      },
      "codes"_array, "sizes"_array, "multiplicities"_array, "column_offsets"_array, "columns"_array,
      "cell_offsets"_array, "class_of"_array, "class_offsets"_array, "targets"_array,
      "factors"_array, "rounds"_a, "tolerance"_a, "max_factor"_a, "stalled"_a, "threads"_a,
      "progress"_a.none(), "Weights of the rows, factors and shares of the classes, rounds.");
  module.def(
      "row_order",
      [](const Vector<std::int32_t>& codes, const Vector<std::int32_t>& sizes) {
        const std::size_t columns = sizes.shape(0);
        require(columns > 0 && codes.shape(0) % columns == 0,
                "the codes are no whole number of rows");
        const auto rows = codes.shape(0) / columns;
        std::vector<std::int32_t> order;
        {
          nb::gil_scoped_release free_threads;
          const std::vector<double> ones(rows, 1.0);
          checked(Pool{view(codes), view(sizes), ones});
          order = row_order(view(codes), view(sizes), rows);
        }
        return to_numpy(std::move(order));
      },
      "codes"_array, "sizes"_array,
      "Row numbers in lexicographic order of codes given column by column.");
}

}  // namespace halfmask::bindings

#include "calibration/balance.hpp"

#include "bindings/checks.hpp"
#include "bindings/convert.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

void bind_balance(nb::module_& module) {
  module.def(
      "balance",
      [](const Vector<std::int32_t>& codes, const Vector<std::int32_t>& sizes,
         const Vector<std::int64_t>& column_offsets, const Vector<std::int32_t>& columns,
         const Vector<std::int64_t>& cell_offsets, const Vector<double>& weights,
         const Vector<std::int32_t>& chosen, const Vector<std::int32_t>& link_columns,
         const Vector<std::int64_t>& score_offsets, const Vector<double>& scores,
         const Vector<double>& wanted, std::int64_t passes, std::uint64_t key,
         nb::object progress) {
        const Coded pool{view(codes), view(sizes)};
        const Tables tables{view(column_offsets), view(columns), view(cell_offsets)};
        const Links links{view(link_columns), view(score_offsets), view(scores), view(wanted)};
        const BalancePlan plan{view(weights), view(chosen),
                               number("passes", passes, 0, most_rounds), key};
        auto watch = watch_over(std::move(progress));
        std::vector<std::int32_t> rows;
        {
          nb::gil_scoped_release free_threads;
          (void)checked(plan, checked(pool).rows());
          (void)checked(links, pool.sizes);
          rows = balance(pool, checked(tables, pool.sizes), links, plan, watch);
        }
        return to_numpy(std::move(rows));
      },
      "codes"_array, "sizes"_array, "column_offsets"_array, "columns"_array, "cell_offsets"_array,
      "weights"_array, "chosen"_array, "link_columns"_array, "score_offsets"_array, "scores"_array,
      "wanted"_array, "passes"_a, "key"_a, "progress"_a.none(),
      "Rows of the pool, as many as were chosen, whose tables are near what the weights say.");
}

}  // namespace halfmask::bindings

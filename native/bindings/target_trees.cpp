#include "calibration/target_trees.hpp"

#include "bindings/convert.hpp"
#include "calibration/split_paths.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

void bind_target_trees(nb::module_& module) {
  module.def(
      "grow_tree",
      [](const Vector<std::int32_t>& codes, const Vector<std::int32_t>& classes,
         const Vector<std::int32_t>& drawn, const Vector<double>& shares,
         const Vector<std::int32_t>& sizes, const Vector<std::uint8_t>& apart,
         const Vector<std::int32_t>& most, std::int64_t n_classes, std::int64_t floor,
         std::int64_t leaves, double caution, nb::object progress) {
        const Growing growing{
            view(codes), view(classes), view(drawn), view(shares),
            view(sizes), view(apart),   view(most),  number("n_classes", n_classes, 1, most_rows)};
        const GrowthLimits limits{number<std::int64_t>("floor", floor, 1, any_number),
                                  number("leaves", leaves, 1, most_rows),
                                  amount("caution", caution)};
        auto watch = watch_over(std::move(progress));
        Tree tree;
        {
          nb::gil_scoped_release free_threads;
          tree = grow(checked(growing), limits, watch);
        }
        return nb::make_tuple(to_numpy(std::move(tree.column)), to_numpy(std::move(tree.value)),
                              to_numpy(std::move(tree.yes)), to_numpy(std::move(tree.no)));
      },
      "codes"_array, "classes"_array, "drawn"_array, "shares"_array, "sizes"_array, "apart"_array,
      "most"_array, "n_classes"_a, "floor"_a, "leaves"_a, "caution"_a, "progress"_a.none(),
      "Of each node of a tree: the column asked, the value, and the nodes for yes and no.");
  module.def(
      "fit_classes",
      [](const Vector<std::int32_t>& leaf_of, const Vector<std::int64_t>& leaf_offsets,
         const Vector<double>& told, const Vector<double>& rest, const Vector<double>& few,
         const Vector<double>& shares, std::int64_t n_classes, std::int64_t floor, double size,
         std::int64_t rounds, nb::object progress) {
        const auto classes = number("n_classes", n_classes, 1, most_rows);
        const DisclosedLeaves leaves{
            view(leaf_of), view(leaf_offsets), view(told), view(rest), view(few), classes, floor};
        auto watch = watch_over(std::move(progress));
        ClassShares fitted;
        {
          nb::gil_scoped_release free_threads;
          require(shares.shape(0) % classes == 0, "shares must be rows times classes");
          check_amounts("a share", view(shares));
          checked(leaves, shares.shape(0) / classes);
          fitted = fit_classes(leaves, view(shares), amount("size", size),
                               number("rounds", rounds, 0, most_rounds), watch);
        }
        return nb::make_tuple(to_numpy(std::move(fitted.shares)),
                              to_numpy(std::move(fitted.factors)));
      },
      "leaf_of"_array, "leaf_offsets"_array, "told"_array, "rest"_array, "few"_array,
      "shares"_array, "n_classes"_a, "floor"_a, "size"_a, "rounds"_a, "progress"_a.none(),
      "Shares of the classes in each row, and the factors of each leaf.");
  module.def(
      "lead_rows",
      [](const Vector<std::int32_t>& codes, const Vector<std::int32_t>& sizes,
         const Vector<std::int64_t>& path_offsets, const Vector<std::int32_t>& columns,
         const Vector<std::int32_t>& values, const Vector<std::uint8_t>& wanted,
         std::uint64_t threads, nb::object progress) {
        const CodedRows coded{view(codes), view(sizes)};
        const SplitPaths paths{view(path_offsets), view(columns), view(values), view(wanted)};
        auto watch = watch_over(std::move(progress));
        std::vector<std::int32_t> found;
        {
          nb::gil_scoped_release free_threads;
          checked(coded);
          checked(paths, coded.sizes);
          found = led(coded, paths, checked_threads(threads), watch);
        }
        return to_numpy(std::move(found));
      },
      "codes"_array, "sizes"_array, "path_offsets"_array, "columns"_array, "values"_array,
      "wanted"_array, "threads"_a, "progress"_a.none(),
      "The number of the first path of splits that leads to each row, or -1.");
}

}  // namespace halfmask::bindings

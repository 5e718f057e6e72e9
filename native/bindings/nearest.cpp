#include "counting/nearest.hpp"

#include <nanobind/stl/tuple.h>

#include "bindings/convert.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

namespace {

// One row of the array is one column of the table.
template <typename Code>
using Matrix = nb::ndarray<const Code, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <typename Code>
Columns<Code> columns(const Matrix<Code>& array) {
  const Columns<Code> result{{array.data(), array.size()}, array.shape(1), array.shape(0)};
  return checked(result);
}

// The kernel's result, computed without the GIL and interruptible by Ctrl-C.
template <typename Work>
auto without_gil(const Work& work) {
  auto watch = watch_over(nb::none());
  nb::gil_scoped_release free_threads;
  return work(watch);
}

template <typename Code>
auto bound_nearest(const Matrix<Code>& reference, const Matrix<Code>& queries,
                   std::uint64_t threads) {
  const auto rows = columns(reference);
  const auto asked = columns(queries);
  require(rows.columns == asked.columns, "reference and queries must have the same columns");
  const auto members = checked_threads(threads);
  auto found = without_gil([&](Watch& watch) { return nearest(rows, asked, members, watch); });
  return std::make_tuple(to_numpy(std::move(found.distance)), to_numpy(std::move(found.row)),
                         to_numpy(std::move(found.ties)));
}

template <typename Code>
auto bound_votes(const Matrix<Code>& reference, const Vector<std::int32_t>& labels,
                 std::int32_t n_labels, const Matrix<Code>& queries, std::uint64_t threads) {
  const auto rows = columns(reference);
  const auto asked = columns(queries);
  const auto given = view(labels);
  require(rows.columns == asked.columns, "reference and queries must have the same columns");
  require(given.size() == rows.rows, "there must be one label for each reference row");
  check_range("a label", given, -1, number<std::int64_t>("n_labels", n_labels, 0, most_items) - 1);
  const auto members = checked_threads(threads);
  return to_numpy(without_gil(
      [&](Watch& watch) { return nearest_votes(rows, given, n_labels, asked, members, watch); }));
}

template <typename Code>
auto bound_coincidences(const Matrix<Code>& reference_a, const Matrix<Code>& queries_a,
                        const Vector<std::int32_t>& at_a, const Matrix<Code>& reference_b,
                        const Matrix<Code>& queries_b, const Vector<std::int32_t>& at_b,
                        std::uint64_t threads) {
  const Facet<Code> a{columns(reference_a), columns(queries_a), view(at_a)};
  const Facet<Code> b{columns(reference_b), columns(queries_b), view(at_b)};
  require(a.reference.columns == a.queries.columns && b.reference.columns == b.queries.columns,
          "reference and queries must have the same columns");
  require(a.reference.rows == b.reference.rows && a.queries.rows == b.queries.rows,
          "both sets of columns must be of the same rows");
  require(a.at.size() == a.queries.rows && b.at.size() == b.queries.rows,
          "there must be one distance for each query");
  check_range("a distance", a.at, -1, static_cast<std::int64_t>(a.reference.columns));
  check_range("a distance", b.at, -1, static_cast<std::int64_t>(b.reference.columns));
  const auto members = checked_threads(threads);
  return to_numpy(without_gil([&](Watch& watch) { return coincidences(a, b, members, watch); }));
}

template <typename Code>
void bind(nb::module_& module) {
  module.def("nearest", &bound_nearest<Code>, "reference"_array, "queries"_array, "threads"_a,
             "Distance, first row and number of the closest reference rows of each query.");
  module.def("nearest_votes", &bound_votes<Code>, "reference"_array, "labels"_array, "n_labels"_a,
             "queries"_array, "threads"_a,
             "How many of the closest reference rows of each query carry each label.");
  module.def("coincidences", &bound_coincidences<Code>, "reference_a"_array, "queries_a"_array,
             "at_a"_array, "reference_b"_array, "queries_b"_array, "at_b"_array, "threads"_a,
             "How many reference rows lie at the given distances in both sets of columns.");
}

}  // namespace

void bind_nearest(nb::module_& module) {
  bind<std::uint8_t>(module);
  bind<std::uint16_t>(module);
}

}  // namespace halfmask::bindings

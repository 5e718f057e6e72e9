#include "anatomy/buckets.hpp"

#include "bindings/convert.hpp"
#include "bindings/keys.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

namespace {

[[nodiscard]] std::span<const std::int64_t> checked_rows(std::span<const std::int64_t> order,
                                                         std::size_t n) {
  for (const auto r : order)
    if (r < 0 || static_cast<std::size_t>(r) >= n)
      throw std::invalid_argument("a row number lies outside the cells");
  return order;
}

}  // namespace

void bind_buckets(nb::module_& module) {
  module.def(
      "column_values",
      [](const Vector<std::int64_t>& offsets, const Vector<Item>& items,
         const Vector<Count>& weights, Item n_items, const Vector<std::int32_t>& column_of,
         std::size_t columns, const nb::object& callback) {
        const Rows rows{view(offsets), view(items), view(weights), n_items};
        auto watch = watch_over(callback);
        ColumnValues values;
        {
          nb::gil_scoped_release free_threads;
          const auto column = view(column_of);
          if (column.size() != static_cast<std::size_t>(n_items))
            throw std::invalid_argument("every item needs a column");
          for (const auto j : column)
            if (j < 0 || static_cast<std::size_t>(j) >= columns)
              throw std::invalid_argument("an item lies outside the columns");
          values = column_values(checked(rows), column, columns, watch);
        }
        return nb::make_tuple(to_numpy(std::move(values.cells)), to_numpy(std::move(values.starts)),
                              to_numpy(std::move(values.offsets)),
                              to_numpy(std::move(values.items)));
      },
      "offsets"_a, "items"_a, "weights"_a, "n_items"_a, "column_of"_a, "columns"_a,
      "callback"_a.none() = nb::none(),
      "Cells, first value of each column, and the items of all values as runs.");

  module.def(
      "close_buckets",
      [](const Vector<Value>& cells, std::size_t columns, const Vector<std::int64_t>& rises,
         const Vector<std::int64_t>& falls, const Vector<std::int64_t>& order,
         std::int64_t min_bucket, const nb::object& callback) {
        const Cells given{view(cells), columns};
        const Bounds bounds{view(rises), view(falls)};
        auto watch = watch_over(callback);
        std::vector<std::int32_t> bucket_of;
        {
          nb::gil_scoped_release free_threads;
          checked(bounds, checked(given, bounds.rises.size()).rows());
          bucket_of = close_buckets(given, bounds, checked_rows(view(order), given.rows()),
                                    min_bucket, watch);
        }
        return to_numpy(std::move(bucket_of));
      },
      "cells"_a, "columns"_a, "rises"_a, "falls"_a, "order"_a, "min_bucket"_a,
      "callback"_a.none() = nb::none(), "The bucket of each row after one scan, or -1.");

  module.def(
      "settle_leftovers",
      [](const Vector<Value>& cells, std::size_t columns, const Vector<std::int64_t>& rises,
         const Vector<std::int64_t>& falls, const Vector<std::int32_t>& bucket_of,
         const Vector<std::int64_t>& leftovers, const Vector<std::uint64_t>& key, bool absorb,
         const nb::object& callback) {
        const Cells given{view(cells), columns};
        const Bounds bounds{view(rises), view(falls)};
        auto watch = watch_over(callback);
        Settled settled;
        {
          nb::gil_scoped_release free_threads;
          checked(bounds, checked(given, bounds.rises.size()).rows());
          const auto buckets = view(bucket_of);
          if (buckets.size() != given.rows())
            throw std::invalid_argument("every row needs a bucket or -1");
          const auto rest = checked_rows(view(leftovers), given.rows());
          settled =
              settle_leftovers(given, bounds, {buckets.begin(), buckets.end()},
                               {rest.begin(), rest.end()}, optional_key(view(key)), absorb, watch);
        }
        return nb::make_tuple(to_numpy(std::move(settled.bucket_of)), settled.passes,
                              settled.placed, settled.absorbed, settled.merges);
      },
      "cells"_a, "columns"_a, "rises"_a, "falls"_a, "bucket_of"_a, "leftovers"_a, "key"_a,
      "absorb"_a, "callback"_a.none() = nb::none(),
      "The bucket of each row, passes, rows placed, rows absorbed, and merges.");
}

}  // namespace halfmask::bindings

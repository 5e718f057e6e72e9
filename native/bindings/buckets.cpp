#include "anatomy/buckets.hpp"

#include "bindings/convert.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

void bind_buckets(nb::module_& module) {
  module.def(
      "column_values",
      [](const Vector<std::int64_t>& offsets, const Vector<Item>& items,
         const Vector<Count>& weights, Item n_items, const Vector<std::int32_t>& column_of,
         std::int64_t columns, const nb::object& callback) {
        const Rows rows{view(offsets), view(items), view(weights), n_items};
        auto watch = watch_over(callback);
        ColumnValues values;
        {
          nb::gil_scoped_release free_threads;
          checked(rows);
          const auto column = view(column_of);
          require(std::ssize(column) == n_items, "every item needs a column");
          const auto n = number("columns", columns, 0, std::max<Item>(n_items, 1));
          check_range("the column of an item", column, 0, columns - 1);
          values = column_values(rows, column, n, watch);
        }
        return nb::make_tuple(to_numpy(std::move(values.cells)), to_numpy(std::move(values.starts)),
                              to_numpy(std::move(values.offsets)),
                              to_numpy(std::move(values.items)));
      },
      "offsets"_array, "items"_array, "weights"_array, "n_items"_a, "column_of"_array, "columns"_a,
      "callback"_a.none() = nb::none(),
      "Cells, first value of each column, and the items of all values as runs.");

  module.def(
      "close_buckets",
      [](const Vector<Value>& cells, std::int64_t columns, const Vector<std::int64_t>& rises,
         const Vector<std::int64_t>& falls, const Vector<std::int64_t>& order,
         std::int64_t min_bucket, const nb::object& callback) {
        const Cells given{view(cells), number("columns", columns, 1, most_items)};
        const Bounds bounds{view(rises), view(falls)};
        auto watch = watch_over(callback);
        std::vector<std::int32_t> bucket_of;
        {
          nb::gil_scoped_release free_threads;
          checked(bounds, checked(given, bounds.rises.size()).rows());
          check_different("the rows of an order", view(order), given.rows());
          bucket_of =
              close_buckets(given, bounds, view(order),
                            number<std::int64_t>("min_bucket", min_bucket, 0, any_number), watch);
        }
        return to_numpy(std::move(bucket_of));
      },
      "cells"_array, "columns"_a, "rises"_array, "falls"_array, "order"_array, "min_bucket"_a,
      "callback"_a.none() = nb::none(), "The bucket of each row after one scan, or -1.");

  module.def(
      "settle_leftovers",
      [](const Vector<Value>& cells, std::int64_t columns, const Vector<std::int64_t>& rises,
         const Vector<std::int64_t>& falls, const Vector<std::int32_t>& bucket_of,
         const Vector<std::int64_t>& leftovers, const Vector<std::uint64_t>& key, bool absorb,
         const nb::object& callback) {
        const Cells given{view(cells), number("columns", columns, 1, most_items)};
        const Bounds bounds{view(rises), view(falls)};
        auto watch = watch_over(callback);
        Settled settled;
        {
          nb::gil_scoped_release free_threads;
          checked(bounds, checked(given, bounds.rises.size()).rows());
          const auto buckets = view(bucket_of);
          require(buckets.size() == given.rows(), "every row needs a bucket or -1");
          check_range("a bucket", buckets, -1, std::ssize(buckets) - 1);
          const auto rest = view(leftovers);
          check_different("the rows left over", rest, given.rows());
          for (const auto r : rest)
            require(buckets[static_cast<std::size_t>(r)] < 0, "a row left over has a bucket");
          settled =
              settle_leftovers(given, bounds, {buckets.begin(), buckets.end()},
                               {rest.begin(), rest.end()}, optional_key(view(key)), absorb, watch);
        }
        return nb::make_tuple(to_numpy(std::move(settled.bucket_of)), settled.passes,
                              settled.placed, settled.absorbed, settled.merges);
      },
      "cells"_array, "columns"_a, "rises"_array, "falls"_array, "bucket_of"_array,
      "leftovers"_array, "key"_array, "absorb"_a, "callback"_a.none() = nb::none(),
      "The bucket of each row, passes, rows placed, rows absorbed, and merges.");
}

}  // namespace halfmask::bindings

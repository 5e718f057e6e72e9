#include "anatomy/anatomised.hpp"

#include <algorithm>
#include <numeric>

#include "bindings/convert.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

namespace {

// The counts of every bucket and column add up to the size of the bucket.
void check_columns(const EntriesView& entries, std::span<const std::int64_t> sizes) {
  for (std::size_t j = 0; j < entries.columns(); ++j) {
    std::vector<std::int64_t> found(sizes.size(), 0);
    for (auto e = static_cast<std::size_t>(entries.starts[j]);
         e < static_cast<std::size_t>(entries.starts[j + 1]); ++e)
      found[static_cast<std::size_t>(entries.buckets[e])] += entries.counts[e];
    require(std::ranges::equal(found, sizes),
            "the counts of a column do not add up to its buckets");
  }
}

// Buckets hold rows, and all of them together no more than can be numbered.
void check_sizes(std::span<const std::int64_t> sizes) {
  check_range("the size of a bucket", sizes, 1, most_rows);
  require(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) <= most_rows,
          "the buckets hold too many rows");
}

}  // namespace

void bind_anatomised(nb::module_& module) {
  module.def(
      "tabulate",
      [](const Vector<Value>& cells, std::int64_t columns, std::int64_t n_values,
         const Vector<std::int32_t>& bucket_of, std::int64_t n_buckets) {
        const Cells given{view(cells), number("columns", columns, 1, most_items)};
        Entries entries;
        {
          nb::gil_scoped_release free_threads;
          const auto buckets = view(bucket_of);
          checked(given, number("n_values", n_values, 0, most_rows));
          require(buckets.size() == given.rows(), "every row needs a bucket or -1");
          const auto rows = static_cast<std::int64_t>(given.rows());
          check_range("a bucket", buckets, -1,
                      number<std::int64_t>("n_buckets", n_buckets, 0, rows) - 1);
          entries = tabulate(given, buckets, static_cast<std::size_t>(n_buckets));
        }
        return nb::make_tuple(
            to_numpy(std::move(entries.buckets)), to_numpy(std::move(entries.values)),
            to_numpy(std::move(entries.counts)), to_numpy(std::move(entries.starts)));
      },
      "cells"_array, "columns"_a, "n_values"_a, "bucket_of"_array, "n_buckets"_a,
      "Buckets, values and counts of the entries, and where each column starts.");

  module.def(
      "expected_supports",
      [](const Vector<std::int32_t>& buckets, const Vector<Value>& values,
         const Vector<std::int64_t>& counts, const Vector<std::int64_t>& starts,
         const Vector<std::int64_t>& value_offsets, const Vector<Item>& value_items,
         const Vector<std::int64_t>& bucket_sizes, const Vector<std::int32_t>& column_of,
         const Vector<std::int64_t>& set_offsets, const Vector<Item>& set_items) {
        const EntriesView entries{view(buckets), view(values), view(counts), view(starts)};
        const Itemsets value_sets{view(value_offsets), view(value_items)};
        const Itemsets asked{view(set_offsets), view(set_items)};
        const auto columns = view(column_of);
        std::vector<double> result;
        {
          nb::gil_scoped_release free_threads;
          const auto n_items = number<Item>("items", std::ssize(columns), 0, most_items);
          check_sizes(view(bucket_sizes));
          check_range("a count", view(counts), 1, most_rows);
          checked(entries, bucket_sizes.shape(0), checked(value_sets, n_items).size());
          check_range("the column of an item", columns, 0, std::ssize(entries.starts) - 2);
          result = expected_supports(entries, value_sets, view(bucket_sizes), columns,
                                     checked(asked, n_items));
        }
        return to_numpy(std::move(result));
      },
      "buckets"_array, "values"_array, "counts"_array, "starts"_array, "value_offsets"_array,
      "value_items"_array, "bucket_sizes"_array, "column_of"_array, "set_offsets"_array,
      "set_items"_array, "Expected number of rows with each itemset.");

  module.def(
      "join_at_random",
      [](const Vector<std::int32_t>& buckets, const Vector<Value>& values,
         const Vector<std::int64_t>& counts, const Vector<std::int64_t>& starts,
         const Vector<std::int64_t>& value_offsets, const Vector<Item>& value_items, Item n_items,
         const Vector<std::int64_t>& bucket_sizes, const Vector<std::uint64_t>& key) {
        const EntriesView entries{view(buckets), view(values), view(counts), view(starts)};
        const Itemsets value_sets{view(value_offsets), view(value_items)};
        Joined rows;
        {
          nb::gil_scoped_release free_threads;
          check_sizes(view(bucket_sizes));
          check_range("a count", view(counts), 1, most_rows);
          checked(entries, bucket_sizes.shape(0), checked(value_sets, n_items).size());
          check_columns(entries, view(bucket_sizes));
          rows = join_at_random(entries, value_sets, view(bucket_sizes), checked_key(view(key)));
        }
        return nb::make_tuple(to_numpy(std::move(rows.offsets)), to_numpy(std::move(rows.items)),
                              to_numpy(std::move(rows.bucket_of)));
      },
      "buckets"_array, "values"_array, "counts"_array, "starts"_array, "value_offsets"_array,
      "value_items"_array, "n_items"_a, "bucket_sizes"_array, "key"_array,
      "Rows as offsets and items, and the bucket each came from.");
}

}  // namespace halfmask::bindings

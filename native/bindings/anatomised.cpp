#include "anatomy/anatomised.hpp"

#include <algorithm>
#include <limits>

#include "bindings/convert.hpp"
#include "bindings/keys.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

namespace {

// The counts of every bucket and column add up to the size of the bucket.
void check_sizes(const EntriesView& entries, std::span<const std::int64_t> sizes) {
  for (std::size_t j = 0; j < entries.columns(); ++j) {
    std::vector<std::int64_t> found(sizes.size(), 0);
    for (auto e = static_cast<std::size_t>(entries.starts[j]);
         e < static_cast<std::size_t>(entries.starts[j + 1]); ++e)
      found[static_cast<std::size_t>(entries.buckets[e])] += entries.counts[e];
    if (!std::ranges::equal(found, sizes))
      throw std::invalid_argument("the counts of a column do not add up to its buckets");
  }
  for (const auto size : sizes)
    if (size > std::numeric_limits<std::int32_t>::max())
      throw std::invalid_argument("a bucket is too large");
}

}  // namespace

void bind_anatomised(nb::module_& module) {
  module.def(
      "tabulate",
      [](const Vector<Value>& cells, std::size_t columns, std::size_t n_values,
         const Vector<std::int32_t>& bucket_of, std::size_t n_buckets) {
        const Cells given{view(cells), columns};
        Entries entries;
        {
          nb::gil_scoped_release free_threads;
          const auto buckets = view(bucket_of);
          if (buckets.size() != checked(given, n_values).rows())
            throw std::invalid_argument("every row needs a bucket or -1");
          for (const auto b : buckets)
            if (b < -1 || b >= static_cast<std::int64_t>(n_buckets))
              throw std::invalid_argument("a bucket number is too large");
          entries = tabulate(given, buckets, n_buckets);
        }
        return nb::make_tuple(
            to_numpy(std::move(entries.buckets)), to_numpy(std::move(entries.values)),
            to_numpy(std::move(entries.counts)), to_numpy(std::move(entries.starts)));
      },
      "cells"_a, "columns"_a, "n_values"_a, "bucket_of"_a, "n_buckets"_a,
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
          const auto n_items = static_cast<Item>(columns.size());
          checked(entries, bucket_sizes.shape(0), checked(value_sets, n_items).size());
          result = expected_supports(entries, value_sets, view(bucket_sizes), columns,
                                     checked(asked, n_items));
        }
        return to_numpy(std::move(result));
      },
      "buckets"_a, "values"_a, "counts"_a, "starts"_a, "value_offsets"_a, "value_items"_a,
      "bucket_sizes"_a, "column_of"_a, "set_offsets"_a, "set_items"_a,
      "Expected number of rows with each itemset.");

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
          checked(entries, bucket_sizes.shape(0), checked(value_sets, n_items).size());
          check_sizes(entries, view(bucket_sizes));
          rows = join_at_random(entries, value_sets, view(bucket_sizes), checked_key(view(key)));
        }
        return nb::make_tuple(to_numpy(std::move(rows.offsets)), to_numpy(std::move(rows.items)),
                              to_numpy(std::move(rows.bucket_of)));
      },
      "buckets"_a, "values"_a, "counts"_a, "starts"_a, "value_offsets"_a, "value_items"_a,
      "n_items"_a, "bucket_sizes"_a, "key"_a,
      "Rows as offsets and items, and the bucket each came from.");
}

}  // namespace halfmask::bindings

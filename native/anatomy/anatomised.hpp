// Anatomised tables: what a multi-dimension anatomy publishes, and what can be read from it.
//
// Representation: entry e says that value values[e] stands counts[e] >= 1 times in bucket
// buckets[e]. Entries are sorted by column, then bucket, then value; those of column j are
// starts[j] .. starts[j + 1] - 1. Which values stood in the same row is not in it.
// ValueSets is the dictionary of column_values.hpp: the items of each value.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "anatomy/buckets.hpp"
#include "anatomy/column_values.hpp"
#include "common/chacha.hpp"
#include "common/rows.hpp"

namespace halfmask {

struct Entries {
  std::vector<std::int32_t> buckets;
  std::vector<Value> values;
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> starts;
};

struct EntriesView {
  std::span<const std::int32_t> buckets;
  std::span<const Value> values;
  std::span<const std::int64_t> counts;
  std::span<const std::int64_t> starts;

  [[nodiscard]] std::size_t columns() const { return starts.empty() ? 0 : starts.size() - 1; }
  [[nodiscard]] std::optional<std::string> validate(std::size_t n_buckets,
                                                    std::size_t n_values) const;
};

// Counts the values of each column in each bucket; rows with bucket -1 are left out.
[[nodiscard]] Entries tabulate(const Cells& cells, std::span<const std::int32_t> bucket_of,
                               std::size_t n_buckets);

// Expected number of rows with each itemset when the columns of every bucket are joined at random:
// sum over buckets of |B| * product over columns of the share of values that hold the part there.
[[nodiscard]] std::vector<double> expected_supports(const EntriesView& entries,
                                                    const Itemsets& value_sets,
                                                    std::span<const std::int64_t> bucket_sizes,
                                                    std::span<const std::int32_t> column_of,
                                                    const Itemsets& asked);

struct Joined {
  std::vector<std::int64_t> offsets;
  std::vector<Item> items;
  std::vector<std::int32_t> bucket_of;
};

// Joins the columns of every bucket at random into rows, then shuffles all rows.
[[nodiscard]] Joined join_at_random(const EntriesView& entries, const Itemsets& value_sets,
                                    std::span<const std::int64_t> bucket_sizes, const Key& key);

}  // namespace halfmask

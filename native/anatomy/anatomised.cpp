#include "anatomy/anatomised.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace halfmask {

namespace {

// Row numbers grouped by bucket; offsets[b] is where bucket b starts.
struct Grouped {
  std::vector<std::size_t> offsets;
  std::vector<std::size_t> rows;
};

Grouped by_bucket(std::span<const std::int32_t> bucket_of, std::size_t n_buckets) {
  Grouped grouped;
  grouped.offsets.assign(n_buckets + 1, 0);
  for (const auto b : bucket_of)
    if (b >= 0) ++grouped.offsets[static_cast<std::size_t>(b) + 1];
  std::partial_sum(grouped.offsets.begin(), grouped.offsets.end(), grouped.offsets.begin());
  grouped.rows.resize(grouped.offsets.back());
  auto next = grouped.offsets;
  for (std::size_t r = 0; r < bucket_of.size(); ++r)
    if (bucket_of[r] >= 0) grouped.rows[next[static_cast<std::size_t>(bucket_of[r])]++] = r;
  return grouped;
}

// For every item asked for, the entries whose value holds it, in increasing order.
class Postings {
 public:
  Postings(const EntriesView& entries, const Itemsets& value_sets, std::size_t n_items,
           std::span<const Item> asked)
      : slot_(n_items, -1) {
    for (const auto item : asked) {
      auto& slot = slot_[static_cast<std::size_t>(item)];
      if (slot >= 0) continue;
      slot = static_cast<std::int32_t>(lists_.size());
      lists_.emplace_back();
    }
    for (std::size_t e = 0; e < entries.values.size(); ++e)
      for (const auto item : value_sets[static_cast<std::size_t>(entries.values[e])])
        if (const auto slot = slot_[static_cast<std::size_t>(item)]; slot >= 0)
          lists_[static_cast<std::size_t>(slot)].push_back(e);
  }

  // The entries that hold all items of a part of one column.
  [[nodiscard]] std::vector<std::size_t> holding(std::span<const Item> part) const {
    std::vector<std::size_t> result = list(part[0]);
    std::vector<std::size_t> both;
    for (const auto item : part.subspan(1)) {
      both.clear();
      std::ranges::set_intersection(result, list(item), std::back_inserter(both));
      result.swap(both);
    }
    return result;
  }

 private:
  [[nodiscard]] const std::vector<std::size_t>& list(Item item) const {
    return lists_[static_cast<std::size_t>(slot_[static_cast<std::size_t>(item)])];
  }

  std::vector<std::int32_t> slot_;
  std::vector<std::vector<std::size_t>> lists_;
};

struct Share {
  std::int32_t bucket;
  double rows;
};

// Rows of each bucket, in increasing order of bucket, that hold the part.
std::vector<Share> shares_of(const EntriesView& entries, const std::vector<std::size_t>& holding) {
  std::vector<Share> shares;
  for (const auto e : holding) {
    if (shares.empty() || shares.back().bucket != entries.buckets[e])
      shares.push_back({entries.buckets[e], 0.0});
    shares.back().rows += static_cast<double>(entries.counts[e]);
  }
  return shares;
}

// Expected rows per bucket that hold both; the columns are joined independently.
std::vector<Share> joined_shares(const std::vector<Share>& a, const std::vector<Share>& b,
                                 std::span<const std::int64_t> bucket_sizes) {
  std::vector<Share> both;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].bucket < b[j].bucket) {
      ++i;
    } else if (b[j].bucket < a[i].bucket) {
      ++j;
    } else {
      const auto size = static_cast<double>(bucket_sizes[static_cast<std::size_t>(a[i].bucket)]);
      both.push_back({a[i].bucket, a[i].rows * b[j].rows / size});
      ++i;
      ++j;
    }
  }
  return both;
}

// The items of an itemset, those of one column next to each other.
std::vector<Item> by_column(std::span<const Item> itemset,
                            std::span<const std::int32_t> column_of) {
  std::vector<Item> items(itemset.begin(), itemset.end());
  std::ranges::stable_sort(items, {},
                           [&](Item item) { return column_of[static_cast<std::size_t>(item)]; });
  return items;
}

}  // namespace

std::optional<std::string> EntriesView::validate(std::size_t n_buckets,
                                                 std::size_t n_values) const {
  if (buckets.size() != values.size() || counts.size() != values.size())
    return "entries need a bucket, a value and a count each";
  if (starts.empty() || starts.front() != 0 ||
      starts.back() != static_cast<std::int64_t>(values.size()))
    return "columns must start at 0 and end with the last entry";
  if (!std::ranges::is_sorted(starts)) return "columns must not overlap";
  for (std::size_t j = 0; j + 1 < starts.size(); ++j)
    for (auto e = static_cast<std::size_t>(starts[j]); e < static_cast<std::size_t>(starts[j + 1]);
         ++e) {
      if (buckets[e] < 0 || static_cast<std::size_t>(buckets[e]) >= n_buckets || values[e] < 0 ||
          static_cast<std::size_t>(values[e]) >= n_values || counts[e] < 1)
        return "an entry has an unknown bucket, an unknown value or no count";
      if (e > static_cast<std::size_t>(starts[j]) && buckets[e - 1] > buckets[e])
        return "the entries of a column must be sorted by bucket";
    }
  return std::nullopt;
}

Entries tabulate(const Cells& cells, std::span<const std::int32_t> bucket_of,
                 std::size_t n_buckets) {
  const auto grouped = by_bucket(bucket_of, n_buckets);
  Entries result;
  result.starts.push_back(0);
  std::vector<Value> values;
  for (std::size_t j = 0; j < cells.columns; ++j) {
    for (std::size_t b = 0; b < n_buckets; ++b) {
      values.clear();
      for (std::size_t i = grouped.offsets[b]; i < grouped.offsets[b + 1]; ++i)
        values.push_back(cells.values[grouped.rows[i] * cells.columns + j]);
      std::ranges::sort(values);
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0 && values[i] == values[i - 1]) {
          ++result.counts.back();
          continue;
        }
        result.buckets.push_back(static_cast<std::int32_t>(b));
        result.values.push_back(values[i]);
        result.counts.push_back(1);
      }
    }
    result.starts.push_back(static_cast<std::int64_t>(result.values.size()));
  }
  return result;
}

std::vector<double> expected_supports(const EntriesView& entries, const Itemsets& value_sets,
                                      std::span<const std::int64_t> bucket_sizes,
                                      std::span<const std::int32_t> column_of,
                                      const Itemsets& asked) {
  const Postings postings(entries, value_sets, column_of.size(), asked.items);
  const auto all = static_cast<double>(
      std::accumulate(bucket_sizes.begin(), bucket_sizes.end(), std::int64_t{0}));
  std::vector<double> result(asked.size(), all);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto items = by_column(asked[i], column_of);
    std::optional<std::vector<Share>> shares;
    for (std::size_t start = 0, stop = 0; start < items.size(); start = stop) {
      while (stop < items.size() && column_of[static_cast<std::size_t>(items[stop])] ==
                                        column_of[static_cast<std::size_t>(items[start])])
        ++stop;
      const auto part = std::span(items).subspan(start, stop - start);
      const auto rows = shares_of(entries, postings.holding(part));
      shares = shares ? joined_shares(*shares, rows, bucket_sizes) : rows;
    }
    if (!shares) continue;
    result[i] = 0.0;
    for (const auto& share : *shares) result[i] += share.rows;
  }
  return result;
}

Joined join_at_random(const EntriesView& entries, const Itemsets& value_sets,
                      std::span<const std::int64_t> bucket_sizes, const Key& key) {
  const auto columns = entries.columns();
  std::vector<std::size_t> first(bucket_sizes.size() + 1, 0);
  for (std::size_t b = 0; b < bucket_sizes.size(); ++b)
    first[b + 1] = first[b] + static_cast<std::size_t>(bucket_sizes[b]);
  const auto n = first.back();

  // Column-major, so that the values of one bucket and column lie together for the shuffle.
  std::vector<Value> cells(n * columns);
  for (std::size_t j = 0; j < columns; ++j) {
    auto next = cells.begin() + static_cast<std::ptrdiff_t>(j * n);
    for (auto e = static_cast<std::size_t>(entries.starts[j]);
         e < static_cast<std::size_t>(entries.starts[j + 1]); ++e)
      next = std::fill_n(next, entries.counts[e], entries.values[e]);
  }
  // Stream 0 shuffles the rows of the release, stream 1 + b the columns of bucket b.
  for (std::size_t b = 0; b < bucket_sizes.size(); ++b) {
    Stream stream(key, 1 + b);
    for (std::size_t j = 0; j < columns; ++j)
      stream.shuffle(std::span(cells).subspan(j * n + first[b], first[b + 1] - first[b]));
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Stream(key, 0).shuffle(std::span(order));

  std::vector<std::int32_t> bucket_at(n);
  for (std::size_t b = 0; b < bucket_sizes.size(); ++b)
    std::fill(bucket_at.begin() + static_cast<std::ptrdiff_t>(first[b]),
              bucket_at.begin() + static_cast<std::ptrdiff_t>(first[b + 1]),
              static_cast<std::int32_t>(b));
  Joined result;
  result.offsets.push_back(0);
  result.offsets.reserve(n + 1);
  result.bucket_of.reserve(n);
  for (const auto r : order) {
    const auto start = static_cast<std::ptrdiff_t>(result.items.size());
    for (std::size_t j = 0; j < columns; ++j) {
      const auto run = value_sets[static_cast<std::size_t>(cells[j * n + r])];
      result.items.insert(result.items.end(), run.begin(), run.end());
    }
    std::sort(result.items.begin() + start, result.items.end());
    result.offsets.push_back(static_cast<std::int64_t>(result.items.size()));
    result.bucket_of.push_back(bucket_at[r]);
  }
  return result;
}

}  // namespace halfmask

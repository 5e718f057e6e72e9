// Buckets: the record partition of multi-dimension anatomy.
//
// Representation: cells as in column_values.hpp. What a bucket must satisfy is a bound for each
// value: c copies of value v need a bucket of at least ceil(c * rises[v] / falls[v]) rows. For
// l-diversity rises / falls is l; rises = 0 exempts a value. A row without a bucket has bucket -1.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "anatomy/column_values.hpp"
#include "common/chacha.hpp"
#include "common/watch.hpp"

namespace halfmask {

struct Cells {
  std::span<const Value> values;
  std::size_t columns = 0;

  [[nodiscard]] std::size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
  [[nodiscard]] std::span<const Value> row(std::size_t r) const {
    return values.subspan(r * columns, columns);
  }
  [[nodiscard]] std::optional<std::string> validate(std::size_t n_values) const;
};

struct Bounds {
  std::span<const std::int64_t> rises;
  std::span<const std::int64_t> falls;

  // The least bucket size that allows `count` copies of the value.
  [[nodiscard]] std::int64_t least_size(Value value, std::int64_t count) const {
    const auto v = static_cast<std::size_t>(value);
    return (count * rises[v] + falls[v] - 1) / falls[v];
  }
  // How many more copies a bucket of this size could take, as a real number.
  [[nodiscard]] double slack(Value value, std::int64_t count, std::int64_t size) const;
  [[nodiscard]] std::optional<std::string> validate(std::size_t rows) const;
};

// One scan in the given order: a bucket closes as soon as it holds min_bucket rows and all its
// values keep their bounds. Rows of the bucket still open at the end have no bucket.
[[nodiscard]] std::vector<std::int32_t> close_buckets(const Cells& cells, const Bounds& bounds,
                                                      std::span<const std::int64_t> order,
                                                      std::int64_t min_bucket, Watch& watch);

struct Settled {
  std::vector<std::int32_t> bucket_of;
  std::int32_t passes = 0;
  std::int64_t placed = 0;    // found room in a bucket as it was
  std::int64_t absorbed = 0;  // found room after buckets were merged
  std::int32_t merges = 0;
};

// Gives the rows left over a bucket: passes over the buckets until nobody moves (placing one row
// can make room for another), then, if `absorb`, merging buckets until everybody fits. Merging
// always succeeds when all rows in one bucket keep the bounds, because slack adds up.
// With a key rows and buckets are tried in random order, otherwise in the order given.
[[nodiscard]] Settled settle_leftovers(const Cells& cells, const Bounds& bounds,
                                       std::vector<std::int32_t> bucket_of,
                                       std::vector<std::int64_t> leftovers,
                                       const std::optional<Key>& key, bool absorb, Watch& watch);

}  // namespace halfmask

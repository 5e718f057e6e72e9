// Distortion: every item of every row is kept or not, every other item inserted or not.
//
// Item i stays with probability keeps[i] and appears with probability inserts[i], independently.
// The zeros are not visited one by one: the distance to the next insertion is geometric, so the
// cost is that of the output. Rows are cut into blocks of fixed size with a random stream each;
// the result depends on the key alone, not on the number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/chacha.hpp"
#include "common/rows.hpp"
#include "common/watch.hpp"

namespace halfmask {

struct ItemChannel {
  std::span<const double> keeps;
  std::span<const double> inserts;

  [[nodiscard]] std::optional<std::string> validate(Item n_items) const;
};

struct DistortedRows {
  std::vector<std::int64_t> offsets;
  std::vector<Item> items;
};

// Weights of the rows are ignored: give each row once.
[[nodiscard]] DistortedRows distort(const Rows& rows, const ItemChannel& channel, const Key& key,
                                    unsigned threads, Watch& watch);

}  // namespace halfmask

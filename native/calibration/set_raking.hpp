// Raking of baskets: weights of rows with which given shares of them hold given sets.
//
// Representation: margin m asks that the rows holders[offsets[m]] .. holders[offsets[m + 1] - 1],
// increasing and below the number of rows, have targets[m] of all weight. What a margin stands for
// (an item, a set of items, a length) is the caller's business. Only the rows of a margin are
// touched when it is corrected: with thousands of items nearly all rows lack any one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibration/raking.hpp"
#include "common/rows.hpp"
#include "common/watch.hpp"

namespace halfmask {

struct SetMargins {
  std::span<const std::int64_t> offsets;
  std::span<const std::int32_t> holders;
  std::span<const double> targets;

  [[nodiscard]] std::size_t size() const { return targets.size(); }
  [[nodiscard]] std::span<const std::int32_t> operator[](std::size_t m) const {
    return holders.subspan(static_cast<std::size_t>(offsets[m]),
                           static_cast<std::size_t>(offsets[m + 1] - offsets[m]));
  }
  [[nodiscard]] std::optional<std::string> validate(std::size_t rows) const;
};

struct RakedSets {
  std::vector<double> weights;  // of the rows, in all 1
  std::vector<double> shares;   // what each margin has in the end
  std::size_t rounds = 0;       // begun; the last one may only have looked
};

struct Holders {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> rows;
};

// The rows that hold each set, in order; an empty set is held by none.
// Cost: for each set, a look into every row that holds its rarest item.
[[nodiscard]] Holders holders_of(const Rows& rows, const Itemsets& sets);

// Corrects margin after margin, round after round, by the ratio of the odds wanted to the odds
// found, so that both those who hold a set and those who lack it come to their share. One thread
// works, in a fixed order. When the watch says stop, the weights after the last full round come
// back.
[[nodiscard]] RakedSets rake_sets(std::span<const double> multiplicities, const SetMargins& margins,
                                  const RakeLimits& limits, Watch& watch);

}  // namespace halfmask

// Sizes: how the total changes when usages change.
//
// With S the sum and k the number of the usages above 0, and T the standard code lengths of the
// used elements, the total is (S + k) lg S - sum of (u + 1) lg u + T. Only changed usages enter a
// comparison; the total itself is never kept, so nothing drifts.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/rows.hpp"
#include "mining/candidates.hpp"

namespace halfmask {

using Element = std::uint32_t;

// What the size of a table depends on besides single usages.
struct Sums {
  Count usage = 0;  // S
  Count used = 0;   // k
};

// One usage that changes, with the standard code length and the items of its element.
struct UsageChange {
  Element element = 0;
  Count before = 0;
  Count after = 0;
  double standard = 0;
  std::span<const Rank> items;
};

class Sizes {
 public:
  Sizes(std::vector<Count> item_counts, Count cells);

  // Standard code length of an itemset.
  [[nodiscard]] double standard(std::span<const Rank> items) const;
  [[nodiscard]] static Sums after(const Sums& sums, std::span<const UsageChange> changes);
  // Change of the total in bits, with the rounding of floating point.
  [[nodiscard]] double difference(const Sums& sums, std::span<const UsageChange> changes) const;
  // Sign of the change: -1 smaller, 0 equal, 1 larger; exact also where rounding would decide.
  [[nodiscard]] int compare(const Sums& sums, std::span<const UsageChange> changes) const;

 private:
  // (u + 1) lg u, looked up while u is small.
  [[nodiscard]] double priced(Count u) const {
    return static_cast<std::size_t>(u) < priced_.size() ? priced_[static_cast<std::size_t>(u)]
                                                        : compute(u);
  }
  [[nodiscard]] static double compute(Count u) {
    return u == 0 ? 0.0 : static_cast<double>(u + 1) * std::log2(static_cast<double>(u));
  }
  [[nodiscard]] double codes(const Sums& sums) const;
  [[nodiscard]] int exact_sign(const Sums& sums, std::span<const UsageChange> changes) const;

  std::vector<Count> counts_;
  std::vector<double> standard_;
  Count cells_;
  std::vector<double> priced_;
};

}  // namespace halfmask

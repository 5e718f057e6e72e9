// Sizes: how the total changes when usages change.
//
// With S the sum and k the number of the usages above 0, and T the standard code lengths of the
// used elements, the total is (S + k) lg S - sum of (u + 1) lg u + T. Only changed usages enter a
// comparison; the total itself is never kept, so nothing drifts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rows.hpp"

namespace halfmask {

// (u + 1) lg u and lg u of whole numbers, looked up while they are small.
class Logs {
 public:
  explicit Logs(Count largest);
  [[nodiscard]] double priced(Count u) const {
    return static_cast<std::size_t>(u) < priced_.size() ? priced_[static_cast<std::size_t>(u)]
                                                        : compute(u);
  }
  [[nodiscard]] static double lg(Count u);

 private:
  [[nodiscard]] static double compute(Count u);
  std::vector<double> priced_;
};

// One usage that changes, with the items of its element.
struct UsageChange {
  Count before = 0;
  Count after = 0;
  std::span<const std::uint16_t> items;
};

// Counts of the standard code and the sums that a table's size depends on.
struct Sums {
  Count usage = 0;  // S
  Count used = 0;   // k
};

class Sizes {
 public:
  Sizes(std::vector<Count> item_counts, Count cells);

  [[nodiscard]] Sums after(const Sums& sums, std::span<const UsageChange> changes) const;
  // Sign of the change of the total: -1 smaller, 0 equal, 1 larger; exact also at a tie.
  [[nodiscard]] int compare(const Sums& sums, std::span<const UsageChange> changes) const;
  [[nodiscard]] double difference(const Sums& sums, std::span<const UsageChange> changes) const;

 private:
  [[nodiscard]] int exact_sign(const Sums& sums, std::span<const UsageChange> changes) const;

  Logs logs_;
  std::vector<Count> counts_;
  std::vector<double> standard_;
  Count cells_;
};

}  // namespace halfmask

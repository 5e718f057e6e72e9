// Random databases for the fuzz driver, and the plain-sight definitions they are checked against.
//
// Nothing here is fast or shared with the kernels: itemsets are std::set, supports are counted row
// by row, covers are made set by set.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/rows.hpp"

namespace halfmask::fuzz {

using Itemset = std::set<Item>;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  // Uniform on low .. high.
  [[nodiscard]] std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  [[nodiscard]] bool chance(double p) { return std::bernoulli_distribution(p)(engine_); }
  template <typename T>
  void shuffle(std::vector<T>& values) {
    std::shuffle(values.begin(), values.end(), engine_);
  }

 private:
  std::mt19937_64 engine_;
};

// Items are numbered by rank: 0 is the most frequent. Domains are empty unless it is a table.
struct Database {
  std::vector<std::int64_t> offsets{0};
  std::vector<Item> items;
  std::vector<Count> weights;
  Item n_items = 0;
  std::vector<std::size_t> column_of;  // by rank; empty for baskets

  [[nodiscard]] Rows view() const { return {offsets, items, weights, n_items}; }
  [[nodiscard]] std::size_t size() const { return weights.size(); }
  [[nodiscard]] Itemset row(std::size_t r) const;
  [[nodiscard]] Count support(const Itemset& itemset) const;
  [[nodiscard]] Count total_weight() const;
};

// Small dense tables, sparse baskets, or a few rows of more than 64 items (wide masks); with empty
// rows, repeated rows, weights and items that nobody has.
[[nodiscard]] Database random_database(Dice& dice);

// A code table by definition: usages of sets (in cover order) and items, and the total in bits.
struct Covered {
  std::vector<Count> usages;
  std::vector<Count> item_usages;
  double total = 0.0;
};
[[nodiscard]] Covered cover_by_definition(const Database& database,
                                          const std::vector<Itemset>& sets);

inline void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

// Itemsets in the layout that kernels read.
struct Listed {
  std::vector<std::int64_t> offsets{0};
  std::vector<Item> items;
  explicit Listed(const std::vector<Itemset>& sets);
  [[nodiscard]] Itemsets view() const { return {offsets, items}; }
};

}  // namespace halfmask::fuzz

// Process: the random process of the generator as the kernels see it, borrowed from the caller.
//
// Representation: domain d owns the items first_item[d] .. first_item[d + 1] - 1. Pattern p holds
// patterns[p], increasing items of different domains, and has weights[p] >= 0; singletons are
// patterns like any other. A row is made as follows: while a domain is open, take one (the first
// open one of `order`, or any with the same probability when `order` is empty), choose a pattern
// that holds an item of it and none of a domain already set, with probability proportional to its
// weight, and set its items. The spans stay owned by the caller and must outlive the view.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/rows.hpp"

namespace halfmask {

struct Process {
  std::span<const Item> first_item;
  Itemsets patterns;
  std::span<const double> weights;
  std::span<const Item> order;

  [[nodiscard]] std::size_t n_domains() const { return first_item.size() - 1; }

  // The first broken invariant in words, or nothing when the view is sound.
  [[nodiscard]] std::optional<std::string> validate() const;
};

// The domain of every item.
[[nodiscard]] std::vector<std::uint32_t> domain_of_items(const Process& process);

}  // namespace halfmask

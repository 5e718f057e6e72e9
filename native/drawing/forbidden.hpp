// Forbidden: combinations of items that no row may hold together.
//
// Representation: for every item the combinations that hold it, each as the cells (domain, code)
// of its items; a combination of k items is listed under all k of them, because any may be set
// last. Built once, read-only and shared by all threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "drawing/process.hpp"

namespace halfmask {

struct Cell {
  std::uint32_t domain;
  std::int32_t code;
};

class Forbidden {
 public:
  Forbidden() = default;
  Forbidden(const Process& process, const Itemsets& combinations) {
    if (combinations.size() == 0) return;
    const auto domain = domain_of_items(process);
    of_item_.resize(domain.size());
    first_item_.assign(process.first_item.begin(), process.first_item.end());
    for (std::size_t c = 0; c < combinations.size(); ++c) {
      std::vector<Cell> cells;
      for (const auto item : combinations[c]) {
        const auto d = domain[static_cast<std::size_t>(item)];
        cells.push_back({d, item - process.first_item[d]});
      }
      for (const auto item : combinations[c])
        of_item_[static_cast<std::size_t>(item)].push_back(
            static_cast<std::uint32_t>(combinations_.size()));
      combinations_.push_back(std::move(cells));
    }
  }

  [[nodiscard]] bool empty() const { return combinations_.empty(); }

  // Whether a row holds a combination with one of `fresh`, the cells just set; `open` are the
  // domains that are not set yet.
  template <typename Mask>
  [[nodiscard]] bool completed(std::span<const Cell> fresh, const std::int32_t* codes,
                               const Mask& open) const {
    for (const auto& cell : fresh) {
      const auto item = static_cast<std::size_t>(first_item_[cell.domain] + cell.code);
      for (const auto c : of_item_[item])
        if (holds(combinations_[c], codes, open)) return true;
    }
    return false;
  }

 private:
  template <typename Mask>
  [[nodiscard]] static bool holds(const std::vector<Cell>& combination, const std::int32_t* codes,
                                  const Mask& open) {
    for (const auto& cell : combination)
      if (open.has(cell.domain) || codes[cell.domain] != cell.code) return false;
    return true;
  }

  std::vector<Item> first_item_;
  std::vector<std::vector<Cell>> combinations_;
  std::vector<std::vector<std::uint32_t>> of_item_;
};

}  // namespace halfmask

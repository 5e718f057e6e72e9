// StateIndex: numbers 0, 1, 2, ... for the sets of open domains that are met.
//
// Representation: up to 16 domains a mask is its own address in an array of 2^16 numbers at most;
// beyond, linear probing in a table that is at most half full. Numbers are given in order of
// arrival and stay valid until clear(), which costs as much as there are numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "drawing/domain_mask.hpp"

namespace halfmask {

template <typename Mask>
class StateIndex {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  explicit StateIndex(std::size_t n_domains)
      : direct_(n_domains <= 16),
        slots_(direct_ ? std::size_t{1} << n_domains : std::size_t{1024}, none) {}

  [[nodiscard]] std::size_t size() const { return masks_.size(); }
  [[nodiscard]] const Mask& mask(std::uint32_t number) const { return masks_[number]; }

  // The number of a mask, or none.
  [[nodiscard]] std::uint32_t find(const Mask& mask) const { return slots_[slot_of(mask)]; }

  // The number of a mask, a new one if it was not met before.
  [[nodiscard]] std::uint32_t number(const Mask& mask) {
    auto slot = slot_of(mask);
    if (slots_[slot] != none) return slots_[slot];
    const auto given = static_cast<std::uint32_t>(masks_.size());
    masks_.push_back(mask);
    slots_[slot] = given;
    if (!direct_ && 2 * masks_.size() > slots_.size()) rebuild(2 * slots_.size());
    return given;
  }

  void clear() {
    if (direct_) {
      for (const auto& mask : masks_) slots_[slot_of(mask)] = none;
    } else {
      std::fill(slots_.begin(), slots_.end(), none);
    }
    masks_.clear();
  }

 private:
  // Where the mask stands, or the free slot where it would.
  [[nodiscard]] std::size_t slot_of(const Mask& mask) const {
    if (direct_) return static_cast<std::size_t>(mask.words[0]);
    const auto last = slots_.size() - 1;
    auto slot = static_cast<std::size_t>(mask.hash() >> 16) & last;
    while (slots_[slot] != none && !(masks_[slots_[slot]] == mask)) slot = (slot + 1) & last;
    return slot;
  }

  void rebuild(std::size_t size) {
    slots_.assign(size, none);
    for (std::uint32_t n = 0; n < masks_.size(); ++n) slots_[slot_of(masks_[n])] = n;
  }

  bool direct_;
  std::vector<std::uint32_t> slots_;
  std::vector<Mask> masks_;
};

}  // namespace halfmask

// Masks over slots: the items of a row, or of a set inside a row, in W words.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace halfmask {

template <std::size_t W>
struct Mask {
  std::array<std::uint64_t, W> words{};

  void add(std::size_t slot) { words[slot / 64] |= std::uint64_t{1} << (slot % 64); }
  void add(const Mask& other) {
    for (std::size_t w = 0; w < W; ++w) words[w] |= other.words[w];
  }
  void remove(const Mask& other) {
    for (std::size_t w = 0; w < W; ++w) words[w] &= ~other.words[w];
  }
  [[nodiscard]] bool inside(const Mask& whole) const {
    std::uint64_t outside = 0;
    for (std::size_t w = 0; w < W; ++w) outside |= words[w] & ~whole.words[w];
    return outside == 0;
  }
  [[nodiscard]] bool meets(const Mask& other) const {
    std::uint64_t common = 0;
    for (std::size_t w = 0; w < W; ++w) common |= words[w] & other.words[w];
    return common != 0;
  }
  [[nodiscard]] bool has(std::size_t slot) const { return (words[slot / 64] >> (slot % 64)) & 1; }
  [[nodiscard]] bool empty() const {
    for (const auto word : words)
      if (word != 0) return false;
    return true;
  }
  [[nodiscard]] Mask without(const Mask& other) const {
    Mask rest = *this;
    rest.remove(other);
    return rest;
  }
  [[nodiscard]] Mask common(const Mask& other) const {
    Mask both = *this;
    for (std::size_t w = 0; w < W; ++w) both.words[w] &= other.words[w];
    return both;
  }
  // How many of these slots lie before the given one.
  [[nodiscard]] std::size_t rank(std::size_t slot) const {
    int before = 0;
    for (std::size_t w = 0; w < slot / 64; ++w) before += std::popcount(words[w]);
    const auto below = (std::uint64_t{1} << (slot % 64)) - 1;
    return static_cast<std::size_t>(before + std::popcount(words[slot / 64] & below));
  }
  // Calls with every slot.
  template <typename Call>
  void each(Call call) const {
    for (std::size_t w = 0; w < W; ++w)
      for (auto word = words[w]; word != 0; word &= word - 1)
        call(w * 64 + static_cast<std::size_t>(std::countr_zero(word)));
  }
};

}  // namespace halfmask

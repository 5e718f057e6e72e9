// Masks over slots: the items of a row, or of a set inside a row, in W words of type T.
//
// Narrow masks matter: a search spends most of its time asking which sets lie inside a mask, and
// the shorter the words the more of them are asked at once.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace halfmask {

template <std::size_t W, typename T = std::uint64_t>
struct Mask {
  static constexpr std::size_t word_bits = 8 * sizeof(T);
  std::array<T, W> words{};

  void add(std::size_t slot) {
    words[slot / word_bits] |= static_cast<T>(T{1} << (slot % word_bits));
  }
  void add(const Mask& other) {
    for (std::size_t w = 0; w < W; ++w) words[w] |= other.words[w];
  }
  void remove(const Mask& other) {
    for (std::size_t w = 0; w < W; ++w) words[w] &= static_cast<T>(~other.words[w]);
  }
  [[nodiscard]] bool inside(const Mask& whole) const {
    T outside = 0;
    for (std::size_t w = 0; w < W; ++w) outside |= words[w] & static_cast<T>(~whole.words[w]);
    return outside == 0;
  }
  [[nodiscard]] bool meets(const Mask& other) const {
    T common = 0;
    for (std::size_t w = 0; w < W; ++w) common |= words[w] & other.words[w];
    return common != 0;
  }
  [[nodiscard]] bool has(std::size_t slot) const {
    return (words[slot / word_bits] >> (slot % word_bits)) & 1;
  }
  [[nodiscard]] bool empty() const { return inside(Mask{}); }
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
    for (std::size_t w = 0; w < slot / word_bits; ++w) before += std::popcount(words[w]);
    const auto below = static_cast<T>((T{1} << (slot % word_bits)) - 1);
    return static_cast<std::size_t>(before + std::popcount(words[slot / word_bits] & below));
  }
  // Calls with every slot.
  template <typename Call>
  void each(Call call) const {
    for (std::size_t w = 0; w < W; ++w)
      for (auto word = words[w]; word != 0; word &= static_cast<T>(word - 1))
        call(w * word_bits + static_cast<std::size_t>(std::countr_zero(word)));
  }
};

// A set of the table as a row holds it. Mask and number lie side by side: a set that enters is
// asked for both, and a second place in memory would cost more than reading past the numbers.
template <typename M>
struct Inside {
  M mask;
  std::uint32_t set = 0;
};

// The first set at or behind `from` that lies inside `left` and meets `freed`; the size if none.
template <typename M>
[[nodiscard]] std::size_t find_entering(std::span<const Inside<M>> sets, std::size_t from,
                                        const M& left, const M& freed) {
  for (auto k = from; k < sets.size(); ++k)
    if (sets[k].mask.inside(left) && sets[k].mask.meets(freed)) return k;
  return sets.size();
}

// The same for the narrow masks that tables have, many at once.
using Narrow = Mask<1, std::uint32_t>;
template <>
[[nodiscard]] std::size_t find_entering(std::span<const Inside<Narrow>> sets, std::size_t from,
                                        const Narrow& left, const Narrow& freed);

// Takes out of `left` every set that lies inside it, in order, and calls with its number.
template <typename M, typename Call>
void take_inside(std::span<const Inside<M>> sets, M left, Call used) {
  for (const auto& [mask, set] : sets) {
    if (!mask.inside(left)) continue;
    left.remove(mask);
    used(set);
  }
}

}  // namespace halfmask

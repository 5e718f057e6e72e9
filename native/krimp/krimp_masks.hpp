// Masks over slots: the items of a row, or of a set inside a row, in W words of type T.
//
// Narrow masks matter: a search spends most of its time asking which sets lie inside a mask, and
// the shorter the words the more of them are asked at once. So a row keeps its sets with masks of
// 32 bits in any case. Where there are more slots, several share a bit: such a fold can say "maybe"
// of a set that is not inside, which the whole mask then decides, and never "no" of one that is.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

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

// The masks that tables have: one bit for each slot.
using Narrow = Mask<1, std::uint32_t>;

// The slots of a mask on 32 bits; a narrow mask is its own fold.
template <typename M>
[[nodiscard]] Narrow fold(const M& mask) {
  if constexpr (std::is_same_v<M, Narrow>) {
    return mask;
  } else {
    std::uint64_t all = 0;
    for (const auto word : mask.words) all |= word;
    return {{static_cast<std::uint32_t>(all | all >> 32)}};
  }
}

// A set of the table as a row holds it. Mask and number lie side by side: a set that enters is
// asked for both, and a second place in memory would cost more than reading past the numbers.
struct Inside {
  Narrow folded;
  std::uint32_t set = 0;
};

// The first set at or behind `from` whose fold lies inside `left` and meets `freed`; the size if
// none.
[[nodiscard]] std::size_t find_entering(std::span<const Inside> sets, std::size_t from,
                                        const Narrow& left, const Narrow& freed);

}  // namespace halfmask

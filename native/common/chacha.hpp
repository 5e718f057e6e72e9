// ChaCha8: the counter-based randomness of permutations and distortions.
//
// A release is read by people who know part of the original, hence part of the noise; a plain
// pseudo-random generator could be run backwards from there. ChaCha8 gives no known way to do so,
// and its blocks are numbered, so work may be cut into streams that any thread can take.
//
// Representation: state words 0-3 constant, 4-11 key, 12-13 block counter, 14-15 stream number.
// Blocks are made four at a time, lane by lane, which compilers turn into vector code.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace halfmask {

using Key = std::array<std::uint32_t, 8>;

// The key as four 64-bit words, low half first.
[[nodiscard]] inline Key key_of(std::span<const std::uint64_t, 4> words) {
  Key key{};
  for (std::size_t i = 0; i < 4; ++i) {
    key[2 * i] = static_cast<std::uint32_t>(words[i]);
    key[2 * i + 1] = static_cast<std::uint32_t>(words[i] >> 32);
  }
  return key;
}

class Stream {
 public:
  Stream(const Key& key, std::uint64_t number) : key_(key), number_(number) {}

  [[nodiscard]] std::uint32_t word() {
    if (next_ == words_.size()) refill();
    return words_[next_++];
  }

  // Two words, the first in the upper half.
  [[nodiscard]] std::uint64_t wide() {
    const std::uint64_t high = word();
    return (high << 32) | word();
  }

  // Uniform on the multiples of 2^-53 in (0, 1]; never 0, so that its logarithm exists.
  [[nodiscard]] double unit() { return static_cast<double>((wide() >> 11) + 1) * 0x1.0p-53; }

  // Uniform on 0 .. bound - 1, bound >= 1, without bias (Lemire 2019).
  [[nodiscard]] std::uint32_t below(std::uint32_t bound) {
    std::uint64_t product = std::uint64_t{word()} * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t floor = (0U - bound) % bound;
      while (static_cast<std::uint32_t>(product) < floor) product = std::uint64_t{word()} * bound;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  template <typename T>
  void shuffle(std::span<T> values) {
    for (std::size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1], values[below(static_cast<std::uint32_t>(i))]);
  }

 private:
  static constexpr std::size_t lanes = 4;
  using Lane = std::array<std::uint32_t, lanes>;

  static void quarter(Lane& a, Lane& b, Lane& c, Lane& d) {
    for (std::size_t i = 0; i < lanes; ++i) {
      a[i] += b[i];
      d[i] = std::rotl(d[i] ^ a[i], 16);
      c[i] += d[i];
      b[i] = std::rotl(b[i] ^ c[i], 12);
      a[i] += b[i];
      d[i] = std::rotl(d[i] ^ a[i], 8);
      c[i] += d[i];
      b[i] = std::rotl(b[i] ^ c[i], 7);
    }
  }

  [[nodiscard]] std::array<Lane, 16> start() const {
    constexpr std::array<std::uint32_t, 4> constants{0x61707865, 0x3320646e, 0x79622d32,
                                                     0x6b206574};
    std::array<Lane, 16> state{};
    for (std::size_t i = 0; i < lanes; ++i) {
      for (std::size_t w = 0; w < 4; ++w) state[w][i] = constants[w];
      for (std::size_t w = 0; w < 8; ++w) state[4 + w][i] = key_[w];
      const std::uint64_t block = block_ + i;
      state[12][i] = static_cast<std::uint32_t>(block);
      state[13][i] = static_cast<std::uint32_t>(block >> 32);
      state[14][i] = static_cast<std::uint32_t>(number_);
      state[15][i] = static_cast<std::uint32_t>(number_ >> 32);
    }
    return state;
  }

  void refill() {
    const auto first = start();
    auto x = first;
    for (int round = 0; round < 8; round += 2) {
      for (std::size_t c = 0; c < 4; ++c) quarter(x[c], x[4 + c], x[8 + c], x[12 + c]);
      for (std::size_t c = 0; c < 4; ++c)
        quarter(x[c], x[4 + (c + 1) % 4], x[8 + (c + 2) % 4], x[12 + (c + 3) % 4]);
    }
    for (std::size_t i = 0; i < lanes; ++i)
      for (std::size_t w = 0; w < 16; ++w) words_[i * 16 + w] = x[w][i] + first[w][i];
    block_ += lanes;
    next_ = 0;
  }

  Key key_;
  std::uint64_t number_;
  std::uint64_t block_ = 0;
  std::array<std::uint32_t, 16 * lanes> words_{};
  std::size_t next_ = 16 * lanes;
};

}  // namespace halfmask

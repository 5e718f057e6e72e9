// SplitMix64: a stream of 64-bit numbers from a key (Steele, Lea & Flood, OOPSLA 2014).
//
// Representation: one counter that grows by an odd constant; every output is a mix of it. Six
// lines in any language, so the plain Python twin of a kernel can draw the very same numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace halfmask {

class SplitMix {
 public:
  explicit SplitMix(std::uint64_t key) : state_(key) {}

  [[nodiscard]] std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

  // Uniform in [0, 1) on the 2^53 grid.
  [[nodiscard]] double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // Uniform in 0 .. n - 1; n is far below 2^53, so the bias is far below what a sample can show.
  [[nodiscard]] std::size_t below(std::size_t n) {
    return static_cast<std::size_t>(uniform() * static_cast<double>(n));
  }

 private:
  std::uint64_t state_;
};

}  // namespace halfmask

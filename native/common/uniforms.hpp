// Uniforms: one stream of random numbers after the other, on top of the numbers by counter.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/random.hpp"

namespace halfmask {

// Numbers 2i and 2i + 1 of a stream are the first and the second of the pair with index i.
class Uniforms {
 public:
  Uniforms(std::uint64_t key, std::uint64_t stream) : key_(key), stream_(stream) {}

  // Uniform in [0, 1) on the 2^53 grid.
  [[nodiscard]] double next() {
    if (taken_ % 2 == 0) pair_ = philox(key_, stream_, taken_ / 2);
    const auto word = taken_++ % 2 == 0 ? pair_.first : pair_.second;
    return static_cast<double>(word >> 11) * 0x1.0p-53;
  }

  // Uniform in 0 .. n - 1; n is far below 2^53, so the bias is far below what a sample can show.
  [[nodiscard]] std::size_t below(std::size_t n) {
    return static_cast<std::size_t>(next() * static_cast<double>(n));
  }

 private:
  std::uint64_t key_;
  std::uint64_t stream_;
  std::uint64_t taken_ = 0;
  RandomPair pair_{};
};

}  // namespace halfmask

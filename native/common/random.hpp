// Random numbers by counter: number n of stream s is a function of (key, s, n) and of nothing else.
//
// The generator is Philox 4x32 with ten rounds (Salmon, Moraes, Dror, Shaw 2011). Because no state
// is carried along, row r of a release is the same whichever thread draws it and in which order.
#pragma once

#include <cstdint>

namespace halfmask {

struct RandomPair {
  std::uint64_t first;
  std::uint64_t second;
};

// Two independent uniform 64-bit numbers: number `index` of stream `stream` under `key`.
[[nodiscard]] inline RandomPair philox(std::uint64_t key, std::uint64_t stream,
                                       std::uint64_t index) {
  constexpr std::uint64_t multiplier_0 = 0xD2511F53, multiplier_1 = 0xCD9E8D57;
  constexpr std::uint32_t weyl_0 = 0x9E3779B9, weyl_1 = 0xBB67AE85;
  auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };

  std::uint32_t c0 = low(stream), c1 = high(stream), c2 = low(index), c3 = high(index);
  std::uint32_t k0 = low(key), k1 = high(key);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = multiplier_0 * c0, p1 = multiplier_1 * c2;
    const std::uint32_t n0 = high(p1) ^ c1 ^ k0, n2 = high(p0) ^ c3 ^ k1;
    c0 = n0;
    c1 = low(p1);
    c2 = n2;
    c3 = low(p0);
    k0 += weyl_0;
    k1 += weyl_1;
  }
  return {std::uint64_t{c1} << 32 | c0, std::uint64_t{c3} << 32 | c2};
}

// floor(random * bound / 2^64): every number below `bound` has the same share of the 2^64 values of
// `random`, up to one value; no bias that 2^60 draws could show.
[[nodiscard]] inline std::uint64_t below(std::uint64_t random, std::uint64_t bound) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{random} * bound) >> 64);
}

// A uniform number in [0, 1).
[[nodiscard]] inline double unit(std::uint64_t random) {
  return static_cast<double>(random >> 11) * 0x1p-53;
}

}  // namespace halfmask

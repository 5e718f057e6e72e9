// Bitmaps over rows, and the few loops over them in which the miner spends its time.
//
// Representation: a set of rows is `words` 64-bit words, bit r % 64 of word r / 64 standing for
// row r. A row of weight w is split into the powers of two that make w, and rows of one power share
// whole words: word i then counts popcount << shifts[i], so that weighted and unweighted rows
// are counted by the same loop. Empty `shifts` means that every row has weight 1.
//
// The loops are compiled twice, for the portable baseline and for machines with popcnt and AVX2,
// and chosen at load time: without hardware popcnt a count costs four times as much.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define HALFMASK_MULTIVERSION __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define HALFMASK_MULTIVERSION
#endif

namespace halfmask {

using Word = std::uint64_t;

// A family of bitmaps over the same rows: map k starts at words[k * width].
struct Maps {
  const Word* words = nullptr;
  const std::uint8_t* shifts = nullptr;  // null: all weights are 1
  std::size_t width = 0;

  [[nodiscard]] const Word* operator[](std::size_t k) const { return words + k * width; }
};

// both := base & map; counts[i] := weighted size of both & maps[asked[i]].
void extend(const Maps& maps, const Word* base, const Word* map, Word* both,
            std::span<const std::uint16_t> asked, std::uint32_t* counts);

// Whether every row of `rows` is in `map`; looks no further than the first word that differs.
[[nodiscard]] inline bool subset(const Word* rows, const Word* map, std::size_t width) {
  for (std::size_t w = 0; w < width; ++w)
    if (rows[w] & ~map[w]) return false;
  return true;
}

// The number of rows in the bitmap, whatever they weigh.
[[nodiscard]] std::size_t cardinality(const Word* rows, std::size_t width);

}  // namespace halfmask

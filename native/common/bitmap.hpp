// Bitmaps over rows, and the few loops over them in which the miner spends its time.
//
// Representation: a set of rows is `width` 64-bit words, one bit for each row. A row of weight w
// is split into the powers of two that make w, and rows of one power share whole words: word i
// counts popcount << shifts[i], so that weighted and unweighted rows are counted by the same loop.
//
// The loops are compiled twice, for the portable baseline and for machines with popcnt, BMI2 and
// AVX2, and chosen at load time: without hardware popcnt a count costs four times as much. The
// thread sanitizer is not ready that early, so its build has the baseline only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_THREAD__)
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

// One step of moving the rows of a wide bitmap into a narrow one: the bits of word `from` that
// are set in `mask` are put side by side at bit `shift` of word `to`.
struct RowMove {
  Word mask;
  std::uint32_t from;
  std::uint32_t to;
  std::uint8_t bits;
  std::uint8_t shift;
};

// Applies the moves to one bitmap; `target` has been cleared and has a word to spare.
void move_rows(std::span<const RowMove> moves, const Word* source, Word* target);

}  // namespace halfmask

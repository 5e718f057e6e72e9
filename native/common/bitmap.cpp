#include "common/bitmap.hpp"

#include <bit>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace halfmask {

namespace {

[[gnu::always_inline]] inline std::uint32_t count_both(const Word* a, const Word* b,
                                                       std::size_t width) {
  std::uint32_t count = 0;
  for (std::size_t w = 0; w < width; ++w)
    count += static_cast<std::uint32_t>(std::popcount(a[w] & b[w]));
  return count;
}

[[gnu::always_inline]] inline std::uint32_t count_weighted(const Word* a, const Word* b,
                                                           const std::uint8_t* shifts,
                                                           std::size_t width) {
  std::uint32_t count = 0;
  for (std::size_t w = 0; w < width; ++w)
    count += static_cast<std::uint32_t>(std::popcount(a[w] & b[w])) << shifts[w];
  return count;
}

[[gnu::always_inline]] inline void place(Word piece, const RowMove& move, Word* target) {
  target[move.to] |= piece << move.shift;
  // Shifting in two steps makes a shift by all 64 bits, of a piece that crosses no border, legal.
  target[move.to + 1] |= piece >> 1 >> (63 - move.shift);
}

[[nodiscard]] Word gather_bits(Word word, Word mask) {
  Word piece = 0;
  for (int bit = 0; mask != 0; mask &= mask - 1, ++bit)
    piece |= (word >> std::countr_zero(mask) & 1) << bit;
  return piece;
}

#if defined(__x86_64__) && defined(__GNUC__)
[[gnu::target("bmi2")]] void move_rows_fast(std::span<const RowMove> moves, const Word* source,
                                            Word* target) {
  for (const auto& move : moves) place(_pext_u64(source[move.from], move.mask), move, target);
}
const bool has_pext = __builtin_cpu_supports("bmi2") != 0;
#endif

}  // namespace

HALFMASK_MULTIVERSION
void extend(const Maps& maps, const Word* base, const Word* map, Word* both,
            std::span<const std::uint16_t> asked, std::uint32_t* counts) {
  const std::size_t width = maps.width;
  for (std::size_t w = 0; w < width; ++w) both[w] = base[w] & map[w];
  if (maps.shifts == nullptr) {
    for (std::size_t i = 0; i < asked.size(); ++i)
      counts[i] = count_both(both, maps[asked[i]], width);
  } else {
    for (std::size_t i = 0; i < asked.size(); ++i)
      counts[i] = count_weighted(both, maps[asked[i]], maps.shifts, width);
  }
}

void move_rows(std::span<const RowMove> moves, const Word* source, Word* target) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (has_pext) return move_rows_fast(moves, source, target);
#endif
  for (const auto& move : moves) place(gather_bits(source[move.from], move.mask), move, target);
}

}  // namespace halfmask

#include "bitmap.hpp"

#include <bit>

namespace halfmask {

namespace {

// Narrow families are the common case deep in the tree; a width known to the compiler keeps the
// base in registers.
template <std::size_t width>
[[gnu::always_inline]] inline void count_narrow(const Word* words, const Word* both,
                                                std::span<const std::uint16_t> asked,
                                                std::uint32_t* counts) {
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Word* const map = words + asked[i] * width;
    std::uint32_t count = 0;
    for (std::size_t w = 0; w < width; ++w)
      count += static_cast<std::uint32_t>(std::popcount(both[w] & map[w]));
    counts[i] = count;
  }
}

[[gnu::always_inline]] inline std::uint32_t count_wide(const Word* both, const Word* map,
                                                       std::size_t width) {
  std::uint32_t count = 0;
  for (std::size_t w = 0; w < width; ++w)
    count += static_cast<std::uint32_t>(std::popcount(both[w] & map[w]));
  return count;
}

[[gnu::always_inline]] inline std::uint32_t count_weighted(const Word* both, const Word* map,
                                                           const std::uint8_t* shifts,
                                                           std::size_t width) {
  std::uint32_t count = 0;
  for (std::size_t w = 0; w < width; ++w)
    count += static_cast<std::uint32_t>(std::popcount(both[w] & map[w])) << shifts[w];
  return count;
}

}  // namespace

HALFMASK_MULTIVERSION
void extend(const Maps& maps, const Word* base, const Word* map, Word* both,
            std::span<const std::uint16_t> asked, std::uint32_t* counts) {
  const std::size_t width = maps.width;
  for (std::size_t w = 0; w < width; ++w) both[w] = base[w] & map[w];
  if (maps.shifts != nullptr) {
    for (std::size_t i = 0; i < asked.size(); ++i)
      counts[i] = count_weighted(both, maps[asked[i]], maps.shifts, width);
    return;
  }
  switch (width) {
    case 1:
      return count_narrow<1>(maps.words, both, asked, counts);
    case 2:
      return count_narrow<2>(maps.words, both, asked, counts);
    case 3:
      return count_narrow<3>(maps.words, both, asked, counts);
    case 4:
      return count_narrow<4>(maps.words, both, asked, counts);
    default:
      for (std::size_t i = 0; i < asked.size(); ++i)
        counts[i] = count_wide(both, maps[asked[i]], width);
  }
}

HALFMASK_MULTIVERSION
std::size_t cardinality(const Word* rows, std::size_t width) {
  std::size_t count = 0;
  for (std::size_t w = 0; w < width; ++w) count += static_cast<std::size_t>(std::popcount(rows[w]));
  return count;
}

}  // namespace halfmask

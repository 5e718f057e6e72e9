#include "krimp/krimp_masks.hpp"

#include "common/bitmap.hpp"

namespace halfmask {

namespace {

static_assert(sizeof(Inside) == sizeof(std::uint64_t));

// Sixteen at a time: a block in which none enters, as nearly all are, costs one test. An entry is
// read as one word of 64 bits whose number is masked away, so that no lane has to be moved.
HALFMASK_MULTIVERSION
std::size_t find_folded(const Inside* sets, std::size_t from, std::size_t size,
                        std::uint64_t outside, std::uint64_t freed) {
  constexpr std::size_t block = 16;
  const auto enters = [&](const Inside& entry) {
    const auto word = std::bit_cast<std::uint64_t>(entry);
    return static_cast<std::uint64_t>((word & outside) == 0) &
           static_cast<std::uint64_t>((word & freed) != 0);
  };
  std::size_t k = from;
  for (; k + block <= size; k += block) {
    std::uint64_t any = 0;
#pragma GCC unroll 1
    for (std::size_t j = 0; j < block; ++j) any |= enters(sets[k + j]);
    if (any != 0) break;
  }
  for (; k < size; ++k)
    if (enters(sets[k]) != 0) return k;
  return size;
}

std::uint64_t as_entry(std::uint32_t mask) {
  return std::bit_cast<std::uint64_t>(Inside{Narrow{{mask}}, 0});
}

}  // namespace

std::size_t find_entering(std::span<const Inside> sets, std::size_t from, const Narrow& left,
                          const Narrow& freed) {
  return find_folded(sets.data(), from, sets.size(), as_entry(~left.words[0]),
                     as_entry(freed.words[0]));
}

}  // namespace halfmask

#include "common/within.hpp"

#include "common/bitmap.hpp"

namespace halfmask {

namespace {

HALFMASK_MULTIVERSION bool look(const std::int32_t* codes, std::size_t n, std::uint32_t least,
                                std::uint32_t width) {
  std::uint32_t outside = 0;
  for (std::size_t k = 0; k < n; ++k)
    outside |= static_cast<std::uint32_t>(codes[k]) - least >= width ? 1U : 0U;
  return outside == 0;
}

}  // namespace

bool all_within(std::span<const std::int32_t> codes, std::int32_t least, std::int32_t end) {
  const auto from = static_cast<std::uint32_t>(least);
  return look(codes.data(), codes.size(), from, static_cast<std::uint32_t>(end) - from);
}

}  // namespace halfmask

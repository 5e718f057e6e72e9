// Whether codes lie within bounds, looked up without a branch for each: tables of many rows are
// checked anew by each kernel that reads them.
#pragma once

#include <cstdint>
#include <span>

namespace halfmask {

// All from `least` up to, but not including, `end`; `least` is not above `end`.
[[nodiscard]] bool all_within(std::span<const std::int32_t> codes, std::int32_t least,
                              std::int32_t end);

}  // namespace halfmask

// Split paths: which of many paths of splits "is this column that value?" leads to each row.
//
// Representation: path w asks splits offsets[w] .. offsets[w + 1] - 1, in their order; a row goes
// on where its answer is the one wanted. Rows are given by their codes, column after column; a code
// of -1 is no value, which is none of the values. The spans stay owned by the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/watch.hpp"

namespace halfmask {

struct SplitPaths {
  std::span<const std::int64_t> offsets;
  std::span<const std::int32_t> columns;
  std::span<const std::int32_t> values;
  std::span<const std::uint8_t> wanted;  // 1 where the row must have the value, 0 where it must not

  [[nodiscard]] std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  [[nodiscard]] std::optional<std::string> validate(std::span<const std::int32_t> sizes) const;
};

// Rows by their codes, of columns with so many values each.
struct CodedRows {
  std::span<const std::int32_t> codes;
  std::span<const std::int32_t> sizes;

  [[nodiscard]] std::size_t rows() const { return sizes.empty() ? 0 : codes.size() / sizes.size(); }
  [[nodiscard]] std::optional<std::string> validate() const;
};

// The number of the path that each row follows, the first of several; -1 without any.
[[nodiscard]] std::vector<std::int32_t> led(const CodedRows& coded, const SplitPaths& paths,
                                            std::size_t threads, Watch& watch);

}  // namespace halfmask

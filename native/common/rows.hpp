// Rows: a database as the kernels see it, borrowed from the caller.
//
// Representation: compressed rows. Row r holds items[offsets[r]] .. items[offsets[r + 1] - 1],
// strictly increasing, each in [0, n_items); it stands for weights[r] >= 1 equal rows.
// The spans stay owned by the caller and must outlive the view.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace halfmask {

using Item = std::int32_t;
using Count = std::int64_t;

// Arrays with a place for each item are made all over: a larger alphabet is a mistake.
inline constexpr Item most_items = 1 << 26;

struct Rows {
  std::span<const std::int64_t> offsets;
  std::span<const Item> items;
  std::span<const Count> weights;
  Item n_items = 0;

  [[nodiscard]] std::size_t size() const { return weights.size(); }
  [[nodiscard]] std::span<const Item> row(std::size_t r) const {
    return items.subspan(static_cast<std::size_t>(offsets[r]),
                         static_cast<std::size_t>(offsets[r + 1] - offsets[r]));
  }

  // The first broken invariant in words, or nothing when the view is sound.
  [[nodiscard]] std::optional<std::string> validate() const;
};

// A list of itemsets in the same layout, without weights.
struct Itemsets {
  std::span<const std::int64_t> offsets;
  std::span<const Item> items;

  [[nodiscard]] std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  [[nodiscard]] std::span<const Item> operator[](std::size_t i) const {
    return items.subspan(static_cast<std::size_t>(offsets[i]),
                         static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
  }
  [[nodiscard]] std::optional<std::string> validate(Item n_items) const;
};

}  // namespace halfmask

// Which groups of rows are few in every solution of a system of counts?
//
// An unknown is a whole number between two bounds, an equation a sum of some, with signs, that is
// 0. A group is an unknown that must not be pinned: it is cleared by a solution in which it is 0 or
// at least its floor. Bounds are narrowed first, equation by equation; then solutions are looked
// for that clear many groups at once, and at last one for each group that is left. Narrowing and
// splitting of bounds leave no number out, so that a search that ends without a solution proves
// that there is none. What a search does is counted; beyond its share, and beyond that of all, a
// group stays open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace halfmask {

struct Equations {
  std::span<const std::int64_t> low, high;  // of each unknown
  std::span<const std::int64_t> offsets;  // the terms of equation e are [offsets[e], offsets[e+1])
  std::span<const std::int64_t> unknowns;
  std::span<const std::int64_t> signs;  // 1 or -1

  [[nodiscard]] std::size_t size() const { return low.size(); }
  [[nodiscard]] std::size_t count() const { return offsets.size() - 1; }
  [[nodiscard]] std::optional<std::string> validate() const;
};

struct Groups {
  std::span<const std::int64_t> unknowns;
  std::span<const std::int64_t> floors;

  [[nodiscard]] std::size_t size() const { return unknowns.size(); }
  [[nodiscard]] std::optional<std::string> validate(std::size_t n_unknowns) const;
};

enum class Fate : std::int8_t {
  cleared = 0,  // some solution has 0 of it, or its floor or more
  pinned = 1,   // none has
  open = 2,     // not settled by as much work
};

// The fate of each group; all are pinned where the equations contradict each other.
[[nodiscard]] std::vector<std::int8_t> settle(const Equations& equations, const Groups& groups,
                                              std::int64_t most_work);

}  // namespace halfmask

// What every binding asks of its arguments before a kernel runs.
//
// A kernel trusts the views it is given. Views have their own validate(); what stands here is asked
// of single numbers and plain arrays. Whatever does not hold is a ValueError of one sentence.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/chacha.hpp"
#include "common/rows.hpp"
#include "mining/candidates.hpp"

namespace halfmask::bindings {

inline constexpr std::int64_t most_rows = std::numeric_limits<std::int32_t>::max();
inline constexpr std::int64_t most_rounds = 1'000'000;
inline constexpr std::int64_t any_number = std::numeric_limits<std::int64_t>::max();

inline void require(bool holds, const std::string& otherwise) {
  if (!holds) throw std::invalid_argument(otherwise);
}

// A kernel only ever sees views whose invariants hold.
template <typename View, typename... Args>
const View& checked(const View& candidate, Args... args) {
  if (const auto reason = candidate.validate(args...)) throw std::invalid_argument(*reason);
  return candidate;
}

// A whole number within bounds that are part of the answer.
template <std::integral Number = std::size_t>
[[nodiscard]] Number number(const char* what, std::int64_t given, std::int64_t least,
                            std::int64_t most) {
  require(given >= least && given <= most, std::string(what) + " must lie between " +
                                               std::to_string(least) + " and " +
                                               std::to_string(most));
  return static_cast<Number>(given);
}

// A finite number of at least 0.
[[nodiscard]] inline double amount(const char* what, double given) {
  require(given >= 0 && std::isfinite(given),
          std::string(what) + " must be a finite number of at least 0");
  return given;
}

inline void check_amounts(const char* what, std::span<const double> given) {
  for (const auto x : given) (void)amount(what, x);
}

template <std::integral T>
void check_range(const char* what, std::span<const T> given, std::int64_t least,
                 std::int64_t most) {
  if (given.empty()) return;
  const auto [low, high] = std::ranges::minmax(given);
  (void)number(what, low, least, most);
  (void)number(what, high, least, most);
}

// Different numbers from 0 to n - 1; not necessarily all of them.
template <std::integral T>
void check_different(const char* what, std::span<const T> given, std::size_t n) {
  check_range(what, given, 0, static_cast<std::int64_t>(n) - 1);
  std::vector<bool> seen(given.empty() ? 0 : static_cast<std::size_t>(std::ranges::max(given)) + 1);
  for (const auto x : given) {
    require(!seen[static_cast<std::size_t>(x)], std::string(what) + " must be different");
    seen[static_cast<std::size_t>(x)] = true;
  }
}

// The numbers 0 to n - 1, each once.
template <std::integral T>
void check_permutation(const char* what, std::span<const T> given, std::size_t n) {
  require(given.size() == n, std::string(what) + " must be " + std::to_string(n) + " numbers");
  check_different(what, given, n);
}

// Pairs of different ranks.
inline void check_pairs(const std::vector<std::pair<Rank, Rank>>& pairs, std::size_t n_items) {
  for (const auto& [a, b] : pairs)
    require(a != b && a < n_items && b < n_items,
            "a forbidden pair must be two different items of the alphabet");
}

// Supports at which a search is looked at: falling, and no lower than the search goes.
inline void check_snapshots(const std::vector<Count>& supports, Count min_support) {
  require(std::ranges::adjacent_find(supports, std::ranges::less_equal{}) == supports.end() &&
              (supports.empty() || supports.back() >= min_support),
          "snapshots must be falling supports of at least the minimum");
}

// Results do not depend on the threads, so more than can be of use are not begun. The floor lets a
// small machine show that they do not.
[[nodiscard]] inline unsigned checked_threads(std::uint64_t given) {
  require(given >= 1, "there must be at least one thread");
  const std::uint64_t most = std::max(std::thread::hardware_concurrency(), 64U);
  return static_cast<unsigned>(std::min(given, most));
}

// The key of a random stream: four 64-bit words.
[[nodiscard]] inline Key checked_key(std::span<const std::uint64_t> words) {
  require(words.size() == 4, "a key has four words");
  return key_of(words.first<4>());
}

// The same, or no words where nothing is to be random.
[[nodiscard]] inline std::optional<Key> optional_key(std::span<const std::uint64_t> words) {
  if (words.empty()) return std::nullopt;
  return checked_key(words);
}

}  // namespace halfmask::bindings

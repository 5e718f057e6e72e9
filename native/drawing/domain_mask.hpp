// DomainMask: a set of domains (columns) as bits.
//
// Representation: domain d is bit d % 64 of word d / 64. A table of m columns uses the smallest
// mask of the list in with_mask that holds m bits, so the usual table pays for one word only.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace halfmask {

template <std::size_t Words>
struct DomainMask {
  std::array<std::uint64_t, Words> words{};

  [[nodiscard]] static DomainMask first(std::size_t count) {
    DomainMask mask;
    for (std::size_t d = 0; d < count; ++d) mask.add(d);
    return mask;
  }

  void add(std::size_t d) { words[d / 64] |= std::uint64_t{1} << (d % 64); }
  [[nodiscard]] bool has(std::size_t d) const { return (words[d / 64] >> (d % 64) & 1) != 0; }

  [[nodiscard]] bool within(const DomainMask& other) const {
    std::uint64_t outside = 0;
    for (std::size_t w = 0; w < Words; ++w) outside |= words[w] & ~other.words[w];
    return outside == 0;
  }

  [[nodiscard]] DomainMask without(const DomainMask& other) const {
    DomainMask rest;
    for (std::size_t w = 0; w < Words; ++w) rest.words[w] = words[w] & ~other.words[w];
    return rest;
  }

  [[nodiscard]] std::size_t count() const {
    std::size_t n = 0;
    for (const auto word : words) n += static_cast<std::size_t>(std::popcount(word));
    return n;
  }

  // The member with `rank` smaller ones; rank < count().
  [[nodiscard]] std::size_t member(std::size_t rank) const {
    std::size_t w = 0;
    if constexpr (Words > 1) {
      for (; w + 1 < Words; ++w) {
        const auto here = static_cast<std::size_t>(std::popcount(words[w]));
        if (rank < here) break;
        rank -= here;
      }
    }
    auto word = words[w];
    for (; rank > 0; --rank) word &= word - 1;
    return w * 64 + static_cast<std::size_t>(std::countr_zero(word));
  }

  template <typename Visit>
  void each(Visit visit) const {
    for (std::size_t w = 0; w < Words; ++w)
      for (auto word = words[w]; word != 0; word &= word - 1)
        visit(w * 64 + static_cast<std::size_t>(std::countr_zero(word)));
  }

  [[nodiscard]] std::uint64_t hash() const {
    std::uint64_t h = 0;
    for (const auto word : words) {
      h = (h ^ word) * 0x9E3779B97F4A7C15;
      h ^= h >> 32;
    }
    return h;
  }

  friend bool operator==(const DomainMask&, const DomainMask&) = default;
};

inline constexpr std::size_t max_domains = 4096;

// Calls `act` with an empty mask of the width that `domains` columns need.
template <typename Act>
decltype(auto) with_mask(std::size_t domains, Act&& act) {
  if (domains <= 64) return act(DomainMask<1>{});
  if (domains <= 128) return act(DomainMask<2>{});
  if (domains <= 256) return act(DomainMask<4>{});
  if (domains <= 1024) return act(DomainMask<16>{});
  if (domains <= max_domains) return act(DomainMask<64>{});
  throw std::invalid_argument("a table may have at most 4096 columns");
}

}  // namespace halfmask

// The key of a random stream, as it comes from Python: four 64-bit words, or none.
#pragma once

#include <optional>
#include <span>
#include <stdexcept>

#include "common/chacha.hpp"

namespace halfmask::bindings {

[[nodiscard]] inline Key checked_key(std::span<const std::uint64_t> words) {
  if (words.size() != 4) throw std::invalid_argument("a key has four words");
  return key_of(words.first<4>());
}

[[nodiscard]] inline std::optional<Key> optional_key(std::span<const std::uint64_t> words) {
  if (words.empty()) return std::nullopt;
  return checked_key(words);
}

}  // namespace halfmask::bindings

// Family: the bitmaps of the items of conditional rows, owned, and their compression.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bitmap.hpp"
#include "miner_rows.hpp"

namespace halfmask {

struct Family {
  std::vector<Word> words;
  std::vector<std::uint8_t> shifts;
  std::vector<Rank> names;
  std::size_t width = 0;

  [[nodiscard]] Maps maps() const {
    return {words.data(), shifts.empty() ? nullptr : shifts.data(), width};
  }

  // One bitmap for each item of the rows.
  void build(const Conditional& rows);

  // The bitmaps `kept` of another family, restricted to the rows of `among`: map k is kept[k].
  void compress(const Family& from, const Word* among, std::span<const Local> kept);

 private:
  std::vector<std::uint32_t> sources_;  // for every bit, where it was
  std::vector<std::uint32_t> starts_;   // for every word, its first source
};

}  // namespace halfmask

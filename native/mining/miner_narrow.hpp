// The walk below a prefix that so few rows hold that their bitmaps are one to four words.
//
// Most itemsets are found here. Every level holds the bitmaps of its own extensions, already
// restricted to its prefix, side by side; a width known to the compiler keeps them in registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "common/bitmap.hpp"
#include "mining/miner_record.hpp"
#include "mining/miner_rows.hpp"

namespace halfmask {

class NarrowWalk {
 public:
  static constexpr std::size_t max_width = 4;

  NarrowWalk(std::size_t max_length, const ForbiddenPairs& forbidden, Recorder& recorder)
      : max_length_(max_length), forbidden_(forbidden), recorder_(recorder) {}

  struct Level {
    std::vector<Word> masks;
    std::vector<Rank> names;
    std::vector<std::uint32_t> counts;
    std::size_t size = 0;
    std::size_t at = 0;

    void make_room(std::size_t items, std::size_t width);
  };

  // Records every frequent itemset that extends the prefix by items of the family; `counts` are
  // the supports of the single extensions, which get the given length.
  void walk(const Maps& maps, std::span<const Rank> names, std::span<const std::uint32_t> counts,
            std::size_t length);

 private:
  void run(std::size_t width, std::size_t length);
  [[nodiscard]] Level& level(std::size_t depth) {
    while (levels_.size() <= depth) levels_.emplace_back();
    return levels_[depth];
  }
  void drop_forbidden(Rank name, Level& next, std::size_t width) const;

  std::size_t max_length_;
  const ForbiddenPairs& forbidden_;
  Recorder& recorder_;
  std::deque<Level> levels_;
};

}  // namespace halfmask

#include "miner_family.hpp"

#include <algorithm>
#include <bit>

namespace halfmask {

void Family::build(const Conditional& rows) {
  names = rows.names;
  shifts.clear();
  std::uint32_t powers = 0;
  for (const auto weight : rows.weights) powers |= weight;
  // First the places: rows grouped by each power of two in their weights, groups in whole words.
  std::vector<std::uint32_t> row_of;
  constexpr std::uint32_t gap = 0xFFFFFFFF;
  for (std::uint8_t power = 0; power < 32; ++power) {
    if ((powers >> power & 1) == 0) continue;
    for (std::uint32_t r = 0; r < rows.size(); ++r)
      if (rows.weights[r] >> power & 1) row_of.push_back(r);
    row_of.resize((row_of.size() + 63) / 64 * 64, gap);
    if (powers != 1) shifts.resize(row_of.size() / 64, power);
  }
  width = row_of.size() / 64;
  words.assign(width * rows.width(), 0);
  for (std::size_t place = 0; place < row_of.size(); ++place) {
    if (row_of[place] == gap) continue;
    const auto bit = Word{1} << (place % 64);
    for (const auto k : rows.row(row_of[place])) words[k * width + place / 64] |= bit;
  }
}

void Family::compress(const Family& from, const Word* among, std::span<const Local> kept) {
  sources_.clear();
  starts_.clear();
  shifts.clear();
  const bool weighted = !from.shifts.empty();
  std::size_t filled = 64;
  for (std::size_t w = 0; w < from.width; ++w) {
    for (auto bits = among[w]; bits != 0; bits &= bits - 1) {
      const bool other_shift = weighted && !shifts.empty() && shifts.back() != from.shifts[w];
      if (filled == 64 || other_shift) {
        starts_.push_back(static_cast<std::uint32_t>(sources_.size()));
        if (weighted) shifts.push_back(from.shifts[w]);
        filled = 0;
      }
      sources_.push_back(static_cast<std::uint32_t>(w * 64) +
                         static_cast<std::uint32_t>(std::countr_zero(bits)));
      ++filled;
    }
  }
  width = starts_.size();
  starts_.push_back(static_cast<std::uint32_t>(sources_.size()));
  if (std::ranges::all_of(shifts, [](auto s) { return s == 0; })) shifts.clear();

  names.resize(kept.size());
  words.resize(width * kept.size());
  for (std::size_t k = 0; k < kept.size(); ++k) {
    names[k] = from.names[kept[k]];
    const Word* const map = from.words.data() + kept[k] * from.width;
    for (std::size_t w = 0; w < width; ++w) {
      Word word = 0;
      for (auto s = starts_[w]; s < starts_[w + 1]; ++s)
        word |= (map[sources_[s] / 64] >> (sources_[s] % 64) & 1) << (s - starts_[w]);
      words[k * width + w] = word;
    }
  }
}

}  // namespace halfmask

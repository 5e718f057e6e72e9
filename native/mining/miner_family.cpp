#include "mining/miner_family.hpp"

#include <algorithm>
#include <bit>

namespace halfmask {

namespace {

[[nodiscard]] std::size_t words_for(std::size_t bits) { return (bits + 63) / 64; }

// The number of words when rows are grouped by the powers of two in their weights.
[[nodiscard]] std::size_t grouped_width(const std::vector<std::uint32_t>& weights) {
  std::size_t in_group[32] = {};
  for (const auto weight : weights)
    for (auto w = weight; w != 0; w &= w - 1) ++in_group[std::countr_zero(w)];
  std::size_t width = 0;
  for (const auto n : in_group) width += words_for(n);
  return width;
}

}  // namespace

void Family::build(const Conditional& rows) {
  names = rows.names;
  shifts.clear();
  std::uint64_t all = 0;
  for (const auto weight : rows.weights) all += weight;
  const bool repeat = words_for(all) <= grouped_width(rows.weights);

  // First the places: which row each bit stands for.
  constexpr std::uint32_t gap = 0xFFFFFFFF;
  std::vector<std::uint32_t> row_of;
  if (repeat) {
    for (std::uint32_t r = 0; r < rows.size(); ++r) row_of.insert(row_of.end(), rows.weights[r], r);
    row_of.resize(words_for(row_of.size()) * 64, gap);
  } else {
    for (std::uint8_t power = 0; power < 32; ++power) {
      for (std::uint32_t r = 0; r < rows.size(); ++r)
        if (rows.weights[r] >> power & 1) row_of.push_back(r);
      row_of.resize(words_for(row_of.size()) * 64, gap);
      shifts.resize(row_of.size() / 64, power);
    }
  }
  width = row_of.size() / 64;
  words.assign(width * rows.width(), 0);
  for (std::size_t place = 0; place < row_of.size(); ++place) {
    if (row_of[place] == gap) continue;
    const auto bit = Word{1} << (place % 64);
    for (const auto k : rows.row(row_of[place])) words[k * width + place / 64] |= bit;
  }
}

void Family::plan(const Family& from, const Word* among, bool repeat) {
  moves_.clear();
  shifts.clear();
  std::size_t bit = 0;
  std::uint8_t group = 0;
  for (std::uint32_t w = 0; w < from.width; ++w) {
    if (among[w] == 0) continue;
    const auto shift = from.shifts.empty() ? std::uint8_t{0} : from.shifts[w];
    if (!repeat && shift != group) {
      bit = words_for(bit) * 64;
      shifts.resize(bit / 64, group);
      group = shift;
    }
    const auto bits = static_cast<std::uint8_t>(std::popcount(among[w]));
    for (std::uint32_t copy = 0; copy < (repeat ? 1u << shift : 1u); ++copy, bit += bits)
      moves_.push_back({among[w], w, static_cast<std::uint32_t>(bit / 64), bits,
                        static_cast<std::uint8_t>(bit % 64)});
  }
  width = words_for(bit);
  if (!repeat && group != 0) shifts.resize(width, group);
}

void Family::narrow(const Family& from, const Word* among, std::uint32_t support,
                    std::span<const Local> kept) {
  plan(from, among, from.shifts.empty() || words_for(support) <= 4);
  names.resize(kept.size());
  words.assign(width * kept.size() + 1, 0);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    names[k] = from.names[kept[k]];
    move_rows(moves_, from.words.data() + kept[k] * from.width, words.data() + k * width);
  }
}

}  // namespace halfmask

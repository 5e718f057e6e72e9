// The walk over all frequent itemsets, depth first, items in rank order.
//
// Sparse conditional rows are projected again and again; dense ones become bitmaps, and a bitmap
// family that has become much wider than the rows left in it is compressed.
#pragma once

#include <deque>

#include "miner.hpp"
#include "miner_family.hpp"
#include "miner_rows.hpp"

namespace halfmask {

// Whether bitmaps beat projected rows. Counting all pairs costs sum of l^2 / 2 steps on rows of
// length l, and m^2 / 2 times the width on bitmaps of m items; a step costs about 8 words.
[[nodiscard]] inline bool dense(const Conditional& rows) {
  std::uint64_t steps = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto length = std::uint64_t{rows.offsets[r + 1] - rows.offsets[r]};
    steps += length * length;
  }
  const auto words = std::uint64_t{rows.width()} * rows.width() * (rows.size() / 64 + 1);
  return 8 * steps >= words;
}

// Compressing reads every bit once; it pays when the whole subtree then counts a quarter as many
// words.
[[nodiscard]] inline bool worth_compressing(std::size_t width, std::uint32_t support,
                                            std::size_t items) {
  return width > 2 && items > 2 && (support + 63) / 64 * 4 <= width;
}

template <typename Sink, typename Pulse>
class Walk {
 public:
  Walk(const MiningOptions& options, const Forbidden& forbidden, Sink& sink, Pulse& pulse)
      : options_(options), forbidden_(forbidden), sink_(sink), pulse_(pulse) {}

  // Every frequent itemset whose smallest item is local item k of the whole database.
  void root(const Conditional& rows, const Occurrences& occurrences, std::size_t k) {
    pulse_();
    if (rows.supports[k] < min_support()) return;
    sink_.add(rows.names[k], 1, rows.supports[k]);
    if (options_.max_length > 1) descend(rows, occurrences, k, 1);
  }

 private:
  struct Level {
    Conditional rows;
    Occurrences occurrences;
    Family family;
    std::vector<Word> both;
    std::vector<Local> extensions;
    std::vector<std::uint32_t> counts;
  };

  [[nodiscard]] Count min_support() const { return sink_.min_support(options_.min_support); }
  [[nodiscard]] Level& level(std::size_t length) {
    while (levels_.size() <= length) levels_.emplace_back();
    return levels_[length];
  }

  void descend(const Conditional& rows, const Occurrences& occurrences, std::size_t k,
               std::size_t length) {
    auto& next = level(length + 1);
    projector_.project(rows, occurrences, k, min_support(), forbidden_, next.rows);
    if (next.rows.names.empty()) return;
    if (next.rows.width() == 1)
      return sink_.add(next.rows.names[0], length + 1, next.rows.supports[0]);
    if (dense(next.rows)) return bitmaps(next, length + 1);
    next.occurrences.list(next.rows);
    for (std::size_t j = 0; j < next.rows.width(); ++j) {
      pulse_();
      if (next.rows.supports[j] < min_support()) continue;
      sink_.add(next.rows.names[j], length + 1, next.rows.supports[j]);
      if (length + 1 < options_.max_length) descend(next.rows, next.occurrences, j, length + 1);
    }
  }

  void bitmaps(Level& here, std::size_t length) {
    here.family.build(here.rows);
    here.both.assign(here.family.width, ~Word{0});
    here.extensions.resize(here.rows.width());
    for (std::size_t k = 0; k < here.extensions.size(); ++k)
      here.extensions[k] = static_cast<Local>(k);
    here.counts = here.rows.supports;
    extensions(here.family, here, length);
  }

  // The sets of this length: those of the prefix plus one of the extensions held by `here`.
  void extensions(const Family& family, const Level& here, std::size_t length) {
    const auto maps = family.maps();
    auto& next = level(length + 1);
    const std::span<const Local> items(here.extensions);
    pulse_();
    for (std::size_t a = 0; a < items.size(); ++a) {
      if (here.counts[a] < min_support()) continue;
      const auto name = family.names[items[a]];
      sink_.add(name, length, here.counts[a]);
      if (length == options_.max_length || a + 1 == items.size()) continue;
      next.both.resize(maps.width);
      next.counts.resize(items.size() - a - 1);
      extend(maps, here.both.data(), maps[items[a]], next.both.data(), items.subspan(a + 1),
             next.counts.data());
      keep_frequent(family, name, items.subspan(a + 1), next);
      if (next.extensions.empty()) continue;
      if (next.extensions.size() == 1)
        sink_.add(family.names[next.extensions[0]], length + 1, next.counts[0]);
      else if (worth_compressing(maps.width, here.counts[a], next.extensions.size()))
        compressed(family, next, length + 1);
      else
        extensions(family, next, length + 1);
    }
  }

  void keep_frequent(const Family& family, Rank name, std::span<const Local> asked, Level& next) {
    const auto least = min_support();
    next.extensions.resize(asked.size());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      next.extensions[kept] = asked[i];
      const auto count = next.counts[i];
      next.counts[kept] = count;
      kept += count >= least && (forbidden_.empty() || !forbidden_(name, family.names[asked[i]]));
    }
    next.extensions.resize(kept);
    next.counts.resize(kept);
  }

  void compressed(const Family& from, Level& next, std::size_t length) {
    next.family.compress(from, next.both.data(), next.extensions);
    next.both.assign(next.family.width, ~Word{0});
    for (std::size_t k = 0; k < next.extensions.size(); ++k)
      next.extensions[k] = static_cast<Local>(k);
    extensions(next.family, next, length);
  }

  const MiningOptions& options_;
  const Forbidden& forbidden_;
  Sink& sink_;
  Pulse& pulse_;
  Projector projector_;
  std::deque<Level> levels_;
};

}  // namespace halfmask

#include "mining/miner_walk.hpp"

#include <numeric>

namespace halfmask {

namespace {

// Whether bitmaps beat projected rows. Counting all pairs costs sum of l^2 / 2 steps on rows of
// length l, and m^2 / 2 times the width on bitmaps of m items; a step costs about 8 words.
[[nodiscard]] bool dense(const Conditional& rows) {
  std::uint64_t steps = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto length = std::uint64_t{rows.offsets[r + 1] - rows.offsets[r]};
    steps += length * length;
  }
  const auto words = std::uint64_t{rows.width()} * rows.width() * (rows.size() / 64 + 1);
  return 8 * steps >= words;
}

// Narrowing reads every kept bitmap once; it pays when the subtree then counts half as many words.
[[nodiscard]] bool worth_narrowing(std::size_t width, std::uint32_t support, std::size_t items) {
  const auto after = (support + 63) / 64;
  return items > 2 && (after <= NarrowWalk::max_width ? width > after : 2 * after <= width);
}

}  // namespace

void AllWalk::root(std::size_t k) {
  pulse_();
  const auto& rows = database_.rows;
  if (rows.supports[k] < recorder_.min_support()) return;
  recorder_.add(rows.names[k], 1, rows.supports[k]);
  if (max_length_ > 1) descend(rows, database_.occurrences, k, 1);
}

void AllWalk::descend(const Conditional& rows, const Occurrences& occurrences, std::size_t k,
                      std::size_t length) {
  auto& next = level(length + 1);
  project(rows, occurrences[k], k, next.rows);
  if (next.rows.names.empty()) return;
  if (next.rows.width() == 1) {
    recorder_.add(next.rows.names[0], length + 1, next.rows.supports[0]);
  } else if (dense(next.rows)) {
    next.family.build(next.rows);
    next.counts = next.rows.supports;
    over_family(next, length + 1);
  } else {
    over_rows(next, length + 1);
  }
}

// Rows of one item are left out: its support is known, and the row supports nothing longer.
void AllWalk::project(const Conditional& rows, Projector::Places places, std::size_t k,
                      Conditional& child) {
  child.clear();
  const auto counts = projector_.count(rows, places, Projector::Part::behind);
  for (auto j = k + 1; j < rows.width(); ++j) {
    if (counts[j] < recorder_.min_support()) continue;
    if (!forbidden_.empty() && forbidden_(rows.names[k], rows.names[j])) continue;
    projector_.keep(rows, j, child);
  }
  if (child.width() > 1) projector_.fill(rows, places, Projector::Part::behind, 2, child);
}

void AllWalk::over_rows(Level& here, std::size_t length) {
  here.occurrences.list(here.rows);
  for (std::size_t k = 0; k < here.rows.width(); ++k) {
    pulse_();
    if (here.rows.supports[k] < recorder_.min_support()) continue;
    recorder_.add(here.rows.names[k], length, here.rows.supports[k]);
    if (length < max_length_) descend(here.rows, here.occurrences, k, length);
  }
}

// The sets of this length are those of the prefix plus one item of the whole family of `here`.
void AllWalk::over_family(Level& here, std::size_t length) {
  if (here.family.shifts.empty() && here.family.width <= NarrowWalk::max_width) {
    pulse_();
    return narrow_.walk(here.family.maps(), here.family.names, here.counts, length);
  }
  here.both.assign(here.family.width, ~Word{0});
  here.extensions.resize(here.family.names.size());
  std::iota(here.extensions.begin(), here.extensions.end(), Local{0});
  extensions(here.family, here, length);
}

// The sets of this length are those of the prefix plus one of the extensions of `here`.
void AllWalk::extensions(const Family& family, const Level& here, std::size_t length) {
  const auto maps = family.maps();
  auto& next = level(length + 1);
  const std::span<const Local> items(here.extensions);
  pulse_();
  for (std::size_t a = 0; a < items.size(); ++a) {
    if (here.counts[a] < recorder_.min_support()) continue;
    const auto name = family.names[items[a]];
    recorder_.add(name, length, here.counts[a]);
    if (length == max_length_ || a + 1 == items.size()) continue;
    const auto asked = items.subspan(a + 1);
    next.both.resize(maps.width);
    next.counts.resize(asked.size());
    extend(maps, here.both.data(), maps[items[a]], next.both.data(), asked, next.counts.data());
    keep_frequent(family, name, asked, next);
    if (next.extensions.size() < 2) {
      if (!next.extensions.empty())
        recorder_.add(family.names[next.extensions[0]], length + 1, next.counts[0]);
    } else if (worth_narrowing(maps.width, here.counts[a], next.extensions.size())) {
      next.family.narrow(family, next.both.data(), here.counts[a], next.extensions);
      over_family(next, length + 1);
    } else {
      extensions(family, next, length + 1);
    }
  }
}

void AllWalk::keep_frequent(const Family& family, Rank name, std::span<const Local> asked,
                            Level& next) {
  const auto least = recorder_.min_support();
  next.extensions.resize(asked.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto count = next.counts[i];
    next.extensions[kept] = asked[i];
    next.counts[kept] = count;
    kept += count >= least && (forbidden_.empty() || !forbidden_(name, family.names[asked[i]]));
  }
  next.extensions.resize(kept);
  next.counts.resize(kept);
}

}  // namespace halfmask

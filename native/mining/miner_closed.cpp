#include "mining/miner_closed.hpp"

#include <bit>

namespace halfmask {

namespace {

// both := a & b, and the weight of the rows in it.
template <std::size_t fixed>
[[gnu::always_inline]] inline std::uint32_t and_count(const Word* a, const Word* b, Word* both,
                                                      const std::uint8_t* shifts,
                                                      std::size_t width) {
  const auto n = fixed != 0 ? fixed : width;
  std::uint32_t count = 0;
  for (std::size_t w = 0; w < n; ++w) {
    both[w] = a[w] & b[w];
    const auto bits = static_cast<std::uint32_t>(std::popcount(both[w]));
    count += fixed != 0 || shifts == nullptr ? bits : bits << shifts[w];
  }
  return count;
}

// The bitmaps of items [begin, end) within the rows of `base`: those of at least min_support rows
// are written to `out`, one after the other, their numbers to `kept` and sizes to `counts`.
struct Intersection {
  Maps maps;
  const Word* base;
  std::uint32_t min_support;
  Word* out;
  Local* kept;
  std::uint32_t* counts;
  std::size_t n = 0;
};

template <std::size_t fixed>
[[gnu::always_inline]] inline void intersect_range(Intersection& job, std::size_t begin,
                                                   std::size_t end) {
  const auto width = fixed != 0 ? fixed : job.maps.width;
  auto n = job.n;
  for (auto i = begin; i < end; ++i) {
    const auto count = and_count<fixed>(job.base, job.maps.words + i * width, job.out + n * width,
                                        job.maps.shifts, width);
    job.kept[n] = static_cast<Local>(i);
    job.counts[n] = count;
    n += count >= job.min_support;
  }
  job.n = n;
}

HALFMASK_MULTIVERSION
void intersect_all(Intersection& job, std::size_t begin, std::size_t end) {
  if (job.maps.shifts != nullptr) return intersect_range<0>(job, begin, end);
  switch (job.maps.width) {
    case 1:
      return intersect_range<1>(job, begin, end);
    case 2:
      return intersect_range<2>(job, begin, end);
    case 3:
      return intersect_range<3>(job, begin, end);
    case 4:
      return intersect_range<4>(job, begin, end);
    default:
      return intersect_range<0>(job, begin, end);
  }
}

// As in the walk over all sets, but only extensions are tried, and each against all items.
[[nodiscard]] bool dense(const Conditional& rows, std::size_t guards) {
  std::uint64_t steps = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto row = rows.row(r);
    const auto first = std::ranges::lower_bound(row, guards);
    steps += static_cast<std::uint64_t>(row.end() - first) * row.size();
  }
  const auto words = (rows.width() - guards) * rows.width() * (rows.size() / 64 + 1);
  return 8 * steps >= words;
}

[[nodiscard]] bool worth_narrowing(std::size_t width, std::uint32_t support) {
  return 2 * ((support + 63) / 64) <= width;
}

}  // namespace

bool ClosedWalk::admitted(std::size_t fresh) const {
  if (set_.size() > max_length_) return false;
  if (forbidden_.empty()) return true;
  for (auto a = fresh; a < set_.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (forbidden_(set_[a], set_[b])) return false;
  return true;
}

// A set that is refused has only supersets behind it, which would be refused too.
bool ClosedWalk::record(std::size_t before, std::uint32_t support) {
  if (!admitted(before)) return false;
  for (auto i = before; i < set_.size(); ++i)
    recorder_.add(set_[i], i + 1, i + 1 == set_.size() ? support : 0);
  return true;
}

ClosedWalk::ClosedWalk(const Database& database, const MiningOptions& options,
                       const ForbiddenPairs& forbidden, Recorder& recorder,
                       std::function<void()> pulse)
    : database_(database),
      max_length_(options.max_length),
      forbidden_(forbidden),
      recorder_(recorder),
      pulse_(std::move(pulse)) {
  // Projecting merges rows that have become equal. Where few rows of the whole database are, that
  // gains little, and bitmaps from the start win: 23 ms against 40 on mushroom at 200. Where most
  // are, it gains more: 57 ms against 68 on connect at 40000.
  const auto& rows = database.rows;
  starts_with_bitmaps_ = 2 * rows.size() > database.size && dense(rows, 0);
  if (!starts_with_bitmaps_) return;
  level(0).family.build(rows);
  level(0).counts = rows.supports;
}

void ClosedWalk::empty_set() {
  set_ = database_.in_all;
  if (!set_.empty()) static_cast<void>(record(0, database_.size));
}

void ClosedWalk::root(std::size_t k) {
  pulse_();
  if (database_.rows.supports[k] < recorder_.min_support()) return;
  set_ = database_.in_all;
  if (!admitted(0)) return;
  for (std::size_t i = 0; i < set_.size(); ++i) recorder_.add(set_[i], i + 1, 0);
  if (starts_with_bitmaps_)
    extend_by(level(0), k, 0);
  else
    by_rows(database_.rows, database_.occurrences, k, 0);
}

void ClosedWalk::by_rows(const Conditional& rows, const Occurrences& occurrences, std::size_t k,
                         std::size_t depth) {
  auto& next = level(depth);
  const auto before = set_.size();
  set_.push_back(rows.names[k]);
  if (project(rows, occurrences[k], k, next) && record(before, rows.supports[k]) &&
      next.guards < next.rows.width()) {
    if (dense(next.rows, next.guards)) {
      next.family.build(next.rows);
      next.counts = next.rows.supports;
      by_bitmaps(depth);
    } else {
      next.occurrences.list(next.rows);
      for (auto j = next.guards; j < next.rows.width(); ++j) {
        pulse_();
        if (next.rows.supports[j] >= recorder_.min_support())
          by_rows(next.rows, next.occurrences, j, depth + 1);
      }
    }
  }
  set_.resize(before);
}

// The rows that hold item k, over the items that are in some of them but not in all; the latter
// belong to the closure, and if one of them is a guard the set is found elsewhere: false.
bool ClosedWalk::project(const Conditional& rows, Projector::Places places, std::size_t k,
                         Level& next) {
  const auto support = rows.supports[k];
  const auto counts = projector_.count(rows, places, Projector::Part::whole);
  for (std::size_t g = 0; g < k; ++g)
    if (counts[g] == support) return false;

  next.rows.clear();
  next.guards = 0;
  for (std::size_t j = 0; j < rows.width(); ++j) {
    if (counts[j] == support) {
      if (j != k) set_.push_back(rows.names[j]);
    } else if (counts[j] >= recorder_.min_support()) {
      projector_.keep(rows, j, next.rows);
      next.guards += j < k;
    }
  }
  if (next.guards < next.rows.width())
    projector_.fill(rows, places, Projector::Part::whole, 1, next.rows);
  return true;
}

void ClosedWalk::by_bitmaps(std::size_t depth) {
  pulse_();
  auto& here = level(depth);
  here.hit = 0;
  for (auto a = here.guards; a < here.counts.size(); ++a) extend_by(here, a, depth);
}

bool ClosedWalk::guarded(Level& here, std::size_t a) {
  const auto maps = here.family.maps();
  const auto* const rows = maps[a];
  const auto in_all = [&](std::size_t g) {
    return here.counts[g] >= here.counts[a] && subset(rows, maps[g], maps.width);
  };
  if (here.hit < a && in_all(here.hit)) return true;
  for (std::size_t g = 0; g < a; ++g)
    if (in_all(g)) {
      here.hit = g;
      return true;
    }
  return false;
}

void ClosedWalk::extend_by(Level& here, std::size_t a, std::size_t depth) {
  const auto support = here.counts[a];
  if (support < recorder_.min_support() || guarded(here, a)) return;
  auto& next = level(depth + 1);
  const auto before = set_.size();
  set_.push_back(here.family.names[a]);
  if (worth_narrowing(here.family.width, support))
    narrow(here, a, next);
  else
    intersect(here, a, next);
  if (record(before, support) && next.guards < next.counts.size()) by_bitmaps(depth + 1);
  set_.resize(before);
}

void ClosedWalk::intersect(const Level& here, std::size_t a, Level& next) {
  const auto maps = here.family.maps();
  const auto items = here.counts.size();
  const auto support = here.counts[a];
  auto& family = next.family;
  family.width = maps.width;
  family.shifts = here.family.shifts;
  family.words.resize(items * maps.width);
  next.kept.resize(items);
  next.counts.resize(items);
  Intersection job{maps,
                   maps[a],
                   recorder_.min_support(),
                   family.words.data(),
                   next.kept.data(),
                   next.counts.data()};
  intersect_all(job, 0, a);
  next.guards = job.n;
  intersect_all(job, a + 1, items);
  // What is in all rows belongs to the closure; the rest moves up.
  family.names.resize(job.n);
  auto n = next.guards;
  for (std::size_t i = 0; i < n; ++i) family.names[i] = here.family.names[next.kept[i]];
  for (auto i = n; i < job.n; ++i) {
    const auto name = here.family.names[next.kept[i]];
    if (next.counts[i] == support) {
      set_.push_back(name);
      continue;
    }
    if (n < i)
      std::copy_n(family.words.data() + i * maps.width, maps.width,
                  family.words.data() + n * maps.width);
    family.names[n] = name;
    next.counts[n++] = next.counts[i];
  }
  family.names.resize(n);
  next.counts.resize(n);
}

void ClosedWalk::narrow(const Level& here, std::size_t a, Level& next) {
  const auto maps = here.family.maps();
  const auto support = here.counts[a];
  next.kept.clear();
  for (std::size_t i = 0; i < here.counts.size(); ++i)
    if (i != a) next.kept.push_back(static_cast<Local>(i));
  both_.resize(maps.width);
  counts_.resize(next.kept.size());
  extend(maps, maps[a], maps[a], both_.data(), next.kept, counts_.data());
  next.guards = 0;
  next.counts.clear();
  std::size_t n = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const auto item = next.kept[i];
    if (counts_[i] == support) {
      set_.push_back(here.family.names[item]);
    } else if (counts_[i] >= recorder_.min_support()) {
      next.kept[n++] = item;
      next.counts.push_back(counts_[i]);
      next.guards += item < a;
    }
  }
  next.kept.resize(n);
  next.family.narrow(here.family, maps[a], support, next.kept);
}

}  // namespace halfmask

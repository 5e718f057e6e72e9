#include "mining/miner_narrow.hpp"

#include <algorithm>
#include <bit>

namespace halfmask {

void NarrowWalk::Level::make_room(std::size_t items, std::size_t width) {
  if (names.size() >= items && masks.size() >= items * width) return;
  masks.resize(std::max(masks.size(), items * width));
  names.resize(std::max(names.size(), items));
  counts.resize(std::max(counts.size(), items));
}

void NarrowWalk::drop_forbidden(Rank name, Level& next, std::size_t width) const {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < next.size; ++i) {
    if (forbidden_(name, next.names[i])) continue;
    std::copy_n(next.masks.data() + i * width, width, next.masks.data() + kept * width);
    next.names[kept] = next.names[i];
    next.counts[kept++] = next.counts[i];
  }
  next.size = kept;
}

namespace {

// The extensions of here + its current item: those after it that stay frequent.
template <std::size_t width>
[[gnu::always_inline]] inline void intersect(const NarrowWalk::Level& here, NarrowWalk::Level& next,
                                             std::uint32_t min_support) {
  Word base[width];
  const Word* const masks = here.masks.data();
  for (std::size_t w = 0; w < width; ++w) base[w] = masks[here.at * width + w];
  Word* const out = next.masks.data();
  Rank* const names = next.names.data();
  std::uint32_t* const counts = next.counts.data();
  std::size_t kept = 0;
  for (auto i = here.at + 1; i < here.size; ++i) {
    std::uint32_t count = 0;
    for (std::size_t w = 0; w < width; ++w) {
      const Word both = base[w] & masks[i * width + w];
      out[kept * width + w] = both;
      count += static_cast<std::uint32_t>(std::popcount(both));
    }
    names[kept] = here.names[i];
    counts[kept] = count;
    kept += count >= min_support;
  }
  next.size = kept;
}

HALFMASK_MULTIVERSION void intersect_1(const NarrowWalk::Level& here, NarrowWalk::Level& next,
                                       std::uint32_t min_support) {
  intersect<1>(here, next, min_support);
}
HALFMASK_MULTIVERSION void intersect_2(const NarrowWalk::Level& here, NarrowWalk::Level& next,
                                       std::uint32_t min_support) {
  intersect<2>(here, next, min_support);
}
HALFMASK_MULTIVERSION void intersect_3(const NarrowWalk::Level& here, NarrowWalk::Level& next,
                                       std::uint32_t min_support) {
  intersect<3>(here, next, min_support);
}
HALFMASK_MULTIVERSION void intersect_4(const NarrowWalk::Level& here, NarrowWalk::Level& next,
                                       std::uint32_t min_support) {
  intersect<4>(here, next, min_support);
}

using Intersect = void (*)(const NarrowWalk::Level&, NarrowWalk::Level&, std::uint32_t);

}  // namespace

void NarrowWalk::walk(const Maps& maps, std::span<const Rank> names,
                      std::span<const std::uint32_t> counts, std::size_t length) {
  auto& first = level(0);
  first.make_room(names.size(), maps.width);
  std::copy_n(maps.words, names.size() * maps.width, first.masks.data());
  std::copy_n(names.data(), names.size(), first.names.data());
  std::copy_n(counts.data(), counts.size(), first.counts.data());
  first.size = names.size();
  run(maps.width, length);
}

void NarrowWalk::run(std::size_t width, std::size_t length) {
  constexpr Intersect by_width[] = {intersect_1, intersect_2, intersect_3, intersect_4};
  const Intersect narrowed = by_width[width - 1];
  std::size_t depth = 0;
  level(0).at = 0;
  for (;;) {
    auto& here = levels_[depth];
    if (here.at == here.size) {
      if (depth == 0) return;
      ++levels_[--depth].at;
      continue;
    }
    const auto name = here.names[here.at];
    if (here.counts[here.at] >= recorder_.min_support())
      recorder_.add(name, length + depth, here.counts[here.at]);
    if (here.at + 1 == here.size || length + depth == max_length_) {
      ++here.at;
      continue;
    }
    auto& next = level(depth + 1);
    next.make_room(here.size - here.at, width);
    narrowed(here, next, recorder_.min_support());
    if (!forbidden_.empty()) drop_forbidden(name, next, width);
    if (next.size < 2) {
      if (next.size == 1) recorder_.add(next.names[0], length + depth + 1, next.counts[0]);
      ++here.at;
    } else {
      next.at = 0;
      ++depth;
    }
  }
}

}  // namespace halfmask

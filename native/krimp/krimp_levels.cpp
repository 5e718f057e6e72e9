#include "krimp/krimp_levels.hpp"

#include <algorithm>
#include <bit>

namespace halfmask {

Levels::Levels(const LiveRows& rows) : words_((rows.size() + 63) / 64) {
  // Ranks begin with the most frequent items, so the rare ones, which no set holds, come last.
  for (const auto item : rows.items)
    if (item >= levels_.size()) levels_.resize(item + std::size_t{1});
  holders_.assign(levels_.size() * words_, 0);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (const auto item : rows.row(r)) holders_[item * words_ + r / 64] |= Word{1} << (r % 64);
}

void Levels::add_level(Rank item, std::size_t length) {
  auto& levels = levels_[item];
  const auto place = std::ranges::lower_bound(levels, length, {}, &Level::length);
  if (place != levels.end() && place->length == length) return;
  const auto* longer = bitmap(length, item);
  levels.insert(place, {length, std::vector<Word>(longer, longer + words_)});
  top_ = std::max(top_, length + 1);
}

void Levels::claim(Row row, std::span<const Rank> items) {
  ++version_;
  const Word bit = Word{1} << (row % 64);
  for (const auto item : items) {
    add_level(item, items.size());
    for (auto& level : levels_[item])
      if (level.length <= items.size()) level.free[row / 64] &= ~bit;
  }
}

void Levels::release(Row row, std::span<const Rank> items) {
  ++version_;
  const Word bit = Word{1} << (row % 64);
  for (const auto item : items)
    for (auto& level : levels_[item])
      if (level.length <= items.size()) level.free[row / 64] |= bit;
}

std::size_t Admission::shared_prefix(std::span<const Rank> items, std::size_t level) {
  if (version_ != levels_.version() || level_ != level) {
    version_ = levels_.version();
    level_ = level;
    prefix_.clear();
  }
  const auto most = std::min(prefix_.size(), items.size() - 1);
  std::size_t shared = 0;
  while (shared < most && prefix_[shared] == items[shared]) ++shared;
  return shared;
}

void Admission::start(Sparse& into, const Word* bitmap) const {
  const auto words = levels_.words();
  into.places.resize(words);
  into.words.resize(words);
  std::size_t size = 0;
  for (std::size_t w = 0; w < words; ++w) {
    into.places[size] = static_cast<std::uint32_t>(w);
    into.words[size] = bitmap[w];
    size += bitmap[w] != 0;
  }
  into.size = size;
}

// Written without a branch: whether a word survives is close to a coin's toss.
void Admission::extend(Sparse& into, const Sparse& from, const Word* bitmap) {
  into.places.resize(std::max(into.places.size(), from.size));
  into.words.resize(into.places.size());
  std::size_t size = 0;
  for (std::size_t k = 0; k < from.size; ++k) {
    const auto place = from.places[k];
    const auto word = from.words[k] & bitmap[place];
    into.places[size] = place;
    into.words[size] = word;
    size += word != 0;
  }
  into.size = size;
}

void Admission::list(const Sparse& from, const Word* bitmap) {
  found_.clear();
  for (std::size_t k = 0; k < from.size; ++k) {
    const auto place = from.places[k];
    for (auto word = from.words[k] & bitmap[place]; word != 0; word &= word - 1)
      found_.push_back(static_cast<Row>(place * 64 + static_cast<Row>(std::countr_zero(word))));
  }
}

std::span<const Row> Admission::rows(std::span<const Rank> items, std::size_t level) {
  auto depth = shared_prefix(items, level);
  if (stack_.size() < items.size()) stack_.resize(items.size());
  prefix_.resize(depth);
  for (; depth + 1 < items.size() && (depth == 0 || stack_[depth - 1].size > 0); ++depth) {
    const auto* bitmap = levels_.bitmap(level, items[depth]);
    if (depth == 0) {
      start(stack_[0], bitmap);
    } else {
      extend(stack_[depth], stack_[depth - 1], bitmap);
    }
    prefix_.push_back(items[depth]);
  }
  if (stack_[depth - 1].size == 0) return {};
  list(stack_[depth - 1], levels_.bitmap(level, items.back()));
  return found_;
}

}  // namespace halfmask

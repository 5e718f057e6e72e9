// The walk over all closed frequent itemsets (prefix-preserving closure extension).
//
// A closed set C is reached from exactly one smaller closed set: the closure of that set plus item
// k must add no item before k. Beside the items that may extend C, the conditional rows therefore
// keep the earlier ones, as guards: one that is in all rows of C + k says that C + k is found
// elsewhere. [Uno, Asai, Uchida, Arimura: LCM 2003]
#pragma once

#include <algorithm>
#include <deque>

#include "miner.hpp"
#include "miner_family.hpp"
#include "miner_rows.hpp"

namespace halfmask {

template <typename Sink, typename Pulse>
class ClosedWalk {
 public:
  ClosedWalk(const MiningOptions& options, const Forbidden& forbidden, Sink& sink, Pulse& pulse)
      : options_(options), forbidden_(forbidden), sink_(sink), pulse_(pulse) {}

  // The closure of nothing: items that every row holds. Belongs to no root.
  void empty_set(const Conditional& rows, std::uint32_t all_rows) {
    set_.clear();
    for (std::size_t k = 0; k < rows.width(); ++k)
      if (rows.supports[k] == all_rows) set_.push_back(rows.names[k]);
    if (!set_.empty() && admitted(0)) sink_.add(set_, all_rows);
  }

  // Every closed set that is reached through local item k of the whole database.
  void root(const Conditional& rows, const Family& family, std::size_t k, std::uint32_t all_rows) {
    pulse_();
    if (rows.supports[k] == all_rows) return;
    auto& here = level(0);
    here.items.clear();
    here.counts.clear();
    set_.clear();
    std::size_t at = 0;
    for (std::size_t j = 0; j < rows.width(); ++j) {
      if (rows.supports[j] == all_rows) {
        set_.push_back(rows.names[j]);
        continue;
      }
      if (j == k) at = here.items.size();
      here.items.push_back(static_cast<Local>(j));
      here.counts.push_back(rows.supports[j]);
    }
    if (!admitted(0)) return;
    here.both.assign(family.width, ~Word{0});
    extend_by(family, 0, at);
  }

 private:
  struct Level {
    Family family;
    std::vector<Word> both;
    std::vector<Local> items;           // guards first, then those that may extend
    std::vector<std::uint32_t> counts;  // of the items, together with the set
    std::size_t guards = 0;
    std::vector<Local> asked;
    std::vector<std::uint32_t> answers;
    std::vector<Rank> sorted;
  };

  [[nodiscard]] Count min_support() const { return sink_.min_support(options_.min_support); }
  [[nodiscard]] Level& level(std::size_t depth) {
    while (levels_.size() <= depth) levels_.emplace_back();
    return levels_[depth];
  }

  void extensions(const Family& family, std::size_t depth) {
    pulse_();
    for (auto a = level(depth).guards; a < level(depth).items.size(); ++a)
      extend_by(family, depth, a);
  }

  void extend_by(const Family& family, std::size_t depth, std::size_t a) {
    auto& here = level(depth);
    if (here.counts[a] < min_support()) return;
    auto& next = level(depth + 1);
    const auto maps = family.maps();
    const auto support = here.counts[a];
    const Word* const map = maps[here.items[a]];
    next.both.resize(maps.width);
    for (std::size_t w = 0; w < maps.width; ++w) next.both[w] = here.both[w] & map[w];
    for (std::size_t g = 0; g < a; ++g)
      if (here.counts[g] >= support && subset(next.both.data(), maps[here.items[g]], maps.width))
        return;

    next.asked.assign(here.items.begin(), here.items.end());
    next.asked.erase(next.asked.begin() + static_cast<std::ptrdiff_t>(a));
    next.answers.resize(next.asked.size());
    extend(maps, here.both.data(), map, next.both.data(), next.asked, next.answers.data());

    const auto before = set_.size();
    set_.push_back(family.names[here.items[a]]);
    next.items.clear();
    next.counts.clear();
    next.guards = 0;
    for (std::size_t i = 0; i < next.asked.size(); ++i) {
      if (next.answers[i] == support) {
        set_.push_back(family.names[next.asked[i]]);
      } else if (next.answers[i] >= min_support()) {
        next.items.push_back(next.asked[i]);
        next.counts.push_back(next.answers[i]);
        next.guards += i < a;
      }
    }
    if (admitted(before)) {
      sorted_ = set_;
      std::sort(sorted_.begin(), sorted_.end());
      sink_.add(sorted_, support);
      if (next.guards < next.items.size()) go_on(family, depth + 1, support);
    }
    set_.resize(before);
  }

  void go_on(const Family& family, std::size_t depth, std::uint32_t support) {
    auto& here = level(depth);
    if (family.width <= 2 || (support + 63) / 64 * 4 > family.width)
      return extensions(family, depth);
    here.family.compress(family, here.both.data(), here.items);
    here.both.assign(here.family.width, ~Word{0});
    for (std::size_t k = 0; k < here.items.size(); ++k) here.items[k] = static_cast<Local>(k);
    extensions(here.family, depth);
  }

  // Whether the set is short enough and holds no forbidden pair; items from `fresh` on are new.
  // A set that is refused has only supersets behind it, which would be refused too.
  [[nodiscard]] bool admitted(std::size_t fresh) const {
    if (set_.size() > options_.max_length) return false;
    if (forbidden_.empty()) return true;
    for (auto a = fresh; a < set_.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (forbidden_(set_[a], set_[b])) return false;
    return true;
  }

  const MiningOptions& options_;
  const Forbidden& forbidden_;
  Sink& sink_;
  Pulse& pulse_;
  std::vector<Rank> set_;
  std::vector<Rank> sorted_;
  std::deque<Level> levels_;
};

}  // namespace halfmask

// The walk over all closed frequent itemsets, by prefix-preserving closure extension.
//
// A closed set is reached from exactly one smaller closed set C: through the item k whose closure
// with C adds no item before k. Beside the items that may extend C, the rows therefore keep the
// earlier ones, as guards: one that is in all rows of C + k says that C + k is found elsewhere.
// [Uno, Asai, Uchida, Arimura: LCM, FIMI 2003]
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "mining/miner.hpp"
#include "mining/miner_family.hpp"
#include "mining/miner_record.hpp"
#include "mining/miner_rows.hpp"

namespace halfmask {

class ClosedWalk {
 public:
  // `pulse` is called often; it may throw to end the walk.
  ClosedWalk(const Database& database, const MiningOptions& options,
             const ForbiddenPairs& forbidden, Recorder& recorder, std::function<void()> pulse);

  // The closure of nothing: the items that every row holds.
  void empty_set();

  // Every closed set that is reached through local item k of the database.
  void root(std::size_t k);

  // A level holds the items that may still matter, guards first: as rows or as bitmaps, which
  // are restricted to the rows of the closed set the level belongs to.
  struct Level {
    Conditional rows;
    Occurrences occurrences;
    Family family;
    std::vector<std::uint32_t> counts;
    std::vector<Local> kept;  // scratch
    std::size_t guards = 0;
    std::size_t hit = 0;  // the guard that refused last is asked first
  };

 private:
  [[nodiscard]] Level& level(std::size_t depth) {
    while (levels_.size() <= depth) levels_.emplace_back();
    return levels_[depth];
  }
  void by_rows(const Conditional& rows, const Occurrences& occurrences, std::size_t k,
               std::size_t depth);
  [[nodiscard]] bool project(const Conditional& rows, Projector::Places places, std::size_t k,
                             Level& next);
  void by_bitmaps(std::size_t depth);
  void extend_by(Level& here, std::size_t a, std::size_t depth);
  [[nodiscard]] static bool guarded(Level& here, std::size_t a);
  void intersect(const Level& here, std::size_t a, Level& next);
  void narrow(const Level& here, std::size_t a, Level& next);

  [[nodiscard]] bool record(std::size_t before, std::uint32_t support);
  [[nodiscard]] bool admitted(std::size_t fresh) const;

  const Database& database_;
  std::size_t max_length_;
  const ForbiddenPairs& forbidden_;
  Recorder& recorder_;
  std::function<void()> pulse_;
  std::vector<Rank> set_;
  std::vector<std::uint32_t> counts_;
  std::vector<Word> both_;
  Projector projector_;
  bool starts_with_bitmaps_ = false;
  std::deque<Level> levels_;
};

}  // namespace halfmask

// The walk over all frequent itemsets, depth first, from rare items to frequent ones.
//
// Sparse conditional rows are projected again and again; dense ones become bitmaps, bitmaps are
// narrowed when few of their rows are left, and the narrowest have a walk of their own. From rare
// to frequent, because a prefix of rare items leaves few rows, and most of what is tried then
// succeeds.
#pragma once

#include <deque>
#include <functional>

#include "mining/miner.hpp"
#include "mining/miner_family.hpp"
#include "mining/miner_narrow.hpp"
#include "mining/miner_record.hpp"
#include "mining/miner_rows.hpp"

namespace halfmask {

class AllWalk {
 public:
  // `pulse` is called often; it may throw to end the walk.
  AllWalk(const Database& database, const MiningOptions& options, const ForbiddenPairs& forbidden,
          Recorder& recorder, std::function<void()> pulse)
      : database_(database),
        max_length_(options.max_length),
        forbidden_(forbidden),
        recorder_(recorder),
        pulse_(std::move(pulse)),
        narrow_(options.max_length, forbidden, recorder) {}

  // Every frequent itemset whose rarest item is local item k of the database.
  void root(std::size_t k);

 private:
  struct Level {
    Conditional rows;
    Occurrences occurrences;
    Family family;
    std::vector<Word> both;
    std::vector<Local> extensions;
    std::vector<std::uint32_t> counts;
  };
  [[nodiscard]] Level& level(std::size_t length) {
    while (levels_.size() <= length) levels_.emplace_back();
    return levels_[length];
  }

  void descend(const Conditional& rows, const Occurrences& occurrences, std::size_t k,
               std::size_t length);
  void project(const Conditional& rows, Projector::Places places, std::size_t k,
               Conditional& child);
  void over_rows(Level& here, std::size_t length);
  void over_family(Level& here, std::size_t length);
  void extensions(const Family& family, const Level& here, std::size_t length);
  void keep_frequent(const Family& family, Rank name, std::span<const Local> asked, Level& next);

  const Database& database_;
  std::size_t max_length_;
  const ForbiddenPairs& forbidden_;
  Recorder& recorder_;
  std::function<void()> pulse_;
  NarrowWalk narrow_;
  Projector projector_;
  std::deque<Level> levels_;
};

}  // namespace halfmask

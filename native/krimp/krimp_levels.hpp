// Levels: in which rows a new set would still find its items.
//
//   level(L)[i]  bitmap of the rows in which item i is outside the sets of length >= L that cover
//                the row
// A set of length L enters behind the others of its length, so it will cover exactly the rows in
// which all its items are free at level L. Levels of an item between which no set that holds it has
// its length are alike and stored once; beyond the longest they say which rows hold the item.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "krimp/krimp_rows.hpp"
#include "mining/candidates.hpp"

namespace halfmask {

using Word = std::uint64_t;
using Row = std::uint32_t;

class Levels {
 public:
  explicit Levels(const LiveRows& rows);

  [[nodiscard]] std::size_t words() const { return words_; }
  // Changes whenever an answer may have changed.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] const Word* bitmap(std::size_t length, Rank item) const {
    for (const auto& level : levels_[item])
      if (level.length >= length) return level.free.data();
    return holders_.data() + item * words_;
  }
  // Longer than every set of the table: only then an item is free wherever it is held.
  [[nodiscard]] std::size_t top() const { return top_; }

  // A set with these items begins, or ceases, to cover the row.
  void claim(Row row, std::span<const Rank> items);
  void release(Row row, std::span<const Rank> items);

 private:
  struct Level {
    std::size_t length;  // of a set that holds the item
    std::vector<Word> free;
  };

  // Makes sure that the item has a level of this length.
  void add_level(Rank item, std::size_t length);

  std::size_t words_;
  std::uint64_t version_ = 0;
  std::size_t top_ = 2;
  std::vector<Word> holders_;
  std::vector<std::vector<Level>> levels_;  // by item, shortest first
};

// Asks the levels for one itemset after the other. Candidates of one support and length come in
// lexicographic order, so what is known about a shared prefix is kept.
class Admission {
 public:
  explicit Admission(const Levels& levels) : levels_(levels) {}

  // Rows in which all items are free at the given level, increasing; valid until the next call.
  [[nodiscard]] std::span<const Row> rows(std::span<const Rank> items, std::size_t level);

 private:
  // The words of a prefix's bitmap that are not 0.
  struct Sparse {
    std::vector<std::uint32_t> places;
    std::vector<Word> words;
    std::size_t size = 0;
  };

  [[nodiscard]] std::size_t shared_prefix(std::span<const Rank> items, std::size_t level);
  void start(Sparse& into, const Word* bitmap) const;
  static void extend(Sparse& into, const Sparse& from, const Word* bitmap);
  void list(const Sparse& from, const Word* bitmap);

  const Levels& levels_;
  std::uint64_t version_ = 0;
  std::size_t level_ = 0;
  std::vector<Rank> prefix_;   // items of the stacked bitmaps
  std::vector<Sparse> stack_;  // stack_[d]: rows with prefix_[0..d]
  std::vector<Row> found_;
};

}  // namespace halfmask

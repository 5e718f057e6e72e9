// What a miner writes down while it walks, and how that becomes Candidates.
//
// All itemsets: a walk in rank order visits the sets of one length in lexicographic order, so a
// record needs only (last item, length, support), 7 bytes; the items before it are those of the
// last records of smaller length. A stable counting sort by (support, length) is then candidate
// order. Closed itemsets: the walk jumps, so each set is written out, and groups are sorted at the
// end.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "candidates.hpp"
#include "miner.hpp"

namespace halfmask {

// Thrown inside a walk and caught by mine(): the budget is spent.
struct BudgetSpent {};

// What all workers together may still write down.
class Budget {
 public:
  Budget(std::uint64_t sets, std::uint64_t bytes) : sets_(sets), bytes_(bytes) {}

  void spend(std::uint64_t sets, std::uint64_t items);
  [[nodiscard]] std::uint64_t spent() const { return spent_sets_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t max_sets() const { return sets_; }
  [[nodiscard]] std::uint64_t max_bytes() const { return bytes_; }

  // A record while mining; then offset, support and items of the candidate.
  [[nodiscard]] static std::uint64_t bytes(std::uint64_t sets, std::uint64_t items) {
    return sets * (7 + 12) + items * sizeof(Rank);
  }

 private:
  std::uint64_t sets_;
  std::uint64_t bytes_;
  std::atomic<std::uint64_t> spent_sets_{0};
  std::atomic<std::uint64_t> spent_items_{0};
};

// The records of one worker, in blocks so that nothing is ever copied to grow.
class Found {
 public:
  explicit Found(Budget& budget) : budget_(&budget) {}

  [[nodiscard]] Count min_support(Count asked) const { return asked; }
  void begin(std::uint32_t task) { segments_.push_back({task, size()}); }
  void add(Rank item, std::size_t length, std::uint32_t support) {
    if (used_ == Block::capacity) grow();
    auto& block = *blocks_.back();
    block.items[used_] = item;
    block.lengths[used_] = static_cast<std::uint8_t>(length);
    block.supports[used_] = support;
    ++used_;
    items_ += length;
  }
  // Tells the budget about the records it has not heard of.
  void settle();

  struct Block {
    static constexpr std::size_t capacity = 1 << 14;
    std::uint32_t supports[capacity];
    Rank items[capacity];
    std::uint8_t lengths[capacity];
  };
  struct Segment {
    std::uint32_t task;
    std::size_t begin;
  };
  [[nodiscard]] std::size_t size() const {
    return blocks_.empty() ? 0 : (blocks_.size() - 1) * Block::capacity + used_;
  }
  [[nodiscard]] const std::vector<std::unique_ptr<Block>>& blocks() const { return blocks_; }
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }

 private:
  void grow();

  Budget* budget_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<Segment> segments_;
  std::size_t used_ = Block::capacity;
  std::size_t settled_ = 0;
  std::uint64_t items_ = 0;
};

// The records of one worker that mines closed sets: every set in full, ranks increasing.
class FoundClosed {
 public:
  explicit FoundClosed(Budget& budget) : budget_(&budget) {}

  [[nodiscard]] Count min_support(Count asked) const { return asked; }
  void begin(std::uint32_t) {}
  void add(std::span<const Rank> set, std::uint32_t support);
  void settle();

  std::vector<Rank> items;
  std::vector<std::uint32_t> lengths;
  std::vector<std::uint32_t> supports;

 private:
  Budget* budget_;
  std::size_t settled_ = 0;
  std::uint64_t settled_items_ = 0;
};

// Counts instead of keeping: the twin of the two above that finds the smallest support that fits.
// Whenever what was found no longer fits, the support rises to where it does, and the walk goes on
// with less to find; at the end every set above that support has been counted.
class Tally {
 public:
  Tally(const Budget& budget, Count min_support, std::size_t max_support);

  [[nodiscard]] Count min_support(Count) const { return min_support_; }
  void begin(std::uint32_t) {}
  void add(Rank, std::size_t length, std::uint32_t support) { count(length, support); }
  void add(std::span<const Rank> set, std::uint32_t support) { count(set.size(), support); }

 private:
  void count(std::size_t length, std::uint32_t support);

  const Budget* budget_;
  Count min_support_;
  std::vector<std::uint64_t> sets_;   // by support
  std::vector<std::uint64_t> items_;  // by support
  std::uint64_t total_sets_ = 0;
  std::uint64_t total_items_ = 0;
};

[[nodiscard]] Candidates in_candidate_order(std::vector<Found>&& parts);
[[nodiscard]] Candidates in_candidate_order(std::vector<FoundClosed>&& parts);

}  // namespace halfmask

// What a miner writes down while it walks.
//
// A walk is a path of items: record (item, length, support) says that the item is now at place
// `length` of the path, and, if support > 0, that the path up to there is an itemset that was
// looked for. Eight bytes for each itemset, whatever its length.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "mining/candidates.hpp"
#include "mining/miner.hpp"

namespace halfmask {

struct Record {
  std::uint32_t support;
  Rank item;
  std::uint16_t length;
};

constexpr std::size_t block_size = 1 << 14;

// What all workers together may write down.
class Budget {
 public:
  Budget(std::uint64_t sets, std::uint64_t bytes) : max_sets_(sets), max_bytes_(bytes) {}

  // Sets take a record while mining; then offset, support and items in the candidates.
  [[nodiscard]] bool allows(std::uint64_t sets, std::uint64_t items) const {
    return sets <= max_sets_ && sets * (sizeof(Record) + 12) + items * sizeof(Rank) <= max_bytes_;
  }
  // Thrown by spend(): the itemsets found so far do not fit.
  struct Spent {};
  void spend(std::uint64_t sets, std::uint64_t items);
  [[nodiscard]] std::uint64_t sets() const { return sets_; }

 private:
  std::uint64_t max_sets_;
  std::uint64_t max_bytes_;
  std::atomic<std::uint64_t> sets_{0};
  std::atomic<std::uint64_t> items_{0};
};

// Takes the records of one worker. The block being filled is here; what becomes of full blocks
// is what distinguishes keeping from counting.
class Recorder {
 public:
  explicit Recorder(Count min_support) : min_support_(min_support) {}
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  virtual ~Recorder() = default;

  // The support asked for; may rise while the walk goes on.
  [[nodiscard]] std::uint32_t min_support() const {
    return static_cast<std::uint32_t>(min_support_);
  }
  virtual void begin(std::uint32_t task) = 0;
  void add(Rank item, std::size_t length, std::uint32_t support) {
    if (used_ == block_size) {
      if (pulse) pulse();
      turn_over();
    }
    block_[used_++] = {support, item, static_cast<std::uint16_t>(length)};
  }
  // Call once, after the last record.
  virtual void finish() = 0;

  // Called with every block, about once in a millisecond; may throw to end the walk.
  std::function<void()> pulse;

 protected:
  virtual void turn_over() = 0;

  Count min_support_;
  Record* block_ = nullptr;
  std::size_t used_ = block_size;
};

// Keeps all records, in blocks so that nothing is copied to grow.
class Found final : public Recorder {
 public:
  Found(Count min_support, Budget& budget) : Recorder(min_support), budget_(&budget) {}

  struct Segment {
    std::uint32_t task;
    std::size_t begin;
  };
  void begin(std::uint32_t task) override { segments_.push_back({task, size()}); }
  void finish() override;

  [[nodiscard]] std::size_t size() const {
    return blocks_.empty() ? 0 : (blocks_.size() - 1) * block_size + used_;
  }
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
  [[nodiscard]] const Record* block(std::size_t b) const { return blocks_[b].get(); }

 private:
  void turn_over() override;
  void settle();

  Budget* budget_;
  std::vector<std::unique_ptr<Record[]>> blocks_;
  std::vector<Segment> segments_;
};

// Counts instead of keeping: the twin that finds the smallest support that fits. Whenever what was
// found no longer fits, the support rises to where it does, and the walk goes on with less to
// find; at the end every itemset of that support or more has been counted.
class Tally final : public Recorder {
 public:
  Tally(Count min_support, const Budget& budget, std::size_t max_support);

  void begin(std::uint32_t) override {}
  void finish() override { count(); }
  [[nodiscard]] Count fitting() const { return min_support_; }

 private:
  void turn_over() override;
  void count();

  const Budget* budget_;
  std::unique_ptr<Record[]> only_block_;
  std::vector<std::uint64_t> sets_at_;   // by support
  std::vector<std::uint64_t> items_at_;  // by support
  std::uint64_t sets_ = 0;
  std::uint64_t items_ = 0;
};

// The itemsets of all workers as candidates; their paths may hold the items in any order.
[[nodiscard]] Candidates in_candidate_order(const std::vector<std::unique_ptr<Found>>& parts);

}  // namespace halfmask

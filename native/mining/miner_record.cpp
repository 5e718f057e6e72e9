#include "mining/miner_record.hpp"

#include <span>

namespace halfmask {

void Budget::spend(std::uint64_t sets, std::uint64_t items) {
  const auto all_sets = sets_ += sets;
  const auto all_items = items_ += items;
  if (!allows(all_sets, all_items)) throw Spent{};
}

void Found::settle() {
  std::uint64_t sets = 0;
  std::uint64_t items = 0;
  for (const auto& record : std::span(block_, blocks_.empty() ? 0 : used_)) {
    sets += record.support > 0;
    items += record.support > 0 ? record.length : 0u;
  }
  budget_->spend(sets, items);
}

void Found::turn_over() {
  settle();
  blocks_.push_back(std::make_unique_for_overwrite<Record[]>(block_size));
  block_ = blocks_.back().get();
  used_ = 0;
}

void Found::finish() { settle(); }

Tally::Tally(Count min_support, const Budget& budget, std::size_t max_support)
    : Recorder(min_support),
      budget_(&budget),
      only_block_(std::make_unique<Record[]>(block_size)),
      sets_at_(max_support + 1, 0),
      items_at_(max_support + 1, 0) {
  block_ = only_block_.get();
  used_ = 0;
}

void Tally::turn_over() {
  count();
  used_ = 0;
}

void Tally::count() {
  for (const auto& [support, item, length] : std::span(block_, used_)) {
    if (support < min_support()) continue;
    ++sets_at_[support];
    ++sets_;
    items_at_[support] += length;
    items_ += length;
    for (; !budget_->allows(sets_, items_); ++min_support_) {
      sets_ -= sets_at_[static_cast<std::size_t>(min_support_)];
      items_ -= items_at_[static_cast<std::size_t>(min_support_)];
    }
  }
}

}  // namespace halfmask

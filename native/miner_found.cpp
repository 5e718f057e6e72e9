#include "miner_found.hpp"

#include <algorithm>
#include <numeric>

namespace halfmask {

void Budget::spend(std::uint64_t sets, std::uint64_t items) {
  const auto all_sets = spent_sets_.fetch_add(sets) + sets;
  const auto all_items = spent_items_.fetch_add(items) + items;
  if (all_sets > sets_ || bytes(all_sets, all_items) > bytes_) throw BudgetSpent{};
}

void Found::grow() {
  settle();
  blocks_.push_back(std::make_unique_for_overwrite<Block>());
  used_ = 0;
}

void Found::settle() {
  const auto unsettled = size() - settled_;
  settled_ = size();
  budget_->spend(unsettled, std::exchange(items_, 0));
}

void FoundClosed::add(std::span<const Rank> set, std::uint32_t support) {
  items.insert(items.end(), set.begin(), set.end());
  lengths.push_back(static_cast<std::uint32_t>(set.size()));
  supports.push_back(support);
  if (supports.size() - settled_ >= Found::Block::capacity) settle();
}

void FoundClosed::settle() {
  const auto sets = supports.size() - settled_;
  const auto n_items = items.size() - settled_items_;
  settled_ = supports.size();
  settled_items_ = items.size();
  // These sets are held twice while they are ordered.
  budget_->spend(sets, 2 * n_items);
}

Tally::Tally(const Budget& budget, Count min_support, std::size_t max_support)
    : budget_(&budget),
      min_support_(min_support),
      sets_(max_support + 1, 0),
      items_(max_support + 1, 0) {}

void Tally::count(std::size_t length, std::uint32_t support) {
  ++sets_[support];
  ++total_sets_;
  items_[support] += length;
  total_items_ += length;
  while (total_sets_ > budget_->max_sets() ||
         Budget::bytes(total_sets_, total_items_) > budget_->max_bytes()) {
    auto& lowest = min_support_;
    total_sets_ -= sets_[static_cast<std::size_t>(lowest)];
    total_items_ -= items_[static_cast<std::size_t>(lowest)];
    ++lowest;
  }
}

namespace {

// The places of the groups of equal (support, length) in candidate order.
class Groups {
 public:
  Groups(std::size_t max_support, std::size_t max_length)
      : max_length_(max_length), column_of_(max_support + 1, 0) {}

  void see(std::uint32_t support) { column_of_[support] = 1; }
  void number() {
    std::uint32_t columns = 0;
    for (std::size_t s = column_of_.size(); s-- > 0;)
      if (column_of_[s] != 0) {
        column_of_[s] = columns++;
        supports_.push_back(static_cast<std::uint32_t>(s));
      }
    counts_.assign(columns * max_length_, 0);
  }
  [[nodiscard]] std::size_t group(std::uint32_t support, std::size_t length) const {
    return column_of_[support] * max_length_ + (max_length_ - length);
  }
  void count(std::uint32_t support, std::size_t length) { ++counts_[group(support, length)]; }

  // Makes room: offsets and supports of all candidates; afterwards next() hands out places.
  void lay_out(Candidates& candidates) {
    const auto sets = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
    candidates.offsets.clear();
    candidates.offsets.reserve(sets + 1);
    candidates.supports.reserve(sets);
    std::uint64_t start = 0;
    for (std::size_t g = 0; g < counts_.size(); ++g) {
      const auto length = max_length_ - g % max_length_;
      const auto first = start;
      for (std::uint64_t i = 0; i < counts_[g]; ++i, start += length) {
        candidates.offsets.push_back(start);
        candidates.supports.push_back(supports_[g / max_length_]);
      }
      counts_[g] = first;
    }
    candidates.offsets.push_back(start);
    candidates.items.resize(start);
  }
  [[nodiscard]] std::uint64_t next(std::uint32_t support, std::size_t length) {
    return std::exchange(counts_[group(support, length)], counts_[group(support, length)] + length);
  }

 private:
  std::size_t max_length_;
  std::vector<std::uint32_t> column_of_;
  std::vector<std::uint32_t> supports_;
  std::vector<std::uint64_t> counts_;
};

// Calls visit(item, length, support) for records [begin, end) of one worker.
template <typename Visit>
void each(const Found& found, std::size_t begin, std::size_t end, Visit&& visit) {
  constexpr auto capacity = Found::Block::capacity;
  while (begin < end) {
    const auto& block = *found.blocks()[begin / capacity];
    const auto stop = std::min(end - (begin - begin % capacity), capacity);
    for (auto i = begin % capacity; i < stop; ++i)
      visit(block.items[i], std::size_t{block.lengths[i]}, block.supports[i]);
    begin += stop - begin % capacity;
  }
}

struct Stretch {
  std::uint32_t task;
  const Found* found;
  std::size_t begin;
  std::size_t end;
};

[[nodiscard]] std::vector<Stretch> by_task(const std::vector<Found>& parts) {
  std::vector<Stretch> stretches;
  for (const auto& part : parts)
    for (std::size_t s = 0; s < part.segments().size(); ++s) {
      const auto last = s + 1 == part.segments().size();
      const auto end = last ? part.size() : part.segments()[s + 1].begin;
      stretches.push_back({part.segments()[s].task, &part, part.segments()[s].begin, end});
    }
  std::ranges::sort(stretches, {}, &Stretch::task);
  return stretches;
}

}  // namespace

Candidates in_candidate_order(std::vector<Found>&& parts) {
  std::uint32_t max_support = 0;
  std::size_t max_length = 1;
  const auto everything = [&](auto&& visit) {
    for (const auto& part : parts) each(part, 0, part.size(), visit);
  };
  everything([&](Rank, std::size_t length, std::uint32_t support) {
    max_support = std::max(max_support, support);
    max_length = std::max(max_length, length);
  });
  Groups groups(max_support, max_length);
  everything([&](Rank, std::size_t, std::uint32_t support) { groups.see(support); });
  groups.number();
  everything(
      [&](Rank, std::size_t length, std::uint32_t support) { groups.count(support, length); });

  Candidates candidates;
  groups.lay_out(candidates);
  std::vector<Rank> path(max_length);
  for (const auto& stretch : by_task(parts))
    each(*stretch.found, stretch.begin, stretch.end,
         [&](Rank item, std::size_t length, std::uint32_t support) {
           path[length - 1] = item;
           std::copy_n(path.begin(), length,
                       candidates.items.begin() +
                           static_cast<std::ptrdiff_t>(groups.next(support, length)));
         });
  return candidates;
}

Candidates in_candidate_order(std::vector<FoundClosed>&& parts) {
  struct Set {
    const Rank* items;
    std::uint32_t length;
    std::uint32_t support;
  };
  std::vector<Set> sets;
  std::size_t items = 0;
  for (const auto& part : parts) {
    items += part.items.size();
    const auto* start = part.items.data();
    for (std::size_t i = 0; i < part.supports.size(); ++i) {
      sets.push_back({start, part.lengths[i], part.supports[i]});
      start += part.lengths[i];
    }
  }
  std::sort(sets.begin(), sets.end(), [](const Set& a, const Set& b) {
    if (a.support != b.support) return a.support > b.support;
    if (a.length != b.length) return a.length > b.length;
    return std::lexicographical_compare(a.items, a.items + a.length, b.items, b.items + b.length);
  });
  Candidates candidates;
  candidates.offsets.reserve(sets.size() + 1);
  candidates.supports.reserve(sets.size());
  candidates.items.reserve(items);
  for (const auto& set : sets) {
    candidates.items.insert(candidates.items.end(), set.items, set.items + set.length);
    candidates.offsets.push_back(candidates.items.size());
    candidates.supports.push_back(set.support);
  }
  return candidates;
}

}  // namespace halfmask

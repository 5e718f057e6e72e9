// From records to candidates: a counting sort by (support, length), then each group by its items.
#include <algorithm>
#include <numeric>
#include <span>

#include "mining/miner_record.hpp"

namespace halfmask {

namespace {

// Calls visit(record) for every record, worker by worker or task by task.
template <typename Visit>
void each(const Found& found, std::size_t begin, std::size_t end, Visit&& visit) {
  while (begin < end) {
    const auto start = begin % block_size;
    const auto stop = std::min(block_size, start + (end - begin));
    const auto* const block = found.block(begin / block_size);
    for (auto i = start; i < stop; ++i) visit(block[i]);
    begin += stop - start;
  }
}

template <typename Visit>
void each_set(const std::vector<std::unique_ptr<Found>>& parts, Visit&& visit) {
  for (const auto& part : parts)
    each(*part, 0, part->size(), [&](const Record& record) {
      if (record.support > 0) visit(record);
    });
}

struct Stretch {
  std::uint32_t task;
  const Found* found;
  std::size_t begin;
  std::size_t end;
};

// The later tasks first: with the walk of all itemsets, which goes from rare to frequent items,
// the sets of a group then come ordered by their last item.
[[nodiscard]] std::vector<Stretch> last_task_first(
    const std::vector<std::unique_ptr<Found>>& parts) {
  std::vector<Stretch> stretches;
  for (const auto& part : parts) {
    const auto& segments = part->segments();
    for (std::size_t s = 0; s < segments.size(); ++s) {
      const auto end = s + 1 == segments.size() ? part->size() : segments[s + 1].begin;
      stretches.push_back({segments[s].task, part.get(), segments[s].begin, end});
    }
  }
  std::ranges::sort(stretches, std::greater{}, &Stretch::task);
  return stretches;
}

// The groups of equal (support, length), in candidate order, and the place of each.
class Groups {
 public:
  explicit Groups(const std::vector<std::unique_ptr<Found>>& parts) {
    std::uint32_t max_support = 0;
    each_set(parts, [&](const Record& record) {
      max_support = std::max(max_support, record.support);
      max_length_ = std::max<std::size_t>(max_length_, record.length);
    });
    column_of_.assign(max_support + std::size_t{1}, 0);
    each_set(parts, [&](const Record& record) { column_of_[record.support] = 1; });
    for (auto s = column_of_.size(); s-- > 0;)
      if (column_of_[s] != 0) {
        column_of_[s] = static_cast<std::uint32_t>(supports_.size());
        supports_.push_back(static_cast<std::uint32_t>(s));
      }
    counts_.assign(supports_.size() * max_length_, 0);
    each_set(parts, [&](const Record& record) { ++counts_[group(record)]; });
  }

  [[nodiscard]] std::size_t max_length() const { return max_length_; }
  [[nodiscard]] std::size_t size() const { return counts_.size(); }
  [[nodiscard]] std::size_t length(std::size_t g) const { return max_length_ - g % max_length_; }
  [[nodiscard]] std::uint64_t count(std::size_t g) const { return counts_[g]; }
  [[nodiscard]] std::size_t group(const Record& record) const {
    return column_of_[record.support] * max_length_ + (max_length_ - record.length);
  }

  // Offsets and supports of all candidates; returns where the items of each group start.
  [[nodiscard]] std::vector<std::uint64_t> lay_out(Candidates& candidates) const {
    const auto sets = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
    candidates.offsets.resize(sets + 1);
    candidates.supports.resize(sets);
    std::vector<std::uint64_t> starts(size());
    std::uint64_t start = 0;
    std::size_t c = 0;
    for (std::size_t g = 0; g < size(); ++g) {
      starts[g] = start;
      for (std::uint64_t i = 0; i < counts_[g]; ++i, ++c, start += length(g)) {
        candidates.offsets[c] = start;
        candidates.supports[c] = supports_[g / max_length_];
      }
    }
    candidates.offsets[c] = start;
    candidates.items.resize(start);
    return starts;
  }

 private:
  std::size_t max_length_ = 1;
  std::vector<std::uint32_t> column_of_;  // by support
  std::vector<std::uint32_t> supports_;   // by column
  std::vector<std::uint64_t> counts_;
};

// Orders the sets of one group, n lists of the same length, lexicographically.
class GroupSort {
 public:
  void operator()(Rank* items, std::size_t n, std::size_t length) {
    if (n < 2) return;
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), 0u);
    if (n < few) {
      std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::lexicographical_compare(items + a * length, items + (a + 1) * length,
                                            items + b * length, items + (b + 1) * length);
      });
    } else {
      for (auto place = length; place-- > 0;) by_item_at(items, n, length, place);
    }
    sorted_.resize(n * length);
    for (std::size_t i = 0; i < n; ++i)
      std::copy_n(items + order_[i] * length, length, sorted_.data() + i * length);
    std::copy(sorted_.begin(), sorted_.end(), items);
  }

 private:
  // Below this many sets comparing is cheaper than a pass over all ranks for each place.
  static constexpr std::size_t few = 128;

  // A stable counting sort by the item at one place.
  void by_item_at(const Rank* items, std::size_t n, std::size_t length, std::size_t place) {
    Rank most = 0;
    for (std::size_t i = 0; i < n; ++i) most = std::max(most, items[i * length + place]);
    starts_.assign(most + std::size_t{2}, 0);
    for (std::size_t i = 0; i < n; ++i) ++starts_[items[i * length + place] + std::size_t{1}];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    next_.resize(n);
    for (const auto set : order_) next_[starts_[items[set * length + place]]++] = set;
    order_.swap(next_);
  }

  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> starts_;
  std::vector<Rank> sorted_;
};

}  // namespace

Candidates in_candidate_order(const std::vector<std::unique_ptr<Found>>& parts) {
  const Groups groups(parts);
  Candidates candidates;
  auto next = groups.lay_out(candidates);
  std::vector<Rank> path(65536);
  for (const auto& stretch : last_task_first(parts))
    each(*stretch.found, stretch.begin, stretch.end, [&](const Record& record) {
      path[record.length - std::size_t{1}] = record.item;
      if (record.support == 0) return;
      auto& place = next[groups.group(record)];
      auto* const set = candidates.items.data() + place;
      std::reverse_copy(path.begin(), path.begin() + record.length, set);
      if (!std::is_sorted(set, set + record.length)) std::sort(set, set + record.length);
      place += record.length;
    });
  GroupSort sort;
  auto* items = candidates.items.data();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    sort(items, groups.count(g), groups.length(g));
    items += groups.count(g) * groups.length(g);
  }
  return candidates;
}

}  // namespace halfmask

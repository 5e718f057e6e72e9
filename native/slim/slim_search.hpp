// SlimSearch: the loop of Slim over its three parts, the cover, the sizes and the pairs.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "krimp/krimp_sizes.hpp"
#include "slim/slim.hpp"
#include "slim/slim_cover.hpp"

namespace halfmask {

template <std::size_t W>
class SlimSearch {
 public:
  SlimSearch(const Rows& rows, const LiveRows& live, const SlimOptions& options);

  [[nodiscard]] SlimResult run(Watch& watch);

  // What pruning asks of a table (prune.hpp).
  [[nodiscard]] Count usage(Element e) const { return cover_.usage(e); }
  [[nodiscard]] bool before(Element a, Element b) const {
    return cover_.length(a) != cover_.length(b) ? cover_.length(a) > cover_.length(b) : a < b;
  }
  [[nodiscard]] std::vector<Element> in_cover_order() const;
  void drop(Element e);
  [[nodiscard]] std::optional<std::vector<Element>> drop_if_it_pays(Element e);

 private:
  using Items = std::vector<Rank>;

  // What one thread needs to weigh a change.
  struct Scales {
    SlimTally tally;
    Items joined;
    std::vector<UsageChange> changes;
    std::uint64_t steps = 0;  // of the last trial
  };

  [[nodiscard]] bool before_by_usage(Element a, Element b) const {
    return usage(a) != usage(b) ? usage(a) > usage(b) : before(a, b);
  }
  [[nodiscard]] bool is_set(Element e) const { return e >= n_items_; }
  // Whether a pair may enter, which never changes; what it took to find out is added to `steps`.
  [[nodiscard]] bool allowed(const Promise& pair, std::uint64_t& steps) const;
  [[nodiscard]] std::optional<double> saving(const Promise& pair, Scales& scales) const;
  [[nodiscard]] std::optional<std::size_t> best_of(const std::vector<Promise>& pairs);
  [[nodiscard]] std::optional<std::size_t> first_that_pays(const std::vector<Promise>& pairs);
  [[nodiscard]] std::vector<Promise> next_pairs(std::size_t wanted);
  void refuse_before(std::size_t seen);
  [[nodiscard]] bool round(Watch& watch);
  [[nodiscard]] std::uint64_t steps() const { return trial_steps_ + pairs_.steps(); }
  [[nodiscard]] SlimTable table() const;
  void accept(const Promise& pair);
  void prune(const std::vector<Count>& old_usages);
  void recount();

  SlimOptions options_;
  SlimCover<W> cover_;
  SlimPairs pairs_;
  std::size_t n_items_;
  std::vector<Items> items_;  // by element
  std::vector<double> standard_bits_;
  std::vector<Count> supports_;
  std::vector<bool> alive_;
  std::vector<Items> forbidden_with_;  // by item
  Sizes sizes_;
  Sums sums_;
  Count size_ = 0;  // all elements of the table
  // Pairs that may not enter and came up beside the last ones asked for, and how many of these came
  // before each.
  std::vector<std::pair<Promise, std::size_t>> refused_;
  Scales scales_;
  std::size_t evaluated_ = 0;
  std::size_t accepted_ = 0;
  std::uint64_t trial_steps_ = 0;
  bool complete_ = true;
};

}  // namespace halfmask

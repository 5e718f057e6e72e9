// SlimPairs: how often two elements are used together, and which pairs promise most.
//
// Representation. Every pair ever used together has one entry, found through a hash of its two
// element numbers and listed with both elements. The few pairs that can be tried (used together
// often enough, with bits of database to save) stand in `active_` with what their own counts
// promise; the rest of a promise depends on (joint usage, usage sum, number of elements) only and
// is looked up. Counts change through apply(); promises follow at the next rank().
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "slim/slim_cover.hpp"

namespace halfmask {

// The table as the estimate sees it.
struct TableView {
  std::span<const Count> usages;
  std::span<const double> standard_bits;
  Count usage_sum = 0;
  Count size = 0;  // all elements, used or not
};

enum class Gain { full, unpaid, authors };

struct Promise {
  double gain = 0.0;
  Element first = 0;  // the one that stands first when elements are ranked by usage
  Element second = 0;
  Count joint = 0;
  std::uint64_t steps = 0;  // that finding it took after the one before
};

class SlimPairs {
 public:
  // Whether an element stands before another in the ranking by usage.
  using Before = std::function<bool(Element, Element)>;

  SlimPairs(Gain gain, Before before);
  // Pairs that fewer rows use together are not handed out; the next rank() follows.
  void ask_joint(Count least);
  void apply(const Recovered& row);
  // Starts a round: promises are those against this table.
  void rank(const TableView& table);
  // The next best pair of the round.
  [[nodiscard]] bool next(Promise& promise);
  // A pair that can never enter is not handed out again.
  void refuse(const Promise& pair);
  // The work done so far, in steps of one word of a bitmap.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  struct Entry {
    Element a;
    Element b;
    Count joint;
    std::uint32_t place;  // in active_, or nowhere
    bool stale;
    bool refused;
  };
  struct Active {
    double own;
    Count joint;
    std::uint32_t lost;  // how many of the two elements would fall out of use
    std::uint32_t entry;
  };

  [[nodiscard]] std::size_t find(Element a, Element b) const;
  void rehash(std::size_t capacity);
  void change(Element a, Element b, Count weight);
  void touch(Element e);
  void mark(std::uint32_t entry);
  void review(std::uint32_t entry);
  void deactivate(Entry& entry);
  void tabulate_shared();
  void refill();
  [[nodiscard]] double promise(const Active& pair) const;
  [[nodiscard]] bool better(const Promise& p, const Promise& q) const;

  Gain gain_;
  Count least_joint_ = 1;
  std::uint64_t steps_ = 0;
  Before before_;

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> index_;  // open addressing; entry number + 1
  std::vector<std::vector<std::uint32_t>> entries_of_;
  std::vector<Active> active_;
  std::vector<std::uint32_t> stale_;
  std::vector<Element> touched_;
  std::vector<std::uint8_t> is_touched_;
  Count reviewed_for_ = 0;  // inactive pairs are hopeless up to this usage sum

  TableView table_;
  std::vector<double> shared_;  // at 3 * joint + lost, for small joint usages
  std::vector<Promise> batch_;  // the best not yet handed out, best last
  std::size_t batch_size_ = 0;
  bool any_handed_out_ = false;
  std::size_t ranked_ = 0;  // active pairs when the round began
  Promise last_;
};

// lg x and x lg x with lg 0 = 0.
[[nodiscard]] double lg(Count x);
[[nodiscard]] double xlg(Count x);

}  // namespace halfmask

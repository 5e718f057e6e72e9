// A solution in whole numbers, changed step by step.
//
// Representation: a number for every unknown, and what every equation is off by; where all are 0
// the numbers solve them. An equation that is off is mended by an unknown that stands in no other,
// or by the one whose change makes the others worse by least; equations that are mended often weigh
// more [breakout; Morris 1993]. Every change is written down, and `undo` takes them back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "arithmetic/bounds.hpp"
#include "arithmetic/settle.hpp"

namespace halfmask {

class Solution {
 public:
  explicit Solution(const Equations& equations);

  [[nodiscard]] std::int64_t at(std::size_t unknown) const { return numbers_[unknown]; }
  void set(std::size_t unknown, std::int64_t value, const Bounds& bounds);

  // Mends all equations within the bounds, in so many steps and until so much work at most.
  [[nodiscard]] bool mend(const Bounds& bounds, std::size_t most_steps, std::int64_t most_work);

  [[nodiscard]] std::size_t mark() const { return changes_.size(); }
  void undo(std::size_t mark, const Bounds& bounds);

  [[nodiscard]] std::int64_t work() const { return work_; }  // terms looked at so far

 private:
  struct Change {
    std::size_t unknown;
    std::int64_t by;
  };

  void ask(std::size_t equation);  // to be mended, where it is off
  void move(std::size_t unknown, std::int64_t by, const Bounds& bounds);
  [[nodiscard]] std::int64_t room(std::size_t term, bool down, const Bounds& bounds) const;
  [[nodiscard]] std::int64_t worse(std::size_t unknown, std::int64_t by, std::size_t but,
                                   const Bounds& bounds);
  void mend_by_its_own(std::size_t equation, const Bounds& bounds);
  [[nodiscard]] bool mend_by_another(std::size_t equation, const Bounds& bounds);

  const Equations& equations_;
  std::vector<std::int64_t> numbers_;
  std::vector<std::int64_t> off_, weights_;  // of each equation
  std::vector<std::size_t> alone_;  // the term of each equation whose unknown stands in no other
  std::vector<std::size_t> last_;   // the step in which each unknown changed last
  std::size_t step_ = 0;
  std::vector<Change> changes_;
  std::vector<char> queued_;
  std::deque<std::size_t> queue_;  // equations that may be off
  std::int64_t work_ = 0;
};

// The first term of each equation whose unknown stands in no other; its end where there is none.
[[nodiscard]] std::vector<std::size_t> own_terms(const Equations& equations);

}  // namespace halfmask

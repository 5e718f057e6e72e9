// Bounds of unknowns that are narrowed by equations, and can be taken back.
//
// Representation: the least and the greatest value of the sum of each equation under the present
// bounds are kept beside them. Every change of a bound is written on a trail; `undo` walks it back.
// Invariant between calls: all equations are as narrow as they get, or `narrow` said no, or the
// work allowed was done: bounds can come nearer by one in each of many rounds. They are true then
// too, but wider than they need be, and not every equation was asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "arithmetic/settle.hpp"

namespace halfmask {

struct Holder {
  std::size_t equation;
  std::int64_t sign;
};

// The equations that each unknown stands in.
class Holders {
 public:
  explicit Holders(const Equations& equations);
  [[nodiscard]] std::span<const Holder> of(std::size_t unknown) const {
    return std::span(held_).subspan(offsets_[unknown], offsets_[unknown + 1] - offsets_[unknown]);
  }

 private:
  std::vector<std::size_t> offsets_;
  std::vector<Holder> held_;
};

class Bounds {
 public:
  explicit Bounds(const Equations& equations);

  [[nodiscard]] std::size_t size() const { return low_.size(); }
  [[nodiscard]] std::int64_t low(std::size_t unknown) const { return low_[unknown]; }
  [[nodiscard]] std::int64_t high(std::size_t unknown) const { return high_[unknown]; }
  // How far apart the least and the greatest value of an equation's sum are.
  [[nodiscard]] std::int64_t room(std::size_t equation) const {
    return greatest_[equation] - least_[equation];
  }
  [[nodiscard]] const Holders& holders() const { return holders_; }
  [[nodiscard]] bool fixed(std::size_t unknown) const { return low_[unknown] == high_[unknown]; }

  // Narrows all equations; false where they contradict each other.
  [[nodiscard]] bool narrow();
  // Narrows one unknown to these bounds, and what follows; false where nothing is left of it.
  [[nodiscard]] bool narrow(std::size_t unknown, std::int64_t low, std::int64_t high);

  [[nodiscard]] std::size_t mark() const { return trail_.size(); }
  void undo(std::size_t mark);
  // The unknowns that were narrowed since, some more than once.
  [[nodiscard]] std::vector<std::size_t> changed(std::size_t mark) const {
    std::vector<std::size_t> found;
    for (auto n = mark; n < trail_.size(); ++n) found.push_back(trail_[n].unknown);
    return found;
  }

  [[nodiscard]] std::int64_t work() const { return work_; }  // terms looked at so far
  // From now on so many terms more.
  void allow(std::int64_t work) { most_work_ = work_ + work; }
  // Whether every unknown is fixed, to a solution.
  [[nodiscard]] bool solved() const;

 private:
  struct Change {
    std::size_t unknown;
    std::int64_t low, high;  // before
  };

  [[nodiscard]] bool change(std::size_t unknown, std::int64_t low, std::int64_t high);
  void move(std::size_t unknown, std::int64_t low, std::int64_t high);
  [[nodiscard]] bool narrow_equation(std::size_t equation);
  [[nodiscard]] bool empty_queue();
  void drop_queue(std::size_t from);

  const Equations& equations_;
  Holders holders_;
  std::vector<std::int64_t> low_, high_;
  std::vector<std::int64_t> least_, greatest_;  // of the sum of each equation
  std::vector<std::int64_t> widest_;            // at most how far apart bounds in it lie
  std::vector<Change> trail_;
  std::vector<std::size_t> queue_;
  std::vector<char> queued_;
  std::int64_t work_ = 0;
  std::int64_t most_work_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace halfmask

// An estimate of every unknown: numbers within the bounds that solve all equations, nearly.
//
// What an equation is off by is given to an unknown that stands in no other, and what is left to
// all in proportion to the room that their bounds leave them, equation after equation, until all
// hold. Such numbers lie well within the bounds; rounded, they are near a solution in whole
// numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "arithmetic/bounds.hpp"
#include "arithmetic/settle.hpp"

namespace halfmask {

class Estimate {
 public:
  explicit Estimate(const Equations& equations);

  // Fits the numbers to these bounds, from the middle of each; begins no sweep beyond so much work.
  void fit(const Bounds& bounds, std::int64_t most_work);

  [[nodiscard]] double at(std::size_t unknown) const { return numbers_[unknown]; }
  [[nodiscard]] std::int64_t work() const { return work_; }  // terms looked at so far

 private:
  // What an equation was off by beyond the room of its own unknown; its unknowns changed.
  [[nodiscard]] double share(std::size_t equation, const Bounds& bounds);
  [[nodiscard]] double sum(std::size_t equation) const;
  void move(std::size_t unknown, double by, const Bounds& bounds);

  const Equations& equations_;
  std::vector<double> numbers_;
  std::vector<double> off_;         // of each equation
  std::vector<std::size_t> alone_;  // the term of each equation whose unknown stands in no other
  std::int64_t work_ = 0;
};

}  // namespace halfmask

#include "arithmetic/solution.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace halfmask {

std::vector<std::size_t> own_terms(const Equations& equations) {
  std::vector<int> times(equations.size());
  for (const auto n : equations.unknowns) ++times[static_cast<std::size_t>(n)];
  std::vector<std::size_t> found;
  for (std::size_t e = 0; e < equations.count(); ++e) {
    auto t = static_cast<std::size_t>(equations.offsets[e]);
    const auto end = static_cast<std::size_t>(equations.offsets[e + 1]);
    while (t < end && times[static_cast<std::size_t>(equations.unknowns[t])] > 1) ++t;
    found.push_back(t);
  }
  return found;
}

Solution::Solution(const Equations& equations)
    : equations_(equations),
      numbers_(equations.size()),
      off_(equations.count()),
      weights_(equations.count(), 1),
      alone_(own_terms(equations)),
      last_(equations.size()),
      queued_(equations.count()) {}

void Solution::set(std::size_t unknown, std::int64_t value, const Bounds& bounds) {
  if (value != numbers_[unknown]) move(unknown, value - numbers_[unknown], bounds);
}

void Solution::undo(std::size_t mark, const Bounds& bounds) {
  while (changes_.size() > mark) {
    const auto [unknown, by] = changes_.back();
    move(unknown, -by, bounds);
    changes_.resize(changes_.size() - 2);
  }
  for (const auto equation : queue_) queued_[equation] = 0;
  queue_.clear();
}

void Solution::move(std::size_t unknown, std::int64_t by, const Bounds& bounds) {
  numbers_[unknown] += by;
  changes_.push_back({unknown, by});
  last_[unknown] = step_;
  const auto held = bounds.holders().of(unknown);
  for (const auto& [equation, sign] : held) {
    off_[equation] += sign * by;
    ask(equation);
  }
  work_ += std::ssize(held);
}

void Solution::ask(std::size_t equation) {
  if (off_[equation] == 0 || queued_[equation]) return;
  queue_.push_back(equation);
  queued_[equation] = 1;
}

bool Solution::mend(const Bounds& bounds, std::size_t most_steps, std::int64_t most_work) {
  for (const auto last = step_ + most_steps; !queue_.empty();) {
    const auto equation = queue_.front();
    queue_.pop_front();
    queued_[equation] = 0;
    mend_by_its_own(equation, bounds);
    if (off_[equation] == 0) continue;
    if (++step_ > last || work_ > most_work || !mend_by_another(equation, bounds)) return false;
    ++weights_[equation];
    ask(equation);
  }
  return true;
}

std::int64_t Solution::room(std::size_t term, bool down, const Bounds& bounds) const {
  const auto n = static_cast<std::size_t>(equations_.unknowns[term]);
  return down == (equations_.signs[term] > 0) ? numbers_[n] - bounds.low(n)
                                              : bounds.high(n) - numbers_[n];
}

void Solution::mend_by_its_own(std::size_t equation, const Bounds& bounds) {
  const auto term = alone_[equation];
  if (off_[equation] == 0 || term == static_cast<std::size_t>(equations_.offsets[equation + 1]))
    return;
  const auto down = off_[equation] > 0;
  const auto by = std::min(std::abs(off_[equation]), room(term, down, bounds));
  if (by == 0) return;
  const auto sign = equations_.signs[term] * (down ? -1 : 1);
  move(static_cast<std::size_t>(equations_.unknowns[term]), sign * by, bounds);
}

// How much further off the other equations of an unknown would be, beyond what mends itself.
std::int64_t Solution::worse(std::size_t unknown, std::int64_t by, std::size_t but,
                             const Bounds& bounds) {
  std::int64_t sum = 0;
  const auto held = bounds.holders().of(unknown);
  for (const auto& [equation, sign] : held) {
    if (equation == but) continue;
    const auto beyond = [&](std::int64_t off) {
      const auto term = alone_[equation];
      if (off == 0) return off;
      if (term == static_cast<std::size_t>(equations_.offsets[equation + 1])) return std::abs(off);
      return std::max<std::int64_t>(0, std::abs(off) - room(term, off > 0, bounds));
    };
    sum += weights_[equation] * (beyond(off_[equation] + sign * by) - beyond(off_[equation]));
  }
  work_ += std::ssize(held);
  return sum;
}

bool Solution::mend_by_another(std::size_t equation, const Bounds& bounds) {
  const auto down = off_[equation] > 0;
  const auto end = static_cast<std::size_t>(equations_.offsets[equation + 1]);
  auto least = std::numeric_limits<double>::infinity();
  auto oldest = std::numeric_limits<std::size_t>::max(), best = end;
  std::int64_t change = 0;
  for (auto t = static_cast<std::size_t>(equations_.offsets[equation]); t < end; ++t) {
    const auto by = std::min(std::abs(off_[equation]), room(t, down, bounds));
    if (by == 0) continue;
    const auto n = static_cast<std::size_t>(equations_.unknowns[t]);
    const auto signed_by = equations_.signs[t] * (down ? -by : by);
    const auto price =
        static_cast<double>(worse(n, signed_by, equation, bounds)) / static_cast<double>(by);
    if (price > least || (price == least && last_[n] >= oldest)) continue;
    least = price;
    oldest = last_[n];
    best = t;
    change = signed_by;
  }
  if (best == end) return false;
  move(static_cast<std::size_t>(equations_.unknowns[best]), change, bounds);
  return true;
}

}  // namespace halfmask

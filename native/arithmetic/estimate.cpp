#include "arithmetic/estimate.hpp"

#include <algorithm>
#include <cmath>

#include "arithmetic/solution.hpp"

namespace halfmask {

namespace {

constexpr int most_sweeps = 150;
constexpr double near_enough = 0.4;
constexpr double eagerness = 1.5;  // all that is off and half more: it comes back from elsewhere

}  // namespace

Estimate::Estimate(const Equations& equations)
    : equations_(equations),
      numbers_(equations.size()),
      off_(equations.count()),
      alone_(own_terms(equations)) {}

void Estimate::fit(const Bounds& bounds, std::int64_t most_work) {
  for (std::size_t n = 0; n < numbers_.size(); ++n)
    numbers_[n] = static_cast<double>(bounds.low(n) + bounds.high(n)) / 2;
  for (std::size_t e = 0; e < equations_.count(); ++e) off_[e] = sum(e);
  auto worst = 1.0;
  for (int sweep = 0; sweep < most_sweeps && worst > near_enough && work_ < most_work; ++sweep) {
    worst = 0;
    for (std::size_t e = 0; e < equations_.count(); ++e)
      if (std::abs(off_[e]) > near_enough / 2) worst = std::max(worst, share(e, bounds));
    work_ += static_cast<std::int64_t>(equations_.count()) / 4;
  }
}

double Estimate::sum(std::size_t equation) const {
  auto found = 0.0;
  const auto end = static_cast<std::size_t>(equations_.offsets[equation + 1]);
  for (auto t = static_cast<std::size_t>(equations_.offsets[equation]); t < end; ++t)
    found += static_cast<double>(equations_.signs[t]) *
             numbers_[static_cast<std::size_t>(equations_.unknowns[t])];
  return found;
}

double Estimate::share(std::size_t equation, const Bounds& bounds) {
  const auto off = off_[equation];
  const auto begin = static_cast<std::size_t>(equations_.offsets[equation]);
  const auto end = static_cast<std::size_t>(equations_.offsets[equation + 1]);
  const auto room = [&](std::size_t t) {
    const auto n = static_cast<std::size_t>(equations_.unknowns[t]);
    const auto down = (off > 0) == (equations_.signs[t] > 0);
    return down ? numbers_[n] - static_cast<double>(bounds.low(n))
                : static_cast<double>(bounds.high(n)) - numbers_[n];
  };
  const auto give = [&](std::size_t t, double part) {
    move(static_cast<std::size_t>(equations_.unknowns[t]),
         static_cast<double>(equations_.signs[t]) * part * (off > 0 ? -1.0 : 1.0), bounds);
  };
  auto left = std::abs(off);
  if (const auto alone = alone_[equation]; alone < end) {
    const auto part = std::min(left, room(alone));
    give(alone, part);
    left -= part;
  }
  if (left <= 1e-9) return 0;
  auto rooms = 0.0;
  for (auto t = begin; t < end; ++t) rooms += room(t);
  work_ += static_cast<std::int64_t>(end - begin);
  if (rooms <= 0) return left;
  const auto part = std::min(1.0, eagerness * left / rooms);
  for (auto t = begin; t < end; ++t)
    if (room(t) > 0) give(t, part * room(t));
  return left;
}

void Estimate::move(std::size_t unknown, double by, const Bounds& bounds) {
  numbers_[unknown] += by;
  const auto held = bounds.holders().of(unknown);
  for (const auto& [equation, sign] : held) off_[equation] += static_cast<double>(sign) * by;
  work_ += std::ssize(held);
}

}  // namespace halfmask

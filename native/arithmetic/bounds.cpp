#include "arithmetic/bounds.hpp"

#include <algorithm>
#include <numeric>

namespace halfmask {

Holders::Holders(const Equations& equations)
    : offsets_(equations.size() + 1), held_(equations.unknowns.size()) {
  for (const auto unknown : equations.unknowns) ++offsets_[static_cast<std::size_t>(unknown) + 1];
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  auto places = offsets_;
  for (std::size_t e = 0; e < equations.count(); ++e)
    for (auto t = static_cast<std::size_t>(equations.offsets[e]);
         t < static_cast<std::size_t>(equations.offsets[e + 1]); ++t)
      held_[places[static_cast<std::size_t>(equations.unknowns[t])]++] = {e, equations.signs[t]};
}

Bounds::Bounds(const Equations& equations)
    : equations_(equations),
      holders_(equations),
      low_(equations.low.begin(), equations.low.end()),
      high_(equations.high.begin(), equations.high.end()),
      least_(equations.count()),
      greatest_(equations.count()),
      widest_(equations.count()),
      queued_(equations.count()) {
  for (std::size_t n = 0; n < size(); ++n)
    for (const auto& [e, sign] : holders_.of(n)) {
      least_[e] += sign > 0 ? low_[n] : -high_[n];
      greatest_[e] += sign > 0 ? high_[n] : -low_[n];
      widest_[e] = std::max(widest_[e], high_[n] - low_[n]);
    }
}

bool Bounds::narrow() {
  for (std::size_t n = 0; n < size(); ++n)
    if (low_[n] > high_[n]) return false;
  for (std::size_t e = 0; e < equations_.count(); ++e) {
    queue_.push_back(e);
    queued_[e] = 1;
  }
  return empty_queue();
}

bool Bounds::narrow(std::size_t unknown, std::int64_t low, std::int64_t high) {
  return change(unknown, std::max(low, low_[unknown]), std::min(high, high_[unknown])) &&
         empty_queue();
}

void Bounds::undo(std::size_t mark) {
  for (; trail_.size() > mark; trail_.pop_back())
    move(trail_.back().unknown, trail_.back().low, trail_.back().high);
}

bool Bounds::solved() const {
  for (std::size_t e = 0; e < equations_.count(); ++e)
    if (least_[e] != 0 || greatest_[e] != 0) return false;
  return low_ == high_;
}

bool Bounds::change(std::size_t unknown, std::int64_t low, std::int64_t high) {
  if (low > high) return false;
  if (low == low_[unknown] && high == high_[unknown]) return true;
  trail_.push_back({unknown, low_[unknown], high_[unknown]});
  move(unknown, low, high);
  for (const auto& [e, sign] : holders_.of(unknown)) {
    // An equation with room for the widest of its unknowns on both sides narrows none.
    if (queued_[e] || (-least_[e] >= widest_[e] && greatest_[e] >= widest_[e])) continue;
    queue_.push_back(e);
    queued_[e] = 1;
  }
  return true;
}

// The sums of its equations follow.
void Bounds::move(std::size_t unknown, std::int64_t low, std::int64_t high) {
  const auto up = low - low_[unknown], down = high - high_[unknown];
  const auto held = holders_.of(unknown);
  for (const auto& [e, sign] : held) {
    least_[e] += sign > 0 ? up : -down;
    greatest_[e] += sign > 0 ? down : -up;
  }
  work_ += std::ssize(held);
  low_[unknown] = low;
  high_[unknown] = high;
}

// What the others of an equation can be bounds each of its unknowns.
bool Bounds::narrow_equation(std::size_t equation) {
  for (auto t = equations_.offsets[equation]; t < equations_.offsets[equation + 1]; ++t) {
    if (least_[equation] > 0 || greatest_[equation] < 0) return false;
    const auto unknown = static_cast<std::size_t>(equations_.unknowns[static_cast<std::size_t>(t)]);
    const auto low = low_[unknown], high = high_[unknown];
    const auto below = -least_[equation], above = greatest_[equation];
    if (high - low <= below && high - low <= above) continue;
    const auto fits =
        equations_.signs[static_cast<std::size_t>(t)] > 0
            ? change(unknown, std::max(low, high - above), std::min(high, low + below))
            : change(unknown, std::max(low, high - below), std::min(high, low + above));
    if (!fits) return false;
  }
  work_ += equations_.offsets[equation + 1] - equations_.offsets[equation];
  return least_[equation] <= 0 && greatest_[equation] >= 0;
}

bool Bounds::empty_queue() {
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    if (work_ > most_work_) {
      drop_queue(next);
      return true;
    }
    const auto equation = queue_[next];
    queued_[equation] = 0;
    if (narrow_equation(equation)) continue;
    drop_queue(next);
    return false;
  }
  queue_.clear();
  return true;
}

void Bounds::drop_queue(std::size_t from) {
  for (; from < queue_.size(); ++from) queued_[queue_[from]] = 0;
  queue_.clear();
}

}  // namespace halfmask

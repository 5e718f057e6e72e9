#include "arithmetic/settle.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "arithmetic/bounds.hpp"
#include "arithmetic/estimate.hpp"
#include "arithmetic/solution.hpp"

namespace halfmask {

namespace {

constexpr std::int64_t most_sum = std::int64_t{1} << 60;
constexpr std::size_t first_steps = 20'000;                // of mending an estimate
constexpr std::size_t more_steps[] = {100, 1'000, 5'000};  // of mending a solution that is changed
constexpr std::int64_t most_fails = 5'000;                 // dead ends of one search
constexpr std::int64_t first_share = 2;                    // of all work: half of it narrows first
constexpr std::int64_t least_share = 50;                   // what any aim may take

enum class Answer { found, none, given_up };

class Settlement {
 public:
  Settlement(const Equations& equations, const Groups& groups, std::int64_t most_work)
      : equations_(equations),
        groups_(groups),
        bounds_(equations),
        solution_(equations),
        most_work_(most_work),
        fates_(groups.size()) {}

  [[nodiscard]] std::vector<std::int8_t> fates() {
    bounds_.allow(most_work_ / first_share);
    const auto possible = bounds_.narrow();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const auto none = possible && bounds_.low(at(g)) == 0;
      const auto enough = possible && bounds_.high(at(g)) >= groups_.floors[g];
      const auto surely = bounds_.high(at(g)) == 0 || bounds_.low(at(g)) >= groups_.floors[g];
      set(g, !none && !enough ? Fate::pinned : surely ? Fate::cleared : Fate::open);
      if (is(g, Fate::open)) left_.push_back(g);
    }
    start_ = bounds_.mark();
    if (left_.empty()) return std::move(fates_);
    if (begin())
      for (const auto steps : more_steps) walk(steps);
    for (const auto g : left_)
      if (is(g, Fate::open)) set(g, settled(g));
    return std::move(fates_);
  }

 private:
  [[nodiscard]] std::size_t at(std::size_t group) const {
    return static_cast<std::size_t>(groups_.unknowns[group]);
  }
  [[nodiscard]] bool is(std::size_t group, Fate fate) const {
    return fates_[group] == static_cast<std::int8_t>(fate);
  }
  void set(std::size_t group, Fate fate) { fates_[group] = static_cast<std::int8_t>(fate); }

  [[nodiscard]] std::int64_t work() const { return bounds_.work() + solution_.work() + more_work_; }
  // No solution is looked for any more.
  [[nodiscard]] bool tired() const { return work() > most_work_; }
  // Nor is it asked any more what follows from aiming: that took a quarter as much.
  [[nodiscard]] bool spent() const { return work() - most_work_ > most_work_ / 4; }
  void allow() { bounds_.allow(std::max(most_work_ - work(), most_work_ / least_share)); }

  [[nodiscard]] bool clear(std::size_t group, std::int64_t value) const {
    return value == 0 || value >= groups_.floors[group];
  }

  // Towards none of a group, or towards enough; false where that contradicts what is set.
  [[nodiscard]] bool aim(std::size_t group, bool none) {
    const auto unknown = at(group);
    allow();
    return bounds_.narrow(unknown, none ? 0 : groups_.floors[group],
                          none ? 0 : bounds_.high(unknown));
  }

  // A solution near the middle of all bounds.
  [[nodiscard]] bool begin() {
    Estimate estimate(equations_);
    estimate.fit(bounds_, most_work_);
    more_work_ = estimate.work();
    for (std::size_t n = 0; n < bounds_.size(); ++n)
      solution_.set(
          n,
          std::clamp<std::int64_t>(std::llround(estimate.at(n)), bounds_.low(n), bounds_.high(n)),
          bounds_);
    return solution_.mend(bounds_, first_steps, most_work_);
  }

  // From solution to solution: each differs from the last by as little as gives one more group none
  // or enough.
  void walk(std::size_t steps) {
    for (const auto group : left_) {
      if (!is(group, Fate::open)) continue;
      if (clear(group, solution_.at(at(group)))) set(group, Fate::cleared);
      if (tired()) return;
      for (const auto none : {true, false}) {
        if (!is(group, Fate::open)) break;
        const auto before = solution_.mark();
        if (aim(group, none)) {
          for (const auto n : bounds_.changed(start_))
            solution_.set(n, std::clamp(solution_.at(n), bounds_.low(n), bounds_.high(n)), bounds_);
          if (solution_.mend(bounds_, steps, most_work_)) set(group, Fate::cleared);
        }
        if (is(group, Fate::open)) solution_.undo(before, bounds_);
        bounds_.undo(start_);
      }
    }
  }

  [[nodiscard]] Fate settled(std::size_t group) {
    auto possible = false;
    for (const auto none : {true, false}) {
      if (spent()) return Fate::open;
      const auto answer = aim(group, none) ? complete(most_fails) : Answer::none;
      bounds_.undo(start_);
      if (answer == Answer::found) return Fate::cleared;
      possible = possible || answer == Answer::given_up;
    }
    return possible ? Fate::open : Fate::pinned;
  }

  // A solution within the present bounds, if there is one and it is found; near the last one.
  [[nodiscard]] Answer complete(std::int64_t fails) {
    decisions_.clear();
    for (std::size_t unknown = 0; unknown < bounds_.size();) {
      if (bounds_.fixed(unknown)) {
        ++unknown;
        continue;
      }
      if (tired()) return Answer::given_up;
      allow();
      const auto value =
          std::clamp(solution_.at(unknown), bounds_.low(unknown), bounds_.high(unknown));
      decisions_.push_back({unknown, bounds_.mark(), value, 0});
      if (bounds_.narrow(unknown, value, value)) continue;
      if (const auto answer = decide_again(fails); answer != Answer::found) return answer;
      unknown = decisions_.back().unknown;
    }
    return bounds_.solved() ? Answer::found : Answer::given_up;
  }

  // Takes the last decision back that leaves something else to try, and tries that.
  [[nodiscard]] Answer decide_again(std::int64_t& fails) {
    for (; !decisions_.empty(); decisions_.pop_back()) {
      auto& last = decisions_.back();
      while (last.tried < 2) {
        if (--fails < 0) return Answer::given_up;
        bounds_.undo(last.mark);
        const auto below = last.tried++ == 0;
        if (bounds_.narrow(last.unknown, below ? bounds_.low(last.unknown) : last.value + 1,
                           below ? last.value - 1 : bounds_.high(last.unknown)))
          return Answer::found;
      }
      bounds_.undo(last.mark);
    }
    return Answer::none;
  }

  struct Decision {
    std::size_t unknown, mark;
    std::int64_t value;
    int tried;  // beyond the value itself what lies below and what lies above it
  };

  const Equations& equations_;
  const Groups& groups_;
  Bounds bounds_;
  Solution solution_;
  std::int64_t most_work_, more_work_ = 0;
  std::size_t start_ = 0;  // the mark of bounds that nothing but the equations narrowed
  std::vector<std::int8_t> fates_;
  std::vector<std::size_t> left_;  // groups that are open
  std::vector<Decision> decisions_;
};

}  // namespace

std::optional<std::string> Equations::validate() const {
  if (high.size() != low.size()) return "every unknown has two bounds";
  if (offsets.empty() || offsets.front() != 0 || !std::ranges::is_sorted(offsets) ||
      offsets.back() != std::ssize(unknowns))
    return "offsets must rise from 0 to the number of terms";
  if (signs.size() != unknowns.size()) return "every term has a sign";
  for (std::size_t n = 0; n < size(); ++n)
    if (low[n] < 0 || low[n] > most_sum || high[n] < 0 || high[n] > most_sum)
      return "bounds lie between 0 and 2^60";
  std::vector<std::size_t> stood_in(size(), count());  // the last equation of each unknown
  for (std::size_t e = 0; e < count(); ++e) {
    auto sum = 0.0;
    for (auto t = static_cast<std::size_t>(offsets[e]);
         t < static_cast<std::size_t>(offsets[e + 1]); ++t) {
      if (unknowns[t] < 0 || unknowns[t] >= std::ssize(low)) return "a term has no such unknown";
      if (signs[t] != 1 && signs[t] != -1) return "a sign is 1 or -1";
      const auto n = static_cast<std::size_t>(unknowns[t]);
      if (std::exchange(stood_in[n], e) == e) return "an equation names an unknown once";
      sum += static_cast<double>(std::max(low[n], high[n]));
    }
    if (sum > static_cast<double>(most_sum)) return "an equation adds up to more than 2^60";
  }
  return std::nullopt;
}

std::optional<std::string> Groups::validate(std::size_t n_unknowns) const {
  if (floors.size() != unknowns.size()) return "every group has a floor";
  for (const auto unknown : unknowns)
    if (unknown < 0 || unknown >= static_cast<std::int64_t>(n_unknowns))
      return "a group has no such unknown";
  for (const auto floor : floors)
    if (floor < 1) return "a floor is at least 1";
  return std::nullopt;
}

std::vector<std::int8_t> settle(const Equations& equations, const Groups& groups,
                                std::int64_t most_work) {
  return Settlement(equations, groups, most_work).fates();
}

}  // namespace halfmask

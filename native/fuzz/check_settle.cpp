#include <algorithm>

#include "arithmetic/settle.hpp"
#include "fuzz/checks.hpp"

namespace halfmask::fuzz {

namespace {

struct Sums {
  std::vector<std::int64_t> low, high, offsets{0}, unknowns, signs, groups, floors;

  [[nodiscard]] Equations equations() const { return {low, high, offsets, unknowns, signs}; }
  [[nodiscard]] Groups all() const { return {groups, floors}; }

  [[nodiscard]] bool solved_by(const std::vector<std::int64_t>& numbers) const {
    for (std::size_t e = 0; e + 1 < offsets.size(); ++e) {
      std::int64_t sum = 0;
      for (auto t = static_cast<std::size_t>(offsets[e]);
           t < static_cast<std::size_t>(offsets[e + 1]); ++t)
        sum += signs[t] * numbers[static_cast<std::size_t>(unknowns[t])];
      if (sum != 0) return false;
    }
    return true;
  }
};

Sums random_sums(Dice& dice) {
  Sums found;
  const auto size = dice.between(1, 5);
  for (std::int64_t n = 0; n < size; ++n) {
    found.low.push_back(dice.between(0, 4));
    found.high.push_back(found.low.back() + dice.between(0, 3));
    found.groups.push_back(n);
    found.floors.push_back(dice.between(1, 6));
  }
  for (auto e = dice.between(0, 3); e > 0; --e) {
    for (std::int64_t n = 0; n < size; ++n) {  // each unknown once at most
      if (dice.between(0, 1) == 0) continue;
      found.unknowns.push_back(n);
      found.signs.push_back(dice.between(0, 1) == 0 ? 1 : -1);
    }
    found.offsets.push_back(std::ssize(found.unknowns));
  }
  return found;
}

// By looking at all numbers within the bounds.
std::vector<std::int8_t> looked_at(const Sums& sums) {
  std::vector<std::int8_t> fates(sums.groups.size(), static_cast<std::int8_t>(Fate::pinned));
  for (auto numbers = sums.low;;) {
    if (sums.solved_by(numbers))
      for (std::size_t g = 0; g < fates.size(); ++g)
        if (numbers[g] == 0 || numbers[g] >= sums.floors[g])
          fates[g] = static_cast<std::int8_t>(Fate::cleared);
    std::size_t n = 0;
    for (; n < numbers.size() && numbers[n] == sums.high[n]; ++n) numbers[n] = sums.low[n];
    if (n == numbers.size()) return fates;
    ++numbers[n];
  }
}

}  // namespace

void check_settle(Dice& dice) {
  const auto sums = random_sums(dice);
  require(!sums.equations().validate() && !sums.all().validate(sums.low.size()),
          "the driver made sums that are not sound");
  require(settle(sums.equations(), sums.all(), 100'000'000) == looked_at(sums),
          "settle: not what all solutions say");
}

}  // namespace halfmask::fuzz

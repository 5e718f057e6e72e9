#include "krimp/krimp_sizes.hpp"

#include <algorithm>
#include <map>

namespace halfmask {

namespace {

// Above this, rounding cannot turn the sign: single terms stay below some 1e9 bits.
constexpr double doubtful = 1e-6;

using Powers = std::map<Count, Count>;  // {b: p} means the sum of p lg b

// Logarithms of primes are independent over the rationals, so a sum is 0 only if all powers are.
Powers factored(const Powers& powers) {
  Powers primes;
  for (const auto& [number, power] : powers) {
    if (power == 0) continue;
    auto base = number;
    for (Count p = 2; p * p <= base; ++p)
      for (; base % p == 0; base /= p) primes[p] += power;
    if (base > 1) primes[base] += power;
  }
  return primes;
}

}  // namespace

Sizes::Sizes(std::vector<Count> item_counts, Count cells)
    : counts_(std::move(item_counts)), standard_(counts_.size(), 0.0), cells_(cells) {
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i] > 0)
      standard_[i] =
          std::log2(static_cast<double>(cells)) - std::log2(static_cast<double>(counts_[i]));
  constexpr Count table_size = Count{1} << 20;
  priced_.resize(static_cast<std::size_t>(std::min(cells, table_size)) + 1);
  for (std::size_t u = 0; u < priced_.size(); ++u) priced_[u] = compute(static_cast<Count>(u));
}

double Sizes::standard(std::span<const Rank> items) const {
  double bits = 0;
  for (const auto item : items) bits += standard_[item];
  return bits;
}

Sums Sizes::after(const Sums& sums, std::span<const UsageChange> changes) {
  Sums result = sums;
  for (const auto& c : changes) {
    result.usage += c.after - c.before;
    result.used += (c.after > 0) - (c.before > 0);
  }
  return result;
}

// (S + k) lg S, from the looked-up (S + 1) lg S.
double Sizes::codes(const Sums& sums) const {
  return priced(sums.usage) *
         (static_cast<double>(sums.usage + sums.used) / static_cast<double>(sums.usage + 1));
}

double Sizes::difference(const Sums& sums, std::span<const UsageChange> changes) const {
  double bits = 0;
  for (const auto& c : changes) {
    bits += priced(c.before) - priced(c.after);
    bits += c.standard * ((c.after > 0) - (c.before > 0));
  }
  return bits + codes(after(sums, changes)) - codes(sums);
}

int Sizes::compare(const Sums& sums, std::span<const UsageChange> changes) const {
  const double change = difference(sums, changes);
  if (std::abs(change) > doubtful) return change < 0 ? -1 : 1;
  return exact_sign(sums, changes);
}

int Sizes::exact_sign(const Sums& sums, std::span<const UsageChange> changes) const {
  const auto next = after(sums, changes);
  Powers powers;
  powers[next.usage] += next.usage + next.used;
  powers[sums.usage] -= sums.usage + sums.used;
  for (const auto& c : changes) {
    if (c.before > 0) powers[c.before] += c.before + 1;
    if (c.after > 0) powers[c.after] -= c.after + 1;
    const int turn = (c.after > 0) - (c.before > 0);
    powers[cells_] += turn * static_cast<Count>(c.items.size());
    for (const auto item : c.items) powers[counts_[item]] -= turn;
  }
  long double difference = 0;
  bool tie = true;
  for (const auto& [prime, power] : factored(powers)) {
    tie = tie && power == 0;
    difference += static_cast<long double>(power) * std::log2(static_cast<long double>(prime));
  }
  return tie ? 0 : difference < 0 ? -1 : 1;
}

}  // namespace halfmask

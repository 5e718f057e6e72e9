#include "krimp_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace halfmask {

namespace {

// Below this the order of additions could decide; the largest terms are around 1e8 bits.
constexpr double doubtful = 1e-6;

using Powers = std::map<Count, Count>;  // {b: p} means the sum of p lg b

// Logarithms of primes are independent over the rationals: equal sums have equal prime powers.
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

Logs::Logs(Count largest) {
  constexpr Count table_size = Count{1} << 20;
  priced_.resize(static_cast<std::size_t>(std::min(largest, table_size)) + 1);
  for (std::size_t u = 0; u < priced_.size(); ++u) priced_[u] = compute(static_cast<Count>(u));
}

double Logs::lg(Count u) { return std::log2(static_cast<double>(u)); }

double Logs::compute(Count u) { return u == 0 ? 0.0 : static_cast<double>(u + 1) * lg(u); }

Sizes::Sizes(std::vector<Count> item_counts, Count cells)
    : logs_(cells), counts_(std::move(item_counts)), standard_(counts_.size(), 0.0), cells_(cells) {
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i] > 0) standard_[i] = Logs::lg(cells) - Logs::lg(counts_[i]);
}

Sums Sizes::after(const Sums& sums, std::span<const UsageChange> changes) const {
  Sums result = sums;
  for (const auto& c : changes) {
    result.usage += c.after - c.before;
    result.used += (c.after > 0) - (c.before > 0);
  }
  return result;
}

double Sizes::difference(const Sums& sums, std::span<const UsageChange> changes) const {
  const auto next = after(sums, changes);
  double difference = 0;
  for (const auto& c : changes) {
    difference += logs_.priced(c.before) - logs_.priced(c.after);
    const int turn = (c.after > 0) - (c.before > 0);
    if (turn != 0)
      for (const auto item : c.items) difference += turn * standard_[item];
  }
  const auto codes = [](const Sums& s) {
    return s.usage == 0 ? 0.0 : static_cast<double>(s.usage + s.used) * Logs::lg(s.usage);
  };
  return difference + codes(next) - codes(sums);
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

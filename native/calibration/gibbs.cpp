#include "calibration/gibbs.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/random.hpp"

namespace halfmask {

namespace {

constexpr float kImpossible = -1e30F;  // of the places that only pad a run

using Vector = float __attribute__((vector_size(16)));
using Bits = std::int32_t __attribute__((vector_size(16)));

[[nodiscard]] Vector load(const float* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
void store(float* to, Vector v) { std::memcpy(to, &v, sizeof v); }

// exp to six digits: 2^whole by its exponent bits, 2^rest by a polynomial.
[[nodiscard]] Vector exp_of(Vector x) {
  constexpr float shift = 12582912.0F;  // 1.5 * 2^23: adding it rounds to whole numbers
  const Vector floor = Vector{} - 87.0F;
  x = x > floor ? x : floor;
  x = x * 1.44269504F;
  const Vector whole = x + shift;
  const Vector rest = x - (whole - shift);
  const Vector two_to_rest =
      1.0F + rest * (0.69314718F +
                     rest * (0.24022651F +
                             rest * (0.05550411F + rest * (0.00961813F + rest * 0.00133336F))));
  return std::bit_cast<Vector>(std::bit_cast<Bits>(two_to_rest) +
                               ((std::bit_cast<Bits>(whole) - 0x4B400000) << 23));
}

// Draws a place of a run of logarithms of weights, whose length is a whole number of vectors.
[[nodiscard]] std::size_t pick(float* logs, std::size_t length, std::uint32_t random) {
  Vector top = load(logs);
  for (std::size_t i = 4; i < length; i += 4) {
    const Vector v = load(logs + i);
    top = v > top ? v : top;
  }
  const float largest = std::max(std::max(top[0], top[1]), std::max(top[2], top[3]));
  Vector sums{};
  for (std::size_t i = 0; i < length; i += 4) {
    const Vector w = exp_of(load(logs + i) - largest);
    store(logs + i, w);
    sums += w;
  }
  const float total = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  float left = total * (static_cast<float>(random >> 8) * 0x1p-24F);
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < length; ++i) {
    if (logs[i] < 1e-30F) continue;  // impossible, or as good as that
    chosen = i;
    left -= logs[i];
    if (left < 0) break;
  }
  return chosen;
}

}  // namespace

std::size_t Gibbs::padded(std::uint32_t column) const {
  return (static_cast<std::size_t>(sizes_[column]) + kLanes - 1) / kLanes * kLanes;
}

Gibbs::Gibbs(std::span<const std::int32_t> sizes, const Tables& tables,
             std::span<const std::uint8_t> drawn, std::span<const std::int32_t> pairs)
    : sizes_(sizes), tables_(tables) {
  auto holds = [&](std::size_t t, std::uint32_t column) {
    return std::ranges::find(tables.of(t), static_cast<std::int32_t>(column)) != tables.of(t).end();
  };
  for (std::uint32_t c = 0; c < sizes.size(); ++c) {
    if (drawn[c] == 0) continue;
    Site site{c, padded(c), {}};
    for (std::size_t t = 0; t < tables.size(); ++t)
      if (holds(t, c)) site.terms.push_back(term(tables, t, {c}));
    longest_ = std::max(longest_, site.padded);
    sites_.push_back(std::move(site));
  }
  for (std::size_t p = 0; p + 1 < pairs.size(); p += 2) {
    const auto slow = static_cast<std::uint32_t>(pairs[p]);
    const auto fast = static_cast<std::uint32_t>(pairs[p + 1]);
    Pair pair{slow, fast, padded(fast), {}, {}, {}};
    for (std::size_t t = 0; t < tables.size(); ++t) {
      if (holds(t, slow) && holds(t, fast))
        pair.both_terms.push_back(term(tables, t, {slow, fast}));
      else if (holds(t, slow))
        pair.slow_terms.push_back(term(tables, t, {slow}));
      else if (holds(t, fast))
        pair.fast_terms.push_back(term(tables, t, {fast}));
    }
    longest_ = std::max(longest_, static_cast<std::size_t>(sizes[slow]) * pair.padded);
    longest_ = std::max(longest_, padded(slow));
    pairs_.push_back(std::move(pair));
  }
}

Gibbs::Term Gibbs::term(const Tables& tables, std::size_t t, std::vector<std::uint32_t> inner) {
  Term made{t, values_.size(), {}, std::move(inner)};
  std::size_t length = padded(made.inner.back());
  if (made.inner.size() == 2) length *= static_cast<std::size_t>(sizes_[made.inner.front()]);
  for (const auto column : tables.of(t)) {
    const auto c = static_cast<std::uint32_t>(column);
    if (std::ranges::find(made.inner, c) != made.inner.end()) continue;
    made.others.push_back({c, static_cast<std::uint32_t>(length)});
    length *= static_cast<std::size_t>(sizes_[c]);
  }
  values_.resize(values_.size() + length, kImpossible);
  return made;
}

void Gibbs::fill(const Term& term, std::span<const double> potentials) {
  const auto columns = tables_.of(term.table);
  std::vector<std::size_t> stride(columns.size(), 1), code(columns.size(), 0);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto c = static_cast<std::uint32_t>(columns[k]);
    if (c == term.inner.front() && term.inner.size() == 2) stride[k] = padded(term.inner.back());
    for (const auto& other : term.others)
      if (other.column == c) stride[k] = other.stride;
  }
  const auto first = tables_.first_cell(term.table);
  std::size_t place = term.first;
  for (std::size_t cell = 0; cell < tables_.cells(term.table); ++cell) {
    values_[place] = static_cast<float>(potentials[first + cell]);
    for (auto k = columns.size(); k-- > 0;) {  // the next cell: the last column runs fastest
      place += stride[k];
      if (++code[k] < static_cast<std::size_t>(sizes_[static_cast<std::size_t>(columns[k])])) break;
      place -= stride[k] * code[k];
      code[k] = 0;
    }
  }
}

void Gibbs::use(std::span<const double> potentials) {
  for (const auto& site : sites_)
    for (const auto& each : site.terms) fill(each, potentials);
  for (const auto& pair : pairs_)
    for (const auto* terms : {&pair.slow_terms, &pair.fast_terms, &pair.both_terms})
      for (const auto& each : *terms) fill(each, potentials);
}

Gibbs::Desk Gibbs::desk() const {
  return {std::vector<float>(longest_), std::vector<float>(longest_)};
}

const float* Gibbs::run(const Term& term, const Code* row) const {
  std::size_t at = term.first;
  for (const auto& other : term.others) at += std::size_t{row[other.column]} * other.stride;
  return values_.data() + at;
}

void Gibbs::add_terms(const std::vector<Term>& terms, const Code* row, std::size_t length,
                      float* sums) const {
  // Short runs stay in registers while the tables are gone through.
  auto in_registers = [&]<std::size_t n>() {
    Vector own[n];
    for (std::size_t k = 0; k < n; ++k) own[k] = load(sums + 4 * k);
    for (const auto& each : terms) {
      const auto* from = run(each, row);
      for (std::size_t k = 0; k < n; ++k) own[k] += load(from + 4 * k);
    }
    for (std::size_t k = 0; k < n; ++k) store(sums + 4 * k, own[k]);
  };
  if (length == 4) return in_registers.template operator()<1>();
  if (length == 8) return in_registers.template operator()<2>();
  if (length == 12) return in_registers.template operator()<3>();
  if (length == 16) return in_registers.template operator()<4>();
  for (const auto& each : terms) {
    const auto* from = run(each, row);
    for (std::size_t i = 0; i < length; i += 4) store(sums + i, load(sums + i) + load(from + i));
  }
}

void Gibbs::draw_site(const Site& site, Code* row, Desk& desk, std::uint32_t random) const {
  auto* logs = desk.weights.data();
  const auto size = static_cast<std::size_t>(sizes_[site.column]);
  std::fill(logs, logs + size, 0.0F);
  std::fill(logs + size, logs + site.padded, kImpossible);
  add_terms(site.terms, row, site.padded, logs);
  row[site.column] = static_cast<Code>(pick(logs, site.padded, random));
}

void Gibbs::draw_pair(const Pair& pair, Code* row, Desk& desk, std::uint32_t random) const {
  auto *logs = desk.weights.data(), *slow = desk.reach.data();
  const auto n_slow = static_cast<std::size_t>(sizes_[pair.slow]);
  const auto n_fast = static_cast<std::size_t>(sizes_[pair.fast]);
  std::fill(logs, logs + n_fast, 0.0F);
  std::fill(logs + n_fast, logs + pair.padded, kImpossible);
  add_terms(pair.fast_terms, row, pair.padded, logs);
  std::fill(slow, slow + padded(pair.slow), 0.0F);
  add_terms(pair.slow_terms, row, padded(pair.slow), slow);
  for (auto v = n_slow; v-- > 0;)  // the first line last: it is what the others are made of
    for (std::size_t i = 0; i < pair.padded; i += 4)
      store(logs + v * pair.padded + i, load(logs + i) + slow[v]);
  add_terms(pair.both_terms, row, n_slow * pair.padded, logs);
  const auto chosen = pick(logs, n_slow * pair.padded, random);
  row[pair.slow] = static_cast<Code>(chosen / pair.padded);
  row[pair.fast] = static_cast<Code>(chosen % pair.padded);
}

void Gibbs::draw(Code* row, Desk& desk, std::uint64_t key, std::uint64_t sweep,
                 std::uint64_t number) const {
  const auto steps = sites_.size() + pairs_.size();
  const auto calls = (steps + 3) / 4;
  RandomPair four{};
  for (std::size_t s = 0; s < steps; ++s) {
    if (s % 4 == 0) four = philox(key, sweep, number * calls + s / 4);
    const auto wide = s % 4 < 2 ? four.first : four.second;
    const auto random = static_cast<std::uint32_t>(s % 2 == 0 ? wide : wide >> 32);
    if (s < pairs_.size())
      draw_pair(pairs_[s], row, desk, random);
    else
      draw_site(sites_[s - pairs_.size()], row, desk, random);
  }
}

}  // namespace halfmask

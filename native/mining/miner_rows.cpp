#include "mining/miner_rows.hpp"

#include <limits>
#include <numeric>
#include <stdexcept>

namespace halfmask {

namespace {

constexpr Local absent = std::numeric_limits<Local>::max();

// Fewer rows than this become a few words of bitmap anyway.
constexpr std::size_t worth_merging = 128;

}  // namespace

ForbiddenPairs::ForbiddenPairs(const std::vector<std::pair<Rank, Rank>>& pairs) {
  for (const auto& [a, b] : pairs) {
    partners_.resize(std::max(partners_.size(), std::max(a, b) + std::size_t{1}));
    partners_[a].push_back(b);
    partners_[b].push_back(a);
  }
  for (auto& list : partners_) std::ranges::sort(list);
}

void Conditional::clear() {
  names.clear();
  supports.clear();
  offsets.assign(1, 0);
  items.clear();
  weights.clear();
}

void Conditional::merge_equal(RowMerger& merger) {
  std::vector<std::uint32_t> firsts;
  merger.merge(
      size(), [&](std::size_t r) { return row(r); },
      [&](std::size_t r) {
        weights[firsts.size()] = weights[r];
        firsts.push_back(static_cast<std::uint32_t>(r));
      },
      [&](std::size_t kind, std::size_t r) { weights[kind] += weights[r]; });
  // A kind never lies before its own place, so the rows can move up in place.
  std::uint32_t end = 0;
  for (std::size_t kind = 0; kind < firsts.size(); ++kind) {
    const auto from = row(firsts[kind]);
    std::copy(from.begin(), from.end(), items.begin() + end);
    end += static_cast<std::uint32_t>(from.size());
    offsets[kind + 1] = end;
  }
  items.resize(end);
  weights.resize(firsts.size());
  offsets.resize(firsts.size() + 1);
}

void Occurrences::list(const Conditional& rows) {
  starts.assign(rows.width() + 1, 0);
  for (const auto k : rows.items) ++starts[k + std::size_t{1}];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  places.resize(rows.items.size());
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (auto p = rows.offsets[r]; p < rows.offsets[r + 1]; ++p)
      places[starts[rows.items[p]]++] = {static_cast<std::uint32_t>(r), p + 1};
  // Every start has moved to its end, which is the next one's start.
  std::copy_backward(starts.begin(), starts.end() - 1, starts.end());
  starts[0] = 0;
}

Database::Database(const Rows& all, Count min_support, bool closed) {
  Count n = 0;
  std::vector<Count> counts(static_cast<std::size_t>(all.n_items), 0);
  for (std::size_t r = 0; r < all.size(); ++r) {
    n += all.weights[r];
    for (const auto item : all.row(r)) counts[static_cast<std::size_t>(item)] += all.weights[r];
  }
  if (all.items.size() > std::numeric_limits<std::uint32_t>::max())
    throw std::length_error("the rows hold more items than 32 bits can number");
  if (n > std::numeric_limits<std::uint32_t>::max())
    throw std::length_error("the rows weigh more than 32 bits can count");
  size = static_cast<std::uint32_t>(n);

  std::vector<Local> local(counts.size(), absent);
  for (auto i = counts.size(); i-- > 0;) {
    if (counts[i] < min_support) continue;
    if (i >= absent) throw std::length_error("a frequent item has a rank above 65534");
    if (closed && counts[i] == n) {
      in_all.push_back(static_cast<Rank>(i));
      continue;
    }
    local[i] = static_cast<Local>(rows.names.size());
    rows.names.push_back(static_cast<Rank>(i));
    rows.supports.push_back(static_cast<std::uint32_t>(counts[i]));
  }
  for (std::size_t r = 0; r < all.size(); ++r) {
    const auto start = rows.items.size();
    const auto row = all.row(r);
    for (auto item = row.rbegin(); item != row.rend(); ++item)
      if (const auto k = local[static_cast<std::size_t>(*item)]; k != absent)
        rows.items.push_back(k);
    if (rows.items.size() < start + (closed ? 1 : 2)) {
      rows.items.resize(start);
      continue;
    }
    rows.offsets.push_back(static_cast<std::uint32_t>(rows.items.size()));
    rows.weights.push_back(static_cast<std::uint32_t>(all.weights[r]));
  }
  RowMerger merger;
  rows.merge_equal(merger);
  occurrences.list(rows);
}

namespace {

// Calls visit(row, begin, end) for the part of each row. Rows lie apart in memory, so those that
// come soon are fetched early; with the loop of fill(), T40I10D100K at 1000 takes 0.43 s, not 1.1.
template <typename Visit>
void each_row(const Conditional& parent, Projector::Places places, Projector::Part part,
              Visit&& visit) {
  constexpr std::size_t ahead = 12;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i + ahead < places.size()) __builtin_prefetch(parent.items.data() + places[i + ahead].next);
    const auto [row, next] = places[i];
    const auto begin = part == Projector::Part::behind ? next : parent.offsets[row];
    visit(row, parent.items.data() + begin, parent.items.data() + parent.offsets[row + 1]);
  }
}

}  // namespace

std::span<const std::uint32_t> Projector::count(const Conditional& parent, Places places,
                                                Part part) {
  counts_.assign(parent.width(), 0);
  each_row(parent, places, part, [&](std::size_t r, const Local* begin, const Local* end) {
    const auto weight = parent.weights[r];
    for (; begin < end; ++begin) counts_[*begin] += weight;
  });
  child_of_.assign(parent.width(), absent);
  return counts_;
}

void Projector::keep(const Conditional& parent, std::size_t item, Conditional& child) {
  child_of_[item] = static_cast<Local>(child.names.size());
  child.names.push_back(parent.names[item]);
  child.supports.push_back(counts_[item]);
}

void Projector::fill(const Conditional& parent, Places places, Part part, std::size_t shortest,
                     Conditional& child) {
  std::size_t size = 0;
  each_row(parent, places, part, [&](std::size_t r, const Local* begin, const Local* end) {
    const auto length = static_cast<std::size_t>(end - begin);
    if (child.items.size() < size + length) child.items.resize(2 * (size + length));
    // Every item is written and the next one written over it unless it stays: no branch to miss.
    auto* const row = child.items.data() + size;
    std::size_t n = 0;
    for (; begin < end; ++begin) {
      row[n] = child_of_[*begin];
      n += row[n] != absent;
    }
    if (n < shortest) return;
    size += n;
    child.offsets.push_back(static_cast<std::uint32_t>(size));
    child.weights.push_back(parent.weights[r]);
  });
  child.items.resize(size);
  if (child.size() >= worth_merging) child.merge_equal(merger_);
}

}  // namespace halfmask

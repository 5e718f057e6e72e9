#include "miner_rows.hpp"

#include <limits>
#include <numeric>
#include <stdexcept>

namespace halfmask {

namespace {

constexpr Local absent = std::numeric_limits<Local>::max();

// Fewer rows than this become a few words of bitmap anyway.
constexpr std::size_t worth_merging = 128;

}  // namespace

Forbidden::Forbidden(const std::vector<std::pair<Rank, Rank>>& pairs) {
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

void Conditional::end_row(std::size_t start, std::size_t shortest, std::uint32_t weight) {
  if (items.size() < start + shortest) return items.resize(start);
  offsets.push_back(static_cast<std::uint32_t>(items.size()));
  weights.push_back(weight);
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
    rows.end_row(start, closed ? 1 : 2, static_cast<std::uint32_t>(all.weights[r]));
  }
  RowMerger merger;
  rows.merge_equal(merger);
  occurrences.list(rows);
}

void Projector::project(const Conditional& parent, std::span<const Occurrences::Place> places,
                        std::size_t k, std::uint32_t min_support, const Forbidden& forbidden,
                        Conditional& child) {
  child.clear();
  counts_.assign(parent.width(), 0);
  for (const auto [r, next] : places)
    for (auto p = next; p < parent.offsets[r + 1]; ++p)
      counts_[parent.items[p]] += parent.weights[r];

  child_of_.assign(parent.width(), absent);
  for (auto j = k + 1; j < parent.width(); ++j) {
    if (counts_[j] < min_support) continue;
    if (!forbidden.empty() && forbidden(parent.names[k], parent.names[j])) continue;
    child_of_[j] = static_cast<Local>(child.names.size());
    child.names.push_back(parent.names[j]);
    child.supports.push_back(counts_[j]);
  }
  if (child.width() < 2) return;
  for (const auto [r, next] : places) {
    const auto start = child.items.size();
    for (auto p = next; p < parent.offsets[r + 1]; ++p)
      if (const auto c = child_of_[parent.items[p]]; c != absent) child.items.push_back(c);
    child.end_row(start, 2, parent.weights[r]);
  }
  if (child.size() >= worth_merging) child.merge_equal(merger_);
}

}  // namespace halfmask

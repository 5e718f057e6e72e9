#include "miner_rows.hpp"

#include <numeric>
#include <stdexcept>

#include "distinct.hpp"

namespace halfmask {

Forbidden::Forbidden(const std::vector<std::pair<Rank, Rank>>& pairs) {
  for (const auto& [a, b] : pairs) {
    partners_.resize(
        std::max<std::size_t>({partners_.size(), a + std::size_t{1}, b + std::size_t{1}}));
    partners_[a].push_back(b);
    partners_[b].push_back(a);
  }
  for (auto& list : partners_) std::sort(list.begin(), list.end());
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

Conditional frequent_part(const Rows& rows, Count min_support, std::size_t shortest) {
  constexpr Item infrequent = -1;
  std::vector<Count> counts(static_cast<std::size_t>(rows.n_items), 0);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (const auto item : rows.row(r)) counts[static_cast<std::size_t>(item)] += rows.weights[r];

  Conditional part;
  part.clear();
  std::vector<Item> local(counts.size(), infrequent);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < min_support) continue;
    if (i > std::numeric_limits<Rank>::max())
      throw std::length_error("a frequent item has a rank above 65535");
    local[i] = static_cast<Item>(part.names.size());
    part.names.push_back(static_cast<Rank>(i));
    part.supports.push_back(static_cast<std::uint32_t>(counts[i]));
  }

  DistinctRows kept;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto start = kept.items.size();
    for (const auto item : rows.row(r))
      if (const auto k = local[static_cast<std::size_t>(item)]; k != infrequent)
        kept.items.push_back(k);
    if (kept.items.size() < start + shortest) {
      kept.items.resize(start);
      continue;
    }
    kept.offsets.push_back(static_cast<std::int64_t>(kept.items.size()));
    kept.weights.push_back(rows.weights[r]);
  }
  const auto merged =
      distinct({kept.offsets, kept.items, kept.weights, static_cast<Item>(part.names.size())});
  part.offsets.assign(merged.offsets.begin(), merged.offsets.end());
  part.items.assign(merged.items.begin(), merged.items.end());
  part.weights.assign(merged.weights.begin(), merged.weights.end());
  return part;
}

void Projector::project(const Conditional& parent, const Occurrences& occurrences, std::size_t k,
                        Count min_support, const Forbidden& forbidden, Conditional& child) {
  child.clear();
  const auto places = occurrences[k];
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
    if (child.items.size() < start + 2) {
      child.items.resize(start);
      continue;
    }
    child.offsets.push_back(static_cast<std::uint32_t>(child.items.size()));
    child.weights.push_back(parent.weights[r]);
  }
}

}  // namespace halfmask

#include "counting.hpp"

#include <bit>
#include <numeric>

namespace halfmask {

namespace {

// Offsets start at 0, never fall and end at the number of items; runs increase strictly in range.
std::optional<std::string> check_runs(std::span<const std::int64_t> offsets,
                                      std::span<const Item> items, Item n_items) {
  if (offsets.empty() || offsets.front() != 0) return "offsets must start with 0";
  if (offsets.back() != static_cast<std::int64_t>(items.size()))
    return "the last offset must be the number of items";
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r)
    if (offsets[r] > offsets[r + 1]) return "offsets must not fall";
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r) {
    for (auto k = offsets[r]; k < offsets[r + 1]; ++k) {
      const auto item = items[static_cast<std::size_t>(k)];
      if (item < 0 || item >= n_items) return "an item lies outside the alphabet";
      if (k > offsets[r] && items[static_cast<std::size_t>(k - 1)] >= item)
        return "items of a row must increase strictly";
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> Rows::validate() const {
  if (offsets.size() != weights.size() + 1) return "offsets must be one longer than weights";
  if (n_items < 0) return "the number of items is negative";
  for (const auto w : weights)
    if (w < 1) return "a weight is below 1";
  return check_runs(offsets, items, n_items);
}

std::optional<std::string> Itemsets::validate(Item n_items) const {
  return check_runs(offsets, items, n_items);
}

std::vector<Count> supports(const Rows& rows, const Itemsets& itemsets) {
  using Word = std::uint64_t;
  const std::size_t words = (rows.size() + 63) / 64;

  // Only items that are asked for get a bitmap: baskets have thousands of items, questions few.
  constexpr std::size_t unasked = static_cast<std::size_t>(-1);
  std::vector<std::size_t> slot(static_cast<std::size_t>(rows.n_items), unasked);
  std::size_t slots = 0;
  for (const auto item : itemsets.items) {
    auto& s = slot[static_cast<std::size_t>(item)];
    if (s == unasked) s = slots++;
  }
  std::vector<Word> bitmaps(slots * words, 0);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (const auto item : rows.row(r))
      if (const auto s = slot[static_cast<std::size_t>(item)]; s != unasked)
        bitmaps[s * words + r / 64] |= Word{1} << (r % 64);

  bool unit_weights = true;
  for (const auto w : rows.weights) unit_weights = unit_weights && w == 1;
  const Count all = std::accumulate(rows.weights.begin(), rows.weights.end(), Count{0});

  std::vector<Count> result(itemsets.size(), all);
  for (std::size_t i = 0; i < itemsets.size(); ++i) {
    const auto itemset = itemsets[i];
    if (itemset.empty()) continue;
    Count count = 0;
    for (std::size_t w = 0; w < words; ++w) {
      Word hits = ~Word{0};
      for (const auto item : itemset)
        hits &= bitmaps[slot[static_cast<std::size_t>(item)] * words + w];
      if (unit_weights) {
        count += std::popcount(hits);
      } else {
        for (; hits != 0; hits &= hits - 1)
          count += rows.weights[w * 64 + static_cast<std::size_t>(std::countr_zero(hits))];
      }
    }
    result[i] = count;
  }
  return result;
}

}  // namespace halfmask

#include "counting/counting.hpp"

#include <bit>
#include <numeric>

namespace halfmask {

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

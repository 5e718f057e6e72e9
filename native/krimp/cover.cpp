#include "krimp/cover.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace halfmask {

namespace {

using Word = std::uint64_t;
constexpr std::size_t block_words = 8;
constexpr std::size_t block_rows = 64 * block_words;
using Block = std::array<Word, block_words>;

// The uncovered items of up to 512 rows: bit r of left[i] says that row first + r still has item i.
class Residual {
 public:
  explicit Residual(Item n_items) : left_(static_cast<std::size_t>(n_items), Block{}) {}

  void load(const Rows& rows, std::size_t first, std::size_t last) {
    for (const auto item : present_) left_[item] = Block{};
    present_.clear();
    for (std::size_t r = first; r < last; ++r) {
      const auto bit = r - first;
      for (const auto signed_item : rows.row(r)) {
        const auto item = static_cast<std::size_t>(signed_item);
        if (left_[item] == Block{}) present_.push_back(item);
        left_[item][bit / 64] |= Word{1} << (bit % 64);
      }
    }
  }

  // The rows into which the itemset still fits; they give up its items.
  [[nodiscard]] Block take(std::span<const Item> itemset) {
    Block fits;
    fits.fill(~Word{0});
    for (const auto item : itemset) {
      const auto& has = left_[static_cast<std::size_t>(item)];
      Word any = 0;
      for (std::size_t w = 0; w < block_words; ++w) any |= fits[w] &= has[w];
      if (any == 0) return Block{};
    }
    for (const auto item : itemset) {
      auto& has = left_[static_cast<std::size_t>(item)];
      for (std::size_t w = 0; w < block_words; ++w) has[w] &= ~fits[w];
    }
    return fits;
  }

  [[nodiscard]] std::span<const std::size_t> present() const { return present_; }
  [[nodiscard]] const Block& of(std::size_t item) const { return left_[item]; }

 private:
  std::vector<Block> left_;
  std::vector<std::size_t> present_;
};

// Books one element on the rows of a block that use it.
void charge(const Rows& rows, std::size_t first, const Block& users, double length, Count& usage,
            std::vector<double>& bits) {
  for (std::size_t w = 0; w < block_words; ++w) {
    for (auto word = users[w]; word != 0; word &= word - 1) {
      const auto r = first + w * 64 + static_cast<std::size_t>(std::countr_zero(word));
      usage += rows.weights[r];
      bits[r] += length;
    }
  }
}

}  // namespace

Encoded encode(const Rows& rows, const Itemsets& sets, std::span<const double> lengths,
               Watch& watch) {
  const auto n_items = static_cast<std::size_t>(rows.n_items);
  Encoded result{std::vector<double>(rows.size(), 0.0), std::vector<Count>(sets.size() + n_items)};
  Residual residual(rows.n_items);
  for (std::size_t first = 0; first < rows.size(); first += block_rows) {
    if (!watch.tick(static_cast<std::int64_t>(first), static_cast<std::int64_t>(rows.size())))
      throw std::runtime_error("encoding was stopped");
    residual.load(rows, first, std::min(rows.size(), first + block_rows));
    for (std::size_t s = 0; s < sets.size(); ++s)
      charge(rows, first, residual.take(sets[s]), lengths[s], result.usages[s], result.bits);
    for (const auto item : residual.present())
      charge(rows, first, residual.of(item), lengths[sets.size() + item],
             result.usages[sets.size() + item], result.bits);
  }
  return result;
}

}  // namespace halfmask

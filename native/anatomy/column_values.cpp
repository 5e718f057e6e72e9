#include "anatomy/column_values.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace halfmask {

namespace {

// An exact dictionary of item runs: the hash only says where to look, equality decides.
class Dictionary {
 public:
  Dictionary() : table_(64, free) { (void)number_of({}); }

  [[nodiscard]] std::size_t size() const { return hashes_.size(); }
  [[nodiscard]] std::span<const Item> operator[](std::size_t v) const {
    return {items_.data() + offsets_[v], items_.data() + offsets_[v + 1]};
  }

  [[nodiscard]] std::int32_t number_of(std::span<const Item> run) {
    const auto hash = hash_of(run);
    for (auto at = hash & mask();; at = (at + 1) & mask()) {
      const auto v = table_[at];
      if (v == free) return add(run, hash, at);
      const auto known = static_cast<std::size_t>(v);
      if (hashes_[known] == hash && std::ranges::equal((*this)[known], run)) return v;
    }
  }

 private:
  static constexpr std::int32_t free = -1;

  [[nodiscard]] std::uint64_t mask() const { return table_.size() - 1; }

  [[nodiscard]] static std::uint64_t hash_of(std::span<const Item> run) {
    std::uint64_t hash = 0x9e3779b97f4a7c15 + run.size();
    for (const auto item : run) {
      hash = (hash ^ static_cast<std::uint64_t>(item)) * 0xff51afd7ed558ccd;
      hash ^= hash >> 32;
    }
    return hash;
  }

  std::int32_t add(std::span<const Item> run, std::uint64_t hash, std::uint64_t at) {
    const auto number = static_cast<std::int32_t>(hashes_.size());
    items_.insert(items_.end(), run.begin(), run.end());
    offsets_.push_back(items_.size());
    hashes_.push_back(hash);
    table_[at] = number;
    if (2 * hashes_.size() > table_.size()) grow();
    return number;
  }

  void grow() {
    table_.assign(2 * table_.size(), free);
    for (std::size_t v = 0; v < hashes_.size(); ++v) {
      auto at = hashes_[v] & mask();
      while (table_[at] != free) at = (at + 1) & mask();
      table_[at] = static_cast<std::int32_t>(v);
    }
  }

  std::vector<Item> items_;
  std::vector<std::size_t> offsets_{0};
  std::vector<std::uint64_t> hashes_;
  std::vector<std::int32_t> table_;
};

// Number of each value in lexicographic order; the empty value stays 0.
std::vector<Value> sorted_numbers(const Dictionary& values, std::vector<std::size_t>& order) {
  order.resize(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::ranges::lexicographical_compare(values[a], values[b]);
  });
  std::vector<Value> number(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) number[order[i]] = static_cast<Value>(i);
  return number;
}

// First-seen numbers in the cells become the numbers of the header's contract.
void renumber(ColumnValues& result, const std::vector<Dictionary>& dictionaries) {
  const auto columns = dictionaries.size();
  result.starts.assign(1, 0);
  result.offsets.assign(1, 0);
  std::vector<std::vector<Value>> numbers;
  std::vector<std::size_t> order;
  for (const auto& values : dictionaries) {
    numbers.push_back(sorted_numbers(values, order));
    for (auto& number : numbers.back()) number += static_cast<Value>(result.starts.back());
    for (const auto v : order) {
      const auto run = values[v];
      result.items.insert(result.items.end(), run.begin(), run.end());
      result.offsets.push_back(static_cast<std::int64_t>(result.items.size()));
    }
    result.starts.push_back(result.starts.back() + static_cast<std::int64_t>(values.size()));
  }
  for (std::size_t at = 0; at < result.cells.size(); ++at)
    result.cells[at] = numbers[at % columns][static_cast<std::size_t>(result.cells[at])];
}

}  // namespace

ColumnValues column_values(const Rows& rows, std::span<const std::int32_t> column_of,
                           std::size_t columns, Watch& watch) {
  if (rows.size() + 1 > std::numeric_limits<Value>::max() / std::max<std::size_t>(columns, 1))
    throw std::invalid_argument("too many rows times columns for 32-bit value numbers");
  ColumnValues result;
  result.cells.resize(rows.size() * columns);
  std::vector<Dictionary> dictionaries(columns);
  std::vector<std::vector<Item>> parts(columns);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (r % 1024 == 0 &&
        !watch.tick(static_cast<std::int64_t>(r), static_cast<std::int64_t>(rows.size())))
      throw std::runtime_error("stopped before every row had its column values");
    for (auto& part : parts) part.clear();
    for (const auto item : rows.row(r))
      parts[static_cast<std::size_t>(column_of[static_cast<std::size_t>(item)])].push_back(item);
    for (std::size_t j = 0; j < columns; ++j)
      result.cells[r * columns + j] = parts[j].empty() ? 0 : dictionaries[j].number_of(parts[j]);
  }
  renumber(result, dictionaries);
  return result;
}

}  // namespace halfmask

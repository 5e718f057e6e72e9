#include "distortion/distortion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "common/helpers.hpp"

namespace halfmask {

namespace {

constexpr std::size_t block_rows = 1024;

// Items whose insertion probabilities lie within a factor of two, visited together at the largest
// of them and thinned: at most every other visit is in vain, whatever the probabilities.
struct InsertionClass {
  std::vector<Item> items;
  std::vector<double> accepted;  // each item's probability over the class's rate
  double rate = 0.0;
  double scale = 0.0;  // 1 / log(1 - rate), 0 when every position is hit
  bool even = true;    // all items have the rate itself
};

std::vector<InsertionClass> insertion_classes(const ItemChannel& channel) {
  std::map<int, InsertionClass> classes;
  for (std::size_t i = 0; i < channel.inserts.size(); ++i)
    if (channel.inserts[i] > 0.0) {
      auto& group = classes[std::ilogb(channel.inserts[i])];
      group.items.push_back(static_cast<Item>(i));
      group.rate = std::max(group.rate, channel.inserts[i]);
    }
  std::vector<InsertionClass> result;
  for (auto& [exponent, group] : classes) {
    group.scale = 1.0 / std::log1p(-group.rate);
    for (const auto item : group.items) {
      const double own = channel.inserts[static_cast<std::size_t>(item)];
      group.accepted.push_back(own / group.rate);
      group.even = group.even && own == group.rate;
    }
    result.push_back(std::move(group));
  }
  return result;
}

// Walks the positions row by row and item by item of a class, from one insertion to the next.
class Walk {
 public:
  Walk(const InsertionClass& group, Stream& stream) : group_(group), next_(gap(stream) - 1) {}

  // Appends the class's insertions of the next row, in increasing order of items.
  void row(std::vector<Item>& inserted, Stream& stream) {
    const auto width = static_cast<std::int64_t>(group_.items.size());
    while (next_ < width) {
      const auto at = static_cast<std::size_t>(next_);
      if (group_.even || stream.unit() <= group_.accepted[at]) inserted.push_back(group_.items[at]);
      next_ += gap(stream);
    }
    next_ -= width;
  }

 private:
  // 1, 2, ... with P(gap > k) = (1 - rate)^k.
  [[nodiscard]] std::int64_t gap(Stream& stream) const {
    constexpr double farthest = 1e15;
    return 1 +
           static_cast<std::int64_t>(std::min(farthest, std::log(stream.unit()) * group_.scale));
  }

  const InsertionClass& group_;
  std::int64_t next_;  // counted from the start of the row
};

struct Block {
  std::vector<std::int64_t> lengths;
  std::vector<Item> items;
};

Block distort_block(const Rows& rows, const ItemChannel& channel,
                    const std::vector<InsertionClass>& classes, const Key& key,
                    std::size_t number) {
  Stream stream(key, number);
  std::vector<Walk> walks;
  walks.reserve(classes.size());
  for (const auto& group : classes) walks.emplace_back(group, stream);
  Block block;
  std::vector<Item> inserted;
  const auto stop = std::min(rows.size(), (number + 1) * block_rows);
  for (std::size_t r = number * block_rows; r < stop; ++r) {
    inserted.clear();
    for (auto& walk : walks) walk.row(inserted, stream);
    if (walks.size() > 1) std::sort(inserted.begin(), inserted.end());
    const auto before = block.items.size();
    auto next = inserted.begin();
    for (const auto item : rows.row(r)) {
      for (; next != inserted.end() && *next < item; ++next) block.items.push_back(*next);
      if (next != inserted.end() && *next == item) ++next;  // a one: insertion is not its noise
      if (stream.unit() <= channel.keeps[static_cast<std::size_t>(item)])
        block.items.push_back(item);
    }
    block.items.insert(block.items.end(), next, inserted.end());
    block.lengths.push_back(static_cast<std::int64_t>(block.items.size() - before));
  }
  return block;
}

// The blocks of one wave, one thread each; the caller's thread takes the first.
std::vector<Block> distort_wave(const Rows& rows, const ItemChannel& channel,
                                const std::vector<InsertionClass>& classes, const Key& key,
                                std::size_t first, std::size_t n) {
  std::vector<Block> wave(n);
  {
    Helpers helpers;
    for (std::size_t b = 1; b < n; ++b)
      helpers.start([&, b] { wave[b] = distort_block(rows, channel, classes, key, first + b); });
    wave[0] = distort_block(rows, channel, classes, key, first);
  }
  return wave;
}

// Expected items of the result and four standard deviations, so that the vector never moves.
std::size_t expected_items(const Rows& rows, const ItemChannel& channel) {
  double per_row = 0.0;
  for (const double p : channel.inserts) per_row += p;
  const double mean =
      per_row * static_cast<double>(rows.size()) + static_cast<double>(rows.items.size());
  return static_cast<std::size_t>(mean + 4.0 * std::sqrt(mean)) + 64;
}

}  // namespace

std::optional<std::string> ItemChannel::validate(Item n_items) const {
  if (keeps.size() != static_cast<std::size_t>(n_items) || inserts.size() != keeps.size())
    return "every item needs a probability to stay and one to appear";
  for (const auto probabilities : {keeps, inserts})
    for (const double p : probabilities)
      if (!(p >= 0.0 && p <= 1.0)) return "a probability lies outside [0, 1]";
  return std::nullopt;
}

DistortedRows distort(const Rows& rows, const ItemChannel& channel, const Key& key,
                      unsigned threads, Watch& watch) {
  const auto classes = insertion_classes(channel);
  const auto blocks = (rows.size() + block_rows - 1) / block_rows;
  DistortedRows result;
  result.offsets.reserve(rows.size() + 1);
  result.offsets.push_back(0);
  result.items.reserve(expected_items(rows, channel));
  for (std::size_t first = 0; first < blocks; first += threads) {
    if (!watch.tick(static_cast<std::int64_t>(first), static_cast<std::int64_t>(blocks)))
      throw std::runtime_error("stopped before every row was distorted");
    const auto n = std::min<std::size_t>(threads, blocks - first);
    for (const auto& block : distort_wave(rows, channel, classes, key, first, n)) {
      result.items.insert(result.items.end(), block.items.begin(), block.items.end());
      for (const auto length : block.lengths)
        result.offsets.push_back(result.offsets.back() + length);
    }
  }
  return result;
}

}  // namespace halfmask

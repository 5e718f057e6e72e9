#include <algorithm>
#include <iterator>
#include <numeric>

#include "anatomy/buckets.hpp"

namespace halfmask {

namespace {

// A bucket's values with their counts, sorted by value.
class Tally {
 public:
  Tally(const Cells& cells, std::span<const std::int64_t> rows) {
    std::vector<Value> all;
    all.reserve(rows.size() * cells.columns);
    for (const auto r : rows) {
      const auto row = cells.row(static_cast<std::size_t>(r));
      all.insert(all.end(), row.begin(), row.end());
    }
    std::sort(all.begin(), all.end());
    for (const auto value : all) {
      if (counts_.empty() || counts_.back().value != value) counts_.push_back({value, 0});
      ++counts_.back().count;
    }
  }

  [[nodiscard]] std::int64_t operator[](Value value) const {
    const auto at = std::ranges::lower_bound(counts_, value, {}, &Entry::value);
    return at != counts_.end() && at->value == value ? at->count : 0;
  }

  void add(Value value) {
    const auto at = std::ranges::lower_bound(counts_, value, {}, &Entry::value);
    if (at != counts_.end() && at->value == value) {
      ++at->count;
    } else {
      counts_.insert(at, {value, 1});
    }
  }

  void add(const Tally& other) {
    std::vector<Entry> both;
    both.reserve(counts_.size() + other.counts_.size());
    std::ranges::merge(counts_, other.counts_, std::back_inserter(both), {}, &Entry::value,
                       &Entry::value);
    counts_.clear();
    for (const auto& entry : both) {
      if (!counts_.empty() && counts_.back().value == entry.value) {
        counts_.back().count += entry.count;
      } else {
        counts_.push_back(entry);
      }
    }
  }

 private:
  struct Entry {
    Value value;
    std::int64_t count;
  };
  std::vector<Entry> counts_;
};

// The buckets with their rows; a tally is made when a bucket is first looked into, because most
// leftovers find room in one of the first buckets they try.
class Shelf {
 public:
  Shelf(const Cells& cells, const Bounds& bounds, std::span<const std::int32_t> bucket_of)
      : cells_(cells), bounds_(bounds) {
    std::int32_t n = 0;
    for (const auto b : bucket_of) n = std::max(n, b + 1);
    rows_.resize(static_cast<std::size_t>(n));
    tallies_.resize(rows_.size());
    for (std::size_t r = 0; r < bucket_of.size(); ++r)
      if (bucket_of[r] >= 0)
        rows_[static_cast<std::size_t>(bucket_of[r])].push_back(static_cast<std::int64_t>(r));
  }

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] const std::vector<std::vector<std::int64_t>>& rows() const { return rows_; }
  [[nodiscard]] bool empty(std::size_t b) const { return rows_[b].empty(); }

  void open() {
    rows_.emplace_back();
    tallies_.emplace_back();
  }

  [[nodiscard]] bool fits(std::size_t b, std::int64_t row) {
    const auto& tally = tally_of(b);
    const auto size = size_of(b) + 1;
    return std::ranges::all_of(cells_.row(static_cast<std::size_t>(row)), [&](Value value) {
      return bounds_.least_size(value, tally[value] + 1) <= size;
    });
  }

  void add(std::size_t b, std::int64_t row) {
    auto& tally = tally_of(b);
    for (const auto value : cells_.row(static_cast<std::size_t>(row))) tally.add(value);
    rows_[b].push_back(row);
  }

  void merge(std::size_t into, std::size_t from) {
    tally_of(into).add(tally_of(from));
    rows_[into].insert(rows_[into].end(), rows_[from].begin(), rows_[from].end());
    rows_[from].clear();
    tallies_[from].reset();
  }

  struct Tight {
    Value value;
    double slack;
  };

  // The value of the row for which the bucket has the least slack.
  [[nodiscard]] Tight tightest(std::size_t b, std::int64_t row) {
    const auto values = cells_.row(static_cast<std::size_t>(row));
    Tight worst{values[0], slack(b, values[0])};
    for (const auto value : values)
      if (const auto s = slack(b, value); s < worst.slack) worst = {value, s};
    return worst;
  }

  [[nodiscard]] double slack(std::size_t b, Value value) {
    return bounds_.slack(value, tally_of(b)[value], size_of(b));
  }

 private:
  [[nodiscard]] std::int64_t size_of(std::size_t b) const {
    return static_cast<std::int64_t>(rows_[b].size());
  }

  [[nodiscard]] Tally& tally_of(std::size_t b) {
    if (!tallies_[b]) tallies_[b].emplace(cells_, rows_[b]);
    return *tallies_[b];
  }

  const Cells& cells_;
  const Bounds& bounds_;
  std::vector<std::vector<std::int64_t>> rows_;
  std::vector<std::optional<Tally>> tallies_;
};

// The order in which buckets are tried: one random round, entered anywhere.
class Round {
 public:
  Round(std::size_t buckets, const std::optional<Key>& key)
      : order_(buckets), random_(key.has_value()), stream_(key.value_or(Key{}), 0) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    if (random_) stream_.shuffle(std::span(order_));
  }

  void shuffle(std::vector<std::int64_t>& rows) {
    if (random_) stream_.shuffle(std::span(rows));
  }

  template <typename Accepts>
  [[nodiscard]] std::optional<std::size_t> first(Accepts accepts) {
    const auto n = order_.size();
    const std::size_t start = random_ && n > 0 ? stream_.below(static_cast<std::uint32_t>(n)) : 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto b = order_[(start + i) % n];
      if (accepts(b)) return b;
    }
    return std::nullopt;
  }

 private:
  std::vector<std::size_t> order_;
  bool random_;
  Stream stream_;
};

void run_passes(Shelf& shelf, Round& round, std::vector<std::int64_t>& leftovers, Settled& result,
                Watch& watch) {
  for (bool moved = true; moved && !leftovers.empty();) {
    moved = false;
    round.shuffle(leftovers);
    std::vector<std::int64_t> unplaced;
    for (const auto row : leftovers) {
      const bool going = watch.tick(result.placed, 0);
      const auto b =
          going ? round.first([&](std::size_t c) { return shelf.fits(c, row); }) : std::nullopt;
      if (b) {
        shelf.add(*b, row);
        ++result.placed;
        moved = true;
      } else {
        unplaced.push_back(row);
      }
    }
    leftovers = std::move(unplaced);
    ++result.passes;
  }
}

template <typename Score>
std::optional<std::size_t> best_bucket(const Shelf& shelf, std::optional<std::size_t> except,
                                       Score score) {
  std::optional<std::size_t> best;
  double most = 0.0;
  for (std::size_t b = 0; b < shelf.size(); ++b) {
    if (shelf.empty(b) || b == except) continue;
    const double s = score(b);
    if (!best || s > most) {
      best = b;
      most = s;
    }
  }
  return best;
}

// Merges into one bucket until the row fits; false when there was nothing left to merge.
bool make_room(Shelf& shelf, std::size_t host, std::int64_t row, Settled& result) {
  while (!shelf.fits(host, row)) {
    const auto worst = shelf.tightest(host, row).value;
    const auto from =
        best_bucket(shelf, host, [&](std::size_t b) { return shelf.slack(b, worst); });
    if (!from) return false;
    shelf.merge(host, *from);
    ++result.merges;
  }
  return true;
}

void absorb_all(Shelf& shelf, std::vector<std::int64_t>& leftovers, Settled& result) {
  if (!leftovers.empty() && shelf.size() == 0) shelf.open();
  while (!leftovers.empty()) {
    const auto row = leftovers.front();
    const auto found = best_bucket(shelf, std::nullopt,
                                   [&](std::size_t b) { return shelf.tightest(b, row).slack; });
    const std::size_t host = found.value_or(0);
    const bool roomy = make_room(shelf, host, row, result);
    const auto before = leftovers.size();
    std::erase_if(leftovers, [&](std::int64_t r) {
      if (!shelf.fits(host, r)) return false;
      shelf.add(host, r);
      return true;
    });
    // All buckets are one and still no single row fits: together the rest does, since all rows
    // in one bucket keep the bounds.
    if (!roomy && leftovers.size() == before) {
      for (const auto r : leftovers) shelf.add(host, r);
      result.absorbed += static_cast<std::int64_t>(before);
      leftovers.clear();
      return;
    }
    result.absorbed += static_cast<std::int64_t>(before - leftovers.size());
  }
}

}  // namespace

Settled settle_leftovers(const Cells& cells, const Bounds& bounds,
                         std::vector<std::int32_t> bucket_of, std::vector<std::int64_t> leftovers,
                         const std::optional<Key>& key, bool absorb, Watch& watch) {
  Settled result;
  Shelf shelf(cells, bounds, bucket_of);
  Round round(shelf.size(), key);
  run_passes(shelf, round, leftovers, result, watch);
  if (absorb) absorb_all(shelf, leftovers, result);
  std::fill(bucket_of.begin(), bucket_of.end(), -1);
  std::int32_t number = 0;
  for (const auto& rows : shelf.rows()) {
    if (rows.empty()) continue;
    for (const auto r : rows) bucket_of[static_cast<std::size_t>(r)] = number;
    ++number;
  }
  result.bucket_of = std::move(bucket_of);
  return result;
}

}  // namespace halfmask

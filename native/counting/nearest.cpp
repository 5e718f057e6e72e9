#include "counting/nearest.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>

#include "common/helpers.hpp"

namespace halfmask {

namespace {

// A block of 15 byte columns and its distances take 32 kB: they stay in the first-level cache
// while a whole group of queries passes over them.
constexpr std::size_t block = 2048;
constexpr std::size_t group = 64;

// The distances of reference rows [first, first + count) to one query row.
template <typename Code>
class Block {
 public:
  std::span<const Code> measure(const Columns<Code>& reference, std::size_t first,
                                std::size_t count, const Columns<Code>& queries,
                                std::size_t query) {
    std::fill_n(found_.begin(), count, Code{0});
    for (std::size_t c = 0; c < reference.columns; ++c) {
      const Code* column = reference.codes.data() + c * reference.rows + first;
      const Code wanted = queries.at(query, c);
      for (std::size_t j = 0; j < count; ++j)
        found_[j] = static_cast<Code>(found_[j] + static_cast<Code>(column[j] != wanted));
    }
    return {found_.data(), count};
  }

 private:
  std::array<Code, block> found_;
};

// Calls `visit(first, count, query)` for every block and every query of a group.
template <typename Visit>
void for_blocks(std::size_t rows, std::size_t from, std::size_t to, const Visit& visit) {
  for (std::size_t first = 0; first < rows; first += block)
    for (std::size_t q = from; q < to; ++q) visit(first, std::min(block, rows - first), q);
}

// Shares groups of queries among threads. Every group writes its own queries only, so the answer
// does not depend on the threads.
template <typename Search>
void for_groups(std::size_t queries, unsigned threads, Watch& watch, const Search& search) {
  const std::size_t groups = (queries + group - 1) / group;
  std::atomic<std::size_t> next{0};
  const auto work = [&](const auto& go_on) {
    for (std::size_t g = next++; g < groups && go_on(g); g = next++)
      search(g * group, std::min((g + 1) * group, queries));
  };
  Helpers helpers;
  try {
    for (std::size_t t = 1; t < std::min<std::size_t>(threads, groups); ++t)
      helpers.start([&] { work([](std::size_t) { return true; }); });
    work([&](std::size_t g) {
      if (watch.tick(static_cast<std::int64_t>(g), static_cast<std::int64_t>(groups))) return true;
      throw std::runtime_error("the search for nearest rows was stopped");
    });
  } catch (...) {
    next = groups;  // sends the helpers home before the stack unwinds
    throw;
  }
}

// Whether a block reaches as near as the blocks before it, and whether it comes nearer.
enum class Step { farther, as_near, nearer };

template <typename Code>
Step compare(std::span<const Code> found, std::int32_t& best) {
  const std::int32_t least = *std::min_element(found.begin(), found.end());
  if (best >= 0 && least > best) return Step::farther;
  if (least == best) return Step::as_near;
  best = least;
  return Step::nearer;
}

}  // namespace

template <typename Code>
Nearest nearest(const Columns<Code>& reference, const Columns<Code>& queries, unsigned threads,
                Watch& watch) {
  Nearest result{std::vector<std::int32_t>(queries.rows, -1),
                 std::vector<std::int64_t>(queries.rows, -1),
                 std::vector<std::int64_t>(queries.rows, 0)};
  for_groups(queries.rows, threads, watch, [&](std::size_t from, std::size_t to) {
    Block<Code> distances;
    for_blocks(reference.rows, from, to, [&](std::size_t first, std::size_t count, std::size_t q) {
      const auto found = distances.measure(reference, first, count, queries, q);
      const auto step = compare(found, result.distance[q]);
      if (step == Step::farther) return;
      const auto best = static_cast<Code>(result.distance[q]);
      if (step == Step::nearer) {
        const auto at = std::find(found.begin(), found.end(), best) - found.begin();
        result.row[q] = static_cast<std::int64_t>(first) + at;
        result.ties[q] = 0;
      }
      result.ties[q] += std::count(found.begin(), found.end(), best);
    });
  });
  return result;
}

template <typename Code>
std::vector<std::int64_t> nearest_votes(const Columns<Code>& reference,
                                        std::span<const std::int32_t> labels, std::int32_t n_labels,
                                        const Columns<Code>& queries, unsigned threads,
                                        Watch& watch) {
  const auto width = static_cast<std::size_t>(n_labels);
  std::vector<std::int64_t> votes(queries.rows * width, 0);
  for_groups(queries.rows, threads, watch, [&](std::size_t from, std::size_t to) {
    Block<Code> distances;
    std::array<std::int32_t, group> best;
    best.fill(-1);
    for_blocks(reference.rows, from, to, [&](std::size_t first, std::size_t count, std::size_t q) {
      const auto found = distances.measure(reference, first, count, queries, q);
      const auto step = compare(found, best[q - from]);
      if (step == Step::farther) return;
      const auto mine = votes.begin() + static_cast<std::ptrdiff_t>(q * width);
      if (step == Step::nearer) std::fill_n(mine, width, 0);
      for (std::size_t j = 0; j < count; ++j)
        if (const auto label = labels[first + j]; found[j] == best[q - from] && label >= 0)
          ++mine[label];
    });
  });
  return votes;
}

template <typename Code>
std::vector<std::int64_t> coincidences(const Facet<Code>& first_facet,
                                       const Facet<Code>& second_facet, unsigned threads,
                                       Watch& watch) {
  const std::size_t rows = first_facet.reference.rows;
  std::vector<std::int64_t> result(first_facet.queries.rows, 0);
  for_groups(result.size(), threads, watch, [&](std::size_t from, std::size_t to) {
    Block<Code> left;
    Block<Code> right;
    for_blocks(rows, from, to, [&](std::size_t first, std::size_t count, std::size_t q) {
      const auto& [a, asked_a, at_a] = first_facet;
      const auto& [b, asked_b, at_b] = second_facet;
      const auto in_a = left.measure(a, first, count, asked_a, q);
      const auto in_b = right.measure(b, first, count, asked_b, q);
      // Byte by byte first: sums of wider numbers would halt the comparison of 16 at a time.
      std::array<Code, block> both;
      for (std::size_t j = 0; j < count; ++j)
        both[j] = static_cast<Code>((in_a[j] == static_cast<Code>(at_a[q])) &
                                    (in_b[j] == static_cast<Code>(at_b[q])));
      result[q] += std::count(both.data(), both.data() + count, Code{1});
    });
  });
  return result;
}

#define HALFMASK_NEAREST(Code)                                                                  \
  template Nearest nearest(const Columns<Code>&, const Columns<Code>&, unsigned, Watch&);       \
  template std::vector<std::int64_t> nearest_votes(const Columns<Code>&,                        \
                                                   std::span<const std::int32_t>, std::int32_t, \
                                                   const Columns<Code>&, unsigned, Watch&);     \
  template std::vector<std::int64_t> coincidences(const Facet<Code>&, const Facet<Code>&,       \
                                                  unsigned, Watch&);
HALFMASK_NEAREST(std::uint8_t)
HALFMASK_NEAREST(std::uint16_t)
#undef HALFMASK_NEAREST

}  // namespace halfmask

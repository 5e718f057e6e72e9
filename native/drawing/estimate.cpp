#include <algorithm>
#include <cmath>

#include "common/parallel.hpp"
#include "common/random.hpp"
#include "drawing/moves.hpp"
#include "drawing/probability.hpp"

namespace halfmask {

namespace {

// Makes one row again and again by random ways; see estimate_probabilities.
template <typename Mask>
class PathFinder {
 public:
  PathFinder(const Process& process, const std::vector<Move<Mask>>& all_moves)
      : n_domains_(process.n_domains()),
        order_(process.order.begin(), process.order.end()),
        factors_(all_moves, n_domains_, false) {}

  // The probability ratio of one random way, 0 when it finds no pattern for some domain.
  [[nodiscard]] double ratio(std::span<const Move<Mask>> moves, std::uint64_t key,
                             std::uint64_t row, std::uint64_t path) {
    auto open = Mask::first(n_domains_);
    auto next = order_.begin();
    double ratio = 1;
    std::uint64_t step = path * n_domains_;
    for (auto n_open = n_domains_; n_open > 0;) {
      const auto random = philox(key, row, step++);
      std::size_t domain;
      if (order_.empty()) {
        domain = open.member(static_cast<std::size_t>(below(random.first, n_open)));
      } else {
        while (!open.has(*next)) ++next;
        domain = *next;
      }
      const auto fits = [&](const auto& m) {
        return m.domains.has(domain) && m.domains.within(open);
      };
      double total = 0;
      for (const auto& move : moves) total += fits(move) ? move.weight : 0;
      if (total == 0) return 0;
      ratio *= total * factors_.of(open, n_open)[domain];
      const Move<Mask>* chosen = nullptr;
      double point = unit(random.second) * total;
      for (const auto& move : moves) {
        if (!fits(move)) continue;
        chosen = &move;
        if ((point -= move.weight) < 0) break;
      }
      open = open.without(chosen->domains);
      n_open -= chosen->length;
    }
    return ratio;
  }

 private:
  std::size_t n_domains_;
  std::vector<std::uint32_t> order_;
  Factors<Mask> factors_;
};

constexpr std::size_t rows_per_chunk = 16;

template <typename Mask>
void fill(RowEstimates& result, const Process& process, std::span<const std::int32_t> codes,
          std::size_t paths, std::uint64_t key, std::size_t threads, Watch& watch) {
  const auto n_rows = result.mean.size();
  const auto all_moves = merged_moves<Mask>(process);
  const PatternFinder<Mask> finder(process);
  auto make_worker = [&](const KeepGoing&) {
    return [&, guide = PathFinder<Mask>(process, all_moves),
            moves = std::vector<Move<Mask>>()](std::size_t chunk) mutable {
      const auto end = std::min(n_rows, (chunk + 1) * rows_per_chunk);
      for (auto r = chunk * rows_per_chunk; r < end; ++r) {
        if (!finder.find(codes, n_rows, r, moves)) continue;
        double sum = 0, squares = 0;
        for (std::size_t path = 0; path < paths; ++path) {
          const auto ratio = guide.ratio(moves, key, r, path);
          sum += ratio;
          squares += ratio * ratio;
        }
        const auto n = static_cast<double>(paths);
        const double spread = std::max(0.0, squares / n - (sum / n) * (sum / n));
        result.mean[r] = sum / n;
        result.standard_error[r] = std::sqrt(spread / (n - 1));
      }
    };
  };
  const auto chunks = (n_rows + rows_per_chunk - 1) / rows_per_chunk;
  const auto begun = in_chunks(chunks, threads, watch, make_worker);
  result.done = std::min(n_rows, begun * rows_per_chunk);
}

}  // namespace

RowEstimates estimate_probabilities(const Process& process, std::span<const std::int32_t> codes,
                                    std::size_t n_rows, std::size_t paths, std::uint64_t key,
                                    std::size_t threads, Watch& watch) {
  if (paths < 2) throw std::invalid_argument("an estimate needs at least two paths");
  RowEstimates result;
  result.mean.resize(n_rows, 0.0);
  result.standard_error.resize(n_rows, 0.0);
  with_mask(process.n_domains(), [&](auto mask) {
    fill<decltype(mask)>(result, process, codes, paths, key, threads, watch);
  });
  return result;
}

}  // namespace halfmask

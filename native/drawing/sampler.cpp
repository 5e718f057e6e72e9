#include "drawing/sampler.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "common/parallel.hpp"
#include "common/random.hpp"
#include "drawing/domain_mask.hpp"
#include "drawing/forbidden.hpp"
#include "drawing/state_index.hpp"

namespace halfmask {

namespace {

// Weights become whole numbers of a unit so small that the heaviest domain weighs 2^62 units. Sums
// of whole numbers do not depend on the order of summation, so a remembered pool and one that is
// added up on the spot choose the same pattern; the rounding moves a probability by less than
// 1e-10.
using Units = std::uint64_t;

// The table, read-only and shared by all threads.
template <typename Mask>
struct Table {
  // Patterns that set one domain, heaviest first, so that a search from the front is short.
  struct Choices {
    std::vector<Mask> masks;
    std::vector<Units> units;
    std::vector<std::uint32_t> patterns;
  };

  std::size_t n_domains;
  std::vector<std::uint32_t> order;
  std::vector<Choices> choices;
  std::vector<std::uint32_t> first_cell;
  std::vector<Cell> cells;

  explicit Table(const Process& process)
      : n_domains(process.n_domains()),
        order(process.order.begin(), process.order.end()),
        choices(n_domains),
        first_cell{0} {
    const auto domain = domain_of_items(process);
    const auto units = in_units(process, domain);
    std::vector<std::uint32_t> heaviest_first(process.patterns.size());
    std::iota(heaviest_first.begin(), heaviest_first.end(), 0U);
    std::stable_sort(heaviest_first.begin(), heaviest_first.end(),
                     [&](auto a, auto b) { return units[a] > units[b]; });
    for (const auto p : heaviest_first) {
      if (units[p] == 0) break;
      add(process, domain, process.patterns[p], units[p]);
    }
  }

 private:
  void add(const Process& process, const std::vector<std::uint32_t>& domain,
           std::span<const Item> items, Units units) {
    const auto number = static_cast<std::uint32_t>(first_cell.size() - 1);
    Mask mask;
    for (const auto item : items) {
      const auto d = domain[static_cast<std::size_t>(item)];
      mask.add(d);
      cells.push_back({d, item - process.first_item[d]});
    }
    first_cell.push_back(static_cast<std::uint32_t>(cells.size()));
    mask.each([&](std::size_t d) {
      choices[d].masks.push_back(mask);
      choices[d].units.push_back(units);
      choices[d].patterns.push_back(number);
    });
  }

  [[nodiscard]] static std::vector<Units> in_units(const Process& process,
                                                   const std::vector<std::uint32_t>& domain) {
    std::vector<double> of_domain(process.n_domains(), 0.0);
    for (std::size_t p = 0; p < process.patterns.size(); ++p)
      for (const auto item : process.patterns[p])
        of_domain[domain[static_cast<std::size_t>(item)]] += process.weights[p];
    const double heaviest = of_domain.empty() ? 0 : *std::ranges::max_element(of_domain);
    std::vector<Units> units(process.patterns.size(), 0);
    for (std::size_t p = 0; p < units.size(); ++p) {
      if (process.weights[p] == 0) continue;
      // A weight above 0 keeps at least one unit: what is possible stays possible.
      const double share = std::ldexp(process.weights[p] / heaviest, 62);
      units[p] = std::max<Units>(1, static_cast<Units>(std::llround(share)));
    }
    return units;
  }
};

// The patterns that may set a domain while certain domains are open, with running sums of weight.
struct Pool {
  std::vector<Units> ends;
  std::vector<std::uint32_t> patterns;
};

// Remembers pools by (open domains, domain to set) until its memory is used up.
template <typename Mask>
class PoolCache {
 public:
  PoolCache(std::size_t n_domains, std::size_t max_bytes)
      : n_domains_(n_domains), max_bytes_(max_bytes), states_(n_domains) {}

  [[nodiscard]] const Pool* find(const Mask& open, std::size_t domain) const {
    const auto state = states_.find(open);
    if (state == states_.none) return nullptr;
    const auto pool = pool_of_[state * n_domains_ + domain];
    return pool == states_.none ? nullptr : &pools_[pool];
  }

  [[nodiscard]] bool has_room() const { return bytes_ < max_bytes_; }

  const Pool& keep(const Mask& open, std::size_t domain, Pool&& pool) {
    const auto state = states_.number(open);
    if (state * n_domains_ == pool_of_.size()) {
      pool_of_.resize(pool_of_.size() + n_domains_, states_.none);
      bytes_ += 2 * sizeof(Mask) + n_domains_ * sizeof(std::uint32_t);
    }
    bytes_ += sizeof(Pool) + pool.ends.size() * (sizeof(Units) + sizeof(std::uint32_t));
    pool_of_[state * n_domains_ + domain] = static_cast<std::uint32_t>(pools_.size());
    return pools_.emplace_back(std::move(pool));
  }

 private:
  std::size_t n_domains_;
  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  StateIndex<Mask> states_;
  std::vector<std::uint32_t> pool_of_;
  std::vector<Pool> pools_;
};

// Draws single rows; one for each thread, because it remembers pools.
template <typename Mask>
class RowMaker {
 public:
  RowMaker(const Table<Mask>& table, const Forbidden& forbidden, std::uint64_t key,
           const SamplerLimits& limits)
      : table_(table),
        forbidden_(forbidden),
        key_(key),
        max_attempts_(limits.max_attempts),
        all_(Mask::first(table.n_domains)),
        cache_(table.n_domains, limits.cache_bytes) {}

  // Writes one code per domain and returns the number of patterns used, or nothing when stuck.
  [[nodiscard]] std::optional<std::uint16_t> draw(std::uint64_t row, std::int32_t* codes) {
    std::uint64_t step = 0;  // never goes back, so an attempt meets fresh random numbers
    for (std::size_t attempt = 0; attempt < max_attempts_; ++attempt) {
      ++attempts_;
      if (const auto used = attempt_row(row, step, codes)) return used;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::uint64_t attempts() const { return attempts_; }

 private:
  static constexpr std::uint32_t no_pattern = ~std::uint32_t{0};

  [[nodiscard]] std::optional<std::uint16_t> attempt_row(std::uint64_t row, std::uint64_t& step,
                                                         std::int32_t* codes) {
    auto open = all_;
    auto n_open = table_.n_domains;
    auto next = table_.order.begin();
    std::uint16_t used = 0;
    while (n_open > 0) {
      const auto random = philox(key_, row, step++);
      std::size_t domain;
      if (table_.order.empty()) {
        domain = open.member(static_cast<std::size_t>(below(random.first, n_open)));
      } else {
        while (!open.has(*next)) ++next;
        domain = *next;
      }
      auto pattern = choose(open, domain, random.second);
      if (pattern == no_pattern) return std::nullopt;
      auto rest = put(pattern, open, codes);
      if (!forbidden_.empty() && forbidden_.completed(cells_of(pattern), codes, rest)) {
        pattern = choose_allowed(open, domain, philox(key_, row, step++).second, codes);
        if (pattern == no_pattern) return std::nullopt;
        rest = put(pattern, open, codes);
      }
      n_open -= cells_of(pattern).size();
      open = rest;
      ++used;
    }
    return used;
  }

  [[nodiscard]] std::span<const Cell> cells_of(std::uint32_t pattern) const {
    const auto first = table_.first_cell[pattern];
    return {table_.cells.data() + first, table_.first_cell[pattern + 1] - first};
  }

  // Writes the codes of a pattern and returns the domains that stay open.
  [[nodiscard]] Mask put(std::uint32_t pattern, const Mask& open, std::int32_t* codes) const {
    Mask set;
    for (const auto& cell : cells_of(pattern)) {
      codes[cell.domain] = cell.code;
      set.add(cell.domain);
    }
    return open.without(set);
  }

  // A pattern of the pool by weight, among those that complete no forbidden combination. Asked
  // for after a first choice had to be refused, which leaves exactly this distribution. Codes of
  // open domains mean nothing, so trying a pattern needs no undoing.
  [[nodiscard]] std::uint32_t choose_allowed(const Mask& open, std::size_t domain,
                                             std::uint64_t random, std::int32_t* codes) {
    const auto& choices = table_.choices[domain];
    allowed_.clear();
    Units total = 0;
    for (std::size_t k = 0; k < choices.masks.size(); ++k) {
      if (!choices.masks[k].within(open)) continue;
      const auto pattern = choices.patterns[k];
      const auto rest = put(pattern, open, codes);
      if (forbidden_.completed(cells_of(pattern), codes, rest)) continue;
      allowed_.emplace_back(total += choices.units[k], pattern);
    }
    if (allowed_.empty()) return no_pattern;
    const auto point = below(random, total);
    const auto at =
        std::upper_bound(allowed_.begin(), allowed_.end(), point,
                         [](Units value, const auto& choice) { return value < choice.first; });
    return at->second;
  }

  [[nodiscard]] std::uint32_t choose(const Mask& open, std::size_t domain, std::uint64_t random) {
    const Pool* pool = cache_.find(open, domain);
    if (pool == nullptr) {
      if (!cache_.has_room()) return choose_afresh(open, domain, random);
      pool = &cache_.keep(open, domain, gather(open, domain));
    }
    if (pool->ends.empty()) return no_pattern;
    const auto point = below(random, pool->ends.back());
    const auto at = std::upper_bound(pool->ends.begin(), pool->ends.end(), point);
    return pool->patterns[static_cast<std::size_t>(at - pool->ends.begin())];
  }

  [[nodiscard]] Pool gather(const Mask& open, std::size_t domain) const {
    const auto& choices = table_.choices[domain];
    Pool pool;
    Units end = 0;
    for (std::size_t k = 0; k < choices.masks.size(); ++k) {
      if (!choices.masks[k].within(open)) continue;
      pool.ends.push_back(end += choices.units[k]);
      pool.patterns.push_back(choices.patterns[k]);
    }
    return pool;
  }

  // The same choice without a remembered pool: add up, then walk to the point drawn.
  [[nodiscard]] std::uint32_t choose_afresh(const Mask& open, std::size_t domain,
                                            std::uint64_t random) const {
    const auto& choices = table_.choices[domain];
    Units total = 0;
    for (std::size_t k = 0; k < choices.masks.size(); ++k)
      total += choices.masks[k].within(open) ? choices.units[k] : 0;
    if (total == 0) return no_pattern;
    const auto point = below(random, total);
    Units end = 0;
    std::size_t k = 0;
    for (;; ++k) {
      end += choices.masks[k].within(open) ? choices.units[k] : 0;
      if (point < end) return choices.patterns[k];
    }
  }

  const Table<Mask>& table_;
  const Forbidden& forbidden_;
  std::vector<std::pair<Units, std::uint32_t>> allowed_;
  std::uint64_t attempts_ = 0;
  std::uint64_t key_;
  std::size_t max_attempts_;
  Mask all_;
  PoolCache<Mask> cache_;
};

// Small enough that stop is answered within milliseconds, large enough to hide the hand-over.
constexpr std::size_t rows_per_chunk = 4096;

template <typename Mask>
void fill(SampledRows& result, const Process& process, std::uint64_t key, std::uint64_t first_row,
          std::size_t threads, Watch& watch, const SamplerLimits& limits,
          const Forbidden& forbidden) {
  const Table<Mask> table(process);
  std::atomic<bool> stuck{false};
  std::atomic<std::uint64_t> attempts{0};
  auto make_worker = [&](const KeepGoing&) {
    return [&, maker = RowMaker<Mask>(table, forbidden, key, limits),
            codes = std::vector<std::int32_t>(table.n_domains)](std::size_t chunk) mutable {
      const auto end = std::min(result.size, (chunk + 1) * rows_per_chunk);
      const auto before = maker.attempts();
      for (auto r = chunk * rows_per_chunk; r < end && !stuck; ++r) {
        const auto used = maker.draw(first_row + r, codes.data());
        if (!used) {
          stuck = true;
          return;
        }
        result.patterns_used[r] = *used;
        for (std::size_t d = 0; d < table.n_domains; ++d)
          result.codes[d * result.size + r] = codes[d];
      }
      attempts += maker.attempts() - before;
    };
  };
  const auto chunks = (result.size + rows_per_chunk - 1) / rows_per_chunk;
  const auto begun = in_chunks(chunks, threads, watch, make_worker);
  result.done = std::min(result.size, begun * rows_per_chunk);
  result.attempts = attempts;
  result.stuck = stuck;
}

}  // namespace

SampledRows sample_rows(const Process& process, std::size_t size, std::uint64_t key,
                        std::uint64_t first_row, std::size_t threads, Watch& watch,
                        const SamplerLimits& limits, const Itemsets& forbidden) {
  SampledRows result;
  result.size = size;
  result.codes.resize(size * process.n_domains());
  result.patterns_used.resize(size);
  with_mask(process.n_domains(), [&](auto mask) {
    fill<decltype(mask)>(result, process, key, first_row, threads, watch, limits,
                         Forbidden(process, forbidden));
  });
  return result;
}

}  // namespace halfmask

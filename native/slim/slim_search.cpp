#include "slim/slim_search.hpp"

#include <algorithm>
#include <iterator>

#include "common/parallel.hpp"
#include "krimp/prune.hpp"

namespace halfmask {

namespace {

// Trials that a round makes one by one before other threads are asked: starting a thread takes as
// long as some ten trials, and most rounds end sooner.
constexpr std::size_t alone = 16;
constexpr std::size_t together = 256;

// The better of the two most promising pairs enters. The estimate does not see rows in which other
// elements give way to the union; a second look costs one trial a round and finds shorter tables.
std::size_t leaders(Gain gain) { return gain == Gain::full ? 2 : 1; }

// The floor is on the rows that hold a set; asking it of the rows that use both parts too, as the
// authors do, refuses sets that pay: at support 50 adult ends 2 %, page-blocks 11 % longer.
Count least_joint(Gain gain, Count floor) { return gain == Gain::full ? 1 : floor; }

constexpr double clearly = 1e-6;  // bits, well above rounding

}  // namespace

template <std::size_t W>
SlimSearch<W>::SlimSearch(const Rows& rows, const LiveRows& live, const SlimOptions& options)
    : options_(options),
      cover_(rows, live),
      pairs_(options.gain, [this](Element a, Element b) { return before_by_usage(a, b); }),
      n_items_(cover_.elements()),
      items_(n_items_),
      alive_(n_items_, true),
      forbidden_with_(n_items_),
      sizes_({}, 0),
      size_(static_cast<Count>(n_items_)) {
  recount();
  const auto counts = cover_.usages();
  sizes_ = Sizes({counts.begin(), counts.end()}, sums_.usage);
  supports_.assign(counts.begin(), counts.end());
  for (std::size_t i = 0; i < n_items_; ++i) {
    items_[i] = {static_cast<Rank>(i)};
    standard_bits_.push_back(sizes_.standard(items_[i]));
  }
  for (const auto& [a, b] : options.forbidden) {
    forbidden_with_[a].push_back(b);
    forbidden_with_[b].push_back(a);
  }
  cover_.tell_all([this](const Recovered& row) { pairs_.apply(row); });
}

template <std::size_t W>
bool SlimSearch<W>::allowed(const Promise& pair, std::uint64_t& steps) const {
  if (cover_.length(pair.first) + cover_.length(pair.second) > options_.max_length) return false;
  // Far below a high floor most pairs are refused by what is known of their parts.
  if (std::min(supports_[pair.first], supports_[pair.second]) < options_.min_support) return false;
  if (pair.joint < options_.min_support) {
    steps += cover_.words();
    if (cover_.joint_support(pair.first, pair.second) < options_.min_support) return false;
  }
  const auto& others = items_[pair.second];
  return std::ranges::none_of(items_[pair.first], [&](Rank item) {
    return std::ranges::any_of(forbidden_with_[item], [&](Rank partner) {
      return std::ranges::binary_search(others, partner);
    });
  });
}

// The bits that a set saves, if it pays.
template <std::size_t W>
std::optional<double> SlimSearch<W>::saving(const Promise& pair, Scales& scales) const {
  auto& [tally, joined, changes, steps] = scales;
  steps = cover_.try_union(pair.first, pair.second, pair.joint, tally);
  joined.clear();
  std::ranges::merge(items_[pair.first], items_[pair.second], std::back_inserter(joined));
  const auto bits = standard_bits_[pair.first] + standard_bits_[pair.second];
  changes.assign(1, {static_cast<Element>(items_.size()), 0, tally.newcomer, bits, joined});
  tally.drain([&, this](Element e, Count by) {
    scales.changes.push_back({e, usage(e), usage(e) + by, standard_bits_[e], items_[e]});
  });
  const auto saved = -sizes_.difference(sums_, changes);
  if (options_.min_gain > 0.0)
    return saved > options_.min_gain ? std::optional(saved) : std::nullopt;
  return sizes_.compare(sums_, changes) < 0 ? std::optional(saved) : std::nullopt;
}

template <std::size_t W>
std::optional<std::size_t> SlimSearch<W>::best_of(const std::vector<Promise>& pairs) {
  std::optional<std::size_t> best;
  double most = 0.0;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const auto saved = saving(pairs[k], scales_);
    trial_steps_ += pairs[k].steps + scales_.steps;
    if (!saved || (best && *saved <= most + clearly)) continue;
    best = k;
    most = *saved;
  }
  evaluated_ += pairs.size();
  return best;
}

// Every thread weighs against the same table, so the first that pays is the one that a search
// with one thread finds.
template <std::size_t W>
std::optional<std::size_t> SlimSearch<W>::first_that_pays(const std::vector<Promise>& pairs) {
  if (pairs.size() == 1) return best_of(pairs);
  std::atomic<std::size_t> first{pairs.size()};
  std::vector<std::uint64_t> steps(pairs.size(), 0);
  Watch nobody;
  (void)in_chunks(pairs.size(), options_.threads, nobody, [&, this](const KeepGoing&) {
    return [&, this, scales = Scales{}](std::size_t k) mutable {
      if (k >= first) return;
      const bool pays = saving(pairs[k], scales).has_value();
      steps[k] = scales.steps;
      if (!pays) return;
      auto best = first.load();
      while (k < best && !first.compare_exchange_weak(best, k)) {
      }
    };
  });
  const auto seen = std::min(first + 1, pairs.size());  // those beyond depend on the threads
  for (std::size_t k = 0; k < seen; ++k) {
    if (k > 0 && this->steps() >= options_.most_steps) return std::nullopt;  // as one thread would
    trial_steps_ += pairs[k].steps + steps[k];
    ++evaluated_;
  }
  return first < pairs.size() ? std::optional(first.load()) : std::nullopt;
}

template <std::size_t W>
std::vector<Promise> SlimSearch<W>::next_pairs(std::size_t wanted) {
  std::vector<Promise> found;
  refused_.clear();
  Promise pair;
  for (std::uint64_t steps = 0; found.size() < wanted && pairs_.next(pair);) {
    steps += pair.steps;
    if (allowed(pair, steps)) {
      pair.steps = std::exchange(steps, 0);
      found.push_back(pair);
    } else {
      refused_.emplace_back(pair, found.size());
    }
  }
  return found;
}

// Those that came up before the last pair that was weighed; what lies beyond depends on the
// threads.
template <std::size_t W>
void SlimSearch<W>::refuse_before(std::size_t seen) {
  for (const auto& [pair, before] : refused_)
    if (before < seen) pairs_.refuse(pair);
}

template <std::size_t W>
bool SlimSearch<W>::round(Watch& watch) {
  pairs_.rank({cover_.usages(), standard_bits_, sums_.usage, size_});
  for (std::size_t tried = 0;;) {
    if (!watch.tick(static_cast<std::int64_t>(accepted_), 0) || steps() >= options_.most_steps) {
      complete_ = false;
      return false;
    }
    const bool leading = tried == 0;
    const bool shared = options_.threads > 1 && tried >= alone;
    const auto pairs = next_pairs(leading ? leaders(options_.gain) : shared ? together : 1);
    if (pairs.empty()) return false;
    const auto found = leading ? best_of(pairs) : first_that_pays(pairs);
    refuse_before(found && !leading ? *found + 1 : pairs.size());
    tried += pairs.size();
    if (!found) continue;
    accept(pairs[*found]);
    return true;
  }
}

template <std::size_t W>
SlimResult SlimSearch<W>::run(Watch& watch) {
  pairs_.ask_joint(least_joint(options_.gain, options_.min_support));
  while (round(watch)) {
  }
  SlimResult result;
  result.table = table();
  result.evaluated = evaluated_;
  result.accepted = accepted_;
  result.complete = complete_;
  return result;
}

template <std::size_t W>
void SlimSearch<W>::accept(const Promise& pair) {
  Items joined;
  std::ranges::merge(items_[pair.first], items_[pair.second], std::back_inserter(joined));
  items_.push_back(std::move(joined));
  standard_bits_.push_back(sizes_.standard(items_.back()));
  alive_.push_back(true);
  ++size_;
  ++accepted_;
  const std::vector<Count> old_usages(cover_.usages().begin(), cover_.usages().end());
  const auto x = cover_.insert_union(pair.first, pair.second,
                                     [this](const Recovered& row) { pairs_.apply(row); });
  supports_.push_back(cover_.support(x));
  recount();
  if (options_.prune != Prune::none) prune(old_usages);
}

template <std::size_t W>
void SlimSearch<W>::prune(const std::vector<Count>& old_usages) {
  std::vector<Element> fallen;
  for (auto e = static_cast<Element>(n_items_); e < old_usages.size(); ++e)
    if (usage(e) < old_usages[e]) fallen.push_back(e);
  prune_after(*this, options_.prune, std::move(fallen));
}

template <std::size_t W>
void SlimSearch<W>::drop(Element e) {
  cover_.erase(e, [this](const Recovered& row) { pairs_.apply(row); });
  alive_[e] = false;
  --size_;
  recount();
}

template <std::size_t W>
std::optional<std::vector<Element>> SlimSearch<W>::drop_if_it_pays(Element e) {
  auto& changes = scales_.changes;
  cover_.try_without(e, scales_.tally);
  changes.clear();
  std::vector<Element> fallen;
  scales_.tally.drain([&, this](Element f, Count by) {
    changes.push_back({f, usage(f), usage(f) + by, standard_bits_[f], items_[f]});
    if (is_set(f) && f != e && by < 0) fallen.push_back(f);
  });
  if (sizes_.compare(sums_, changes) > 0) return std::nullopt;
  drop(e);
  std::ranges::sort(fallen, [this](Element a, Element b) { return before(a, b); });
  return fallen;
}

template <std::size_t W>
void SlimSearch<W>::recount() {
  sums_ = {};
  for (const auto u : cover_.usages()) {
    sums_.usage += u;
    sums_.used += u > 0;
  }
}

template <std::size_t W>
std::vector<Element> SlimSearch<W>::in_cover_order() const {
  std::vector<Element> order;
  for (auto e = n_items_; e < items_.size(); ++e)
    if (alive_[e]) order.push_back(static_cast<Element>(e));
  std::ranges::sort(order, [this](Element a, Element b) { return before(a, b); });
  return order;
}

template <std::size_t W>
SlimTable SlimSearch<W>::table() const {
  SlimTable result;
  for (const auto e : in_cover_order()) {
    result.items.insert(result.items.end(), items_[e].begin(), items_[e].end());
    result.offsets.push_back(static_cast<std::int64_t>(result.items.size()));
    result.usages.push_back(usage(e));
    result.supports.push_back(cover_.support(e));
  }
  const auto singles = cover_.usages().first(n_items_);
  result.item_usages.assign(singles.begin(), singles.end());
  return result;
}

template class SlimSearch<1>;
template class SlimSearch<2>;
template class SlimSearch<8>;
template class SlimSearch<64>;
template class SlimSearch<1024>;

}  // namespace halfmask

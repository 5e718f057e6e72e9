#include "baskets/basket_sampler.hpp"

#include <algorithm>
#include <numeric>

#include "common/uniforms.hpp"

namespace halfmask {

namespace {

constexpr int max_draws = 32;  // collisions before the admissible patterns are added up one by one
constexpr std::size_t none = static_cast<std::size_t>(-1);

class Filler {
 public:
  Filler(const BasketPatterns& pool, const Links& links)
      : pool_(pool),
        links_(links),
        sums_(pool.weights.size()),
        link_sums_(links.weights.size() + 1, 0.0),
        held_(static_cast<std::size_t>(pool.n_items), 0) {
    std::partial_sum(pool.weights.begin(), pool.weights.end(), sums_.begin());
    std::partial_sum(links.weights.begin(), links.weights.end(), link_sums_.begin() + 1);
    for (std::size_t p = 0; p < pool.patterns.size(); ++p) {
      fitting_.resize(std::max(fitting_.size(), pool.patterns[p].size() + 1), p);
      fitting_.back() = p + 1;
    }
  }

  // Appends the items of one basket and counts the patterns it took.
  void fill(std::int64_t size, Uniforms random, SampledBaskets& baskets) {
    ++stamp_;
    std::int32_t steps = 0;
    const auto begin = baskets.items.size();
    const auto end = begin + static_cast<std::size_t>(std::max<std::int64_t>(size, 0));
    for (; baskets.items.size() < end; ++steps) {
      const std::span<const Item> inside{baskets.items.data() + begin,
                                         baskets.items.size() - begin};
      if (const auto tied = follow(inside, random)) {
        put(*tied, baskets);
        continue;
      }
      const auto chosen = choose(end - baskets.items.size(), random);
      if (chosen == none) break;
      ++baskets.usages[chosen];
      for (const auto item : pool_.patterns[chosen]) put(item, baskets);
    }
    baskets.steps.push_back(steps);
  }

 private:
  void put(Item item, SampledBaskets& baskets) {
    held_[static_cast<std::size_t>(item)] = stamp_;
    baskets.items.push_back(item);
  }

  // An item that is tied to one of the basket and not in it, or nothing when the step is fresh.
  [[nodiscard]] std::optional<Item> follow(std::span<const Item> inside, Uniforms& random) const {
    if (links_.offsets.empty() || inside.empty() || random.next() < links_.fresh)
      return std::nullopt;
    const auto from = static_cast<std::size_t>(inside[random.below(inside.size())]);
    const auto first = static_cast<std::size_t>(links_.offsets[from]);
    const auto last = static_cast<std::size_t>(links_.offsets[from + 1]);
    if (first == last) return std::nullopt;
    const auto low = link_sums_[first], high = link_sums_[last];
    const auto begin = link_sums_.begin() + 1;
    const auto at = std::upper_bound(begin + static_cast<std::ptrdiff_t>(first),
                                     begin + static_cast<std::ptrdiff_t>(last) - 1,
                                     low + random.next() * (high - low));
    const auto item = links_.items[static_cast<std::size_t>(at - begin)];
    if (held_[static_cast<std::size_t>(item)] == stamp_) return std::nullopt;
    return item;
  }

  [[nodiscard]] bool is_free(std::size_t pattern) const {
    return std::ranges::none_of(pool_.patterns[pattern], [this](Item item) {
      return held_[static_cast<std::size_t>(item)] == stamp_;
    });
  }

  // Drawing until a pattern is free gives the same chances as adding up the free ones, sooner.
  std::size_t choose(std::size_t room, Uniforms& random) {
    const auto fit = fitting_.empty() ? 0 : fitting_[std::min(room, fitting_.size() - 1)];
    const auto total = fit == 0 ? 0.0 : sums_[fit - 1];
    if (!(total > 0)) return none;
    const auto end = sums_.begin() + static_cast<std::ptrdiff_t>(fit);
    for (int draw = 0; draw < max_draws; ++draw) {
      const auto at = std::upper_bound(sums_.begin(), end - 1, random.next() * total);
      const auto pattern = static_cast<std::size_t>(at - sums_.begin());
      if (pool_.weights[pattern] > 0 && is_free(pattern)) return pattern;
    }
    return scan(fit, random.next());
  }

  [[nodiscard]] std::size_t scan(std::size_t fit, double uniform) const {
    double total = 0;
    for (std::size_t p = 0; p < fit; ++p)
      if (is_free(p)) total += pool_.weights[p];
    auto chosen = none;
    double sum = 0;
    for (std::size_t p = 0; p < fit && sum <= uniform * total; ++p) {
      if (pool_.weights[p] <= 0 || !is_free(p)) continue;
      sum += pool_.weights[p];
      chosen = p;
    }
    return chosen;
  }

  const BasketPatterns& pool_;
  const Links& links_;
  std::vector<double> sums_;
  std::vector<double> link_sums_;     // link_sums_[l]: the weights of all links before l
  std::vector<std::size_t> fitting_;  // fitting_[n]: how many patterns have at most n items
  std::vector<std::uint64_t> held_;   // held_[item] == stamp_: the item is in the basket
  std::uint64_t stamp_ = 0;
};

}  // namespace

std::optional<std::string> BasketPatterns::validate() const {
  if (n_items < 0 || n_items > most_items) return "the number of items is negative or too large";
  if (const auto reason = patterns.validate(n_items)) return reason;
  if (weights.size() != patterns.size()) return "every pattern needs one weight";
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    if (patterns[p].empty()) return "a pattern holds at least one item";
    if (!(weights[p] >= 0) || weights[p] > 1e15) return "a weight is negative or too large";
    if (p > 0 && patterns[p - 1].size() > patterns[p].size())
      return "patterns must stand in the order of their length";
  }
  return std::nullopt;
}

std::optional<std::string> Links::validate(Item n_items) const {
  if (offsets.empty()) return std::nullopt;
  if (const auto reason = Itemsets{offsets, items}.validate(n_items)) return reason;
  if (offsets.size() != static_cast<std::size_t>(n_items) + 1) return "every item needs its links";
  if (weights.size() != items.size()) return "every link needs one weight";
  for (const auto weight : weights)
    if (!(weight > 0) || weight > 1e15) return "the weight of a link is not above 0 or too large";
  if (!(fresh >= 0) || fresh > 1) return "the share of fresh steps lies outside 0 to 1";
  return std::nullopt;
}

SampledBaskets sample_baskets(const BasketPatterns& pool, const Links& links,
                              std::span<const std::int64_t> sizes, std::uint64_t key,
                              std::uint64_t first, Watch& watch) {
  Filler filler(pool, links);
  SampledBaskets baskets;
  baskets.offsets.reserve(sizes.size() + 1);
  baskets.usages.resize(pool.patterns.size(), 0);
  for (std::size_t b = 0; b < sizes.size(); ++b) {
    if (b % 256 == 0 &&
        !watch.tick(static_cast<std::int64_t>(b), static_cast<std::int64_t>(sizes.size())))
      break;
    filler.fill(sizes[b], Uniforms(key, first + b), baskets);
    std::sort(baskets.items.begin() + baskets.offsets.back(), baskets.items.end());
    baskets.offsets.push_back(static_cast<std::int64_t>(baskets.items.size()));
  }
  return baskets;
}

}  // namespace halfmask

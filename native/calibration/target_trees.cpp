#include "calibration/target_trees.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace halfmask {

namespace {

using Numbers = std::vector<std::size_t>;

// What is known of the classes of one side, and what the model of the classes says of it.
struct Line {
  std::vector<std::int64_t> counts;
  std::vector<double> expected;
};

struct Distance {
  double value = 0;
  double freedom = 0;  // values that are told, and the rest, but one
  bool told = false;
};

// What is taken for a rest of which only that it is few is known: what is expected, if that is few.
double few_of(double expected, std::int64_t floor) {
  return std::clamp(expected, 1.0, std::max(1.0, static_cast<double>(floor - 1)));
}

// χ² between what is told and what is expected of as many rows; see the header for "few".
Distance distance(const Line& line, std::int64_t floor) {
  std::int64_t rest = 0;
  double told = 0, told_expected = 0, rest_expected = 0;
  for (std::size_t k = 0; k < line.counts.size(); ++k) {
    if (line.counts[k] >= floor) {
      told += static_cast<double>(line.counts[k]);
      told_expected += line.expected[k];
    } else {
      rest += line.counts[k];
      rest_expected += line.expected[k];
    }
  }
  Distance found;
  found.told = told > 0 || rest >= floor;
  const auto all_expected = told_expected + rest_expected;
  if (!found.told || all_expected <= 0) return found;
  const auto others =
      rest == 0 || rest >= floor
          ? static_cast<double>(rest)
          : few_of(told_expected > 0 ? rest_expected * told / told_expected : 1, floor);
  const auto mass = (told + others) / all_expected;
  const auto add = [&](double count, double expected) {
    if (count + expected > 0)
      found.value += 2 * (count - expected) * (count - expected) / (count + expected);
  };
  auto terms = others > 0 || rest_expected * mass >= 1 ? 1.0 : 0.0;
  for (std::size_t k = 0; k < line.counts.size(); ++k) {
    if (line.counts[k] < floor) continue;
    add(static_cast<double>(line.counts[k]), line.expected[k] * mass);
    ++terms;
  }
  add(others, rest_expected * mass);
  found.freedom = std::max(terms - 1, 0.0);
  return found;
}

struct Split {
  double gain = -std::numeric_limits<double>::infinity();
  std::int32_t column = -1, value = -1;
};

class Growth {
 public:
  Growth(const Growing& growing, const GrowthLimits& limits)
      : growing_(growing),
        limits_(limits),
        scale_(growing.drawn_rows() == 0 ? 0.0
                                         : static_cast<double>(growing.rows()) /
                                               static_cast<double>(growing.drawn_rows())) {
    for (const auto size : growing.sizes) candidates_ += size > 1 ? size : 0;
  }

  Tree run(Watch& watch) {
    Node root;
    root.rows.resize(growing_.rows());
    root.drawn.resize(growing_.drawn_rows());
    std::iota(root.rows.begin(), root.rows.end(), 0);
    std::iota(root.drawn.begin(), root.drawn.end(), 0);
    add(std::move(root));
    for (std::size_t leaves = 1; leaves < limits_.leaves; ++leaves) {
      const auto best = std::ranges::max_element(
          nodes_, {}, [](const Node& node) { return node.best.gain; });  // the first of equals
      if (best->best.column < 0) break;
      if (!watch.tick(static_cast<std::int64_t>(leaves), static_cast<std::int64_t>(limits_.leaves)))
        break;
      split(static_cast<std::size_t>(best - nodes_.begin()));
    }
    (void)pruned(0);
    return std::move(tree_);
  }

 private:
  struct Node {
    Numbers rows, drawn;
    std::vector<std::int32_t> asked;  // columns asked on the path here, in order, each once
    Split best;                       // no column when there is none
    double distance = 0, freedom = 0;
  };

  void add(Node node) {
    node.best = best_split(node);
    for (auto* each : {&tree_.column, &tree_.value, &tree_.yes, &tree_.no}) each->push_back(-1);
    nodes_.push_back(std::move(node));
  }

  void split(std::size_t number) {
    Node parent = std::move(nodes_[number]);
    nodes_[number].best = {};
    const auto c = static_cast<std::size_t>(parent.best.column);
    tree_.column[number] = parent.best.column;
    tree_.value[number] = parent.best.value;
    Node yes, no;
    yes.asked = no.asked = asked_with(parent, c);
    const auto deal = [&](const Numbers& all, std::span<const std::int32_t> codes, Numbers& in,
                          Numbers& out) {
      for (const auto r : all) (codes[r] == parent.best.value ? in : out).push_back(r);
    };
    deal(parent.rows, growing_.codes.subspan(c * growing_.rows(), growing_.rows()), yes.rows,
         no.rows);
    deal(parent.drawn, growing_.drawn.subspan(c * growing_.drawn_rows(), growing_.drawn_rows()),
         yes.drawn, no.drawn);
    tree_.yes[number] = static_cast<std::int32_t>(nodes_.size());
    add(std::move(yes));
    tree_.no[number] = static_cast<std::int32_t>(nodes_.size());
    add(std::move(no));
  }

  [[nodiscard]] static std::vector<std::int32_t> asked_with(const Node& node, std::size_t column) {
    auto asked = node.asked;
    if (std::ranges::find(asked, static_cast<std::int32_t>(column)) == asked.end())
      asked.push_back(static_cast<std::int32_t>(column));
    return asked;
  }

  // Whether the columns asked before and this one may all stand on one path.
  [[nodiscard]] bool allowed(const Node& node, std::size_t column) const {
    const auto asked = asked_with(node, column);
    return std::ranges::all_of(asked, [&](std::int32_t other) {
      const auto o = static_cast<std::size_t>(other);
      return static_cast<std::int32_t>(asked.size()) <= growing_.most[o] &&
             growing_.apart[column * growing_.columns() + o] == 0;
    });
  }

  [[nodiscard]] Split best_split(Node& node) {
    const auto classes = growing_.n_classes;
    Line whole{std::vector<std::int64_t>(classes, 0), std::vector<double>(classes, 0.0)};
    for (const auto r : node.rows) ++whole.counts[static_cast<std::size_t>(growing_.classes[r])];
    for (const auto r : node.drawn)
      for (std::size_t k = 0; k < classes; ++k)
        whole.expected[k] += growing_.shares[r * classes + k] * scale_;
    const auto before = distance(whole, limits_.floor);
    node.distance = before.value;
    node.freedom = before.freedom;
    Split best;
    for (std::size_t c = 0; c < growing_.columns(); ++c)
      if (growing_.sizes[c] > 1 && allowed(node, c)) look_at(node, c, whole, before.value, best);
    return best;
  }

  struct Below {
    double distance = 0, freedom = 0;  // of all leaves
    double splits = 0;
  };

  // Takes back splits that together bring no more than chance does; looks below first, because
  // what a split brings may show only with the next one.
  Below pruned(std::size_t number) {
    const auto& node = nodes_[number];
    if (tree_.column[number] < 0) return {node.distance, node.freedom};
    const auto yes = pruned(static_cast<std::size_t>(tree_.yes[number]));
    const auto no = pruned(static_cast<std::size_t>(tree_.no[number]));
    const Below below{yes.distance + no.distance, yes.freedom + no.freedom,
                      yes.splits + no.splits + 1};
    const auto freedom = std::max(below.freedom - node.freedom, 1.0);
    if (below.distance - node.distance > luck(freedom, below.splits)) return below;
    for (auto* each : {&tree_.column, &tree_.value, &tree_.yes, &tree_.no}) (*each)[number] = -1;
    return {node.distance, node.freedom};
  }

  // What chance hardly ever gives the luckiest of all ways to choose so many splits: a χ² exceeds
  // f + 2√(f·t) + 2t with a probability of at most e⁻ᵗ [Laurent & Massart 2000].
  [[nodiscard]] double luck(double freedom, double splits) const {
    const auto t = limits_.caution * splits * std::log(candidates_);
    return freedom + 2 * std::sqrt(freedom * t) + 2 * t;
  }

  void look_at(const Node& node, std::size_t column, const Line& whole, double before,
               Split& best) {
    const auto classes = growing_.n_classes,
               values = static_cast<std::size_t>(growing_.sizes[column]);
    std::vector<std::int64_t> counts(values * classes, 0);
    std::vector<double> expected(values * classes, 0.0);
    const auto* codes = growing_.codes.data() + column * growing_.rows();
    for (const auto r : node.rows)
      if (codes[r] >= 0)
        ++counts[static_cast<std::size_t>(codes[r]) * classes +
                 static_cast<std::size_t>(growing_.classes[r])];
    const auto* drawn = growing_.drawn.data() + column * growing_.drawn_rows();
    for (const auto r : node.drawn) {
      auto* sums = expected.data() + static_cast<std::size_t>(drawn[r]) * classes;
      const auto* shares = growing_.shares.data() + r * classes;
      for (std::size_t k = 0; k < classes; ++k) sums[k] += shares[k];
    }
    Line yes{std::vector<std::int64_t>(classes), std::vector<double>(classes)}, no = yes;
    for (std::size_t v = 0; v < values; ++v) {
      for (std::size_t k = 0; k < classes; ++k) {
        yes.counts[k] = counts[v * classes + k];
        yes.expected[k] = expected[v * classes + k] * scale_;
        no.counts[k] = whole.counts[k] - yes.counts[k];
        no.expected[k] = std::max(whole.expected[k] - yes.expected[k], 0.0);
      }
      const auto one = distance(yes, limits_.floor), other = distance(no, limits_.floor);
      const auto gain = one.value + other.value - before;
      if (one.told && other.told && gain > best.gain)
        best = {gain, static_cast<std::int32_t>(column), static_cast<std::int32_t>(v)};
    }
  }

  const Growing& growing_;
  const GrowthLimits& limits_;
  double scale_;           // rows of the original for each drawn one
  double candidates_ = 0;  // splits that can be chosen
  Tree tree_;
  std::vector<Node> nodes_;
};

constexpr double kMaxFactor = 10;  // one correction changes a share at most so many times
constexpr double kLeast = 1e-12;   // no class is impossible for good

// Shares of the classes among the rows of one tree's leaves, and how to correct them.
class Fitting {
 public:
  Fitting(const DisclosedLeaves& leaves, std::span<const double> shares, double size)
      : leaves_(leaves),
        classes_(leaves.n_classes),
        rows_(shares.size() / leaves.n_classes),
        scale_(rows_ == 0 ? 0.0 : size / static_cast<double>(rows_)) {
    result_.shares.assign(shares.begin(), shares.end());
    result_.factors.assign(leaves.told.size(), 1.0);
  }

  void correct(std::size_t tree) {
    const auto first = static_cast<std::size_t>(leaves_.leaf_offsets[tree]);
    const auto last = static_cast<std::size_t>(leaves_.leaf_offsets[tree + 1]);
    count(tree, first, last);
    const auto few = few_factor(tree, first, last);
    for (auto leaf = first; leaf < last; ++leaf)
      factor(leaf, sums_.data() + (leaf - first) * classes_, few);
    apply(tree, first);
  }

  [[nodiscard]] ClassShares take() { return std::move(result_); }

 private:
  void count(std::size_t tree, std::size_t first, std::size_t last) {
    sums_.assign((last - first) * classes_, 0.0);
    const auto* leaf_of = leaves_.leaf_of.data() + tree * rows_;
    for (std::size_t r = 0; r < rows_; ++r) {
      if (leaf_of[r] < 0) continue;
      auto* sums = sums_.data() + (static_cast<std::size_t>(leaf_of[r]) - first) * classes_;
      const auto* shares = result_.shares.data() + r * classes_;
      for (std::size_t k = 0; k < classes_; ++k) sums[k] += shares[k];
    }
    for (auto& sum : sums_) sum *= scale_;
  }

  // What the rests that are few in all should have, to what they have.
  [[nodiscard]] double few_factor(std::size_t tree, std::size_t first, std::size_t last) const {
    double found = 0;
    for (auto leaf = first; leaf < last; ++leaf)
      for (std::size_t k = 0; leaves_.rest[leaf] < 0 && k < classes_; ++k)
        if (leaves_.told[leaf * classes_ + k] < 0) found += sums_[(leaf - first) * classes_ + k];
    return found > 0 ? leaves_.few[tree] / found : 0.0;
  }

  // The factors of one leaf, which leave its number of rows alone; they replace its sums.
  void factor(std::size_t leaf, double* sums, double few) {
    const auto* told = leaves_.told.data() + leaf * classes_;
    double untold = 0, all = 0, wanted = 0;
    for (std::size_t k = 0; k < classes_; ++k) {
      all += sums[k];
      if (told[k] < 0) untold += sums[k];
    }
    const auto rest =
        leaves_.rest[leaf] < 0 ? few_of(few * untold, leaves_.floor) : leaves_.rest[leaf];
    const auto of_rest = untold > 0 ? rest / untold : 0.0;
    for (std::size_t k = 0; k < classes_; ++k) wanted += told[k] < 0 ? of_rest * sums[k] : told[k];
    for (std::size_t k = 0; k < classes_; ++k) {
      const auto target = told[k] < 0 ? of_rest * sums[k] : told[k];
      const auto usable = all > 0 && wanted > 0 && sums[k] > 0;
      sums[k] =
          usable ? std::clamp(target / wanted * all / sums[k], 1 / kMaxFactor, kMaxFactor) : 1;
      result_.factors[leaf * classes_ + k] *= sums[k];
    }
  }

  void apply(std::size_t tree, std::size_t first) {
    const auto* leaf_of = leaves_.leaf_of.data() + tree * rows_;
    for (std::size_t r = 0; r < rows_; ++r) {
      if (leaf_of[r] < 0) continue;
      const auto* factors =
          sums_.data() + (static_cast<std::size_t>(leaf_of[r]) - first) * classes_;
      auto* shares = result_.shares.data() + r * classes_;
      double all = 0;
      for (std::size_t k = 0; k < classes_; ++k) {
        shares[k] = std::max(shares[k] * factors[k], kLeast);
        all += shares[k];
      }
      for (std::size_t k = 0; k < classes_; ++k) shares[k] /= all;
    }
  }

  const DisclosedLeaves& leaves_;
  std::size_t classes_, rows_;
  double scale_;
  std::vector<double> sums_;
  ClassShares result_;
};

constexpr std::size_t most_classes = std::size_t{1} << 24;
constexpr std::int64_t most_codes = std::int64_t{1} << 26;

bool is_amount(double x) { return x >= 0 && std::isfinite(x); }

bool outside(std::span<const std::int32_t> codes, std::int32_t least, std::int64_t size) {
  return std::ranges::any_of(codes, [&](auto code) { return code < least || code >= size; });
}

}  // namespace

Tree grow(const Growing& growing, const GrowthLimits& limits, Watch& watch) {
  return Growth(growing, limits).run(watch);
}

ClassShares fit_classes(const DisclosedLeaves& leaves, std::span<const double> shares, double size,
                        std::size_t rounds, Watch& watch) {
  Fitting fitting(leaves, shares, size);
  const auto work = static_cast<std::int64_t>(rounds * leaves.trees());
  std::int64_t done = 0;
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t tree = 0; tree < leaves.trees(); ++tree) {
      if (!watch.tick(done++, work)) return fitting.take();
      fitting.correct(tree);
    }
  return fitting.take();
}

std::optional<std::string> Growing::validate() const {
  if (n_classes == 0 || n_classes > most_classes || shares.size() % n_classes != 0)
    return "shares must be rows times classes";
  if (codes.size() != rows() * columns()) return "codes must be rows times columns";
  if (drawn.size() != drawn_rows() * columns()) return "drawn codes must be rows times columns";
  if (apart.size() != columns() * columns() || most.size() != columns())
    return "there must be a limit for each column";
  if (outside(sizes, 0, most_codes + 1))
    return "a column has a negative or too large number of codes";
  if (std::ranges::any_of(most, [](auto n) { return n < 0; }))
    return "the most columns of a path are a negative number";
  if (!std::ranges::all_of(shares, is_amount))
    return "a share must be a finite number of at least 0";
  if (outside(classes, 0, static_cast<std::int64_t>(n_classes))) return "there is no such class";
  for (std::size_t c = 0; c < columns(); ++c)
    if (outside(codes.subspan(c * rows(), rows()), -1, sizes[c]) ||
        outside(drawn.subspan(c * drawn_rows(), drawn_rows()), 0, sizes[c]))
      return "a code lies outside its column";
  return std::nullopt;
}

std::optional<std::string> DisclosedLeaves::validate(std::size_t rows) const {
  if (n_classes == 0 || n_classes > most_classes) return "there must be a class, and not too many";
  if (floor < 1) return "the floor must be at least one row";
  if (leaf_offsets.size() != trees() + 1 || leaf_offsets.front() != 0 ||
      static_cast<std::size_t>(leaf_offsets.back()) != leaves() ||
      !std::ranges::is_sorted(leaf_offsets))
    return "offsets must rise from 0 to the number of leaves";
  if (told.size() != leaves() * n_classes) return "told counts must be leaves times classes";
  for (const auto counts : {told, rest, few})
    if (!std::ranges::all_of(counts, [](double n) { return std::isfinite(n); }))
      return "what is told must be finite numbers";
  if (!std::ranges::all_of(few, is_amount)) return "what is few in all must be at least 0";
  if (leaf_of.size() != trees() * rows) return "there must be a leaf for each row and tree";
  for (std::size_t t = 0; t < trees(); ++t)
    for (const auto leaf : leaf_of.subspan(t * rows, rows))
      if (leaf != -1 && (leaf < leaf_offsets[t] || leaf >= leaf_offsets[t + 1]))
        return "a leaf lies outside its tree";
  return std::nullopt;
}

}  // namespace halfmask

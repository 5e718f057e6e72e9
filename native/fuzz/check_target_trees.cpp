#include <algorithm>
#include <cmath>
#include <set>

#include "calibration/split_paths.hpp"
#include "calibration/target_trees.hpp"
#include "fuzz/checks.hpp"

namespace halfmask::fuzz {

namespace {

struct Grown {
  std::size_t rows = 0, drawn_rows = 0, columns = 0, n_classes = 0;
  std::vector<std::int32_t> codes, classes, drawn, sizes, most;
  std::vector<std::uint8_t> apart;
  std::vector<double> shares;

  [[nodiscard]] Growing view() const {
    return {codes, classes, drawn, shares, sizes, apart, most, n_classes};
  }
};

std::vector<double> random_shares(std::size_t rows, std::size_t n_classes, Dice& dice) {
  std::vector<double> shares;
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<double> line;
    double sum = 0;
    for (std::size_t k = 0; k < n_classes; ++k)
      sum += line.emplace_back(static_cast<double>(dice.between(1, 9)));
    for (const auto share : line) shares.push_back(share / sum);
  }
  return shares;
}

// Classes that mostly follow the first column, so that there is something to find.
Grown random_growing(Dice& dice) {
  Grown made;
  made.rows = static_cast<std::size_t>(dice.between(0, 200));
  made.drawn_rows = static_cast<std::size_t>(dice.between(0, 60));
  made.columns = static_cast<std::size_t>(dice.between(1, 4));
  made.n_classes = static_cast<std::size_t>(dice.between(1, 3));
  for (std::size_t c = 0; c < made.columns; ++c) {
    made.sizes.push_back(static_cast<std::int32_t>(dice.between(1, 3)));
    made.most.push_back(static_cast<std::int32_t>(dice.between(0, 4)));
    for (std::size_t r = 0; r < made.rows; ++r)
      made.codes.push_back(static_cast<std::int32_t>(dice.between(-1, made.sizes[c] - 1)));
    for (std::size_t r = 0; r < made.drawn_rows; ++r)
      made.drawn.push_back(static_cast<std::int32_t>(dice.between(0, made.sizes[c] - 1)));
  }
  for (std::size_t r = 0; r < made.rows; ++r)
    made.classes.push_back(
        static_cast<std::int32_t>((dice.chance(0.8) ? made.codes[r] + 1 : dice.between(0, 9)) %
                                  static_cast<std::int32_t>(made.n_classes)));
  made.apart.assign(made.columns * made.columns, 0);
  for (std::size_t a = 0; a < made.columns; ++a)
    for (std::size_t b = 0; b < a; ++b)
      made.apart[a * made.columns + b] = made.apart[b * made.columns + a] = dice.chance(0.2);
  made.shares = random_shares(made.drawn_rows, made.n_classes, dice);
  return made;
}

// Some number of these rows may be told.
bool can_be_told(const Grown& given, const std::vector<std::size_t>& rows, std::int64_t floor) {
  std::vector<std::int64_t> counts(given.n_classes, 0);
  for (const auto r : rows) ++counts[static_cast<std::size_t>(given.classes[r])];
  std::int64_t rest = 0;
  for (const auto n : counts) rest += n < floor ? n : 0;
  return rest >= floor || std::ranges::any_of(counts, [&](auto n) { return n >= floor; });
}

// Follows the rows down the tree; the number of leaves comes back.
std::size_t check_node(const Grown& given, const Tree& tree, std::size_t node,
                       const std::vector<std::size_t>& rows, std::set<std::size_t> asked,
                       std::int64_t floor) {
  require(node < tree.column.size(), "target trees: a node that is not there");
  if (tree.column[node] < 0) return 1;
  const auto c = static_cast<std::size_t>(tree.column[node]);
  require(c < given.columns && tree.value[node] >= 0 && tree.value[node] < given.sizes[c],
          "target trees: a split that cannot be asked");
  asked.insert(c);
  for (const auto a : asked) {
    require(static_cast<std::int32_t>(asked.size()) <= given.most[a],
            "target trees: too many columns on a path");
    for (const auto b : asked)
      require(given.apart[a * given.columns + b] == 0,
              "target trees: columns that must stay apart");
  }
  std::vector<std::size_t> yes, no;
  for (const auto r : rows)
    (given.codes[c * given.rows + r] == tree.value[node] ? yes : no).push_back(r);
  require(can_be_told(given, yes, floor) && can_be_told(given, no, floor),
          "target trees: a side of which nothing may be told");
  require(tree.yes[node] > static_cast<std::int32_t>(node) &&
              tree.no[node] > static_cast<std::int32_t>(node),
          "target trees: a path that leads back");
  return check_node(given, tree, static_cast<std::size_t>(tree.yes[node]), yes, asked, floor) +
         check_node(given, tree, static_cast<std::size_t>(tree.no[node]), no, asked, floor);
}

void check_growth(Dice& dice) {
  const auto given = random_growing(dice);
  require(!given.view().validate(), "the driver made rows that no tree can grow on");
  const GrowthLimits limits{dice.between(1, 6), static_cast<std::size_t>(dice.between(1, 9)),
                            dice.chance(0.5) ? 0.0 : 0.25};
  Watch watch;
  const auto tree = grow(given.view(), limits, watch);
  std::vector<std::size_t> rows(given.rows);
  for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = r;
  require(check_node(given, tree, 0, rows, {}, limits.floor) <= limits.leaves,
          "target trees: too many leaves");
}

// Shares are those given times the factors of the leaves of a row, in each row 1 in all.
void check_fitting(Dice& dice) {
  const auto rows = static_cast<std::size_t>(dice.between(0, 30));
  const auto n_classes = static_cast<std::size_t>(dice.between(1, 3));
  const auto trees = static_cast<std::size_t>(dice.between(1, 3));
  constexpr std::int64_t of_a_tree = 3, floor = 4;
  const auto shares = random_shares(rows, n_classes, dice);
  std::vector<std::int32_t> leaf_of;
  std::vector<std::int64_t> offsets{0};
  std::vector<double> told, rest, few;
  for (std::size_t t = 0; t < trees; ++t) {
    for (std::size_t r = 0; r < rows; ++r) {
      const auto leaf = dice.between(-1, of_a_tree - 1);
      leaf_of.push_back(static_cast<std::int32_t>(leaf < 0 ? -1 : offsets.back() + leaf));
    }
    for (std::int64_t leaf = 0; leaf < of_a_tree; ++leaf) {
      for (std::size_t k = 0; k < n_classes; ++k)
        told.push_back(dice.chance(0.3) ? -1 : static_cast<double>(dice.between(floor, 20)));
      rest.push_back(dice.chance(0.3) ? -1 : static_cast<double>(dice.between(0, 9)));
    }
    few.push_back(static_cast<double>(dice.between(0, 5)));
    offsets.push_back(offsets.back() + of_a_tree);
  }
  const DisclosedLeaves leaves{leaf_of, offsets, told, rest, few, n_classes, floor};
  require(!leaves.validate(rows), "the driver made leaves that are not sound");
  Watch watch;
  const auto fitted = fit_classes(leaves, shares, 50, 3, watch);
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<double> expected(n_classes);
    double sum = 0;
    for (std::size_t k = 0; k < n_classes; ++k) {
      expected[k] = shares[r * n_classes + k];
      for (std::size_t t = 0; t < trees; ++t)
        if (const auto leaf = leaf_of[t * rows + r]; leaf >= 0)
          expected[k] *= fitted.factors[static_cast<std::size_t>(leaf) * n_classes + k];
      sum += expected[k];
    }
    for (std::size_t k = 0; k < n_classes; ++k)
      require(std::abs(fitted.shares[r * n_classes + k] - expected[k] / sum) < 1e-6,
              "target trees: shares that are not those given times the factors");
  }
}

// Every path is followed in every row by itself.
void check_split_paths(Dice& dice) {
  const auto rows = static_cast<std::size_t>(dice.between(0, 40));
  const auto columns = static_cast<std::size_t>(dice.between(1, 3));
  const std::vector<std::int32_t> sizes(columns, 3);
  std::vector<std::int32_t> codes, asked, values;
  for (std::size_t k = 0; k < rows * columns; ++k)
    codes.push_back(static_cast<std::int32_t>(dice.between(-1, 2)));
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint8_t> wanted;
  for (auto path = dice.between(0, 6); path > 0; --path) {
    for (auto split = dice.between(0, 3); split > 0; --split) {
      asked.push_back(
          static_cast<std::int32_t>(dice.between(0, static_cast<std::int64_t>(columns) - 1)));
      values.push_back(static_cast<std::int32_t>(dice.between(0, 2)));
      wanted.push_back(dice.chance(0.7) ? 1 : 0);
    }
    offsets.push_back(static_cast<std::int64_t>(asked.size()));
  }
  const CodedRows coded{codes, sizes};
  const SplitPaths paths{offsets, asked, values, wanted};
  require(!coded.validate() && !paths.validate(sizes), "the driver made paths that are not sound");
  Watch watch;
  const auto found = led(coded, paths, static_cast<std::size_t>(dice.between(1, 3)), watch);
  for (std::size_t r = 0; r < rows; ++r) {
    std::int32_t first = -1;
    for (std::size_t w = paths.size(); w-- > 0;) {
      bool leads = true;
      for (auto q = static_cast<std::size_t>(offsets[w]);
           q < static_cast<std::size_t>(offsets[w + 1]); ++q) {
        const auto code = codes[static_cast<std::size_t>(asked[q]) * rows + r];
        leads = leads && (code == values[q]) == (wanted[q] != 0);
      }
      if (leads) first = static_cast<std::int32_t>(w);
    }
    require(found[r] == first, "paths: a row that is led elsewhere");
  }
}

}  // namespace

void check_target_trees(Dice& dice) {
  check_growth(dice);
  check_fitting(dice);
  check_split_paths(dice);
}

}  // namespace halfmask::fuzz

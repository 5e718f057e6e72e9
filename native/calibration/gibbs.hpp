// Gibbs sweeps: every cell of a row drawn anew given the others, under a log-linear model.
//
// A row has the weight exp(sum of the potentials of its cells). For each column the potentials of
// every table that holds it are kept once more with that column running fastest, padded to whole
// vectors, so that the weights of all its values are sums of short contiguous runs. Tied columns
// (nearly a function of one another) are drawn as pairs: one at a time they could never move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "calibration/tables.hpp"

namespace halfmask {

class Gibbs {
 public:
  // `drawn` says of each column whether it is drawn; `pairs` are tied columns, two after two.
  Gibbs(std::span<const std::int32_t> sizes, const Tables& tables,
        std::span<const std::uint8_t> drawn, std::span<const std::int32_t> pairs);

  // From now on these potentials hold, one for each cell of each table.
  void use(std::span<const double> potentials);

  // Scratch of one thread.
  struct Desk {
    std::vector<float> weights, reach;
  };
  [[nodiscard]] Desk desk() const;

  // Draws the row anew with numbers `row` of stream `sweep` under the key.
  void draw(Code* row, Desk& desk, std::uint64_t key, std::uint64_t sweep,
            std::uint64_t number) const;

 private:
  static constexpr std::size_t kLanes = 4;

  struct Place {
    std::uint32_t column;
    std::uint32_t stride;
  };
  // One table seen from the columns that are drawn: where the run for a row starts.
  struct Term {
    std::size_t table;
    std::size_t first;  // in values_
    std::vector<Place> others;
    std::vector<std::uint32_t> inner;  // what is drawn, the one that runs fastest last
  };
  struct Site {
    std::uint32_t column;
    std::size_t padded;
    std::vector<Term> terms;
  };
  struct Pair {
    std::uint32_t slow, fast;  // columns
    std::size_t padded;        // values of the fast one, in whole vectors
    std::vector<Term> slow_terms, fast_terms, both_terms;
  };

  [[nodiscard]] std::size_t padded(std::uint32_t column) const;
  [[nodiscard]] Term term(const Tables& tables, std::size_t t, std::vector<std::uint32_t> inner);
  void fill(const Term& term, std::span<const double> potentials);
  [[nodiscard]] const float* run(const Term& term, const Code* row) const;
  void add_terms(const std::vector<Term>& terms, const Code* row, std::size_t length,
                 float* sums) const;
  void draw_site(const Site& site, Code* row, Desk& desk, std::uint32_t random) const;
  void draw_pair(const Pair& pair, Code* row, Desk& desk, std::uint32_t random) const;

  std::span<const std::int32_t> sizes_;
  Tables tables_;
  std::vector<float> values_;
  std::vector<Site> sites_;
  std::vector<Pair> pairs_;
  std::size_t longest_ = 0;
};

}  // namespace halfmask

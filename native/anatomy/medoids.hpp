// Medoids: k objects such that every object is near one of them (FasterPAM).
//
// Representation: distances is n × n, row-major, symmetric, zero on the diagonal. A solution is k
// different objects in increasing order; its loss is the sum over all objects of the distance to
// the nearest medoid. Ties in the assignment go to the medoid with the smaller number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/watch.hpp"

namespace halfmask {

struct Distances {
  std::span<const double> values;
  std::size_t n = 0;

  [[nodiscard]] std::span<const double> from(std::size_t object) const {
    return values.subspan(object * n, n);
  }
  [[nodiscard]] std::optional<std::string> validate() const;
};

struct Medoids {
  std::vector<std::int32_t> objects;
  double loss = 0.0;
  std::int32_t swaps = 0;
};

// The greedy start: each further medoid is the object that lowers the loss most.
[[nodiscard]] std::vector<std::int32_t> build_start(const Distances& distances, std::size_t k);

// Swaps a medoid for another object as soon as that lowers the loss, until no swap does
// (Schubert and Rousseeuw 2021: one pass over the objects weighs a candidate against all medoids).
[[nodiscard]] Medoids swap_medoids(const Distances& distances, std::vector<std::int32_t> start,
                                   Watch& watch);

}  // namespace halfmask

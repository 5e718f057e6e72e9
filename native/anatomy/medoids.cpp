#include "anatomy/medoids.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace halfmask {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// For each object the nearest and the second nearest medoid, kept in step with the swaps.
class Assignment {
 public:
  Assignment(const Distances& distances, std::span<const std::int32_t> medoids)
      : distances_(distances), nearest_(distances.n), removal_(medoids.size()) {
    refresh(medoids);
  }

  // Distances to two medoids and which medoid the nearest is; with one medoid the second is far.
  void refresh(std::span<const std::int32_t> medoids) {
    std::fill(nearest_.begin(), nearest_.end(), Near{0, infinity, infinity});
    for (std::size_t m = 0; m < medoids.size(); ++m) {
      const auto from = distances_.from(static_cast<std::size_t>(medoids[m]));
      for (std::size_t o = 0; o < nearest_.size(); ++o) {
        auto& near = nearest_[o];
        if (from[o] < near.first) {
          near = {m, from[o], near.first};
        } else if (from[o] < near.second) {
          near.second = from[o];
        }
      }
    }
    std::fill(removal_.begin(), removal_.end(), 0.0);
    for (const auto& near : nearest_) removal_[near.medoid] += near.second - near.first;
  }

  struct Swap {
    std::size_t medoid;
    double change;
  };

  // The best medoid to give up for the candidate and what the loss changes by.
  [[nodiscard]] Swap weigh(std::size_t candidate) {
    change_ = removal_;
    double shared = 0.0;
    const auto from = distances_.from(candidate);
    for (std::size_t o = 0; o < nearest_.size(); ++o) {
      const auto& near = nearest_[o];
      if (from[o] < near.first) {
        shared += from[o] - near.first;
        change_[near.medoid] += near.first - near.second;
      } else if (from[o] < near.second) {
        change_[near.medoid] += from[o] - near.second;
      }
    }
    const auto best = std::min_element(change_.begin(), change_.end());
    return {static_cast<std::size_t>(best - change_.begin()), *best + shared};
  }

 private:
  struct Near {
    std::size_t medoid;
    double first;
    double second;
  };

  const Distances& distances_;
  std::vector<Near> nearest_;
  std::vector<double> removal_;
  std::vector<double> change_;
};

double loss_of(const Distances& distances, std::span<const std::int32_t> medoids) {
  double loss = 0.0;
  for (std::size_t o = 0; o < distances.n; ++o) {
    double nearest = infinity;
    for (const auto m : medoids)
      nearest = std::min(nearest, distances.from(static_cast<std::size_t>(m))[o]);
    loss += nearest;
  }
  return loss;
}

// With one medoid there is no second nearest, and nothing to search: take the best object.
std::int32_t centre(const Distances& distances) {
  std::size_t best = 0;
  double least = infinity;
  for (std::size_t o = 0; o < distances.n; ++o) {
    const auto from = distances.from(o);
    const double loss = std::accumulate(from.begin(), from.end(), 0.0);
    if (loss < least) {
      least = loss;
      best = o;
    }
  }
  return static_cast<std::int32_t>(best);
}

Medoids finished(const Distances& distances, std::vector<std::int32_t> medoids,
                 std::int32_t swaps) {
  std::sort(medoids.begin(), medoids.end());
  const double loss = loss_of(distances, medoids);
  return {std::move(medoids), loss, swaps};
}

}  // namespace

std::optional<std::string> Distances::validate() const {
  if (values.size() != n * n) return "distances must be a square matrix";
  for (std::size_t o = 0; o < n; ++o)
    if (from(o)[o] != 0.0) return "an object must have distance 0 from itself";
  for (const double d : values)
    if (!(d >= 0.0) || d == infinity) return "distances must be finite and not negative";
  return std::nullopt;
}

std::vector<std::int32_t> build_start(const Distances& distances, std::size_t k) {
  std::vector<std::int32_t> medoids{centre(distances)};
  const auto first = distances.from(static_cast<std::size_t>(medoids[0]));
  std::vector<double> nearest(first.begin(), first.end());
  std::vector<bool> taken(distances.n, false);
  taken[static_cast<std::size_t>(medoids[0])] = true;
  while (medoids.size() < k) {
    std::size_t best = 0;
    double gained = -1.0;
    for (std::size_t c = 0; c < distances.n; ++c) {
      if (taken[c]) continue;
      const auto from = distances.from(c);
      double gain = 0.0;
      for (std::size_t o = 0; o < distances.n; ++o) gain += std::max(nearest[o] - from[o], 0.0);
      if (gain > gained) {
        gained = gain;
        best = c;
      }
    }
    taken[best] = true;
    medoids.push_back(static_cast<std::int32_t>(best));
    const auto from = distances.from(best);
    for (std::size_t o = 0; o < distances.n; ++o) nearest[o] = std::min(nearest[o], from[o]);
  }
  return medoids;
}

Medoids swap_medoids(const Distances& distances, std::vector<std::int32_t> start, Watch& watch) {
  if (start.size() == 1) return finished(distances, {centre(distances)}, 0);
  std::vector<bool> taken(distances.n, false);
  for (const auto m : start) taken[static_cast<std::size_t>(m)] = true;
  Assignment assignment(distances, start);
  // Rounding may make a swap that changes nothing look good; a swap must gain more than that.
  const double noise = 1e-12 * std::max(loss_of(distances, start), 1.0);
  std::int32_t swaps = 0;
  std::size_t unchanged = 0;
  for (std::size_t c = 0; unchanged < distances.n; c = (c + 1) % distances.n) {
    if (c % 64 == 0 && !watch.tick(swaps, 0)) break;
    ++unchanged;
    if (taken[c]) continue;
    const auto swap = assignment.weigh(c);
    if (swap.change >= -noise) continue;
    taken[static_cast<std::size_t>(start[swap.medoid])] = false;
    taken[c] = true;
    start[swap.medoid] = static_cast<std::int32_t>(c);
    assignment.refresh(start);
    ++swaps;
    unchanged = 0;
  }
  return finished(distances, std::move(start), swaps);
}

}  // namespace halfmask

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "anatomy/medoids.hpp"
#include "fuzz/checks.hpp"

namespace halfmask::fuzz {

namespace {

constexpr double rounding = 1e-9;

double loss_of(const Distances& distances, const std::vector<std::int32_t>& medoids) {
  double loss = 0;
  for (std::size_t o = 0; o < distances.n; ++o) {
    auto nearest = std::numeric_limits<double>::infinity();
    for (const auto m : medoids)
      nearest = std::min(nearest, distances.from(static_cast<std::size_t>(m))[o]);
    loss += nearest;
  }
  return loss;
}

// The least loss when one object is added, or takes the place of the medoid at `place`.
double best_with(const Distances& distances, std::vector<std::int32_t> medoids, std::size_t place) {
  if (place == medoids.size()) medoids.push_back(0);
  auto least = std::numeric_limits<double>::infinity();
  for (std::size_t o = 0; o < distances.n; ++o) {
    medoids[place] = static_cast<std::int32_t>(o);
    least = std::min(least, loss_of(distances, medoids));
  }
  return least;
}

}  // namespace

void check_medoids(Dice& dice) {
  const auto n = static_cast<std::size_t>(dice.between(1, 12));
  std::vector<double> matrix(n * n, 0.0);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b)
      matrix[a * n + b] = matrix[b * n + a] = static_cast<double>(dice.between(0, 20)) / 4;
  const Distances distances{matrix, n};
  require(!distances.validate(), "the driver made distances that are not sound");
  const auto k = static_cast<std::size_t>(dice.between(1, static_cast<std::int64_t>(n)));
  const auto start = build_start(distances, k);
  require(start.size() == k && std::set(start.begin(), start.end()).size() == k,
          "medoids: a start of other than k objects");
  for (std::size_t m = 0; m < k; ++m) {
    const std::vector<std::int32_t> before(start.begin(), start.begin() + static_cast<int>(m));
    const std::vector<std::int32_t> with(start.begin(), start.begin() + static_cast<int>(m) + 1);
    require(loss_of(distances, with) <= best_with(distances, before, m) + rounding,
            "medoids: a start that is not the greedy one");
  }
  Watch watch;
  const auto found = swap_medoids(distances, start, watch);
  require(std::ranges::is_sorted(found.objects) &&
              std::set(found.objects.begin(), found.objects.end()).size() == k,
          "medoids: other than k objects in order");
  require(std::abs(found.loss - loss_of(distances, found.objects)) < rounding,
          "medoids: another loss");
  for (std::size_t m = 0; m < k; ++m)
    require(found.loss <= best_with(distances, found.objects, m) + rounding,
            "medoids: a swap would have been better");
}

}  // namespace halfmask::fuzz

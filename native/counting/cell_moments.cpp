#include "counting/cell_moments.hpp"

namespace halfmask {

std::vector<double> cell_moments(std::span<const std::int32_t> cells,
                                 std::span<const double> shares, std::size_t sets,
                                 std::span<const double> vector) {
  std::vector<double> moments(vector.size(), 0.0);
  for (std::size_t r = 0; r < shares.size(); ++r) {
    const auto row = cells.subspan(r * sets, sets);
    double score = 0;
    for (const auto cell : row) score += vector[static_cast<std::size_t>(cell)];
    score *= shares[r];
    for (const auto cell : row) moments[static_cast<std::size_t>(cell)] += score;
  }
  return moments;
}

}  // namespace halfmask

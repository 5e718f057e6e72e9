// The second moments of the cells that rows fall into, times a vector.
//
// Representation: row r falls into the cells cells[r * sets] .. cells[(r + 1) * sets - 1] and has
// the share shares[r]. With x the 0/1 vector of a row's cells, the result is Σ share · x (x ·
// vector). Rows are taken in their order by one thread, so that the same arrays give the same sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace halfmask {

[[nodiscard]] std::vector<double> cell_moments(std::span<const std::int32_t> cells,
                                               std::span<const double> shares, std::size_t sets,
                                               std::span<const double> vector);

}  // namespace halfmask

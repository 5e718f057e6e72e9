// Tables over coded columns: which columns each is over, and where its cells begin.
//
// Representation: table t is over columns[column_offsets[t]] .. in the order given; its cells are
// numbered row-major (the last column runs fastest) from cell_offsets[t] through all tables. Rows
// are given by their codes, column after column. The spans stay owned by the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/watch.hpp"

namespace halfmask {

// A code of a column in the pool; columns have at most 65,536 values.
using Code = std::uint16_t;

struct Tables {
  std::span<const std::int64_t> column_offsets;
  std::span<const std::int32_t> columns;
  std::span<const std::int64_t> cell_offsets;

  [[nodiscard]] std::size_t size() const {
    return column_offsets.empty() ? 0 : column_offsets.size() - 1;
  }
  [[nodiscard]] std::span<const std::int32_t> of(std::size_t t) const {
    const auto first = static_cast<std::size_t>(column_offsets[t]);
    return columns.subspan(first, static_cast<std::size_t>(column_offsets[t + 1]) - first);
  }
  [[nodiscard]] std::size_t first_cell(std::size_t t) const {
    return static_cast<std::size_t>(cell_offsets[t]);
  }
  [[nodiscard]] std::size_t cells(std::size_t t) const { return first_cell(t + 1) - first_cell(t); }
  [[nodiscard]] std::optional<std::string> validate(std::span<const std::int32_t> sizes) const;
};

struct Coded {
  std::span<const std::int32_t> codes;
  std::span<const std::int32_t> sizes;  // how many codes each column has

  [[nodiscard]] std::size_t rows() const { return sizes.empty() ? 0 : codes.size() / sizes.size(); }
  [[nodiscard]] std::optional<std::string> validate() const;
  [[nodiscard]] std::vector<Code> narrow() const { return {codes.begin(), codes.end()}; }
};

// Row numbers first .. last - 1 to their cells in table t, counted from 0 within the table.
void cells_of_rows(const Tables& tables, std::size_t t, std::span<const std::int32_t> sizes,
                   std::span<const Code> codes, std::size_t rows, std::size_t first,
                   std::size_t last, std::uint32_t* cells);

// The rows in each cell of each table.
[[nodiscard]] std::vector<std::int64_t> count_cells(const Coded& coded, const Tables& tables,
                                                    std::size_t threads, Watch& watch);

}  // namespace halfmask

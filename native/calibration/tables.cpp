#include "calibration/tables.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "common/bitmap.hpp"
#include "common/parallel.hpp"
#include "common/within.hpp"

namespace halfmask {

namespace {

constexpr std::size_t kChunk = 2048;  // rows whose codes fit the nearer caches
constexpr std::size_t kTables = 16;   // counted by a thread before it asks for more

HALFMASK_MULTIVERSION void extend_cells(const Code* codes, std::uint32_t size, std::size_t rows,
                                        std::uint32_t* cells) {
  for (std::size_t r = 0; r < rows; ++r) cells[r] = cells[r] * size + codes[r];
}

}  // namespace

void cells_of_rows(const Tables& tables, std::size_t t, std::span<const std::int32_t> sizes,
                   std::span<const Code> codes, std::size_t rows, std::size_t first,
                   std::size_t last, std::uint32_t* cells) {
  std::fill(cells, cells + (last - first), 0U);
  for (const auto column : tables.of(t)) {
    const auto c = static_cast<std::size_t>(column);
    const auto size = static_cast<std::uint32_t>(sizes[c]);
    extend_cells(codes.data() + c * rows + first, size, last - first, cells);
  }
}

std::vector<std::int64_t> count_cells(const Coded& coded, const Tables& tables, std::size_t threads,
                                      Watch& watch) {
  const auto codes = coded.narrow();
  const auto rows = coded.rows();
  std::vector<std::int64_t> counts(
      tables.size() == 0 ? 0 : static_cast<std::size_t>(tables.cell_offsets.back()), 0);
  const auto groups = (tables.size() + kTables - 1) / kTables;
  (void)in_chunks(groups, threads, watch, [&](const KeepGoing&) {
    return [&](std::size_t group) {
      std::array<std::uint32_t, kChunk> cells{};
      const auto last_table = std::min(tables.size(), (group + 1) * kTables);
      for (std::size_t first = 0; first < rows; first += kChunk) {
        const auto last = std::min(rows, first + kChunk);
        for (auto t = group * kTables; t < last_table; ++t) {
          cells_of_rows(tables, t, coded.sizes, codes, rows, first, last, cells.data());
          auto* own = counts.data() + tables.first_cell(t);
          for (std::size_t r = 0; r < last - first; ++r) ++own[cells[r]];
        }
      }
    };
  });
  return counts;
}

std::optional<std::string> Coded::validate() const {
  if (sizes.empty()) return "there must be a column";
  if (codes.size() % sizes.size() != 0) return "the codes are no whole number of rows";
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    if (sizes[c] < 1 || sizes[c] > std::numeric_limits<Code>::max() + 1)
      return "a column has 1 to 65536 values";
    if (!all_within(codes.subspan(c * rows(), rows()), 0, sizes[c]))
      return "a code lies outside its column";
  }
  return std::nullopt;
}

std::optional<std::string> Tables::validate(std::span<const std::int32_t> sizes) const {
  const auto tables = size();
  for (const auto& offsets : {column_offsets, cell_offsets}) {
    if (offsets.size() != tables + 1 || offsets.front() != 0) return "offsets must start with 0";
    if (!std::ranges::is_sorted(offsets)) return "offsets must not fall";
  }
  if (column_offsets.back() != static_cast<std::int64_t>(columns.size()))
    return "the last offset must be the number of columns of all tables";
  for (std::size_t t = 0; t < tables; ++t) {
    std::uint64_t product = 1;
    std::vector<std::int32_t> own(of(t).begin(), of(t).end());
    for (const auto c : own) {
      if (c < 0 || static_cast<std::size_t>(c) >= sizes.size()) return "there is no such column";
      product *= static_cast<std::uint64_t>(sizes[static_cast<std::size_t>(c)]);
      if (product > std::numeric_limits<std::uint32_t>::max()) return "a table has too many cells";
    }
    std::ranges::sort(own);
    if (own.empty() || std::ranges::adjacent_find(own) != own.end())
      return "a table is over at least one column, each once";
    if (product != cells(t)) return "a table has as many cells as its columns have combinations";
  }
  return std::nullopt;
}

}  // namespace halfmask

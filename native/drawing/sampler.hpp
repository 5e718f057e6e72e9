// Sampler: rows drawn from the process of the generator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/watch.hpp"
#include "drawing/process.hpp"

namespace halfmask {

struct SampledRows {
  std::size_t size = 0;             // rows asked for: the stride between columns of `codes`
  std::size_t done = 0;             // rows drawn: all, or the first ones when the watch said stop
  std::vector<std::int32_t> codes;  // codes[d * size + r]: value number of domain d in row r
  std::vector<std::uint16_t> patterns_used;  // how many patterns made row r
  std::uint64_t attempts = 0;  // rows begun, those given up for want of a pattern included
  bool stuck = false;  // some row found no pattern for an open domain in `max_attempts` attempts
};

struct SamplerLimits {
  std::size_t max_attempts = 1000;                  // restarts of one row
  std::size_t cache_bytes = std::size_t{64} << 20;  // pools remembered by each thread
};

// Rows first_row .. first_row + size - 1 of the endless table that belongs to `key`: row r is the
// same whatever the number of threads and however the table is cut into calls.
//
// A row that meets an open domain without any admissible pattern is begun anew, so rows follow the
// distribution of the process given that it completes. A pattern that would complete one of the
// combinations `forbidden` is not admissible; without any, rows are those of the process alone.
[[nodiscard]] SampledRows sample_rows(const Process& process, std::size_t size, std::uint64_t key,
                                      std::uint64_t first_row, std::size_t threads, Watch& watch,
                                      const SamplerLimits& limits = {},
                                      const Itemsets& forbidden = {});

}  // namespace halfmask

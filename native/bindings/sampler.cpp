#include "drawing/sampler.hpp"

#include "bindings/convert.hpp"
#include "common/random.hpp"
#include "drawing/probability.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

namespace {

// Rows that fill every domain or leave it out with a negative code.
std::size_t checked_rows(const Process& process, std::span<const std::int32_t> codes) {
  const auto n_domains = process.n_domains();
  if (n_domains == 0 || codes.size() % n_domains != 0)
    throw std::invalid_argument("the codes are no whole number of rows");
  const auto n_rows = codes.size() / n_domains;
  for (std::size_t d = 0; d < n_domains; ++d) {
    const auto values = process.first_item[d + 1] - process.first_item[d];
    for (const auto code : codes.subspan(d * n_rows, n_rows))
      if (code >= values) throw std::invalid_argument("a code lies outside its column");
  }
  return n_rows;
}

}  // namespace

void bind_sampler(nb::module_& module) {
  module.def(
      "sample_rows",
      [](const Vector<Item>& first_item, const Vector<std::int64_t>& offsets,
         const Vector<Item>& items, const Vector<double>& weights, const Vector<Item>& order,
         std::size_t size, std::uint64_t key, std::uint64_t first_row, std::size_t threads,
         std::size_t cache_bytes, nb::object progress,
         const Vector<std::int64_t>& forbidden_offsets, const Vector<Item>& forbidden_items) {
        const Process process{
            view(first_item), {view(offsets), view(items)}, view(weights), view(order)};
        auto watch = watch_over(std::move(progress));
        SampledRows rows;
        {
          nb::gil_scoped_release free_threads;
          SamplerLimits limits;
          limits.cache_bytes = cache_bytes;
          const Itemsets forbidden{view(forbidden_offsets), view(forbidden_items)};
          rows = sample_rows(checked(process), size, key, first_row, threads, watch, limits,
                             checked(forbidden, process.first_item.back()));
        }
        return nb::make_tuple(to_numpy(std::move(rows.codes)),
                              to_numpy(std::move(rows.patterns_used)), rows.done, rows.stuck,
                              rows.attempts);
      },
      "first_item"_a, "offsets"_a, "items"_a, "weights"_a, "order"_a, "size"_a, "key"_a,
      "first_row"_a, "threads"_a, "cache_bytes"_a, "progress"_a.none(), "forbidden_offsets"_a,
      "forbidden_items"_a,
      "Rows drawn from the process: codes column by column, patterns used, rows done, stuck, "
      "rows begun.");
  module.def(
      "row_probabilities",
      [](const Vector<Item>& first_item, const Vector<std::int64_t>& offsets,
         const Vector<Item>& items, const Vector<double>& weights, const Vector<Item>& order,
         const Vector<std::int32_t>& codes, double tolerance, std::size_t max_states,
         std::size_t threads, nb::object progress) {
        const Process process{
            view(first_item), {view(offsets), view(items)}, view(weights), view(order)};
        auto watch = watch_over(std::move(progress));
        RowProbabilities rows;
        {
          nb::gil_scoped_release free_threads;
          const auto n_rows = checked_rows(checked(process), view(codes));
          rows = row_probabilities(process, view(codes), n_rows, {tolerance, max_states}, threads,
                                   watch);
        }
        return nb::make_tuple(to_numpy(std::move(rows.arrived)), to_numpy(std::move(rows.dropped)),
                              rows.done);
      },
      "first_item"_a, "offsets"_a, "items"_a, "weights"_a, "order"_a, "codes"_a, "tolerance"_a,
      "max_states"_a, "threads"_a, "progress"_a.none(),
      "Probability of each row given column by column, the mass not followed, rows done.");
  module.def(
      "estimate_probabilities",
      [](const Vector<Item>& first_item, const Vector<std::int64_t>& offsets,
         const Vector<Item>& items, const Vector<double>& weights, const Vector<Item>& order,
         const Vector<std::int32_t>& codes, std::size_t paths, std::uint64_t key,
         std::size_t threads, nb::object progress) {
        const Process process{
            view(first_item), {view(offsets), view(items)}, view(weights), view(order)};
        auto watch = watch_over(std::move(progress));
        RowEstimates rows;
        {
          nb::gil_scoped_release free_threads;
          const auto n_rows = checked_rows(checked(process), view(codes));
          rows = estimate_probabilities(process, view(codes), n_rows, paths, key, threads, watch);
        }
        return nb::make_tuple(to_numpy(std::move(rows.mean)),
                              to_numpy(std::move(rows.standard_error)), rows.done);
      },
      "first_item"_a, "offsets"_a, "items"_a, "weights"_a, "order"_a, "codes"_a, "paths"_a, "key"_a,
      "threads"_a, "progress"_a.none(),
      "Estimated probability of each row given column by column, standard errors, rows done.");
  module.def(
      "walk_process",
      [](const Vector<Item>& first_item, const Vector<std::int64_t>& offsets,
         const Vector<Item>& items, const Vector<double>& weights, const Vector<Item>& order,
         double tolerance, std::size_t max_states, nb::object progress) {
        const Process process{
            view(first_item), {view(offsets), view(items)}, view(weights), view(order)};
        auto watch = watch_over(std::move(progress));
        Walk walk;
        {
          nb::gil_scoped_release free_threads;
          walk = walk_process(checked(process), {tolerance, max_states}, watch);
        }
        return nb::make_tuple(walk.arrived, walk.steps, walk.dropped);
      },
      "first_item"_a, "offsets"_a, "items"_a, "weights"_a, "order"_a, "tolerance"_a, "max_states"_a,
      "progress"_a.none(),
      "Probability to complete, expected patterns per row, the mass not followed.");
  module.def(
      "philox",
      [](std::uint64_t key, std::uint64_t stream, std::uint64_t index) {
        const auto pair = philox(key, stream, index);
        return nb::make_tuple(pair.first, pair.second);
      },
      "key"_a, "stream"_a, "index"_a, "Number `index` of a stream: two 64-bit numbers.");
}

}  // namespace halfmask::bindings

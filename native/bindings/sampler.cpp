#include "drawing/sampler.hpp"

#include "bindings/convert.hpp"
#include "common/random.hpp"
#include "drawing/probability.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

namespace {

// A process that owns its arrays: checked once, and nobody can change them afterwards.
class OwnedProcess {
 public:
  OwnedProcess(const Vector<Item>& first_item, const Vector<std::int64_t>& offsets,
               const Vector<Item>& items, const Vector<double>& weights, const Vector<Item>& order)
      : first_item_(copied(first_item)),
        offsets_(copied(offsets)),
        items_(copied(items)),
        weights_(copied(weights)),
        order_(copied(order)) {
    checked(view());
  }

  [[nodiscard]] Process view() const { return {first_item_, {offsets_, items_}, weights_, order_}; }

  // The number of rows that these codes are; each fills every domain or leaves it out with a
  // negative code.
  [[nodiscard]] std::size_t rows_of(std::span<const std::int32_t> codes) const {
    const auto n_domains = view().n_domains();
    require(n_domains > 0 && codes.size() % n_domains == 0,
            "the codes are no whole number of rows");
    const auto n_rows = codes.size() / n_domains;
    for (std::size_t d = 0; d < n_domains; ++d)
      check_range("a code", codes.subspan(d * n_rows, n_rows),
                  std::numeric_limits<std::int32_t>::min(),
                  first_item_[d + 1] - first_item_[d] - 1);
    return n_rows;
  }

 private:
  template <typename T>
  [[nodiscard]] static std::vector<T> copied(const Vector<T>& array) {
    const auto given = bindings::view(array);
    return {given.begin(), given.end()};
  }

  std::vector<Item> first_item_;
  std::vector<std::int64_t> offsets_;
  std::vector<Item> items_;
  std::vector<double> weights_;
  std::vector<Item> order_;
};

// SampledRows as Python sees it.
struct DrawnRows {
  nb::object codes;
  nb::object patterns_used;
  std::size_t done;
  bool stuck;
  std::uint64_t attempts;
};

[[nodiscard]] WalkLimits checked_walk(double tolerance, std::int64_t max_states) {
  return {amount("tolerance", tolerance), number("max_states", max_states, 1, most_rows)};
}

void bind_types(nb::module_& module) {
  nb::class_<OwnedProcess>(module, "Process", "Weighted patterns that fill the columns of a row.")
      .def(nb::init<const Vector<Item>&, const Vector<std::int64_t>&, const Vector<Item>&,
                    const Vector<double>&, const Vector<Item>&>(),
           "first_item"_array, "offsets"_array, "items"_array, "weights"_array, "order"_array);
  nb::class_<DrawnRows>(module, "SampledRows", "Rows drawn, and how it went.")
      .def_ro("codes", &DrawnRows::codes, "Codes, column by column.")
      .def_ro("patterns_used", &DrawnRows::patterns_used, "How many patterns made each row.")
      .def_ro("done", &DrawnRows::done, "Rows drawn; fewer than asked for after a stop.")
      .def_ro("stuck", &DrawnRows::stuck, "Whether a row could not be completed.")
      .def_ro("attempts", &DrawnRows::attempts, "Rows begun.");
}

}  // namespace

void bind_sampler(nb::module_& module) {
  bind_types(module);
  module.def(
      "sample_rows",
      [](const OwnedProcess& process, std::int64_t size, std::uint64_t key, std::uint64_t first_row,
         std::uint64_t threads, std::uint64_t cache_bytes, nb::object progress,
         const Vector<std::int64_t>& forbidden_offsets, const Vector<Item>& forbidden_items) {
        const auto rows = number("size", size, 0, most_rows);
        const auto members = checked_threads(threads);
        auto watch = watch_over(std::move(progress));
        SampledRows drawn;
        {
          nb::gil_scoped_release free_threads;
          SamplerLimits limits;
          limits.cache_bytes = cache_bytes;
          const Itemsets forbidden{view(forbidden_offsets), view(forbidden_items)};
          checked(forbidden, process.view().first_item.back());
          drawn =
              sample_rows(process.view(), rows, key, first_row, members, watch, limits, forbidden);
        }
        return DrawnRows{nb::cast(to_numpy(std::move(drawn.codes))),
                         nb::cast(to_numpy(std::move(drawn.patterns_used))), drawn.done,
                         drawn.stuck, drawn.attempts};
      },
      "process"_a, "size"_a, "key"_a, "first_row"_a, "threads"_a, "cache_bytes"_a,
      "progress"_a.none(), "forbidden_offsets"_array, "forbidden_items"_array,
      "Rows drawn from the process.");
  module.def(
      "row_probabilities",
      [](const OwnedProcess& process, const Vector<std::int32_t>& codes, double tolerance,
         std::int64_t max_states, std::uint64_t threads, nb::object progress) {
        const auto limits = checked_walk(tolerance, max_states);
        const auto members = checked_threads(threads);
        auto watch = watch_over(std::move(progress));
        RowProbabilities rows;
        {
          nb::gil_scoped_release free_threads;
          const auto n_rows = process.rows_of(view(codes));
          rows = row_probabilities(process.view(), view(codes), n_rows, limits, members, watch);
        }
        return nb::make_tuple(to_numpy(std::move(rows.arrived)), to_numpy(std::move(rows.dropped)),
                              rows.done);
      },
      "process"_a, "codes"_array, "tolerance"_a, "max_states"_a, "threads"_a, "progress"_a.none(),
      "Probability of each row given column by column, the mass not followed, rows done.");
  module.def(
      "estimate_probabilities",
      [](const OwnedProcess& process, const Vector<std::int32_t>& codes, std::int64_t paths,
         std::uint64_t key, std::uint64_t threads, nb::object progress) {
        const auto ways = number("paths", paths, 2, most_rows);
        const auto members = checked_threads(threads);
        auto watch = watch_over(std::move(progress));
        RowEstimates rows;
        {
          nb::gil_scoped_release free_threads;
          const auto n_rows = process.rows_of(view(codes));
          rows = estimate_probabilities(process.view(), view(codes), n_rows, ways, key, members,
                                        watch);
        }
        return nb::make_tuple(to_numpy(std::move(rows.mean)),
                              to_numpy(std::move(rows.standard_error)), rows.done);
      },
      "process"_a, "codes"_array, "paths"_a, "key"_a, "threads"_a, "progress"_a.none(),
      "Estimated probability of each row given column by column, standard errors, rows done.");
  module.def(
      "walk_process",
      [](const OwnedProcess& process, double tolerance, std::int64_t max_states,
         nb::object progress) {
        const auto limits = checked_walk(tolerance, max_states);
        auto watch = watch_over(std::move(progress));
        Walk walk;
        {
          nb::gil_scoped_release free_threads;
          walk = walk_process(process.view(), limits, watch);
        }
        return nb::make_tuple(walk.arrived, walk.steps, walk.dropped);
      },
      "process"_a, "tolerance"_a, "max_states"_a, "progress"_a.none(),
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

#include "counting/correlation.hpp"

#include <numeric>

#include "bindings/convert.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

namespace {

// Slots fit the alphabet and the result; counts of 32 bits do not overflow.
std::size_t checked_slots(const Rows& rows, std::span<const std::int32_t> slots, std::int64_t n) {
  require(std::ssize(slots) == rows.n_items, "slots must have one number per item");
  const auto size = number("the number of slots", n, 0, rows.n_items);
  check_range("a slot", slots, -1, n - 1);
  require(std::accumulate(rows.weights.begin(), rows.weights.end(), Count{0}) < Count{1} << 32,
          "more than 2^32 rows");
  return size;
}

}  // namespace

void bind_correlation(nb::module_& module) {
  module.def(
      "pair_counts",
      [](const Vector<std::int64_t>& offsets, const Vector<Item>& items,
         const Vector<Count>& weights, Item n_items, const Vector<std::int32_t>& slots,
         std::int64_t n, const nb::object& callback) {
        const Rows rows{view(offsets), view(items), view(weights), n_items};
        auto watch = watch_over(callback);
        std::vector<std::uint32_t> counts;
        {
          nb::gil_scoped_release free_threads;
          const auto size = checked_slots(checked(rows), view(slots), n);
          counts = pair_counts(rows, view(slots), size, watch);
        }
        return to_numpy(std::move(counts));
      },
      "offsets"_array, "items"_array, "weights"_array, "n_items"_a, "slots"_array, "n"_a,
      "callback"_a.none() = nb::none(),
      "Joint counts of the items that have a slot, n × n, row-major.");

  module.def(
      "cross_counts",
      [](const Vector<std::int64_t>& offsets, const Vector<Item>& items,
         const Vector<Count>& weights, Item n_items, const Vector<std::int32_t>& left,
         std::int64_t n_left, const Vector<std::int32_t>& right, std::int64_t n_right) {
        const Rows rows{view(offsets), view(items), view(weights), n_items};
        std::vector<std::uint32_t> counts;
        {
          nb::gil_scoped_release free_threads;
          const auto lines = checked_slots(checked(rows), view(left), n_left);
          const auto places = checked_slots(rows, view(right), n_right);
          counts = cross_counts(rows, view(left), lines, view(right), places);
        }
        return to_numpy(std::move(counts));
      },
      "offsets"_array, "items"_array, "weights"_array, "n_items"_a, "left"_array, "n_left"_a,
      "right"_array, "n_right"_a,
      "Joint counts of items on the left with items on the right, row-major.");
}

}  // namespace halfmask::bindings

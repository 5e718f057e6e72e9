#include "counting/correlation.hpp"

#include <numeric>

#include "bindings/convert.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

namespace {

// Slots fit the alphabet and the result; counts of 32 bits do not overflow.
void check_slots(const Rows& rows, std::span<const std::int32_t> slots, std::size_t n) {
  if (slots.size() != static_cast<std::size_t>(rows.n_items))
    throw std::invalid_argument("slots must have one number per item");
  for (const auto slot : slots)
    if (slot < -1 || slot >= static_cast<std::int64_t>(n))
      throw std::invalid_argument("a slot lies outside the result");
  if (std::accumulate(rows.weights.begin(), rows.weights.end(), Count{0}) >= Count{1} << 32)
    throw std::invalid_argument("more than 2^32 rows");
}

}  // namespace

void bind_correlation(nb::module_& module) {
  module.def(
      "pair_counts",
      [](const Vector<std::int64_t>& offsets, const Vector<Item>& items,
         const Vector<Count>& weights, Item n_items, const Vector<std::int32_t>& slots,
         std::size_t n, const nb::object& callback) {
        const Rows rows{view(offsets), view(items), view(weights), n_items};
        auto watch = watch_over(callback);
        std::vector<std::uint32_t> counts;
        {
          nb::gil_scoped_release free_threads;
          check_slots(checked(rows), view(slots), n);
          counts = pair_counts(rows, view(slots), n, watch);
        }
        return to_numpy(std::move(counts));
      },
      "offsets"_a, "items"_a, "weights"_a, "n_items"_a, "slots"_a, "n"_a,
      "callback"_a.none() = nb::none(),
      "Joint counts of the items that have a slot, n × n, row-major.");

  module.def(
      "cross_counts",
      [](const Vector<std::int64_t>& offsets, const Vector<Item>& items,
         const Vector<Count>& weights, Item n_items, const Vector<std::int32_t>& left,
         std::size_t n_left, const Vector<std::int32_t>& right, std::size_t n_right) {
        const Rows rows{view(offsets), view(items), view(weights), n_items};
        std::vector<std::uint32_t> counts;
        {
          nb::gil_scoped_release free_threads;
          check_slots(checked(rows), view(left), n_left);
          check_slots(rows, view(right), n_right);
          counts = cross_counts(rows, view(left), n_left, view(right), n_right);
        }
        return to_numpy(std::move(counts));
      },
      "offsets"_a, "items"_a, "weights"_a, "n_items"_a, "left"_a, "n_left"_a, "right"_a,
      "n_right"_a, "Joint counts of items on the left with items on the right, row-major.");
}

}  // namespace halfmask::bindings

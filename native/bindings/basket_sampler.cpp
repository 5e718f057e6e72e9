#include "baskets/basket_sampler.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bindings/convert.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

void bind_basket_sampler(nb::module_& module) {
  module.def(
      "sample_baskets",
      [](const Vector<std::int64_t>& offsets, const Vector<Item>& items,
         const Vector<double>& weights, Item n_items, const Vector<std::int64_t>& sizes,
         std::uint64_t key, nb::object callback) {
        const BasketPatterns pool{{view(offsets), view(items)}, view(weights), n_items};
        auto watch = watch_over(std::move(callback));
        SampledBaskets baskets;
        {
          nb::gil_scoped_release free_threads;
          check_range("the size of a basket", view(sizes), 0, any_number);
          baskets = sample_baskets(checked(pool), Links{}, view(sizes), key, 0, watch);
        }
        return std::tuple(to_numpy(std::move(baskets.offsets)), to_numpy(std::move(baskets.items)),
                          to_numpy(std::move(baskets.usages)));
      },
      "offsets"_array, "items"_array, "weights"_array, "n_items"_a, "sizes"_array, "key"_a,
      "callback"_a = nb::none(),
      "Offsets and items of baskets filled with disjoint patterns, and the usage of each pattern.");
  module.def(
      "sample_linked_baskets",
      [](const Vector<std::int64_t>& offsets, const Vector<Item>& items,
         const Vector<double>& weights, Item n_items, const Vector<std::int64_t>& link_offsets,
         const Vector<Item>& link_items, const Vector<double>& link_weights, double fresh,
         const Vector<std::int64_t>& sizes, std::uint64_t key, std::uint64_t first,
         nb::object callback) {
        const BasketPatterns pool{{view(offsets), view(items)}, view(weights), n_items};
        const Links links{view(link_offsets), view(link_items), view(link_weights), fresh};
        auto watch = watch_over(std::move(callback));
        SampledBaskets baskets;
        {
          nb::gil_scoped_release free_threads;
          check_range("the size of a basket", view(sizes), 0, any_number);
          baskets = sample_baskets(checked(pool), checked(links, n_items), view(sizes), key, first,
                                   watch);
        }
        return std::tuple(to_numpy(std::move(baskets.offsets)), to_numpy(std::move(baskets.items)),
                          to_numpy(std::move(baskets.steps)));
      },
      "offsets"_array, "items"_array, "weights"_array, "n_items"_a, "link_offsets"_array,
      "link_items"_array, "link_weights"_array, "fresh"_a, "sizes"_array, "key"_a, "first"_a,
      "callback"_a = nb::none(),
      "Offsets and items of baskets filled along links, and the steps that each took.");
}

}  // namespace halfmask::bindings

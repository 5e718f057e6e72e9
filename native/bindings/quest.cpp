#include "baskets/quest.hpp"

#include <nanobind/stl/pair.h>

#include "bindings/convert.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

void bind_quest(nb::module_& module) {
  module.def(
      "fill_baskets",
      [](const Vector<std::int64_t>& offsets, const Vector<Item>& items,
         const Vector<double>& cumulative, const Vector<double>& corruption, Item n_items,
         const Vector<std::int64_t>& sizes, std::int64_t retries, std::uint64_t key,
         nb::object callback) {
        const QuestPool pool{view(offsets), view(items), view(cumulative), view(corruption),
                             n_items};
        auto watch = watch_over(std::move(callback));
        QuestBaskets baskets;
        {
          nb::gil_scoped_release free_threads;
          check_range("the size of a basket", view(sizes), 0, any_number);
          baskets = fill_baskets(checked(pool), view(sizes),
                                 number<int>("retries", retries, 0, most_rounds), key, watch);
        }
        return std::pair(to_numpy(std::move(baskets.offsets)), to_numpy(std::move(baskets.items)));
      },
      "offsets"_array, "items"_array, "cumulative"_array, "corruption"_array, "n_items"_a,
      "sizes"_array, "retries"_a, "key"_a, "callback"_a = nb::none(),
      "Offsets and items of baskets filled with corrupted patterns of the pool.");
}

}  // namespace halfmask::bindings

#include "counting/counting.hpp"

#include "bindings/convert.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

void bind_counting(nb::module_& module) {
  module.def(
      "supports",
      [](const Vector<std::int64_t>& offsets, const Vector<Item>& items,
         const Vector<Count>& weights, Item n_items, const Vector<std::int64_t>& set_offsets,
         const Vector<Item>& set_items) {
        const Rows rows{view(offsets), view(items), view(weights), n_items};
        const Itemsets itemsets{view(set_offsets), view(set_items)};
        std::vector<Count> result;
        {
          nb::gil_scoped_release free_threads;
          result = supports(checked(rows), checked(itemsets, n_items));
        }
        return to_numpy(std::move(result));
      },
      "offsets"_array, "items"_array, "weights"_array, "n_items"_a, "set_offsets"_array,
      "set_items"_array, "Weighted number of rows that contain each itemset.");
}

}  // namespace halfmask::bindings

#include "krimp/cover.hpp"

#include "bindings/convert.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

void bind_cover(nb::module_& module) {
  module.def(
      "encode",
      [](const Vector<std::int64_t>& offsets, const Vector<Item>& items,
         const Vector<Count>& weights, Item n_items, const Vector<std::int64_t>& set_offsets,
         const Vector<Item>& set_items, const Vector<double>& lengths) {
        const Rows rows{view(offsets), view(items), view(weights), n_items};
        const Itemsets sets{view(set_offsets), view(set_items)};
        auto watch = watch_over(nb::none());
        Encoded result;
        {
          nb::gil_scoped_release free_threads;
          checked(rows);
          checked(sets, n_items);
          for (std::size_t s = 0; s < sets.size(); ++s)
            require(!sets[s].empty(), "a set that covers holds at least one item");
          require(lengths.shape(0) == sets.size() + static_cast<std::size_t>(n_items),
                  "every set and every item needs a code length");
          for (const auto length : view(lengths))  // infinite where an element has no code
            require(length >= 0, "a code length must be a number of at least 0");
          result = encode(rows, sets, view(lengths), watch);
        }
        return nb::make_tuple(to_numpy(std::move(result.bits)), to_numpy(std::move(result.usages)));
      },
      "offsets"_array, "items"_array, "weights"_array, "n_items"_a, "set_offsets"_array,
      "set_items"_array, "lengths"_array,
      "Bits of one copy of each row and usages of sets (in cover order) and items.");
}

}  // namespace halfmask::bindings

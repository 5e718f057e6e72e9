#include "arithmetic/settle.hpp"

#include "bindings/convert.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

void bind_settle(nb::module_& module) {
  module.def(
      "settle",
      [](const Vector<std::int64_t>& low, const Vector<std::int64_t>& high,
         const Vector<std::int64_t>& offsets, const Vector<std::int64_t>& unknowns,
         const Vector<std::int64_t>& signs, const Vector<std::int64_t>& groups,
         const Vector<std::int64_t>& floors, std::int64_t most_work) {
        const Equations equations{view(low), view(high), view(offsets), view(unknowns),
                                  view(signs)};
        const Groups few{view(groups), view(floors)};
        const auto work = number<std::int64_t>("most_work", most_work, 0, any_number);
        std::vector<std::int8_t> fates;
        {
          nb::gil_scoped_release free_threads;
          (void)checked(equations);
          fates = settle(equations, checked(few, equations.size()), work);
        }
        return to_numpy(std::move(fates));
      },
      "low"_array, "high"_array, "offsets"_array, "unknowns"_array, "signs"_array, "groups"_array,
      "floors"_array, "most_work"_a,
      "Of each group 0 if some solution has none of it or its floor, 1 if none has, 2 if open.");
}

}  // namespace halfmask::bindings

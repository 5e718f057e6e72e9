#include "counting/cell_moments.hpp"

#include <cmath>

#include "bindings/convert.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

void bind_cell_moments(nb::module_& module) {
  module.def(
      "cell_moments",
      [](const Vector<std::int32_t>& cells, const Vector<double>& shares, std::int64_t sets,
         const Vector<double>& vector) {
        std::vector<double> moments;
        {
          nb::gil_scoped_release free_threads;
          const auto width = number("the number of sets", sets, 0, most_rows);
          require(cells.shape(0) == width * shares.shape(0),
                  "every row falls into a cell of each set");
          check_amounts("a share", view(shares));
          for (const auto x : view(vector)) require(std::isfinite(x), "a number must be finite");
          check_range("a cell", view(cells), 0, static_cast<std::int64_t>(vector.shape(0)) - 1);
          moments = cell_moments(view(cells), view(shares), width, view(vector));
        }
        return to_numpy(std::move(moments));
      },
      "cells"_array, "shares"_array, "sets"_a, "vector"_array,
      "Second moments of the cells of rows, times a vector.");
}

}  // namespace halfmask::bindings

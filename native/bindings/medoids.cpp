#include "anatomy/medoids.hpp"

#include "bindings/convert.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

void bind_medoids(nb::module_& module) {
  module.def(
      "build_start",
      [](const Vector<double>& distances, std::int64_t n, std::int64_t k) {
        const Distances given{view(distances), number("n", n, 1, most_items)};
        const auto medoids = number("k", k, 1, n);
        std::vector<std::int32_t> start;
        {
          nb::gil_scoped_release free_threads;
          start = build_start(checked(given), medoids);
        }
        return to_numpy(std::move(start));
      },
      "distances"_array, "n"_a, "k"_a, "Greedy first medoids of an n × n matrix of distances.");

  module.def(
      "swap_medoids",
      [](const Vector<double>& distances, std::int64_t n, const Vector<std::int32_t>& start,
         const nb::object& callback) {
        const Distances given{view(distances), number("n", n, 1, most_items)};
        auto watch = watch_over(callback);
        Medoids best;
        {
          nb::gil_scoped_release free_threads;
          const auto first = view(start);
          checked(given);
          require(!first.empty(), "there must be at least one medoid");
          check_different("the first medoids", first, given.n);
          best = swap_medoids(given, {first.begin(), first.end()}, watch);
        }
        return nb::make_tuple(to_numpy(std::move(best.objects)), best.loss, best.swaps);
      },
      "distances"_array, "n"_a, "start"_array, "callback"_a.none() = nb::none(),
      "Medoids that no single swap improves, their loss and the number of swaps.");
}

}  // namespace halfmask::bindings

#include "anatomy/medoids.hpp"

#include "bindings/convert.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

namespace {

[[nodiscard]] std::vector<std::int32_t> checked_start(std::span<const std::int32_t> start,
                                                      std::size_t n) {
  std::vector<bool> seen(n, false);
  if (start.empty()) throw std::invalid_argument("there must be at least one medoid");
  for (const auto m : start) {
    if (m < 0 || static_cast<std::size_t>(m) >= n || seen[static_cast<std::size_t>(m)])
      throw std::invalid_argument("the first medoids must be different objects");
    seen[static_cast<std::size_t>(m)] = true;
  }
  return {start.begin(), start.end()};
}

}  // namespace

void bind_medoids(nb::module_& module) {
  module.def(
      "build_start",
      [](const Vector<double>& distances, std::size_t n, std::size_t k) {
        const Distances given{view(distances), n};
        if (k < 1 || k > n) throw std::invalid_argument("k must lie between 1 and n");
        std::vector<std::int32_t> start;
        {
          nb::gil_scoped_release free_threads;
          start = build_start(checked(given), k);
        }
        return to_numpy(std::move(start));
      },
      "distances"_a, "n"_a, "k"_a, "Greedy first medoids of an n × n matrix of distances.");

  module.def(
      "swap_medoids",
      [](const Vector<double>& distances, std::size_t n, const Vector<std::int32_t>& start,
         const nb::object& callback) {
        const Distances given{view(distances), n};
        auto watch = watch_over(callback);
        Medoids best;
        {
          nb::gil_scoped_release free_threads;
          best = swap_medoids(checked(given), checked_start(view(start), n), watch);
        }
        return nb::make_tuple(to_numpy(std::move(best.objects)), best.loss, best.swaps);
      },
      "distances"_a, "n"_a, "start"_a, "callback"_a.none() = nb::none(),
      "Medoids that no single swap improves, their loss and the number of swaps.");
}

}  // namespace halfmask::bindings

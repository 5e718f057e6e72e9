#include "distortion/distortion.hpp"

#include "bindings/convert.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

void bind_distortion(nb::module_& module) {
  module.def(
      "distort",
      [](const Vector<std::int64_t>& offsets, const Vector<Item>& items,
         const Vector<Count>& weights, Item n_items, const Vector<double>& keeps,
         const Vector<double>& inserts, const Vector<std::uint64_t>& key, std::uint64_t threads,
         const nb::object& callback) {
        const Rows rows{view(offsets), view(items), view(weights), n_items};
        const ItemChannel channel{view(keeps), view(inserts)};
        auto watch = watch_over(callback);
        DistortedRows distorted;
        {
          nb::gil_scoped_release free_threads;
          distorted = distort(checked(rows), checked(channel, n_items), checked_key(view(key)),
                              checked_threads(threads), watch);
        }
        return nb::make_tuple(to_numpy(std::move(distorted.offsets)),
                              to_numpy(std::move(distorted.items)));
      },
      "offsets"_array, "items"_array, "weights"_array, "n_items"_a, "keeps"_array, "inserts"_array,
      "key"_array, "threads"_a = 1, "callback"_a.none() = nb::none(),
      "Offsets and items of the rows after keeping and inserting items at random.");

  module.def(
      "chacha",
      [](const Vector<std::uint64_t>& key, std::uint64_t number, std::int64_t n) {
        Stream stream(checked_key(view(key)), number);
        std::vector<std::uint32_t> words(bindings::number("n", n, 0, 1 << 24));
        for (auto& word : words) word = stream.word();
        return to_numpy(std::move(words));
      },
      "key"_array, "number"_a, "n"_a, "The first n words of a stream, for tests of the generator.");
}

}  // namespace halfmask::bindings

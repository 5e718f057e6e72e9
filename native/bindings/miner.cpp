#include "mining/miner.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/convert.hpp"
#include "bindings/mining_options.hpp"
#include "counting/distinct.hpp"

namespace halfmask::bindings {

using namespace nb::literals;

namespace {

// Arrays with a number for each item say how many items there are.
Item alphabet_of(const Vector<Item>& of_item) {
  return number<Item>("items", static_cast<std::int64_t>(of_item.shape(0)), 0, most_items);
}

// The one exception of the miner, with (found, fitting) as its arguments.
void bind_exception(nb::module_& module) {
  static nb::object type;
  type = nb::steal(PyErr_NewException("halfmask._native.TooManyItemsets", nullptr, nullptr));
  module.attr("TooManyItemsets") = type;
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const TooManyItemsets& e) {
      PyErr_SetObject(type.ptr(), nb::make_tuple(e.found, e.fitting).ptr());
    }
  });
}

}  // namespace

void bind_miner(nb::module_& module) {
  bind_exception(module);
  module.def(
      "mine",
      [](const Vector<std::int64_t>& offsets, const Vector<Item>& items,
         const Vector<Count>& weights, const Vector<Item>& item_of_rank, Count min_support,
         bool closed, std::int64_t max_length, std::vector<std::pair<Rank, Rank>> forbidden,
         std::uint64_t max_itemsets, std::uint64_t max_bytes, std::uint64_t threads,
         nb::object progress) {
        const Rows rows{view(offsets), view(items), view(weights), alphabet_of(item_of_rank)};
        const auto options = checked_mining(min_support, closed, max_length, std::move(forbidden),
                                            max_itemsets, max_bytes, threads, rows.n_items);
        auto watch = watch_over(std::move(progress));
        Candidates found;
        std::vector<Item> names;
        {
          nb::gil_scoped_release free_threads;
          check_permutation("item_of_rank", view(item_of_rank), item_of_rank.shape(0));
          found = mine(checked(rows), options, watch);
          names = named(found, view(item_of_rank));
        }
        return nb::make_tuple(to_numpy(std::move(found.offsets)), to_numpy(std::move(names)),
                              to_numpy(std::move(found.supports)), watch.stopped());
      },
      "offsets"_array, "items"_array, "weights"_array, "item_of_rank"_array, "min_support"_a,
      "closed"_a, "max_length"_a, "forbidden"_a, "max_itemsets"_a, "max_bytes"_a, "threads"_a,
      "progress"_a.none(),
      "Frequent itemsets of rows of ranks in candidate order: offsets, items, supports, stopped.");
  module.def(
      "distinct",
      [](const Vector<std::int64_t>& offsets, const Vector<Item>& items,
         const Vector<Count>& weights, Item n_items) {
        const Rows rows{view(offsets), view(items), view(weights), n_items};
        DistinctRows result;
        {
          nb::gil_scoped_release free_threads;
          result = distinct(checked(rows));
        }
        return nb::make_tuple(to_numpy(std::move(result.offsets)),
                              to_numpy(std::move(result.items)),
                              to_numpy(std::move(result.weights)));
      },
      "offsets"_array, "items"_array, "weights"_array, "n_items"_a,
      "Equal rows merged into one with their weight, in lexicographic order.");
  module.def(
      "relabelled",
      [](const Vector<std::int64_t>& offsets, const Vector<Item>& items,
         const Vector<Count>& weights, const Vector<Item>& new_of_old) {
        const Rows rows{view(offsets), view(items), view(weights), alphabet_of(new_of_old)};
        std::vector<Item> result;
        {
          nb::gil_scoped_release free_threads;
          check_different("new numbers of items", view(new_of_old), most_items);
          result = relabelled(checked(rows), view(new_of_old));
        }
        return to_numpy(std::move(result));
      },
      "offsets"_array, "items"_array, "weights"_array, "new_of_old"_array,
      "The items of all rows under other numbers, increasing inside each row again.");
}

}  // namespace halfmask::bindings

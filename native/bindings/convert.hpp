// What every binding needs: arrays in as spans, vectors out as arrays, a watch over Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <utility>
#include <vector>

#include "bindings/checks.hpp"
#include "common/rows.hpp"
#include "common/watch.hpp"

namespace halfmask::bindings {

namespace nb = nanobind;

template <typename T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The name of an argument that is an array: taken as it is, never turned into another type, which
// would cut numbers that do not fit.
inline auto operator""_array(const char* name, std::size_t) { return nb::arg(name).noconvert(); }

template <typename T>
[[nodiscard]] std::span<const T> view(const Vector<T>& array) {
  return {array.data(), array.shape(0)};
}

// Hands the vector's memory to numpy; the capsule frees it with the array.
template <typename T>
[[nodiscard]] nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T>&& values) {
  auto* owner = new std::vector<T>(std::move(values));
  nb::capsule free(owner, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(owner->data(), {owner->size()}, free);
}

// Ctrl-C raises in Python's main thread; `callback(done, total) -> bool` may be None.
[[nodiscard]] inline Watch watch_over(nb::object callback) {
  require(callback.is_none() || PyCallable_Check(callback.ptr()) != 0,
          "progress must be a function of what is done and of all there is to do");
  return Watch([callback = std::move(callback)](std::int64_t done, std::int64_t total) {
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    return callback.is_none() || nb::cast<bool>(callback(done, total));
  });
}

}  // namespace halfmask::bindings

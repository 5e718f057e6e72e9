#include "bindings/convert.hpp"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace halfmask::bindings {

void bind_memory(nb::module_& module) {
  module.def(
      "give_back",
      [] {
#if defined(__GLIBC__)
        nb::gil_scoped_release free_threads;
        malloc_trim(0);
#endif
      },
      "Give memory that was freed back to the system, where the C library keeps it.");
}

}  // namespace halfmask::bindings

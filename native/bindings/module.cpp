// The extension module: one bind_* function per kernel, no logic.
#include <nanobind/nanobind.h>

namespace halfmask::bindings {
void bind_anatomised(nanobind::module_& module);
void bind_balance(nanobind::module_& module);
void bind_basket_sampler(nanobind::module_& module);
void bind_buckets(nanobind::module_& module);
void bind_cell_moments(nanobind::module_& module);
void bind_correlation(nanobind::module_& module);
void bind_counting(nanobind::module_& module);
void bind_cover(nanobind::module_& module);
void bind_distortion(nanobind::module_& module);
void bind_krimp(nanobind::module_& module);
void bind_loglinear(nanobind::module_& module);
void bind_medoids(nanobind::module_& module);
void bind_memory(nanobind::module_& module);
void bind_miner(nanobind::module_& module);
void bind_nearest(nanobind::module_& module);
void bind_quest(nanobind::module_& module);
void bind_target_trees(nanobind::module_& module);
void bind_raking(nanobind::module_& module);
void bind_set_raking(nanobind::module_& module);
void bind_settle(nanobind::module_& module);
void bind_sampler(nanobind::module_& module);
void bind_slim(nanobind::module_& module);
}  // namespace halfmask::bindings

NB_MODULE(_native, module) {
  module.doc() = "The engine room: kernels over arrays; halfmask.patterns is their door.";
  halfmask::bindings::bind_anatomised(module);
  halfmask::bindings::bind_balance(module);
  halfmask::bindings::bind_basket_sampler(module);
  halfmask::bindings::bind_buckets(module);
  halfmask::bindings::bind_cell_moments(module);
  halfmask::bindings::bind_correlation(module);
  halfmask::bindings::bind_counting(module);
  halfmask::bindings::bind_cover(module);
  halfmask::bindings::bind_distortion(module);
  halfmask::bindings::bind_krimp(module);
  halfmask::bindings::bind_loglinear(module);
  halfmask::bindings::bind_medoids(module);
  halfmask::bindings::bind_memory(module);
  halfmask::bindings::bind_miner(module);
  halfmask::bindings::bind_nearest(module);
  halfmask::bindings::bind_quest(module);
  halfmask::bindings::bind_target_trees(module);
  halfmask::bindings::bind_raking(module);
  halfmask::bindings::bind_set_raking(module);
  halfmask::bindings::bind_settle(module);
  halfmask::bindings::bind_sampler(module);
  halfmask::bindings::bind_slim(module);
}

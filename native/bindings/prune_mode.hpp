// The names of the kinds of pruning.
#pragma once

#include <stdexcept>
#include <string>

#include "krimp/prune.hpp"

namespace halfmask::bindings {

[[nodiscard]] inline Prune prune_mode(const std::string& name) {
  if (name == "repaired") return Prune::repaired;
  if (name == "authors") return Prune::authors;
  if (name == "none") return Prune::none;
  throw std::invalid_argument("unknown kind of pruning");
}

}  // namespace halfmask::bindings

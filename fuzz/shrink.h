// Makes a failing sketch as small as it can while it keeps failing in the same way.
#pragma once

#include <functional>

#include "fuzz/random_program.h"

namespace filigree::fuzz {

/// Requires: `still_fails(sketch)`.  Tries smaller expressions, sizes, formats, data and types, at most `attempts`.
Sketch shrink(const Sketch& sketch, const std::function<bool(const Sketch&)>& still_fails, int attempts = 3000);

}  // namespace filigree::fuzz

// What each thread of a launch does; offload.h has the picture.
#pragma once

#include <vector>

#include "passes/offload.h"

namespace filigree::passes {

/// An array that every thread has for itself.
struct OwnArray {
  ir::Var array;
  std::int64_t count;  // of elements, of all threads of a block
  bool zeroed;
};

struct GridCode {
  ir::For grid;  // works on arrays of the host still
  std::vector<OwnArray> own;
};

/// The nest as a grid.
GridCode make_grid(const ir::For& outermost, const AskedLoops& asked);

}  // namespace filigree::passes

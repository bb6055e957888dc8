// The body of a function in parts that become functions of their own.  Internal to the C back end.
//
// Compilers take time that grows with the square of a function's size: most of what they compute is about every
// variable at every place.  A statement over forty sparse matrices is thousands of lines with hundreds of arrays, and
// took clang twelve seconds as one function.
#pragma once

#include <cstddef>
#include <vector>

#include "ir/ir.h"

namespace filigree::emit {

/// Statements that stand one after the other.
struct Part {
  ir::Stmt place;  // a comment, which stands for the part where it was
  ir::Stmt body;
  std::vector<ir::Var> changed = {};  // the shared variables that it changes
  std::vector<ir::Var> given = {};    // what else it uses of its surroundings
};

struct Division {
  ir::Stmt body;            // what is left: loops and conditionals that are too large to be in one part, and places
  std::vector<Part> parts;  // in order of appearance
  /// The variables that a part changes and others use, and all memory that parts take: scalars by their values, arrays
  /// and tables by what their names stand for.  Nothing in `body` and `parts` declares them.
  std::vector<ir::Var> shared;
};

/// `used_after`: variables that are needed when all is done.
/// Ensures: no part has more than `largest` statements, and none a Break or Continue of a loop around it: such
/// statements stay in `body`.  What is too large is divided inside, where it has blocks.
Division divide(const ir::Stmt& body, const std::vector<ir::Var>& used_after, std::size_t largest);

/// With those inside them, but for parallel loops: these are functions anyway.
std::size_t number_of_statements(const ir::Stmt& stmt);

}  // namespace filigree::emit

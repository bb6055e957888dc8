// The sizes of a declared program: what data and people tell, and what follows from it.
#pragma once

#include "compiler/program.h"
#include "front/declare.h"

namespace filigree::front {

/// What is said about results and index variables.
Sizes given_sizes(const DeclaredProgram& program);

/// The same, and the dimensions of data.
notation::KnownSizes told_sizes(const DeclaredProgram& program);

/// All extents and dimensions as far as they are known.  Throws UserError where two disagree.
notation::ProgramSizes known_sizes(const DeclaredProgram& program);

/// Gives files that do not say how large a tensor is the extents that their dimensions have elsewhere: in a statement,
/// and by way of what it assigns in others.
void widen_implied_dimensions(DeclaredProgram& program);

}  // namespace filigree::front

// What the two ways to compute a part of a statement on its own share: over variables of the statement, before there
// are loops (precompute.cpp), and over what other commands made of these (precompute_parts.cpp).  Internal to
// schedules.
#pragma once

#include <map>
#include <string>

#include "schedule/commands.h"

namespace filigree::schedule {

/// Everything that an expression can name.
struct KnownNames {
  std::map<std::string, TensorVar> tensors;
  std::map<std::string, IndexVar> indices;
};

[[noreturn]] void fail(const Precompute& command, UserError error, Span span);

/// The command's expression.
notation::Expr read_part(const Precompute& command, KnownNames known);
/// The command's format, which it has, as a workspace of the statement for `result` can have it.  `is_everywhere`: what
/// goes into the workspace has a value at every coordinate.
Format workspace_format(const Precompute& command, const TensorVar& result, bool is_everywhere = false);
/// The command's type, if it has one, holds the part's values.
void check_type(const Precompute& command, const notation::Expr& part);

/// For each command: does it precompute over what earlier ones made?
std::vector<bool> over_parts(const Schedule& schedule);
/// Does so, where the loops are.
void precompute_parts(const Precompute& command, Nest& nest);

}  // namespace filigree::schedule

// Ways that `filigree tune` found to be the fastest on this machine: kept beside compiled kernels (jit/cache.h), and
// taken by later runs with operands of about the same sizes.
#pragma once

#include <optional>
#include <string>

#include "compiler/choose_way.h"

namespace filigree::compiler {

/// A way as text, a statement on each line with the format of what it assigns; for its own loops, which are no
/// statements, "own".  way_of_text() reads it back.
///
///   bitmap: w(j) = sum(k, C(j,k)*d(k))
///   dense: y(i) = sum(j, B(i,j)*w(j))
std::string text_of(const Way& way);
/// Nothing if the text is not about this statement.
std::optional<Way> way_of_text(const std::string& text, const notation::Statement& statement);

/// Sizes that are about equal: powers of two of extents and of stored components.
std::string bucket_of(const autoschedule::KnownInputs& inputs);

/// The way that is kept for a statement and inputs of about these sizes on this machine; nothing if there is none, or
/// FILIGREE_TUNED is 0.  A way without statements is the statement's own loops.
std::optional<Way> tuned_way(const notation::Statement& statement, const autoschedule::KnownInputs& inputs);
/// False if it could not be kept.
bool keep_tuned(const notation::Statement& statement, const autoschedule::KnownInputs& inputs, const Way& way);

}  // namespace filigree::compiler

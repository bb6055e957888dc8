// Ways that `filigree tune` found to be the fastest on this machine, and ways that were chosen by estimate: kept beside
// compiled kernels (jit/cache.h), and taken by later runs with operands of about the same sizes.
#pragma once

#include <map>
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

/// What choices depend on: powers of two of extents and of stored components, and how the patterns meet (meeting.h).
std::string bucket_of(const notation::Statement& statement, const autoschedule::KnownInputs& inputs);

/// The way that is kept for a statement and inputs of about these sizes on this machine; nothing if there is none, or
/// FILIGREE_TUNED is 0.  A way without statements is the statement's own loops.
std::optional<Way> tuned_way(const notation::Statement& statement, const autoschedule::KnownInputs& inputs);
/// False if it could not be kept.
bool keep_tuned(const notation::Statement& statement, const autoschedule::KnownInputs& inputs, const Way& way);

/// What each way took then, in milliseconds, by its text.
std::map<std::string, double> tuned_times(const notation::Statement& statement,
                                          const autoschedule::KnownInputs& inputs);
bool keep_times(const notation::Statement& statement, const autoschedule::KnownInputs& inputs,
                const std::map<std::string, double>& milliseconds);

/// The same for what was chosen by estimate, by this build of Filigree and with these options; FILIGREE_CHOICES is 0
/// turns that off.
std::optional<Way> chosen_way(const notation::Statement& statement, const autoschedule::KnownInputs& inputs,
                              const WayOptions& options);
bool keep_chosen(const notation::Statement& statement, const autoschedule::KnownInputs& inputs,
                 const WayOptions& options, const Way& way);

}  // namespace filigree::compiler

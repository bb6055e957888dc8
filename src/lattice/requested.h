// What strategies and their checks say about requests.  Internal to this folder.
#pragma once

#include "lattice/strategy.h"

namespace filigree::lattice {

/// "level 2 of 'B' (compressed)"
std::string level_name(const Operand& operand);
std::string capitalized(std::string text);
/// Is it about this operand, in loops over `var`?
bool is_about(const ProtocolRequest& request, const Operand& operand, const IndexVar& var);
/// The error with the place of the request, if that is known.
UserError at_request(UserError error, const ProtocolRequest& request);

}  // namespace filigree::lattice

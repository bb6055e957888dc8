// A schedule with protocols -> loops that run: formats for temporaries, and copies of operands (P4, 7.8).
#pragma once

#include <variant>

#include "autoschedule/problem.h"
#include "concrete/concrete.h"

namespace filigree::autoschedule {

/// The loops of `plan`, which is a schedule of `problem`, as concrete index notation.
///  * An operand whose levels cannot be walked in the order of the loops, or do not allow the protocols, is copied into
///    levels that do, outside of all loops.  Operands that are read in several orders are copied once for each.
///  * A temporary is stored in the order of the loops that read it, in levels that can be inserted into, walked in
///  order
///    and looked up, so that any protocols will do.
/// Nothing but the reason if that cannot be done.
std::variant<concrete::Program, NotScheduled> realize(const Stmt& plan, const Problem& problem);

/// How a temporary would be stored that need only support the protocols of `plan`, a letter for each of its dimensions:
/// u uncompressed, c compressed, h hashed.
std::string least_format(const std::string& workspace, const Stmt& plan);

}  // namespace filigree::autoschedule

// Another way to run a statement, as a program; and the ways that a kernel chooses among.
#pragma once

#include "compiler/choose_way.h"
#include "compiler/program.h"

namespace filigree::compiler {

/// A program that makes what the last statement of the way assigns, with temporaries as the way stores them and with
/// its loops.
Program program_of(const Way& way, const KernelOptions& options);

/// Is there a choice?  Not with a schedule, with loops from elsewhere, or where the order of sums matters.
bool may_choose(const KernelOptions& options, const notation::Statement& statement);
/// For KernelOptions::make_loops: the statement's own loops, whatever the operands.
MakeLoops own_loops();

/// What is known of the inputs of a statement.
autoschedule::KnownInputs known_inputs(const notation::Statement& statement, const Arguments& operands);
/// The ways that a kernel chooses among for these operands.
Ways ways_of(const Kernel& kernel, const Arguments& operands, const WayOptions& options = {});

}  // namespace filigree::compiler

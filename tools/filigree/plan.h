// How the statements of a problem are to be compiled and run.
#pragma once

#include "compiler/program.h"
#include "problem.h"

namespace filigree::tool {

/// -s serial: no schedule, not even the default one.
bool is_serial(const RunArguments& arguments);
/// Neither that, nor -s auto, which is as if there were none, nor -s default, which keeps the statement's own loops.
bool has_commands(const RunArguments& arguments);
/// On which kernels run.  Code that is only printed is for one unless several are asked for.
int thread_count(const RunArguments& arguments, const Problem& problem);
ProgramOptions program_options(const RunArguments& arguments, const Problem& problem);

/// Throws UserError for a result that does not fit in memory, before inputs are made, which may be large themselves.
void check_results_fit(const Problem& problem, const notation::ProgramSizes& sizes);

/// The one in the middle.
double median(std::vector<double> times);

}  // namespace filigree::tool

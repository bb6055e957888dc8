// The ways to run a statement on its inputs, for people and for programs: what was considered, what each seems to take,
// and what is taken.
#pragma once

#include <optional>
#include <string>

#include "compiler/choose_way.h"
#include "compiler/program.h"

namespace filigree::tool {

/// The only kernel of a program; null if there are several.
const Kernel* only_kernel(const Program& program, const filigree::Arguments& inputs);

/// The program whose stages a run of `program` goes through: that of another way, if one is taken; else nothing.
std::optional<Program> taken_instead(const Program& program, const filigree::Arguments& inputs,
                                     const ProgramOptions& options);

/// Lines about the way that is taken, the statement's own loops, and the next best ones: statements, loops, tasks,
/// work, time if it was measured, and why.  Nothing for several kernels, and where there is no choice.
std::string describe_ways(const Program& program, const filigree::Arguments& inputs,
                          const ProgramOptions& options);

/// The same for all ways, as the members "ways" and "why" of an object of JSON.
std::string ways_json(const Program& program, const filigree::Arguments& inputs, const ProgramOptions& options);

}  // namespace filigree::tool

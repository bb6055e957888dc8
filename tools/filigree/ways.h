// The ways to run a statement on its inputs, for people: what was considered, what each seems to take, and what is
// taken.
#pragma once

#include <optional>
#include <string>

#include "compiler/choose_way.h"
#include "compiler/program.h"

namespace filigree::tool {

/// The only kernel of a program; null if there are several.
const Kernel* only_kernel(const Program& program, const filigree::Arguments& inputs);

/// The way that a run takes: what was tuned, or else what is chosen; nothing: the statement's own loops.
std::optional<compiler::Way> taken_way(const Kernel& kernel, const compiler::Ways& ways,
                                       const filigree::Arguments& inputs);

/// The program whose stages a run of `program` goes through: that of another way, if one is taken; else nothing.
std::optional<Program> taken_instead(const Program& program, const filigree::Arguments& inputs,
                                     const ProgramOptions& options);

/// Lines about the way that is taken, the statement's own loops, and the next best ones: statements, loops, tasks,
/// work, and why.  Nothing for several kernels, and where there is no choice.
std::string describe_ways(const Program& program, const filigree::Arguments& inputs,
                          const ProgramOptions& options);

}  // namespace filigree::tool

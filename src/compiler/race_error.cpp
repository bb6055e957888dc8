#include "compiler/race_error.h"

#include <algorithm>

#include <fmt/format.h>

#include "concrete/visits.h"

namespace filigree::compiler {

std::optional<UserError> ignored_race(const concrete::Program& program) {
  std::optional<UserError> error;
  for (const concrete::Forall& loop : concrete::tagged_loops(program.statement)) {
    if (!(loop.tag.gpu || loop.tag.parallel) || loop.tag.races != concrete::Races::Ignore) continue;
    concrete::for_each(loop.body, [&](const concrete::Stmt& stmt) {
      const concrete::Assign* assign = stmt.as<concrete::Assign>();
      bool is_result = assign && std::find(program.results.begin(), program.results.end(), assign->lhs.tensor) !=
                                     program.results.end();
      if (error || !is_result || concrete::writes_apart(loop, *assign, program.environment)) return;
      error.emplace(fmt::format("Several iterations of '{}' wrote the same component of '{}' at the same time",
                                loop.var.name(), notation::to_string(assign->lhs)));
      std::move(*error)
          .note(concrete::describe_loops(program.statement, {loop.var}))
          .hint("use atomics instead of ignore");
      if (loop.tag.parallel_by.source) std::move(*error).at(loop.tag.parallel_by.source, loop.tag.parallel_by.span);
    });
  }
  return error;
}

}  // namespace filigree::compiler

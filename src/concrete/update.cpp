#include "concrete/update.h"

#include <algorithm>

#include "algebra/operator.h"

namespace filigree::concrete {
namespace {

/// May iterations that run at the same time write the same component?
bool has_races(const Stmt& stmt) {
  std::vector<Forall> loops = tagged_loops(stmt);
  return std::any_of(loops.begin(), loops.end(), [](const Forall& loop) {
    return (loop.tag.parallel || loop.tag.gpu) && loop.tag.races != Races::None;
  });
}

}  // namespace

std::optional<Program> updating(const Program& program, Operator op) {
  const TensorVar& result = program.results[0];
  bool has_places = !program.made && result.format().stores_all() && result.format().symmetry() == Symmetry::None &&
                    program.environment.two_passes.empty() && program.environment.shared_patterns.empty();
  std::optional<Scalar> start = identity(op, result.type());
  if (program.results.size() != 1 || !has_places || has_races(program.statement) || !start ||
      !(*start == result.fill()))
    return std::nullopt;
  bool possible = true;
  Program updated = program;
  updated.statement = map_assigns(program.statement, [&](const Assign& assign) -> Stmt {
    if (!(assign.lhs.tensor == result)) return assign;
    possible = possible && (!assign.op || *assign.op == op) && !assign.drops_fill;
    Assign combined = assign;
    combined.op = op;
    return combined;
  });
  return possible ? std::optional(updated) : std::nullopt;
}

}  // namespace filigree::concrete

#include "concrete/shared_pattern.h"

#include <algorithm>

#include "notation/substitute.h"

namespace filigree::concrete {
namespace {

using Vars = std::vector<IndexVar>;

/// The loops around the assignment that a statement is there for.
struct Loops {
  Vars vars;  // outermost first
  Stmt outermost;
  const Assign* assign;
};

std::optional<Loops> loops_of(const Stmt& stmt) {
  const Stmt* at = &stmt;
  while (const Where* where = at->as<Where>()) at = &where->consumer;  // operands that are copied first
  Loops loops{{}, *at, nullptr};
  for (;;) {
    const Where* where = at->as<Where>();
    const Forall* forall = at->as<Forall>();
    if (!where && !forall) break;
    if (forall) loops.vars.push_back(forall->var);
    at = where ? &where->consumer : &forall->body;
  }
  loops.assign = at->as<Assign>();
  return loops.assign ? std::optional(loops) : std::nullopt;
}

/// Are loops over `vars`, in this order, outermost, but for those over pieces of them?
bool are_outermost(const Vars& vars, const Vars& loops, const Environment& environment) {
  size_t next = 0;
  for (const IndexVar& loop : loops) {
    if (next == vars.size()) break;
    auto cut = std::find_if(environment.piece_loops.begin(), environment.piece_loops.end(),
                            [&](const PieceLoop& c) { return c.var == loop; });
    if (cut == environment.piece_loops.end()) {
      if (loop != vars[next++]) return false;
      continue;
    }
    if (!std::all_of(cut->loops.begin(), cut->loops.end(), [&](const IndexVar& var) { return contains(vars, var); }))
      return false;
  }
  return next == vars.size();
}

bool has_place_for_all(const level::Format& format) {
  return level::is_always_found(format) && format.arrays().empty() && !format.counts_entries() && !format.is_implied();
}

/// The operands that the loops run through, as the assignment knows their indices.
std::vector<Access> candidates(const Loops& loops, const Environment& environment) {
  std::vector<Access> all = notation::accesses(loops.assign->rhs);
  for (const FlatLoop& flat : environment.flat_loops) {
    if (flat.positions && contains(loops.vars, flat.var)) all.push_back(*flat.positions);
  }
  return all;
}

/// Do the loops tell the operand's node for each of `vars`, its first levels?
bool reach_nodes(const Loops& loops, const Vars& vars, const Access& operand, const Environment& environment) {
  return std::all_of(vars.begin(), vars.end(), [&](const IndexVar& var) {
    return contains(loops.vars, var) ||
           std::any_of(environment.flat_loops.begin(), environment.flat_loops.end(), [&](const FlatLoop& flat) {
             return contains(loops.vars, flat.var) && contains(flat.loops, var) && flat.positions == operand;
           });
  });
}

/// Do iterations run at the same time and take care of what they share?
bool shares_components(const Program& program) {
  std::vector<Forall> loops = tagged_loops(program.statement);
  return std::any_of(loops.begin(), loops.end(), [](const Forall& loop) {
    return loop.tag.gpu || (loop.tag.parallel && loop.tag.races != Races::None);
  });
}

/// May what comes to a component come at any time?
bool adds_up_anywhere(const Assign& assign) {
  return !assign.op || identity(*assign.op, assign.lhs.tensor.type()) == assign.lhs.tensor.fill();
}

/// Are there nodes of which no place in the code can tell whether something is below?  So it is on a GPU if what is
/// below is found by no loop, and where threads share what is below one node.
bool needs_notes(const Assign& assign, const Vars& vars, bool in_order, const Program& program) {
  bool for_units = false, inside = false;
  for (const Forall& loop : tagged_loops(program.statement)) for_units = for_units || loop.tag.gpu;
  for_each(program.statement, [&](const Stmt& stmt) {
    const Forall* forall = stmt.as<Forall>();
    if (!forall || forall->var != vars.back()) return;
    for (const Forall& loop : tagged_loops(forall->body)) inside = inside || loop.tag.parallel;
  });
  bool may_miss = assign.op || vars.size() < level_vars(assign.lhs).size();
  return !in_order || inside || (for_units && may_miss);
}

/// Do nodes that are appended get one position after the other, and keep it?
bool is_in_a_row(const level::Format& format) {
  const level::Properties properties = format.properties();
  return format.append() && format.position_iteration() && format.storage() && properties.compact && !properties.padded;
}

/// The result's levels down to the last one that can only be appended to; none if others need more than a place for
/// every coordinate.
std::optional<int> levels_to_share(const Format& format) {
  if (format.symmetry() != Symmetry::None) return std::nullopt;
  int levels = 0;
  for (int l = 0; l < format.level_count(); l++) {
    const level::Format& level = *format.levels()[static_cast<size_t>(l)].format;
    if (has_place_for_all(level) && level.insert()) continue;
    if (!is_in_a_row(level) || level.insert()) return std::nullopt;
    levels = l + 1;
  }
  return levels == 0 ? std::nullopt : std::optional(levels);
}

/// Is every node of the first levels another component, as far as these go?
bool are_unique(const std::vector<Level>& all, int levels) {
  for (int l = 0; l < levels; l++) {
    bool single_child = l + 1 < levels && all[static_cast<size_t>(l) + 1].format->properties().branchless;
    if (!all[static_cast<size_t>(l)].format->properties().unique && !single_child) return false;
  }
  return true;
}

/// Are the first levels of both stored alike, with the same coordinates?
bool are_alike(const Access& result, const Access& operand, int levels) {
  if (operand.tensor.order() < levels || operand.tensor.format().symmetry() != Symmetry::None) return false;
  Vars own = level_vars(result), other = level_vars(operand);
  for (size_t l = 0; l < static_cast<size_t>(levels); l++) {
    const level::Format &a = *result.tensor.format().levels()[l].format,
                        &b = *operand.tensor.format().levels()[l].format;
    if (own[l] != other[l] || !(a == b)) return false;
  }
  return are_unique(operand.tensor.format().levels(), levels);
}

/// Is it the operand as it is read, or as the same loops read it that fill a temporary for pieces of them?
bool is_read_as(const Access& access, const Access& operand, const Environment& environment) {
  return access == operand || (access.tensor == operand.tensor &&
                               std::any_of(environment.flat_loops.begin(), environment.flat_loops.end(),
                                           [&](const FlatLoop& flat) { return flat.positions == access; }));
}

/// Does the assignment change nothing where the operand has nothing?  Temporaries have nothing there either, if that is
/// so of what fills them.
bool needs_operand(const Assign& assign, const Access& operand, const Program& program, const Stmt& outermost) {
  auto is_absent = [&](const Access& access) {
    if (is_read_as(access, operand, program.environment)) return true;
    bool is_filled = false, is_empty = true;
    for_each(outermost, [&](const Stmt& stmt) {
      const Assign* other = stmt.as<Assign>();
      if (!other || !(other->lhs.tensor == access.tensor) || access.tensor == assign.lhs.tensor) return;
      is_filled = true;
      is_empty = is_empty && needs_operand(*other, operand, program, outermost);
    });
    return is_filled && is_empty;
  };
  // Temporaries may have nothing where they are read: infinite fills of both can come to something.
  auto may_be_absent = [&](const Access& access) {
    bool is_filled = false;
    for_each(outermost, [&](const Stmt& stmt) {
      const Assign* other = stmt.as<Assign>();
      is_filled = is_filled || (other && other->lhs.tensor == access.tensor && access.tensor != assign.lhs.tensor);
    });
    return is_filled || is_absent(access);
  };
  return changes_nothing(assign, notation::substitute_fill(assign.rhs, is_absent)) &&
         changes_nothing(assign, notation::substitute_fill(assign.rhs, may_be_absent));
}

/// Does nothing but `operand` decide where there is something to do?
bool decides_alone(const Loops& loops, const Access& operand, const Program& program) {
  bool alone = true;
  for_each(loops.outermost, [&](const Stmt& stmt) {
    const Assign* assign = stmt.as<Assign>();
    for (const Access& access : assign ? notation::accesses(assign->rhs) : std::vector<Access>()) {
      const std::vector<Level>& levels = access.tensor.format().levels();
      bool is_found = std::all_of(levels.begin(), levels.end(),
                                  [](const Level& level) { return level::is_always_found(*level.format); });
      alone = alone && (is_read_as(access, operand, program.environment) || is_found);
    }
  });
  return alone && needs_operand(*loops.assign, operand, program, loops.outermost);
}

std::optional<SharedPattern> pattern_of(const Program& program, const TensorVar& result, const Access* asked) {
  const Environment& environment = program.environment;
  std::optional<int> levels = levels_to_share(result.format());
  std::optional<Loops> loops = levels ? loops_of(program.statement) : std::nullopt;
  if (!environment.may_share_patterns || program.results.size() > 1 || !loops) return std::nullopt;
  const Assign& assign = *loops->assign;
  bool may_skip = std::any_of(environment.derivations.begin(), environment.derivations.end(),
                              [](const Derivation& derivation) { return derivation.guarded; });
  if (!(assign.lhs.tensor == result) || assign.drops_fill || assign.prunes || assign.unless_equal || may_skip)
    return std::nullopt;
  Vars vars = level_vars(assign.lhs);
  vars.erase(vars.begin() + *levels, vars.end());
  bool in_order = are_outermost(vars, loops->vars, environment);
  if (!in_order && !(shares_components(program) && adds_up_anywhere(assign))) return std::nullopt;
  for (const Access& operand : asked ? std::vector<Access>{*asked} : candidates(*loops, environment)) {
    bool is_given = std::find(program.operands.begin(), program.operands.end(), operand.tensor) !=
                    program.operands.end();
    if (is_given && are_alike(assign.lhs, operand, *levels) && reach_nodes(*loops, vars, operand, environment) &&
        decides_alone(*loops, operand, program))
      return SharedPattern{operand, *levels, needs_notes(assign, vars, in_order, program)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<SharedPattern> shared_pattern(const Program& program, const TensorVar& result) {
  return pattern_of(program, result, nullptr);
}

std::optional<SharedPattern> pattern_shared_with(const Access& operand, const Program& program,
                                                 const TensorVar& result) {
  return pattern_of(program, result, &operand);
}

}  // namespace filigree::concrete

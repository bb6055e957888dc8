#include "plan/division.h"

#include <algorithm>
#include <bit>

#include "concrete/derivations.h"
#include "concrete/visits.h"

namespace filigree::plan {
namespace {

using concrete::Protocol;
using lattice::Mask;
using lattice::Operand;

const level::Format& format_of(const Operand& operand) {
  return *operand.tensor.format().levels()[static_cast<size_t>(operand.level)].format;
}

/// A level as code would see it: to ask it what it can do.
level::Instance stand_in(const level::Format& format) {
  level::Instance level{"level", {}, {}, {}, ir::integer(0)};
  for (const level::ArrayDescription& array : format.arrays())
    level.arrays.emplace_back(array.name, ir::array(ElementType::Int64));
  return level;
}

/// Does an array tell where the children of every parent begin and end?
bool has_segments(const level::Format& format) {
  return format.position_iteration() && format.position_iteration()->segments(stand_in(format));
}

/// Is the position of a coordinate the coordinate, below the root?
bool is_numbered_by_coordinates(const level::Format& format) {
  level::Properties properties = format.properties();
  return level::is_always_found(format) && properties.unique && properties.compact &&
         properties.ordered == level::Ordered::Increasing;
}

Mask steppers(const Loop& loop) { return loop.strategy.with(Protocol::Step); }

/// The one operand that the loop steps through, position by position; nothing if there are others or none.
const Operand* driver(const Loop& loop) {
  if (loop.strategy.over_universe || std::popcount(steppers(loop)) != 1) return nullptr;
  const Operand& one = loop.lattice.operands[static_cast<size_t>(std::countr_zero(steppers(loop)))];
  return format_of(one).position_iteration() && !format_of(one).runs() ? &one : nullptr;
}

/// One case without anything beside it.
const Body* only_body(const Loop& loop) {
  bool is_plain = loop.bodies.size() == 1 && !loop.if_empty && !loop.lattice.skipped;
  return is_plain ? &loop.bodies.front() : nullptr;
}

/// Must a flat loop visit one point after the other, to know what each is below?
bool tracks_parents(const concrete::FlatLoop& flat) {
  if (!flat.positions) return false;
  std::vector<IndexVar> vars = concrete::level_vars(*flat.positions);
  size_t first =
      static_cast<size_t>(std::search(vars.begin(), vars.end(), flat.loops.begin(), flat.loops.end()) - vars.begin());
  for (size_t n = 1; n < flat.loops.size(); n++) {
    const level::Format& format = *flat.positions->tensor.format().levels()[first + n].format;
    if (!format.properties().branchless && !level::is_always_found(format)) return true;
  }
  return false;
}

/// Does a loop inside build a map of an operand?  There is one for all iterations.
bool builds_maps(const Stmt& stmt) {
  auto any = [](const std::vector<Stmt>& all) { return std::any_of(all.begin(), all.end(), builds_maps); };
  return match(
      stmt,
      [](const Loop& n) {
        return n.strategy.with(Protocol::Hash) != 0 ||
               std::any_of(n.bodies.begin(), n.bodies.end(), [](const Body& body) { return builds_maps(body.stmt); });
      },
      [](const Pieces& n) { return builds_maps(n.body.stmt); },
      [](const Where& n) { return builds_maps(n.consumer.stmt) || builds_maps(n.producer.stmt); },
      [&](const Sequence& n) { return any(n.statements); }, [&](const Multi& n) { return any(n.statements); },
      [](const Assign&) { return false; });
}

bool follows_from(const Body& body, const IndexVar& var) {
  return std::any_of(body.computed.begin(), body.computed.end(),
                     [&](const concrete::Derivation& derivation) { return contains(derivation.sources(), var); });
}

}  // namespace

bool runs_to_the_ends(const Loop& loop, const concrete::Environment& environment) {
  for (size_t k = 0; k < loop.lattice.operands.size(); k++) {
    bool follows = loop.strategy.used >> k & 1 && loop.strategy.protocols[k] == Protocol::Locate;
    if (follows && format_of(loop.lattice.operands[k]).value_iteration()) return false;
  }
  return std::none_of(environment.piece_loops.begin(), environment.piece_loops.end(),
                      [&](const concrete::PieceLoop& cut) { return contains(cut.loops, loop.lattice.var); });
}

bool is_one_loop(const Stmt& stmt) {
  if (stmt.as<Pieces>()) return true;
  const Loop* loop = stmt.as<Loop>();
  if (!loop || loop->bodies.empty() || loop->if_empty || loop->lattice.skipped) return false;
  if (loop->strategy.over_universe) return true;
  if (std::popcount(steppers(*loop)) != 1) return false;
  size_t k = static_cast<size_t>(std::countr_zero(steppers(*loop)));
  return !loop->lattice.groups(k) && !format_of(loop->lattice.operands[k]).properties().branchless;
}

bool can_be_cut(const Stmt& stmt, const concrete::Environment& environment) {
  if (!is_one_loop(stmt) || builds_maps(stmt)) return false;
  const Loop* loop = stmt.as<Loop>();
  if (!loop) return true;
  const concrete::FlatLoop* flat = concrete::flat_loop(environment, loop->lattice.var);
  // Cursors that run beside the loop are where the last iteration left them.
  Mask cursors = loop->strategy.with(Protocol::SeqIter) | loop->strategy.with(Protocol::Gallop);
  return cursors == 0 && !(flat && tracks_parents(*flat));
}

std::optional<Operand> measured_by(const Stmt& stmt, const concrete::Program& program) {
  const Loop* loop = stmt.as<Loop>();
  const concrete::Environment& environment = program.environment;
  if (!loop || !runs_to_the_ends(*loop, environment)) return std::nullopt;
  const IndexVar& var = loop->lattice.var;
  const Operand* stepped = driver(*loop);
  bool counts_from_zero = environment.extents.count(var) && concrete::origin(environment, var).is(0);
  bool visits_all = loop->strategy.over_universe && counts_from_zero && !concrete::flat_loop(environment, var);
  std::optional<Operand> found;
  auto consider = [&](const concrete::Access& access) {
    bool is_given = environment.windows.count(access.tensor) > 0 ||
                    std::find(program.operands.begin(), program.operands.end(), access.tensor) !=
                        program.operands.end();
    if (found || !is_given || access.tensor.order() < 2 || concrete::level_vars(access)[0] != var) return;
    const std::vector<Level>& levels = access.tensor.format().levels();
    if (!has_segments(*levels[1].format)) return;
    bool is_stepped = stepped && *stepped == lattice::operand_at(access, 0);
    if (is_stepped || (visits_all && is_numbered_by_coordinates(*levels[0].format)))
      found = lattice::operand_at(access, 1);
  };
  concrete::for_each(stmt.what(), [&](const concrete::Stmt& s) {
    const concrete::Assign* assign = s.as<concrete::Assign>();
    if (!assign) return;
    for (const concrete::Access& access : notation::accesses(assign->rhs)) consider(access);
  });
  return found;
}

namespace {

/// Is a component counted by the assignment without a look at `var`?  It knows what is below `level` all the same.
bool counts_without(const concrete::Assign& assign, const TensorVar& tensor, const IndexVar& var,
                    const Operand& level) {
  std::vector<IndexVar> parents = concrete::level_vars(assign.lhs);
  if (assign.lhs.tensor != tensor || parents.empty() || assign.unless_equal) return false;
  parents.pop_back();
  if (contains(parents, var)) return false;
  bool reads_values = assign.drops_fill || assign.prunes;
  bool has_var_as_value = false;
  notation::for_each(assign.rhs, [&](const notation::Expr& e) {
    const notation::Coordinate* coordinate = e.as<notation::Coordinate>();
    has_var_as_value = has_var_as_value || (coordinate && coordinate->var == var);
  });
  if (reads_values && has_var_as_value) return false;
  for (const concrete::Access& access : notation::accesses(assign.rhs)) {
    if (!contains(access.indices, var)) continue;
    bool is_below = access.tensor.order() > level.level && lattice::operand_at(access, level.level) == level;
    bool is_found_by_it = access.tensor.order() == 1 &&
                          is_numbered_by_coordinates(*access.tensor.format().levels()[0].format);
    if (!is_below && (reads_values || !is_found_by_it)) return false;
  }
  return true;
}

}  // namespace

bool counts_through(const Stmt& stmt, const TensorVar& tensor, const Operand& level) {
  const Loop* outer = stmt.as<Loop>();
  const Body* rows = outer ? only_body(*outer) : nullptr;
  const Operand above{level.tensor, 0, {level.path.front()}};
  bool is_plain = rows && rows->computed.empty() &&
                  std::all_of(outer->lattice.operands.begin(), outer->lattice.operands.end(),
                              [&](const Operand& operand) { return operand == above; });
  if (!is_plain) return false;
  const IndexVar& var = outer->lattice.var;
  const Stmt* inside = &rows->stmt;
  int next = level.level;
  while (const Loop* loop = inside->as<Loop>()) {
    const Body* body = only_body(*loop);
    const Operand* stepped = driver(*loop);
    bool is_next = body && stepped && stepped->tensor == level.tensor && stepped->level == next++ &&
                   loop->lattice.operands.size() == 1 && loop->lattice.tag.is_plain() && !follows_from(*body, var) &&
                   (format_of(*stepped).search() || format_of(*stepped).properties().branchless);
    if (!is_next || loop->lattice.groups(0)) return false;
    inside = &body->stmt;
  }
  return next > level.level && inside->as<Assign>() &&
         counts_without(*inside->what().as<concrete::Assign>(), tensor, var, level);
}

std::optional<Operand> places_one_each(const Stmt& stmt, const TensorVar& tensor, const concrete::Program& program) {
  const Loop* outer = stmt.as<Loop>();
  const Operand* first = outer ? driver(*outer) : nullptr;
  if (!first || first->level != 0 || !runs_to_the_ends(*outer, program.environment) ||
      std::find(program.operands.begin(), program.operands.end(), first->tensor) == program.operands.end())
    return std::nullopt;
  const Stmt* inside = &stmt;
  for (int next = 0; const Loop* loop = inside->as<Loop>(); next++) {
    const Body* body = only_body(*loop);
    const Operand* stepped = driver(*loop);
    bool is_next = body && stepped && stepped->tensor == first->tensor && stepped->level == next &&
                   loop->lattice.operands.size() == 1 && !loop->lattice.groups(0);
    if (!is_next) return std::nullopt;
    level::Properties properties = format_of(*stepped).properties();
    if (properties.padded || (next > 0 && !properties.branchless)) return std::nullopt;
    if (std::any_of(body->computed.begin(), body->computed.end(), [](const auto& r) { return r.guarded; }))
      return std::nullopt;
    inside = &body->stmt;
  }
  const concrete::Assign* assign = inside->as<Assign>() ? inside->what().as<concrete::Assign>() : nullptr;
  bool is_certain = assign && !assign->drops_fill && !assign->prunes && !assign->unless_equal;
  bool is_below = is_certain && assign->lhs.tensor == tensor && tensor.order() == 2 &&
                  concrete::level_vars(assign->lhs)[0] == outer->lattice.var;
  return is_below ? std::optional(*first) : std::nullopt;
}

std::optional<RacingWrites> racing_writes(const concrete::Forall& forall, const TensorVar& result,
                                          const concrete::Environment& environment) {
  std::optional<RacingWrites> racing;
  concrete::for_each(forall.body, [&](const concrete::Stmt& s) {
    const concrete::Assign* assign = s.as<concrete::Assign>();
    bool writes_it = assign && assign->lhs.tensor == result;
    // What is assigned comes once for each component, even if the operand that tells so is read in a loop further
    // inside.
    bool comes_once = assign && !assign->op && !concrete::has_shared_places(result.format());
    if (writes_it && !comes_once && !concrete::writes_apart(forall, *assign, environment))
      racing = RacingWrites{assign->op};
  });
  return racing;
}

}  // namespace filigree::plan

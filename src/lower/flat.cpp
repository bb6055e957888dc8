// One loop in place of several (concrete::FlatLoop): from the number of a point to the coordinates that it stands for.
//
//   positions p of A(i,j), rows i dense, columns j compressed        j = crd[p], and i is the row with pos[i] <= p <
//   pos[i+1]
//
// A loop that visits one position after the other knows the row of the last one, and goes on from there; else each row
// is searched for.
#include <algorithm>

#include "concrete/derivations.h"
#include "lower/lowerer.h"
#include "support/check.h"

namespace filigree::lowering {
namespace {

using concrete::FlatLoop;

/// The level of the operand that the first of the loops ran over.
int first_level(const FlatLoop& flat) {
  std::vector<IndexVar> vars = concrete::level_vars(*flat.positions);
  return static_cast<int>(std::search(vars.begin(), vars.end(), flat.loops.begin(), flat.loops.end()) - vars.begin());
}

}  // namespace

const FlatLoop* Lowerer::flat_loop(const IndexVar& var) const { return concrete::flat_loop(program_.environment, var); }

/// How many points it has, whatever is bound; nothing if that depends on it.
std::optional<ir::Expr> Lowerer::all_points(const FlatLoop& flat) const {
  if (flat.positions && first_level(flat) > 0) return std::nullopt;
  return points_of(flat, Scope()).end;
}

/// The node of the level of loop number `loop` - 1 below which `position` is.  Requires: it does not follow by
/// arithmetic.
ir::Expr Lowerer::parent_of(const FlatLoop& flat, const Scope& scope, size_t loop, const ir::Expr& position) const {
  int level = first_level(flat) + static_cast<int>(loop);
  const level::Format& format = *flat.positions->tensor.format().levels()[static_cast<size_t>(level)].format;
  std::optional<ir::Var> segments = format.position_iteration()->segments(instance(flat.positions->tensor, level));
  internal_check(segments.has_value(), "lower", "a level whose children cannot be numbered", format.name());
  level::Bounds above = positions_below(flat, scope, loop - 1);
  ir::Expr one = ir::integer(1);
  // The first parent whose children do not all come before the position.
  return ir::subtract(ir::call(ir::Function::Search,
                               {*segments, ir::add(above.begin, one), ir::add(above.end, one), ir::add(position, one)}),
                      one);
}

ir::Stmt Lowerer::begin_tracking(const FlatLoop& flat, const Scope& scope, const ir::Expr& begin) {
  if (!flat.positions) return {};
  std::vector<ir::Stmt> code;
  ir::Expr position = begin;
  for (size_t n = flat.loops.size() - 1; n > 0; n--) {
    int level = first_level(flat) + static_cast<int>(n);
    const level::Format& format = *flat.positions->tensor.format().levels()[static_cast<size_t>(level)].format;
    if (format.properties().branchless) continue;
    if (level::is_always_found(format)) {
      position = ir::quotient(position, ir::max(instance(flat.positions->tensor, level).extent, ir::integer(1)));
      continue;
    }
    ir::Var parent = ir::int64_var("p" + instance(flat.positions->tensor, level - 1).name);
    code.push_back(ir::declare(parent, parent_of(flat, scope, n, position)));
    tracked_.insert_or_assign(flat.loops[n - 1], parent);
    position = parent;
  }
  return ir::block(code);
}

ir::Stmt Lowerer::recover_coordinates(const FlatLoop& flat, Scope& scope) {
  std::vector<ir::Stmt> code;
  FormulaCode code_for = code_for_points(scope);
  std::vector<ir::Expr> values;
  for (const relation::Formula& value : concrete::coordinates_at(flat, relation::Formula::value(flat.var)))
    values.push_back(ir::add(origin_of(flat.loops[values.size()]), code_for(value)));
  for (size_t n = 0; n < flat.loops.size(); n++) {
    ir::Var value = ir::int64_var(flat.loops[n].name());
    code.push_back(ir::declare(value, values[n]));
    scope.bound.push_back(flat.loops[n]);
    scope.coordinates.insert_or_assign(flat.loops[n], value);
  }
  return ir::block(code);
}

ir::Stmt Lowerer::recover(const FlatLoop& flat, Scope& scope, ir::Expr& found) {
  if (!flat.positions) return recover_coordinates(flat, scope);
  std::vector<ir::Stmt> code;
  const TensorVar& tensor = flat.positions->tensor;
  int first = first_level(flat);
  size_t count = flat.loops.size();
  std::vector<ir::Expr> positions(count, scope.coordinates.at(flat.var));
  for (size_t n = count - 1; n > 0; n--) {
    int level = first + static_cast<int>(n);
    const level::Format& format = *tensor.format().levels()[static_cast<size_t>(level)].format;
    const level::Instance& at = instance(tensor, level);
    positions[n - 1] = positions[n];
    if (format.properties().branchless) continue;
    if (level::is_always_found(format)) {
      positions[n - 1] = ir::quotient(positions[n], at.extent);
      continue;
    }
    auto tracked = tracked_.find(flat.loops[n - 1]);
    if (tracked != tracked_.end()) {
      const ir::Var& parent = tracked->second;
      ir::Expr end = ir::load_index(*format.position_iteration()->segments(at), ir::add(parent, ir::integer(1)));
      code.push_back(ir::While{ir::greater_equal(positions[n], end), ir::increment(parent)});
      positions[n - 1] = parent;
      continue;
    }
    ir::Var parent = ir::int64_var("p" + instance(tensor, level - 1).name);
    code.push_back(ir::declare(parent, parent_of(flat, scope, n, positions[n])));
    positions[n - 1] = parent;
  }
  std::vector<ir::Expr> path;
  std::vector<IndexVar> vars = concrete::level_vars(*flat.positions);
  for (int level = 0; level < first; level++) path.push_back(scope.coordinates.at(vars[static_cast<size_t>(level)]));
  for (size_t n = 0; n < count; n++) {
    int level = first + static_cast<int>(n);
    const level::Format& format = *tensor.format().levels()[static_cast<size_t>(level)].format;
    const level::Instance& at = instance(tensor, level);
    ir::Var value = ir::int64_var(flat.loops[n].name());
    if (level::is_always_found(format)) {
      ir::Expr parent = n > 0       ? positions[n - 1]
                        : first > 0 ? scope.positions.at(lattice::operand_at(*flat.positions, first - 1))
                                    : ir::integer(0);
      code.push_back(ir::declare(value, ir::subtract(positions[n], ir::multiply(parent, at.extent))));
    } else {
      level::Node node = format.position_iteration()->access(at, positions[n], path);
      code.push_back(ir::declare(value, node.coordinate));
      found = ir::both(found, node.found);
    }
    path.push_back(value);
    scope.bound.push_back(flat.loops[n]);
    scope.coordinates.insert_or_assign(flat.loops[n], value);
    scope.positions.insert_or_assign(lattice::operand_at(*flat.positions, level), positions[n]);
  }
  return ir::block(code);
}

}  // namespace filigree::lowering

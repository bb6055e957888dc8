#include "plan/clearing.h"

#include <algorithm>

#include "concrete/derivations.h"
#include "plan/division.h"

namespace filigree::plan {
namespace {

/// Are all coordinates there, side by side, and nothing else?
bool is_plain(const level::Format& format) {
  if (!format.properties().full || !format.arrays().empty() || !format.insert() || format.counts_entries())
    return false;
  level::Instance level{"level", {}, {}, {}, ir::int64_var("extent")};
  return format.insert()->size(level, ir::integer(1)).has_value();
}

/// Is the position of a coordinate of the first level the coordinate itself?
bool starts_with_coordinates(const level::Format& format) {
  level::Instance level{"level", {}, {}, {}, ir::int64_var("extent")};
  ir::Expr coordinate = ir::int64_var("coordinate");
  level::Node node = format.insert()->insert(level, ir::integer(0), coordinate, true,
                                             [](const ir::Expr&) { return ir::Stmt(); });
  return node.setup.empty() && node.position == coordinate;
}

/// Are values added up, by assignments that all write below the coordinate which the outermost loop is at?  The
/// mirrored half of a symmetric operand is written elsewhere.
bool adds_up_below(const IndexVar& var, const TensorVar& tensor, const concrete::Stmt& stmt) {
  std::optional<bool> adds_up;  // the first of them, behind which no other starts anew
  bool is_below = true;
  concrete::for_each(stmt, [&](const concrete::Stmt& s) {
    const concrete::Assign* assign = s.as<concrete::Assign>();
    if (!assign || assign->lhs.tensor != tensor) return;
    if (!adds_up) adds_up = assign->op.has_value();
    is_below = is_below && concrete::level_vars(assign->lhs)[0] == var;
  });
  return adds_up.value_or(false) && is_below;
}

/// Iterations that race, in a loop inside too, update values anywhere; units of a GPU share the clearing.
bool may_be_written_by_others(const concrete::Stmt& stmt) {
  std::vector<concrete::Forall> loops = concrete::tagged_loops(stmt);
  return std::any_of(loops.begin(), loops.end(), [](const concrete::Forall& loop) {
    return loop.tag.gpu || loop.tag.races != concrete::Races::None;
  });
}

}  // namespace

bool can_be_cleared_in(const IndexVar& var, const TensorVar& tensor, const Plan& plan) {
  const Loop* loop = plan.root.stmt.as<Loop>();
  const concrete::Environment& environment = plan.program.environment;
  if (!loop || loop->lattice.var != var || !writes_values(plan.mode) || plan.mode == Mode::Update) return false;
  bool is_over_all = loop->strategy.over_universe && !loop->if_empty && !loop->lattice.tag.vector &&
                     !concrete::flat_loop(environment, var) && runs_to_the_ends(*loop, environment) &&
                     environment.extents.count(var) && concrete::origin(environment, var).is(0);
  if (!is_over_all || !plan.root.computed.empty() || may_be_written_by_others(plan.root.stmt.what())) return false;
  // One value is as soon cleared with all others; what is not added up is written once, over whatever there is.
  const std::vector<Level>& levels = tensor.format().levels();
  return tensor.order() >= 2 && adds_up_below(var, tensor, plan.root.stmt.what()) &&
         std::all_of(levels.begin(), levels.end(), [](const Level& level) { return is_plain(*level.format); }) &&
         starts_with_coordinates(*levels[0].format);
}

void choose_clearing(Plan& plan) {
  const Loop* loop = plan.root.stmt.as<Loop>();
  if (!loop) return;
  for (const TensorVar& tensor : plan.program.results) {
    auto filling = plan.fillings.find(tensor);
    Inserted* inserted = filling == plan.fillings.end() ? nullptr : std::get_if<Inserted>(&filling->second);
    if (inserted && can_be_cleared_in(loop->lattice.var, tensor, plan)) inserted->cleared_in = loop->lattice.var;
  }
}

}  // namespace filigree::plan

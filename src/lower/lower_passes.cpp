// Two passes over the same loops, one after the other, or in pieces that run at the same time.
//
// The range of the outermost loop is cut into as many pieces as there are threads.  Every piece counts for itself; when
// all have counted, sums over the pieces in their order tell each of them where its nodes go.  So nodes end up where
// they would without pieces, whatever their number.
#include <algorithm>

#include "ir/rewrite.h"
#include "lower/lowerer.h"
#include "support/check.h"

namespace filigree::lowering {
namespace {

bool takes_memory_or_leaves(const ir::Stmt& stmt) {
  bool found = stmt.as<ir::Alloc>() || stmt.as<ir::Grow>() || stmt.as<ir::Free>() || stmt.as<ir::Return>() ||
               stmt.as<ir::Break>();
  ir::for_each_child(
      stmt, [&](const ir::Stmt& child) { found = found || takes_memory_or_leaves(child); }, [](const ir::Expr&) {});
  return found;
}

/// Can iterations run at the same time, as far as anything but the elements of arrays is concerned?
bool is_independent(const ir::For& loop) {
  if (takes_memory_or_leaves(loop.body)) return false;
  ir::VarSet written = ir::variables_written(loop.body);
  std::vector<ir::Var> free = ir::free_variables(loop.body);
  return std::none_of(free.begin(), free.end(), [&](const ir::Var& var) {
    bool changed = var.type().kind == ir::Type::Kind::Scalar && written.contains(var);
    return changed || var.type().kind == ir::Type::Kind::Table;
  });
}

/// Loops over all segments and over what is in each, as one loop, if the body has no need to know which segment it is
/// in.
ir::Stmt over_all_segments(const ir::For& loop, const std::optional<ir::Var>& segments) {
  const ir::For* inside = loop.body.as<ir::For>();
  if (!inside || !segments) return loop;
  ir::Expr begin = ir::load_index(*segments, loop.var),
           end = ir::load_index(*segments, ir::add(loop.var, ir::integer(1)));
  std::vector<ir::Var> used = ir::free_variables(inside->body);
  bool knows = std::find(used.begin(), used.end(), loop.var) != used.end();
  if (!(inside->begin == begin) || !(inside->end == end) || knows) return loop;
  return ir::For{inside->var, ir::load_index(*segments, loop.begin), ir::load_index(*segments, loop.end), inside->body};
}

/// What `parent`, which every iteration counts a node under and does nothing else, is at another iteration; nothing if
/// they do more.
std::optional<ir::Expr> parent_at(const ir::For& counting, const ir::Expr& parent, const ir::Expr& iteration) {
  const ir::Block* body = counting.body.as<ir::Block>();
  if (!body || !body->statements.back().as<ir::Store>()) return std::nullopt;
  ir::Substitution there;
  there.set(counting.var, iteration);
  std::optional<ir::Expr> value;
  for (size_t n = 0; n + 1 < body->statements.size(); n++) {
    const ir::Declare* declared = body->statements[n].as<ir::Declare>();
    if (!declared || !declared->value) return std::nullopt;
    if (ir::Expr(declared->var) == parent) value = ir::substitute(*declared->value, there);
  }
  return value;
}

}  // namespace

std::optional<Lowerer::Loop> Lowerer::as_one_loop(const ir::Stmt& stmt) {
  std::vector<ir::Stmt> statements = {stmt};
  if (const ir::Block* list = stmt.as<ir::Block>()) statements = list->statements;
  if (statements.empty()) return std::nullopt;
  const ir::For* loop = statements.back().as<ir::For>();
  statements.pop_back();
  bool declares = std::all_of(statements.begin(), statements.end(), [](const ir::Stmt& s) {
    const ir::Declare* declaration = s.as<ir::Declare>();
    return declaration && declaration->value;
  });
  return loop && declares ? std::optional(Loop{statements, *loop}) : std::nullopt;
}

/// The statement as one loop that can be cut, if it is that.
std::optional<Lowerer::Loop> Lowerer::as_loop(const ir::Stmt& stmt) {
  std::optional<Loop> found = as_one_loop(stmt);
  return found && is_independent(found->loop) ? found : std::nullopt;
}

/// An array that tells how much is below each iteration of the outermost loop, if an operand has one: below each
/// coordinate, or, if the loop goes through the operand's positions, below each of these.
std::optional<ir::Var> Lowerer::work_below(const concrete::Stmt& stmt, const ir::For& loop) const {
  const concrete::Forall* forall = stmt.as<concrete::Forall>();
  std::optional<ir::Var> found;
  concrete::for_each(stmt, [&](const concrete::Stmt& s) {
    const concrete::Assign* assign = s.as<concrete::Assign>();
    if (!assign || !forall) return;
    for (const concrete::Access& access : notation::accesses(assign->rhs)) {
      if (found || !parameters_.has(access.tensor) || access.tensor.order() < 2) continue;
      const level::Format& rows = *access.tensor.format().levels()[0].format;
      const level::PositionIteration* inside = access.tensor.format().levels()[1].format->position_iteration();
      if (concrete::level_vars(access)[0] != forall->var || !inside) continue;
      if (!level::is_always_found(rows)) {
        std::optional<level::Bounds> all;
        if (rows.position_iteration())
          all = rows.position_iteration()->bounds(instance(access.tensor, 0), ir::integer(0));
        if (all && all->begin == loop.begin && all->end == loop.end)
          found = inside->segments(instance(access.tensor, 1));
        continue;
      }
      // A loop through positions of another operand counts no rows.
      bool over_coordinates = ir::is_literal(loop.begin, 0) && loop.end == parameters_.extent(forall->var);
      if (!over_coordinates) continue;
      ir::Var v = ir::int64_var(forall->var.name());
      level::Node row = rows.locate()->locate(instance(access.tensor, 0), ir::integer(0), {v});
      if (row.setup.empty() && row.position == ir::Expr(v)) found = inside->segments(instance(access.tensor, 1));
    }
  });
  return found;
}

/// cuts[t] is where piece t of the loop begins; the last element is where the loop ends.
ir::Stmt Lowerer::cut(const ir::For& loop, const ir::Var& cuts, const ir::Var& pieces,
                      const std::optional<ir::Var>& work) const {
  ir::Var t = ir::int64_var("t");
  auto part = [&](const ir::Expr& begin, const ir::Expr& end) {
    return ir::add(begin, ir::quotient(ir::multiply(ir::subtract(end, begin), t), pieces));
  };
  // Bounds that leave nothing may cross.
  ir::Expr begin = ir::is_literal(loop.begin, 0) ? loop.begin : ir::min(loop.begin, loop.end);
  ir::Expr at = part(begin, loop.end);
  if (work) {
    ir::Expr share = part(ir::load_index(*work, begin), ir::load_index(*work, loop.end));
    at = ir::call(ir::Function::Search, {*work, begin, loop.end, share});
  }
  return ir::block({ir::Alloc{cuts, ir::add(pieces, ir::integer(1))},
                    ir::For{t, ir::integer(0), pieces, ir::store(cuts, t, at)}, ir::store(cuts, pieces, loop.end)});
}

/// Nodes that come in the order of their parents, one an iteration: each piece knows where its nodes go.
std::optional<ir::Stmt> Lowerer::lower_in_order(const TwoPassLoops& passes, const ir::For& counting,
                                                const std::vector<ir::Stmt>& before, const ir::Var& pieces) {
  Placement& placement = *passes.placement;
  ir::Var piece = ir::int64_var("piece"), cuts("cuts", ir::array(ElementType::Int64));
  ir::Expr from = ir::load_index(cuts, piece), to = ir::load_index(cuts, ir::add(piece, ir::integer(1)));
  std::optional<ir::Expr> parent_before = parent_at(counting, *placement.counted(), ir::subtract(from, ir::integer(1)));
  if (!parent_before) return std::nullopt;
  placement.take_in_order(ir::subtract(counting.end, counting.begin));
  std::optional<Loop> placing = as_one_loop(passes.loops());  // within a piece, each node follows the one before it
  internal_check(placing.has_value(), "lower", "nodes that can be counted in pieces but not placed",
                 concrete::to_string(passes.statement));
  uses_threads_ = true;
  ir::Stmt body = ir::block({placement.begin_in_order(piece, ir::subtract(from, counting.begin), *parent_before),
                             placing->loop.with(from, to, placing->loop.body), placement.end_in_order(piece)});
  // Every piece but the first has a node before it.
  ir::Expr count = ir::max(ir::integer(1), ir::min(threads_, ir::subtract(counting.end, counting.begin)));
  return ir::block({ir::block(before), ir::declare(pieces, count), cut(counting, cuts, pieces, std::nullopt),
                    passes.between(), ir::block(placing->before),
                    ir::For{piece, ir::integer(0), pieces, body, ir::LoopKind::Parallel}, ir::Free{cuts},
                    passes.finish()});
}

std::optional<ir::Stmt> Lowerer::lower_pieces(const TwoPassLoops& passes) {
  constexpr int counters_per_entry = 4;
  Placement& placement = *passes.placement;
  ir::Var pieces = ir::int64_var("pieces"), piece = ir::int64_var("piece"), cuts("cuts", ir::array(ElementType::Int64));
  placement.cut_into(pieces);
  counting_ = true;
  std::optional<Loop> first = as_loop(passes.loops());
  counting_ = false;
  if (first && placement.is_grouped() && placement.counted()) {
    if (std::optional<ir::Stmt> code = lower_in_order(passes, first->loop, first->before, pieces)) return code;
  }
  std::optional<Loop> second = first ? as_loop(passes.loops()) : std::nullopt;
  if (!second) {
    placement.cut_into(std::nullopt);
    return std::nullopt;
  }
  uses_threads_ = true;
  // Counters out of proportion to what is counted would cost more than pieces save.
  ir::Expr count = threads_;
  if (!ir::is_literal(parameters_.stored(), 0)) {
    ir::Expr affordable = ir::quotient(ir::multiply(ir::integer(counters_per_entry), parameters_.stored()),
                                       ir::add(placement.parents(), ir::integer(1)));
    count = ir::max(ir::integer(1), ir::min(count, affordable));
  }
  std::optional<ir::Var> work = work_below(passes.statement, first->loop);
  auto in_pieces = [&](const Loop& pass, const ir::Stmt& begin) {
    ir::Expr from = ir::load_index(cuts, piece), to = ir::load_index(cuts, ir::add(piece, ir::integer(1)));
    ir::Stmt body = ir::block({begin, over_all_segments({pass.loop.var, from, to, pass.loop.body}, work)});
    return ir::block({ir::block(pass.before), ir::For{piece, ir::integer(0), pieces, body, ir::LoopKind::Parallel}});
  };
  return ir::block({ir::declare(pieces, count), ir::block(first->before), cut(first->loop, cuts, pieces, work),
                    placement.open_pieces(), in_pieces({{}, first->loop}, placement.begin_counting(piece)),
                    passes.between(), in_pieces(*second, placement.begin_placing(piece)), placement.close_pieces(),
                    ir::Free{cuts}, passes.finish()});
}

ir::Stmt Lowerer::lower_passes(const TwoPassLoops& passes) {
  if (options_.parallel && passes.is_outermost && passes.placement) {
    if (std::optional<ir::Stmt> code = lower_pieces(passes)) return *code;
  }
  counting_ = true;
  ir::Stmt first = passes.loops();
  counting_ = false;
  if (std::optional<Loop> loop = as_one_loop(first))
    first =
        ir::block({ir::block(loop->before), over_all_segments(loop->loop, work_below(passes.statement, loop->loop))});
  return ir::block({first, passes.between(), passes.loops(), passes.finish()});
}

}  // namespace filigree::lowering

// A loop whose iterations run at the same time: its range is cut into pieces, one for each thread, with workspaces of
// their own.
#include <algorithm>

#include "concrete/relations.h"
#include "concrete/visits.h"
#include "ir/rewrite.h"
#include "lower/lowerer.h"
#include "support/check.h"

namespace filigree::lowering {
namespace {

using concrete::Races;

/// If each piece has a tensor of its own: fewer of them, for the memory they take.
constexpr std::int64_t fixed_tensors = 16;

/// `stmt` with loads and stores of one array changed.
ir::Stmt map_array(const ir::Stmt& stmt, const ir::Var& array, const std::function<ir::Expr(const ir::Load&)>& load,
                   const std::function<ir::Stmt(const ir::Store&)>& store) {
  std::function<ir::Expr(const ir::Expr&)> expression = [&](const ir::Expr& expr) -> ir::Expr {
    ir::Expr inside = ir::map_children(expr, expression);
    const ir::Load* n = inside.as<ir::Load>();
    return n && n->array == array ? load(*n) : inside;
  };
  std::function<ir::Stmt(const ir::Stmt&)> statement = [&](const ir::Stmt& s) -> ir::Stmt {
    const ir::Store* n = s.as<ir::Store>();
    if (n && n->array == array) return store(*n);
    return ir::map_children(s, statement, expression);
  };
  return statement(stmt);
}

}  // namespace

std::optional<RacingWrites> racing_writes(const concrete::Forall& forall, const TensorVar& result,
                                          const concrete::Environment& environment) {
  std::optional<RacingWrites> racing;
  concrete::for_each(forall.body, [&](const concrete::Stmt& s) {
    const concrete::Assign* assign = s.as<concrete::Assign>();
    bool writes_it = assign && assign->lhs.tensor == result;
    if (writes_it && !concrete::writes_apart(forall, *assign, environment)) racing = RacingWrites{assign->op};
  });
  return racing;
}

/// Updates of a result's components by several iterations, one after the other.
ir::Stmt Lowerer::with_atomics(const ir::Stmt& body, const ResultAssembly& result) const {
  return map_array(
      body, result.values(), [](const ir::Load& load) { return ir::Expr(load); },
      [&](const ir::Store& store) {
        ir::Store atomic = store;
        atomic.atomic = true;
        internal_check(ir::atomic_update(atomic).has_value(), "lower", "a racing write that is no update",
                       result.tensor().name());
        return ir::Stmt(atomic);
      });
}

/// A result for each piece, combined in the end.
Lowerer::PrivateResult Lowerer::with_temporaries(const ir::Stmt& body, const ResultAssembly& result, Operator op,
                                                 const ir::Var& pieces, const ir::Var& piece) const {
  ir::Var own(result.tensor().name() + "_parts", ir::array(result.tensor().type())), p = ir::int64_var("p"),
                                                                                     q = ir::int64_var("q");
  ir::Expr size = result.value_count(), start = ir::constant(*identity(op, result.tensor().type()));
  auto at = [&](const ir::Expr& index) { return ir::add(ir::multiply(piece, size), index); };
  ir::Stmt changed = map_array(
      body, result.values(), [&](const ir::Load& load) { return ir::Expr(ir::Load{own, at(load.index)}); },
      [&](const ir::Store& store) {
        std::optional<ir::Update> update = ir::atomic_update(store);
        internal_check(update.has_value(), "lower", "a racing write that is no update", result.tensor().name());
        return ir::store(own, at(store.index),
                         ir::Apply{update->op, {ir::Load{own, at(store.index)}, update->operand}});
      });
  ir::Stmt clear = ir::For{p, ir::integer(0), size, ir::store(own, at(p), start)};
  ir::Expr part = ir::Load{own, ir::add(ir::multiply(q, size), p)}, whole = ir::Load{result.values(), p};
  ir::Stmt combine =
      ir::For{q, ir::integer(0), pieces,
              ir::For{p, ir::integer(0), size, ir::store(result.values(), p, ir::Apply{op, {whole, part}})}};
  return {ir::Alloc{own, ir::multiply(pieces, size)}, ir::block({clear, changed}), ir::block({combine, ir::Free{own}})};
}

/// Workspaces and maps that were made since then belong to one piece: what opens and closes them.
Lowerer::Around Lowerer::take_memory_since(size_t workspaces, size_t maps) {
  Around memory;
  for (size_t n = workspaces; n < workspace_order_.size(); n++) {
    memory.before.push_back(workspace_order_[n]->prologue());
    memory.after.push_back(workspace_order_[n]->epilogue());
  }
  workspace_order_.resize(workspaces);
  for (size_t n = maps_.size(); n-- > maps;) {
    if (!maps_[n].fill.is_empty()) continue;  // filled once, and read by all
    memory.before.push_back(
        ir::block({maps_[n].room.open(ir::integer(0)), ir::declare(maps_[n].slots, ir::integer(0))}));
    memory.after.push_back(ir::block({ir::Free{maps_[n].coordinates}, ir::Free{maps_[n].cursors}}));
    maps_.erase(maps_.begin() + static_cast<std::ptrdiff_t>(n));
  }
  return memory;
}

ir::Stmt Lowerer::lower_parallel(const plan::Stmt& stmt, const Scope& scope) {
  const concrete::Forall& forall = *stmt.what().as<concrete::Forall>();
  size_t workspaces_before = workspace_order_.size(), maps_before = maps_.size();
  ir::Var pieces = ir::int64_var("pieces"), piece = ir::int64_var("piece"), cuts("cuts", ir::array(ElementType::Int64));
  std::vector<ResultAssembly*> in_parts;
  Scope around = scope;
  for (ResultAssembly* r : results_of(forall.body)) {
    if (r->last_append() && !r->can_be_in_pieces()) return lower_loop(stmt, scope);
  }
  for (ResultAssembly* r : results_of(forall.body)) {
    if (!r->last_append()) continue;
    r->cut_into(pieces);
    in_parts.push_back(r);
    if (r->appends_first()) around.opened.insert({r->tensor(), 0});
  }
  std::optional<Loop> found = as_one_loop(lower_loop(stmt, around));
  internal_check(found.has_value(), "lower", "a parallel loop that is not one loop", concrete::to_string(stmt.what()));
  Around memory = take_memory_since(workspaces_before, maps_before);
  ir::Stmt body = found->loop.body;
  std::vector<ir::Stmt> before, after;
  std::vector<ir::Stmt> inside = memory.before;
  std::optional<std::int64_t> fixed;  // pieces, instead of one for each thread
  ir::Expr from = ir::load_index(cuts, piece), to = ir::load_index(cuts, ir::add(piece, ir::integer(1)));
  const concrete::Cut* own = cut_by(forall.var);
  bool is_cut = own && own->given == concrete::Cut::Given::Threads &&
                !options_.deterministic;  // into as many pieces as there are threads
  ir::Stmt loop = is_cut ? ir::block({ir::declare(found->loop.var, piece), body}) : found->loop.with(from, to, body);
  for (ResultAssembly* r : results_of(forall.body)) {
    if (!r->writes_values()) continue;
    std::optional<RacingWrites> writes = racing_writes(forall, r->tensor(), program_.environment);
    if (!writes || forall.tag.races == Races::Ignore) continue;
    if (forall.tag.races == Races::Atomics) loop = with_atomics(loop, *r);
    if (forall.tag.races == Races::Temporary) {
      std::int64_t affordable = r->tensor().order() == 0 ? fixed_pieces : fixed_tensors;
      if (options_.deterministic) fixed = std::min(fixed.value_or(affordable), affordable);
      internal_check(writes->op.has_value(), "lower", "temporaries for what is not combined", r->tensor().name());
      PrivateResult with_parts = with_temporaries(loop, *r, *writes->op, pieces, piece);
      before.push_back(with_parts.before);
      loop = with_parts.body;
      after.push_back(with_parts.after);
    }
  }
  for (ResultAssembly* r : in_parts) {
    bool reserves = r->appends_first() && !cut_by(forall.var);
    loop = r->make_part(piece, ir::block({reserves ? r->reserve(0, ir::subtract(to, from)) : ir::Stmt(), loop}));
    before.push_back(r->open_parts());
    after.push_back(r->join_parts());
  }
  inside.push_back(loop);
  inside.insert(inside.end(), memory.after.begin(), memory.after.end());
  uses_threads_ = uses_threads_ || !fixed;
  ir::Expr most = fixed ? ir::integer(*fixed) : ir::Expr(threads_);
  ir::Expr count = is_cut ? found->loop.end
                          : ir::max(ir::integer(1), ir::min(most, ir::subtract(found->loop.end, found->loop.begin)));
  return ir::block({ir::block(found->before), ir::declare(pieces, count),
                    is_cut ? ir::Stmt() : cut(found->loop, cuts, pieces, work_below(stmt.what(), found->loop)),
                    ir::block(before),
                    ir::For{piece, ir::integer(0), pieces, ir::block(inside), ir::LoopKind::Parallel}, ir::block(after),
                    is_cut ? ir::Stmt() : ir::Stmt(ir::Free{cuts})});
}

}  // namespace filigree::lowering

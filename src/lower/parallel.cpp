// A loop whose iterations run at the same time: its range is cut into pieces, one for each thread, with workspaces of
// their own.
#include <algorithm>

#include "ir/rewrite.h"
#include "lower/lowerer.h"
#include "support/check.h"

namespace filigree::lowering {
namespace {

using concrete::Races;

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

/// Updates of a result's components by several iterations, one after the other.
ir::Stmt Lowerer::with_atomics(const ir::Stmt& body, const Result& result) const {
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
Lowerer::PrivateResult Lowerer::with_temporaries(const ir::Stmt& body, const Result& result, Operator op,
                                                 const ir::Var& pieces, const ir::Var& piece) const {
  ir::Var own(result.tensor().name() + "_parts", ir::array(result.tensor().type())), p = ir::int64_var("p"),
                                                                                     q = ir::int64_var("q");
  ir::Expr size = result.value_count(), start = ir::constant(*identity(op, result.tensor().type()));
  auto at = [&](const ir::Expr& index) { return ir::add(ir::multiply(piece, size), index); };
  ir::Stmt changed = map_array(
      body, result.values(),
      [&](const ir::Load& load) {
        return ir::Expr(ir::Load{own, at(load.index)});
      },
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
    if (maps_[n].is_filled_once) continue;  // and read by all
    memory.before.push_back(maps_[n].open);
    memory.after.push_back(maps_[n].close);
    maps_.erase(maps_.begin() + static_cast<std::ptrdiff_t>(n));
  }
  return memory;
}

ir::Stmt Lowerer::lower_parallel(const plan::Stmt& stmt, const plan::Division& division, const Scope& scope) {
  const concrete::Forall& forall = *stmt.what().as<concrete::Forall>();
  InPieces parts{forall,      division, plan::shared_by(stmt), ir::int64_var("pieces"), {}, workspace_order_.size(),
                 maps_.size()};
  Scope around = scope;
  for (Result* r : results_of(forall.body)) {
    MadeInParts* in_parts = r->made_in_parts(forall.var);
    if (!in_parts) continue;
    in_parts->cut_into(parts.pieces, around);
    parts.results.push_back(in_parts);
  }
  LoopRunner run = [&](const ir::For& loop) { return run_in_pieces(loop, parts); };
  around.runners[forall.var] = &run;
  return lower_loop(stmt, around);
}

ir::Stmt Lowerer::run_in_pieces(const ir::For& range, const InPieces& parts) {
  const concrete::Forall& forall = parts.forall;
  const ir::Var& pieces = parts.pieces;
  ir::Var piece = ir::int64_var("piece"), cuts("cuts", ir::array(ElementType::Int64));
  Around memory = take_memory_since(parts.workspaces, parts.maps);
  std::vector<ir::Stmt> before, after, inside = memory.before;
  ir::Expr from = ir::load_index(cuts, piece), to = ir::load_index(cuts, ir::add(piece, ir::integer(1)));
  const concrete::PieceLoop* own = cut_by(forall.var);
  // Into as many pieces as there are threads, already.
  bool is_cut = own && own->given == concrete::PieceLoop::Given::Threads && !plan_.thread_pieces;
  ir::Stmt loop = is_cut ? ir::block({ir::declare(range.var, piece), range.body}) : range.with(from, to, range.body);
  for (const plan::SharedResult& shared : parts.shared) {
    const Result* r = result(shared.tensor);
    if (forall.tag.races == Races::Atomics) loop = with_atomics(loop, *r);
    if (forall.tag.races == Races::Temporary) {
      internal_check(shared.op.has_value(), "lower", "temporaries for what is not combined", shared.tensor.name());
      PrivateResult with_parts = with_temporaries(loop, *r, *shared.op, pieces, piece);
      before.push_back(with_parts.before);
      loop = with_parts.body;
      after.push_back(with_parts.after);
    }
  }
  for (MadeInParts* r : parts.results) {
    loop = r->make_part(piece, own ? std::nullopt : std::optional(ir::subtract(to, from)), loop);
    before.push_back(r->open_parts());
    after.push_back(r->join_parts());
  }
  inside.push_back(loop);
  inside.insert(inside.end(), memory.after.begin(), memory.after.end());
  ir::Expr most = parts.division.pieces ? ir::integer(*parts.division.pieces) : ir::Expr(threads_);
  ir::Expr count = is_cut ? range.end : ir::max(ir::integer(1), ir::min(most, ir::subtract(range.end, range.begin)));
  return ir::block({ir::declare(pieces, count),
                    is_cut ? ir::Stmt() : cut(range, cuts, pieces, segments_of(parts.division.by)), ir::block(before),
                    ir::For{piece, ir::integer(0), pieces, ir::block(inside), ir::LoopKind::Parallel}, ir::block(after),
                    is_cut ? ir::Stmt() : ir::Stmt(ir::Free{cuts})});
}

}  // namespace filigree::lowering

// A loop whose iterations run at the same time: its range is cut into pieces, one for each thread, with workspaces of
// their own.
#include <algorithm>

#include "lower/lowerer.h"
#include "support/check.h"

namespace filigree::lowering {

using concrete::Races;

/// Workspaces and maps that were made since then belong to one piece: what opens and closes them.
Surrounding Lowerer::take_memory_since(size_t workspaces, size_t maps) {
  std::vector<ir::Stmt> before, after;
  for (size_t n = workspaces; n < workspace_order_.size(); n++) {
    before.push_back(workspace_order_[n]->prologue());
    after.push_back(workspace_order_[n]->epilogue());
  }
  workspace_order_.resize(workspaces);
  for (size_t n = maps_.size(); n-- > maps;) {
    if (maps_[n].is_filled_once) continue;  // and read by all
    before.push_back(maps_[n].open);
    after.push_back(maps_[n].close);
    maps_.erase(maps_.begin() + static_cast<std::ptrdiff_t>(n));
  }
  return {ir::block(before), ir::block(after)};
}

ir::Stmt Lowerer::lower_parallel(const plan::Stmt& stmt, const plan::Division& division, const Scope& scope) {
  const concrete::Forall& forall = *stmt.what().as<concrete::Forall>();
  InPieces parts{forall, division, ir::int64_var("pieces"), ir::int64_var("piece"), {}, {}, workspace_order_.size(),
                 maps_.size()};
  Scope around = scope;
  for (const plan::SharedResult& shared : plan::shared_by(stmt)) {
    const Result& r = *result(shared.tensor);
    StoredValues& values = around.values.insert({shared.tensor, r.values_in(scope)}).first->second;
    if (forall.tag.races == Races::Atomics) values.atomic = true;
    if (forall.tag.races != Races::Temporary) continue;
    internal_check(shared.op.has_value(), "lower", "temporaries for what is not combined", shared.tensor.name());
    parts.values.emplace_back(shared.tensor.name() + "_parts", values, r.value_count(), *shared.op, parts.pieces);
    values = parts.values.back().of(parts.piece);
  }
  for (Result* r : results_of(forall.body)) {
    const MadeInParts* in_parts = r->made_in_parts(forall.var);
    if (!in_parts) continue;
    in_parts->enter_pieces(around);
    parts.results.push_back(in_parts);
  }
  LoopRunner run = [&](const ir::For& loop) { return run_in_pieces(loop, parts); };
  around.runners[forall.var] = &run;
  return lower_loop(stmt, around);
}

ir::Stmt Lowerer::run_in_pieces(const ir::For& range, const InPieces& parts) {
  const concrete::Forall& forall = parts.forall;
  const ir::Var &pieces = parts.pieces, &piece = parts.piece;
  ir::Var cuts("cuts", ir::array(ElementType::Int64));
  Surrounding memory = take_memory_since(parts.workspaces, parts.maps);
  std::vector<ir::Stmt> before, after;
  ir::Expr from = ir::load_index(cuts, piece), to = ir::load_index(cuts, ir::add(piece, ir::integer(1)));
  const concrete::PieceLoop* own = cut_by(forall.var);
  // Into as many pieces as there are threads, already.
  bool is_cut = own && own->given == concrete::PieceLoop::Given::Threads && !plan_.thread_pieces;
  ir::Stmt loop = is_cut ? ir::block({ir::declare(range.var, piece), range.body}) : range.with(from, to, range.body);
  for (const ValueParts& values : parts.values) {
    before.push_back(values.open());
    loop = ir::block({values.clear(piece), loop});
    after.push_back(values.combine());
  }
  for (const MadeInParts* r : parts.results) {
    loop = r->make_part({piece, pieces, own ? std::nullopt : std::optional(ir::subtract(to, from))}, loop);
    auto [open, join] = r->around_parts(pieces);
    before.push_back(open);
    after.push_back(join);
  }
  ir::Stmt inside = ir::block({memory.before, loop, memory.after});
  ir::Expr most = parts.division.pieces ? ir::integer(*parts.division.pieces) : ir::Expr(threads_);
  ir::Expr count = is_cut ? range.end : ir::max(ir::integer(1), ir::min(most, ir::subtract(range.end, range.begin)));
  return ir::block({ir::declare(pieces, count),
                    is_cut ? ir::Stmt() : cut(range, cuts, pieces, segments_of(parts.division.by)), ir::block(before),
                    ir::For{piece, ir::integer(0), pieces, inside, ir::LoopKind::Parallel}, ir::block(after),
                    is_cut ? ir::Stmt() : ir::Stmt(ir::Free{cuts})});
}

}  // namespace filigree::lowering

// Two passes over the same loops, one after the other, or in pieces that run at the same time.
//
// The range of the outermost loop is cut into as many pieces as there are threads.  Every piece counts for itself; when
// all have counted, sums over the pieces in their order tell each of them where its nodes go.  So nodes end up where
// they would without pieces, whatever their number.
#include "lower/lowerer.h"
#include "support/check.h"

namespace filigree::lowering {
namespace {

/// In the first pass, a value counts.
class Counter : public Writer {
 public:
  explicit Counter(const TwoPasses& filled) : filled_(filled) {}
  ir::Stmt write(const Write& component) const override { return filled_.count(component); }

 private:
  const TwoPasses& filled_;
};

}  // namespace

ir::Stmt Lowerer::lower_two_passes(const TensorVar& tensor, TwoPasses& filled, const plan::Stmt& loops,
                                   const Scope& scope) {
  Counter counting(filled);
  return lower_passes({tensor, filled, counting, division_of(loops), loops.what().as<concrete::Forall>()->var,
                       [&](const Scope& here) { return lower_loop(loops, here); }},
                      scope);
}

ir::Stmt Lowerer::lower_two_passes(const TensorVar& tensor, TwoPasses& filled, const plan::Body& producer,
                                   const Scope& scope) {
  Counter counting(filled);
  const concrete::Forall* forall = producer.stmt.what().as<concrete::Forall>();
  auto loops = [&](const Scope& here) {
    return lower_side(producer, here,
                      [&](const Scope& inside) {
                        return forall ? Lowered{lower_undivided(producer.stmt, inside)} : lower(producer.stmt, inside);
                      })
        .code;
  };
  return lower_passes({tensor, filled, counting, division_of(producer.stmt),
                       forall ? std::optional(forall->var) : std::nullopt, loops},
                      scope);
}

std::optional<ir::Var> Lowerer::segments_of(const std::optional<lattice::Operand>& level) const {
  if (!level) return std::nullopt;
  const level::Format& format = *level->tensor.format().levels()[static_cast<size_t>(level->level)].format;
  return format.position_iteration()->segments(instance(level->tensor, level->level));
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

/// A pass over the loops: `run` gets the outermost one, and code for a part of its range.
ir::Stmt Lowerer::pass(const Passes& passes, Scope scope,
                       const std::function<ir::Stmt(const ir::For&, const LoopPart&)>& run,
                       const std::optional<lattice::Operand>& through) {
  std::optional<ir::For> inside;  // the loop over the level that all of is gone through
  size_t maps = maps_.size();
  LoopRunner keep = [&](const ir::For& loop) {
    inside = loop;
    return ir::Stmt(loop);
  };
  LoopRunner outermost = [&](const ir::For& loop) {
    // Each piece has maps of its own.
    Surrounding memory = take_memory_since(workspace_order_.size(), passes.division ? maps : maps_.size());
    return run(loop, [&](const ir::Expr& from, const ir::Expr& to) -> ir::Stmt {
      ir::For part{loop.var, from, to, loop.body};
      if (through) {
        ir::Var segments = *segments_of(through);
        part = {inside->var, ir::load_index(segments, from), ir::load_index(segments, to), inside->body};
      }
      return ir::block({memory.before, part, memory.after});
    });
  };
  if (passes.loop) scope.runners[*passes.loop] = &outermost;
  if (through) scope.runners[through->path.back()] = &keep;
  return passes.loops(scope);
}

/// The first pass: every write of the tensor counts a node.
ir::Stmt Lowerer::counting_pass(const Passes& passes, Scope scope,
                                const std::function<ir::Stmt(const ir::For&, const LoopPart&)>& run) {
  scope.writers[passes.tensor] = &passes.counting;
  const Placement* placement = passes.filled.placement();
  return pass(passes, scope, run, placement ? placement->how().counted_through : std::nullopt);
}

/// Nodes that come in the order of their parents, one an iteration: each piece knows where its nodes go.
ir::Stmt Lowerer::lower_in_order(const Passes& passes, const Scope& scope) {
  const lattice::Operand& parents = *passes.filled.placement()->how().in_order_of;
  const level::Format& format = *parents.tensor.format().levels()[static_cast<size_t>(parents.level)].format;
  ir::Var pieces = ir::int64_var("pieces"), piece = ir::int64_var("piece"), cuts("cuts", ir::array(ElementType::Int64));
  ir::Expr from = ir::load_index(cuts, piece), to = ir::load_index(cuts, ir::add(piece, ir::integer(1)));
  ir::Expr before = ir::subtract(from, ir::integer(1));
  ir::Expr parent_before =
      format.position_iteration()->access(instance(parents.tensor, parents.level), before, {}).coordinate;
  PlacerInOrder& placer = passes.filled.placement()->place_in_order(pieces);
  ir::Stmt code = pass(passes, scope, [&](const ir::For& loop, const LoopPart& part) {
    ir::Stmt body = ir::block({placer.begin(piece, ir::subtract(from, loop.begin), parent_before), part(from, to),
                               placer.end(piece)});
    ir::Expr all = ir::subtract(loop.end, loop.begin);
    placer.expect(all);
    // Every piece but the first has a node before it.
    return ir::block({ir::declare(pieces, ir::max(ir::integer(1), ir::min(threads_, all))),
                      cut(loop, cuts, pieces, std::nullopt), passes.filled.between_passes(),
                      ir::For{piece, ir::integer(0), pieces, body, ir::LoopKind::Parallel}, ir::Free{cuts}});
  });
  return ir::block({code, passes.filled.finish_passes()});
}

ir::Stmt Lowerer::lower_in_pieces(const Passes& passes, const Scope& scope) {
  ir::Var pieces = ir::int64_var("pieces"), piece = ir::int64_var("piece"), cuts("cuts", ir::array(ElementType::Int64));
  Placement& placement = *passes.filled.placement();
  const PlacerInPieces& placer = placement.place_in_pieces(pieces);
  // Counters out of proportion to what is counted would cost more than pieces save.
  ir::Expr count = threads_;
  if (!ir::is_literal(parameters_.stored(), 0)) {
    ir::Expr affordable = ir::quotient(ir::multiply(ir::integer(plan_.memory.counters_per_entry), parameters_.stored()),
                                       ir::add(placement.parents(), ir::integer(1)));
    count = ir::max(ir::integer(1), ir::min(count, affordable));
  }
  auto in_pieces = [&](const LoopPart& part, const ir::Stmt& begin) -> ir::Stmt {
    ir::Expr from = ir::load_index(cuts, piece), to = ir::load_index(cuts, ir::add(piece, ir::integer(1)));
    return ir::For{piece, ir::integer(0), pieces, ir::block({begin, part(from, to)}), ir::LoopKind::Parallel};
  };
  ir::Stmt first = counting_pass(passes, scope, [&](const ir::For& loop, const LoopPart& part) {
    return ir::block({cut(loop, cuts, pieces, segments_of(passes.division->by)), placer.open(),
                      in_pieces(part, placer.begin_counting(piece))});
  });
  ir::Stmt second = pass(passes, scope, [&](const ir::For&, const LoopPart& part) {
    return in_pieces(part, placer.begin_placing(piece));
  });
  return ir::block({ir::declare(pieces, count), first, passes.filled.between_passes(), second, placer.close(),
                    ir::Free{cuts}, passes.filled.finish_passes()});
}

ir::Stmt Lowerer::lower_passes(const Passes& passes, const Scope& scope) {
  const Placement* placement = passes.filled.placement();
  if (placement && passes.division)
    return placement->how().in_order_of ? lower_in_order(passes, scope) : lower_in_pieces(passes, scope);
  bool is_through = placement && placement->how().counted_through;
  ir::Stmt first = counting_pass(passes, scope, [&](const ir::For& loop, const LoopPart& part) {
    return is_through ? part(loop.begin, loop.end) : ir::Stmt(loop);
  });
  return ir::block(
      {first, passes.filled.between_passes(), passes.loops(scope), passes.filled.finish_passes()});
}

}  // namespace filigree::lowering

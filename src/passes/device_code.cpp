#include "passes/device_code.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "ir/rewrite.h"
#include "passes/lane_sums.h"
#include "support/check.h"

namespace filigree::passes {
namespace {

using ir::LoopKind;

bool leaves_iteration(const ir::Stmt& stmt) {
  if (stmt.as<ir::For>() || stmt.as<ir::While>()) return false;
  bool found = stmt.as<ir::Break>() || stmt.as<ir::Continue>();
  ir::for_each_child(
      stmt, [&](const ir::Stmt& child) { found = found || leaves_iteration(child); }, [](const ir::Expr&) {});
  return found;
}

/// Whoever leaves a loop has nothing to do in its later iterations either, and these come to that by themselves.
ir::Stmt without_breaks(const ir::Stmt& stmt) {
  if (stmt.as<ir::For>() || stmt.as<ir::While>()) return stmt;
  if (stmt.as<ir::Break>()) return ir::Continue{};
  return ir::map_children(
      stmt, [](const ir::Stmt& child) { return without_breaks(child); }, [](const ir::Expr& expr) { return expr; });
}

void for_each_statement(const ir::Stmt& stmt, ir::StmtVisitor visit) {
  visit(stmt);
  ir::for_each_child(stmt, [&](const ir::Stmt& child) { for_each_statement(child, visit); }, [](const ir::Expr&) {});
}

/// Of the units that share the loop; Serial if none do.
LoopKind kind_of(const ir::For& loop) { return loop.units ? loop.units->kind : LoopKind::Serial; }

/// In words: what the statement does that threads of a GPU cannot.
std::optional<std::string> beyond_device(const ir::Stmt& stmt, const ir::VarSet& own) {
  const ir::Declare* declaration = stmt.as<ir::Declare>();
  const ir::Alloc* alloc = stmt.as<ir::Alloc>();
  const ir::Free* free = stmt.as<ir::Free>();
  bool memory = (alloc && !own.contains(alloc->array)) || stmt.as<ir::Grow>() || (free && !own.contains(free->var)) ||
                stmt.as<ir::Keep>() || stmt.as<ir::Take>() || stmt.as<ir::Copy>();
  if (memory || (declaration && !declaration->value)) return "memory is taken inside of it";
  if (stmt.as<ir::Return>()) return "the kernel may end inside of it";
  std::optional<std::string> found;
  std::function<void(const ir::Expr&)> look = [&](const ir::Expr& expr) {
    if (const ir::Call* call = expr.as<ir::Call>(); call && !ir::runs_on_device(call->function))
      found = fmt::format("'{}' is called inside of it", ir::function_name(call->function));
    ir::for_each_child(expr, look);
  };
  ir::for_each_child(stmt, [](const ir::Stmt&) {}, look);
  return found;
}

class Grid {
 public:
  Grid(const ir::For& outermost, const AskedLoops& asked) : outermost_(outermost), asked_(asked) {
    find_own_arrays(outermost, false);
    check_fits();
    find_extents();
  }

  GridCode make() {
    ir::Expr points = ir::subtract(outermost_.end, outermost_.begin), blocks = points;
    if (kind_of(outermost_) != LoopKind::GpuBlock) blocks = rounded_up(points, step_of(kind_of(outermost_)));
    ir::Stmt body =
        ir::For{thread_, ir::integer(0), ir::integer(threads_), unit_loop(outermost_, {}), LoopKind::GpuThread};
    if (has_warps_) body = ir::For{warp_, ir::integer(0), ir::integer(warps_), body, LoopKind::GpuWarp};
    for (OwnArray& array : own_) {
      body = with_own(body, array);
      array.count *= warps_ * threads_;
    }
    return {ir::For{block_, ir::integer(0), blocks, body, LoopKind::GpuBlock}, own_};
  }

 private:
  /// Arrays of a fixed size that are made inside of the loop for threads: each thread has one.
  void find_own_arrays(const ir::Stmt& stmt, bool in_thread) {
    const ir::For* loop = stmt.as<ir::For>();
    in_thread = in_thread || (loop && kind_of(*loop) == LoopKind::GpuThread);
    const ir::Alloc* alloc = stmt.as<ir::Alloc>();
    const ir::Literal* count = alloc ? alloc->count.as<ir::Literal>() : nullptr;
    if (in_thread && count && alloc->array.type().kind == ir::Type::Kind::Array) {
      own_.push_back({alloc->array, count->value.as_int(), alloc->zeroed});
      is_own_.insert(alloc->array);
    }
    ir::for_each_child(stmt, [&](const ir::Stmt& child) { find_own_arrays(child, in_thread); }, [](const ir::Expr&) {});
  }

  /// All threads' arrays are one, in which elements of the same number stand side by side for the threads of a warp.
  ir::Stmt with_own(const ir::Stmt& stmt, const OwnArray& array) const {
    ir::Expr group = has_warps_ ? ir::add(ir::multiply(block_, ir::integer(warps_)), warp_) : ir::Expr(block_);
    ir::Expr first = ir::multiply(group, ir::integer(array.count));
    auto at = [&](const ir::Expr& index) {
      return ir::add(ir::multiply(ir::add(first, index), ir::integer(threads_)), thread_);
    };
    std::function<ir::Expr(const ir::Expr&)> expression = [&](const ir::Expr& expr) -> ir::Expr {
      ir::Expr inside = ir::map_children(expr, expression);
      const ir::Load* load = inside.as<ir::Load>();
      return load && load->array == array.array ? ir::Expr(ir::Load{array.array, at(load->index)}) : inside;
    };
    std::function<ir::Stmt(const ir::Stmt&)> statement = [&](const ir::Stmt& s) -> ir::Stmt {
      const ir::Alloc* alloc = s.as<ir::Alloc>();
      const ir::Free* free = s.as<ir::Free>();
      if ((alloc && alloc->array == array.array) || (free && free->var == array.array)) return ir::Stmt();
      ir::Stmt inside = ir::map_children(s, statement, expression);
      const ir::Store* store = inside.as<ir::Store>();
      if (!store || store->array != array.array) return inside;
      ir::Store moved = *store;
      moved.index = at(store->index);
      return moved;
    };
    return statement(stmt);
  }

  /// Loops that are around a statement.
  struct Place {
    bool in_warp = false, in_thread = false, in_loop = false;
  };

  static ir::Expr rounded_up(const ir::Expr& count, std::int64_t step) {
    return ir::quotient(ir::add(ir::max(count, ir::integer(0)), ir::integer(step - 1)), ir::integer(step));
  }
  std::int64_t step_of(LoopKind kind) const {
    return kind == LoopKind::GpuWarp ? warps_ : kind == LoopKind::GpuThread ? threads_ : 1;
  }

  [[noreturn]] void refuse(const ir::For& loop, const std::string& why, const std::string& hint) const {
    UserError error(fmt::format("The loop over '{}' cannot run on a GPU: {}", loop.units->name, why));
    std::move(error).hint(hint);
    auto asked = asked_.find(loop.units->name);
    if (asked != asked_.end() && asked->second.source) std::move(error).at(asked->second.source, asked->second.span);
    throw error;
  }

  void check_fits() const {
    for_each_statement(outermost_.body, [&](const ir::Stmt& stmt) {
      if (auto what = beyond_device(stmt, is_own_))
        refuse(outermost_, *what, "store results dense, and leave workspaces to the CPU");
    });
    check_scalars(outermost_);
    ir::VarSet by_first, by_all;
    note_touched(outermost_.body, kind_of(outermost_) == LoopKind::GpuThread, by_first, by_all);
    for (const ir::Var& var : ir::free_variables(outermost_.body)) {
      if (by_first.contains(var) && by_all.contains(var)) {
        refuse(outermost_, fmt::format("'{}' is written outside of the loop for threads, and used inside", var.name()),
               "reorder the loop for threads to the outside");
      }
    }
  }

  /// Arrays that only the first thread writes, and those that all touch.
  void note_touched(const ir::Stmt& stmt, bool in_thread, ir::VarSet& by_first, ir::VarSet& by_all) const {
    const ir::For* loop = stmt.as<ir::For>();
    if (in_thread || (loop && kind_of(*loop) == LoopKind::GpuThread)) {
      by_all.insert_all(ir::variables_read(stmt));
      by_all.insert_all(ir::variables_written(stmt));
      return;
    }
    if (const ir::Store* store = stmt.as<ir::Store>()) by_first.insert(store->array);
    if (has_thread_loop(outermost_))
      ir::for_each_child(
          stmt, [&](const ir::Stmt& child) { note_touched(child, false, by_first, by_all); }, [](const ir::Expr&) {});
  }

  static bool has_thread_loop(const ir::For& loop) {
    bool found = kind_of(loop) == LoopKind::GpuThread;
    for_each_statement(loop.body, [&](const ir::Stmt& stmt) {
      const ir::For* inner = stmt.as<ir::For>();
      found = found || (inner && kind_of(*inner) == LoopKind::GpuThread);
    });
    return found;
  }

  /// What loops for blocks and warps have from outside is read only; loops for threads may add it up.
  void check_scalars(const ir::For& loop) const {
    const char* hint = "use reduction for the loop over threads, or compute each component in one of them";
    bool sums = kind_of(loop) == LoopKind::GpuThread && loop.var != outermost_.var && loop.units->sums_scalars;
    for (const ir::Var& scalar : changed_scalars(loop)) {
      bool can_sum = sums && sum_of(scalar, loop.body);
      if (!can_sum) refuse(loop, fmt::format("its iterations change '{}' one after the other", scalar.name()), hint);
    }
    for_each_statement(loop.body, [&](const ir::Stmt& stmt) {
      if (const ir::For* inner = stmt.as<ir::For>(); inner && inner->units) check_scalars(*inner);
    });
  }

  /// As many units as the loops are shared by.
  void find_extents() {
    bool sums = false;
    auto note = [&](const ir::For& loop) {
      if (kind_of(loop) == LoopKind::GpuWarp) has_warps_ = true, warps_ = std::max(warps_, loop.units->count);
      if (kind_of(loop) == LoopKind::GpuThread) {
        threads_ = std::max(threads_, loop.units->count);
        sums = sums || !changed_scalars(loop).empty();
      }
    };
    note(outermost_);
    for_each_statement(outermost_.body, [&](const ir::Stmt& stmt) {
      if (const ir::For* loop = stmt.as<ir::For>(); loop && loop->units) note(*loop);
    });
    if (has_warps_) threads_ = warp_size;
    // Lanes of one warp know each other's sums; others do not.
    internal_check(!sums || threads_ <= warp_size, "offload", "a scalar is summed by threads of several warps",
                   outermost_.units->name);
    thread_ = ir::int64_var(has_warps_ ? "lane" : "thread");
    bool keeps_name = kind_of(outermost_) == LoopKind::GpuBlock && ir::is_literal(outermost_.begin, 0) &&
                      !leaves_iteration(outermost_.body);
    if (keeps_name) block_ = outermost_.var;
  }

  // --- Code ---------------------------------------------------------------------------------------------

  ir::Stmt device(const ir::Stmt& stmt, Place place) {
    const ir::For* loop = stmt.as<ir::For>();
    if (loop && loop->units) return ir::block({unit_loop(*loop, place), wait_after(*loop, place)});
    place.in_loop = place.in_loop || loop || stmt.as<ir::While>();
    if (stmt.as<ir::Store>()) return ir::if_then(is_first(place), stmt);
    if (const ir::Block* list = stmt.as<ir::Block>()) {
      std::vector<ir::Stmt> all;
      for (const ir::Stmt& child : list->statements) all.push_back(device(child, place));
      return ir::block(all);
    }
    return ir::map_children(
        stmt, [&](const ir::Stmt& child) { return device(child, place); }, [](const ir::Expr& expr) { return expr; });
  }

  /// What one unit writes now, another may write later: when the loop comes again, or another loop for the unit does.
  ir::Stmt wait_after(const ir::For& loop, const Place& place) const {
    bool comes_again = place.in_loop || units_in(outermost_.body, kind_of(loop)) > 1, writes = false;
    for_each_statement(loop.body, [&](const ir::Stmt& stmt) {
      const ir::Store* store = stmt.as<ir::Store>();
      writes = writes || (store && !store->atomic);
    });
    bool is_alone = kind_of(loop) == LoopKind::GpuWarp ? warps_ == 1 : threads_ == 1;
    if (!comes_again || !writes || is_alone) return {};
    return ir::Barrier{kind_of(loop) == LoopKind::GpuThread && place.in_warp ? ir::BarrierScope::Warp
                                                                             : ir::BarrierScope::Block};
  }

  static int units_in(const ir::Stmt& stmt, LoopKind kind) {
    int count = 0;
    for_each_statement(stmt, [&](const ir::Stmt& inner) {
      const ir::For* loop = inner.as<ir::For>();
      count += loop && kind_of(*loop) == kind;
    });
    return count;
  }

  /// Of all threads that come here, one.
  ir::Expr is_first(const Place& place) const {
    ir::Expr first = ir::boolean(true);
    if (!place.in_warp && warps_ > 1) first = ir::both(first, ir::equal(warp_, ir::integer(0)));
    if (!place.in_thread && threads_ > 1) first = ir::both(first, ir::equal(thread_, ir::integer(0)));
    return first;
  }

  /// Evaluated once, if that takes anything.
  static ir::Expr once(const ir::Expr& expr, const std::string& name, std::vector<ir::Stmt>& code) {
    if (expr.as<ir::Literal>() || expr.as<ir::VarRef>()) return expr;
    ir::Var var = ir::int64_var(name);
    code.push_back(ir::declare(var, expr));
    return var;
  }

  ir::Stmt unit_loop(const ir::For& loop, Place place) {
    LoopKind kind = kind_of(loop);
    place.in_warp = place.in_warp || kind == LoopKind::GpuWarp;
    place.in_thread = place.in_thread || kind == LoopKind::GpuThread;
    if (kind != LoopKind::GpuThread) return iterations(loop, device(without_breaks(loop.body), place));
    LaneSums sums(loop.body, loop.units->sums, {thread_, has_warps_, threads_});
    return ir::block({sums.before(), iterations(loop, device(without_breaks(sums.body()), place)),
                      sums.after(is_first({place.in_warp, true}))});
  }

  /// Has it never more iterations than these?
  static bool fits(const ir::For& loop, std::int64_t step) {
    const ir::Literal* end = loop.end.as<ir::Literal>();
    bool is_short = ir::is_literal(loop.begin, 0) && end && end->value.as_int() <= step;
    return is_short || loop.units->one_each;
  }

  /// The iterations of the loop that are the unit's own.
  ir::Stmt iterations(const ir::For& loop, const ir::Stmt& body) {
    bool is_outermost = loop.var == outermost_.var, jumps = leaves_iteration(loop.body);
    if (loop.var == block_) return body;
    std::vector<ir::Stmt> code;
    LoopKind kind = kind_of(loop);
    std::int64_t step = step_of(kind);
    ir::Expr begin = once(loop.begin, loop.var.name() + "_first", code),
             end = once(loop.end, loop.var.name() + "_limit", code);
    ir::Expr number = kind == LoopKind::GpuBlock ? block_ : kind == LoopKind::GpuWarp ? warp_ : thread_;
    if (is_outermost && kind != LoopKind::GpuBlock) number = ir::add(ir::multiply(block_, ir::integer(step)), number);
    ir::Expr own = ir::add(begin, number);
    bool several = !is_outermost && !fits(loop, step);
    ir::Var turn = ir::int64_var("turn");
    if (several) own = ir::add(own, ir::multiply(turn, ir::integer(step)));
    ir::Stmt one = ir::block({ir::declare(loop.var, own), ir::if_then(ir::less(loop.var, end), body)});
    if (!several && !jumps) {
      code.push_back(one);
    } else {
      code.push_back(
          ir::For{turn, ir::integer(0), several ? rounded_up(ir::subtract(end, begin), step) : ir::integer(1), one});
    }
    return ir::block(code);
  }

  const ir::For& outermost_;
  const AskedLoops& asked_;
  std::vector<OwnArray> own_;
  ir::VarSet is_own_;
  bool has_warps_ = false;
  std::int64_t warps_ = 1, threads_ = 1;
  ir::Var block_ = ir::int64_var("b"), warp_ = ir::int64_var("w"), thread_ = ir::int64_var("thread");
};

}  // namespace

GridCode make_grid(const ir::For& outermost, const AskedLoops& asked) { return Grid(outermost, asked).make(); }

}  // namespace filigree::passes

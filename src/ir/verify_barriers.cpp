// Where may a barrier stand?  Where all threads of its block, or all lanes of its warp, come or none does.  A value has
// one of three levels: the same in the whole block, the same in each warp, or the lane's own.  A thread's index and the
// index of a warp are where differences begin; they spread through declarations and assignments, and through the
// conditions and bounds under which these stand.  Levels only rise, so going over the launch until none does finds them
// all.  An element that is loaded differs where its index does: whoever makes the launch vouches that nobody changes it
// meanwhile.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "ir/print.h"
#include "ir/rewrite.h"
#include "ir/verify_device.h"
#include "support/check.h"

namespace filigree::ir {
namespace {

enum class Level { Block, Warp, Lane };  // within which a value is the same

class Uniformity {
 public:
  void run(const For& launch) {
    while (changed_) {
      changed_ = false;
      visit(launch.body, Level::Block);
    }
    checks_ = true;
    visit(launch.body, Level::Block);
  }

 private:
  Level level_of(const Expr& expr) const;
  void raise(const Var& var, Level level) { raise(levels_[var.id().value], level); }
  void raise(Level& known, Level level) {
    changed_ = changed_ || known < level;
    known = std::max(known, level);
  }
  /// `control` is the level of whether the statement is reached.  Returns that of whether what follows it is skipped by
  /// a `continue`.
  Level visit(const Stmt& stmt, Level control);
  Level visit_block(const Block& list, Level control);
  void visit_loop(const Stmt& loop, const Stmt& body, Level control);
  void require(const Stmt& stmt, Level control, Level most, const char* what) const;

  std::unordered_map<std::uint64_t, Level> levels_;  // of variables; those from outside of the launch are not here
  std::unordered_map<const void*, Level> breaks_;    // of whether a loop is left early
  std::vector<const void*> loops_;                   // around the statement, by the address of their node's contents
  bool changed_ = true, checks_ = false;
};

Level Uniformity::level_of(const Expr& expr) const {
  Level level = Level::Block;
  for_each_read(expr, [&](const Var& var) {
    auto known = levels_.find(var.id().value);
    if (known != levels_.end()) level = std::max(level, known->second);
  });
  return level;
}

void Uniformity::require(const Stmt& stmt, Level control, Level most, const char* what) const {
  if (checks_ && control > most) throw InternalError("ir verify", what, print(stmt));
}

Level Uniformity::visit_block(const Block& list, Level control) {
  Level skipped = Level::Block;
  for (const Stmt& child : list.statements) skipped = std::max(skipped, visit(child, std::max(control, skipped)));
  return skipped;
}

void Uniformity::visit_loop(const Stmt& loop, const Stmt& body, Level control) {
  const void* address = &loop.kind();
  loops_.push_back(address);
  visit(body, std::max(control, breaks_[address]));
  loops_.pop_back();
}

Level Uniformity::visit(const Stmt& stmt, Level control) {
  Level skipped = Level::Block;
  match(
      stmt, [&](const Block& n) { skipped = visit_block(n, control); },
      [&](const Declare& n) { raise(n.var, std::max(control, level_of(*n.value))); },
      [&](const Assign& n) { raise(n.var, std::max(control, level_of(n.value))); },
      [&](const For& n) {
        Level bounds = std::max({control, level_of(n.begin), level_of(n.end)}), index = bounds;
        if (n.loop == LoopKind::GpuWarp) index = Level::Warp;
        if (n.loop == LoopKind::GpuThread) index = Level::Lane;
        raise(n.var, index);
        visit_loop(stmt, n.body, bounds);
      },
      [&](const While& n) { visit_loop(stmt, n.body, std::max(control, level_of(n.condition))); },
      [&](const If& n) {
        Level inside = std::max(control, level_of(n.condition));
        skipped = std::max(visit(n.then, inside), visit(n.otherwise, inside));
      },
      [&](const Barrier& n) {
        bool block = n.scope == BarrierScope::Block;
        require(stmt, control, block ? Level::Block : Level::Warp,
                block ? "barrier that not all threads of the block may reach"
                      : "barrier that not all lanes of the warp may reach");
      },
      [&](const LaneReduce& n) {
        require(stmt, control, Level::Warp, "lane reduction that not all lanes of the warp may reach");
        raise(n.result, n.segments ? Level::Lane : Level::Warp);
        if (n.segments) raise(n.segments->first, Level::Lane);
      },
      [&](const Break&) { raise(breaks_[loops_.back()], control); }, [&](const Continue&) { skipped = control; },
      [](const Store&) {}, [](const Alloc&) {}, [](const Grow&) {}, [](const Free&) {}, [](const Keep&) {},
      [](const Take&) {}, [](const Copy&) {}, [](const Evaluate&) {}, [](const Return&) {}, [](const Comment&) {});
  return skipped;
}

}  // namespace

void verify_barriers(const For& launch) { Uniformity().run(launch); }

}  // namespace filigree::ir

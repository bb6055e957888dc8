#include "lower/pattern_result.h"

#include <algorithm>

namespace filigree::lowering {
namespace {

/// Arrays that are equally long.
struct Copies {
  ir::Expr count;
  std::vector<std::pair<ir::Var, ir::Var>> arrays;  // from, to
};

ir::Stmt copy_at(const Copies& copies, const ir::Expr& at) {
  std::vector<ir::Stmt> code;
  for (const auto& [from, to] : copies.arrays)
    code.push_back(ir::store(to, at, ir::convert(ir::Load{from, at}, to.type().element)));
  return ir::block(code);
}

/// If there are `threads`, each copies its share of every array.
ir::Stmt copy_all(const std::vector<Copies>& all, const std::optional<ir::Var>& threads) {
  ir::Var q = ir::int64_var("q"), share = ir::int64_var("share");
  std::vector<ir::Stmt> code, loops;
  for (const Copies& copies : all) {
    if (ir::is_literal(copies.count, 2)) {  // where the children of the root begin and end
      code.push_back(ir::block({copy_at(copies, ir::integer(0)), copy_at(copies, ir::integer(1))}));
      continue;
    }
    auto part = [&](const ir::Expr& number) { return ir::quotient(ir::multiply(copies.count, number), *threads); };
    level::Bounds bounds{ir::integer(0), copies.count};
    if (threads) bounds = {part(share), part(ir::add(share, ir::integer(1)))};
    loops.push_back(ir::For{q, bounds.begin, bounds.end, copy_at(copies, q)});
  }
  bool together = threads && !loops.empty();
  code.push_back(together ? ir::Stmt(ir::For{share, ir::integer(0), *threads, ir::block(loops), ir::LoopKind::Parallel})
                          : ir::block(loops));
  return ir::block(code);
}

}  // namespace

PatternResult::PatternResult(const plan::PatternOf& how, const ResultOf& of)
    : LevelResult(of),
      how_(how),
      operand_(of.parameters.tensor(how.operand.tensor).levels),
      threads_(of.threads),
      accumulates_(of.assign.op.has_value()),
      noted_(tensor().name() + "_noted", ir::array(ElementType::Bool)) {
  for (int l = 0; l < how_.levels; l++) {
    if (!format(l).insert() && !format(l).properties().branchless)
      sizes_.insert({l, ir::int64_var(instance(l).name + "_size")});
  }
}

ir::Expr PatternResult::size(int level) const {
  if (auto own = sizes_.find(level); own != sizes_.end()) return own->second;
  bool is_above = is_shared(level) && format(level).properties().branchless;
  return is_above ? parent_count(level) : LevelResult::size(level);
}

std::optional<ir::Expr> PatternResult::own_position(int level, const Scope& scope) const {
  return scope.positions.at(lattice::operand_at(how_.operand, level));
}

// --- Around loops --------------------------------------------------------------------------------------

ir::Stmt PatternResult::prologue() const {
  bool overwritten = is_shared(order() - 1) && !accumulates_;  // at every position
  return ir::block({copy_index(), allocate_inserted(), open_values(overwritten)});
}

ir::Stmt PatternResult::copy_index() const {
  std::vector<ir::Stmt> code;
  std::vector<Copies> all;
  for (int l = 0; l < how_.levels; l++) {
    const level::Instance &from = operand_[static_cast<size_t>(l)], &to = instance(l);
    if (auto size = sizes_.find(l); size != sizes_.end()) {
      ir::Expr last = ir::subtract(parent_count(l), ir::integer(1));
      code.push_back(ir::declare(size->second, format(l).position_iteration()->bounds(from, last).end));
    }
    std::vector<ArrayDescription> descriptions = format(l).arrays();
    for (size_t a = 0; a < descriptions.size(); a++) {
      if (!writes(descriptions[a])) continue;
      ir::Expr count = element_count(l, descriptions[a]);
      code.push_back(source_->allocate(to.arrays[a], count, false));
      code.push_back(source_->check(to.arrays[a], count));
      auto copies = std::find_if(all.begin(), all.end(), [&](const Copies& known) { return known.count == count; });
      if (copies == all.end()) copies = all.insert(all.end(), {count, {}});
      copies->arrays.push_back({from.arrays[a], to.arrays[a]});
    }
  }
  code.push_back(copy_all(all, how_.on_threads ? std::optional(threads_) : std::nullopt));
  if (how_.noted) code.push_back(ir::Alloc{noted_, size(how_.levels - 1), true});
  return ir::block(code);
}

ir::Stmt PatternResult::epilogue() const {
  if (!how_.noted) return LevelResult::epilogue();
  // There must be something below every node.
  ir::Var q = ir::int64_var("q");
  ir::Stmt check = ir::if_then(ir::negate(ir::Load{noted_, q}), ir::Return{ir::Status::PatternMismatch});
  return ir::block(
      {ir::For{q, ir::integer(0), size(how_.levels - 1), check}, ir::Free{noted_}, LevelResult::epilogue()});
}

bool PatternResult::needs_component_in(const IndexVar& var) const {
  return !how_.noted && how_.levels < order() && vars_[static_cast<size_t>(how_.levels) - 1] == var;
}

ir::Stmt PatternResult::before_body(const LoopBody& body, Scope& inside) const {
  ir::Stmt extended = extend(inside);
  if (!needs_component_in(body.var)) return extended;
  return ir::block({extended, ir::declare(stored_, ir::boolean(false))});
}

ir::Stmt PatternResult::after_body(const LoopBody& body, const Scope&) const {
  if (!needs_component_in(body.var)) return {};
  return ir::if_then(ir::negate(stored_), ir::Return{ir::Status::PatternMismatch});
}

// --- Components ------------------------------------------------------------------------------------------

/// A component for which the operand has a position: without a value, the pattern would be another.
bool PatternResult::needs_value() const { return is_shared(order() - 1) && !how_.noted; }

ir::Stmt PatternResult::note_node(const Scope& scope) const {
  if (how_.noted) return ir::store(noted_, scope.result_positions.at({tensor(), how_.levels - 1}), ir::boolean(true));
  return is_shared(order() - 1) ? ir::Stmt() : ir::assign(stored_, ir::boolean(true));
}

ir::Stmt PatternResult::write(const Write& component) const {
  if (component.lhs.indices != lhs_.indices) return insert_elsewhere(component, component.scope, order());
  ir::Expr position = component.scope.result_positions.at({tensor(), order() - 1});
  return insert(component, ir::block({note_node(component.scope), store_value(component, position)}));
}

}  // namespace filigree::lowering

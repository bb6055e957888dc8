#include "lower/slotted_result.h"

#include <algorithm>

#include "lower/lowerer.h"

namespace filigree::lowering {

SlottedResult::SlottedResult(const plan::Slotted& how, const ResultOf& of)
    : LevelResult(of),
      within_(how.within),
      own_(level_of(how.within)),
      slots_(level_of_slots()),
      counts_(instance(slots_).name + "_counts", ir::array(ElementType::Int64)) {}

int SlottedResult::level_of(const IndexVar& var) const {
  return static_cast<int>(std::find(vars_.begin(), vars_.end(), var) - vars_.begin());
}

int SlottedResult::level_of_slots() const {
  int level = 0;
  while (!format(level).counts_entries()) level++;
  return level;
}

ir::Stmt SlottedResult::prologue() const { return ir::Alloc{counts_, instance(own_).extent, true}; }

std::optional<ir::Stmt> SlottedResult::run(Lowerer& lowerer, const plan::Stmt& loops, const Scope& scope) {
  return lowerer.lower_two_passes(tensor(), *this, loops, scope);
}

ir::Stmt SlottedResult::count(const Write& component) const {
  const ir::Expr& at = component.scope.coordinates.at(within_);
  return ir::store(counts_, at, ir::add(ir::load_index(counts_, at), ir::integer(1)));
}

ir::Stmt SlottedResult::between_passes() const {
  const ir::Var& slots = instance(slots_).extent.as<ir::VarRef>()->var;
  ir::Var q = ir::int64_var("q");
  ir::Stmt longest = ir::block({ir::assign(slots, ir::max(slots, ir::load_index(counts_, q))),
                                ir::store(counts_, q, ir::integer(0))});
  return ir::block({ir::declare(slots, ir::integer(0)), ir::For{q, ir::integer(0), instance(own_).extent, longest},
                    allocate_inserted(), open_values(false)});
}

ir::Stmt SlottedResult::write(const Write& component) const {
  const ir::Expr& at = component.scope.coordinates.at(within_);
  ir::Var slot = ir::int64_var(vars_[static_cast<size_t>(slots_)].name());
  Scope inner = component.scope;
  inner.coordinates.insert_or_assign(vars_[static_cast<size_t>(slots_)], slot);
  // Below a slot and what it counts, nothing is stored yet.
  return ir::block({ir::declare(slot, ir::load_index(counts_, at)),
                    ir::store(counts_, at, ir::add(slot, ir::integer(1))),
                    insert_elsewhere(component, inner, std::max(slots_, own_) + 1)});
}

}  // namespace filigree::lowering

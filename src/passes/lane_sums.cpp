#include "passes/lane_sums.h"

#include <algorithm>
#include <functional>

#include "ir/rewrite.h"
#include "support/check.h"

namespace filigree::passes {
namespace {

void collect_declared(const ir::Stmt& stmt, ir::VarSet& declared) {
  if (const ir::Declare* n = stmt.as<ir::Declare>()) declared.insert(n->var);
  if (const ir::For* n = stmt.as<ir::For>()) declared.insert(n->var);
  ir::for_each_child(stmt, [&](const ir::Stmt& child) { collect_declared(child, declared); }, [](const ir::Expr&) {});
}

ir::VarSet declared_in(const ir::Stmt& stmt) {
  ir::VarSet declared;
  collect_declared(stmt, declared);
  return declared;
}

void for_each_store(const ir::Stmt& stmt, const ir::Var& array, const std::function<void(const ir::Store&)>& visit) {
  const ir::Store* store = stmt.as<ir::Store>();
  if (store && store->array == array) visit(*store);
  ir::for_each_child(stmt, [&](const ir::Stmt& child) { for_each_store(child, array, visit); }, [](const ir::Expr&) {});
}

int count_loads(const ir::Expr& expr, const ir::Var& array) {
  int count = 0;
  ir::for_each_read(expr, [&](const ir::Var& var) { count += var == array; });
  return count;
}

int count_loads(const ir::Stmt& stmt, const ir::Var& array) {
  int count = 0;
  ir::for_each_child(
      stmt, [&](const ir::Stmt& child) { count += count_loads(child, array); },
      [&](const ir::Expr& expr) { count += count_loads(expr, array); });
  return count;
}

/// `body` with the stores to one array replaced.
ir::Stmt with_stores(const ir::Stmt& body, const ir::Var& array,
                     const std::function<ir::Stmt(const ir::Store&)>& change) {
  const ir::Store* store = body.as<ir::Store>();
  if (store && store->array == array) return change(*store);
  return ir::map_children(
      body, [&](const ir::Stmt& child) { return with_stores(child, array, change); },
      [](const ir::Expr& expr) { return expr; });
}

/// The element that all iterations update, and nothing else of the array; whether one of them does it at once.
struct Element {
  ir::Expr index;
  bool atomic;
};

std::optional<Element> only_element(const ir::Stmt& body, const ir::Units::Sum& accumulated) {
  std::optional<Element> element;
  int updates = 0;
  bool fits = true;
  ir::VarSet varying = declared_in(body);
  varying.insert_all(ir::variables_written(body));
  for_each_store(body, accumulated.array, [&](const ir::Store& store) {
    std::optional<ir::Update> update = ir::atomic_update(store);
    fits = fits && update && update->op == accumulated.op && (!element || element->index == store.index);
    ir::for_each_read(store.index, [&](const ir::Var& var) { fits = fits && !varying.contains(var); });
    element = Element{store.index, store.atomic || (element && element->atomic)};
    updates++;
  });
  bool only_updates = count_loads(body, accumulated.array) == updates;
  return fits && only_updates ? element : std::nullopt;
}

/// A scalar that is set, and never taken back.
bool is_flag(const ir::Assign& assign) {
  return assign.var.type().element == ElementType::Bool && ir::is_true(assign.value);
}

}  // namespace

std::vector<ir::Var> changed_scalars(const ir::For& loop) {
  std::vector<ir::Var> changed;
  ir::VarSet written = ir::variables_written(loop.body), declared = declared_in(loop.body);
  for (const ir::Var& var : ir::free_variables(loop.body)) {
    bool seen = std::find(changed.begin(), changed.end(), var) != changed.end();
    if (var.type().kind == ir::Type::Kind::Scalar && written.contains(var) && !declared.contains(var) && !seen)
      changed.push_back(var);
  }
  return changed;
}

std::optional<Operator> sum_of(const ir::Var& scalar, const ir::Stmt& body) {
  std::optional<Operator> op;
  bool fits = true;
  std::function<void(const ir::Stmt&)> look = [&](const ir::Stmt& stmt) {
    if (const ir::Assign* assign = stmt.as<ir::Assign>(); assign && assign->var == scalar) {
      const ir::Apply* apply = assign->value.as<ir::Apply>();
      bool updates = apply && apply->operands.size() == 2 && apply->operands[0] == ir::Expr(scalar);
      if (!updates && !is_flag(*assign)) fits = false;
      else {
        Operator own = updates ? apply->op : Operator::Or;
        fits = fits && (!op || *op == own);
        op = own;
      }
    }
    ir::for_each_child(stmt, look, [](const ir::Expr&) {});
  };
  look(body);
  ElementType type = scalar.type().element;
  bool combines = fits && op && can_reduce(*op) && identity(*op, type) && result_type(*op, {type, type}) == type;
  return combines ? op : std::nullopt;
}

LaneSums::LaneSums(const ir::Stmt& body, const std::vector<ir::Units::Sum>& reduced, const Lanes& lanes)
    : lanes_(lanes), body_(body) {
  for (const ir::Var& scalar : changed_scalars(ir::For{lanes.thread, ir::integer(0), ir::integer(0), body}))
    sum_scalar(scalar);
  for (const ir::Units::Sum& accumulated : reduced) sum_elements(accumulated);
}

void LaneSums::sum_scalar(const ir::Var& scalar) {
  std::optional<Operator> op = sum_of(scalar, body_);
  internal_check(op.has_value(), "offload", "a scalar that cannot be summed", scalar.name());
  ir::Var before(scalar.name() + "_before", scalar.type());
  before_.push_back(ir::declare(before, scalar));
  before_.push_back(ir::assign(scalar, ir::constant(*identity(*op, scalar.type().element))));
  combine_.push_back(ir::LaneReduce{scalar, *op, scalar});
  combine_.push_back(ir::assign(scalar, ir::Apply{*op, {before, scalar}}));
}

void LaneSums::sum_elements(const ir::Units::Sum& accumulated) {
  const auto& [array, op] = accumulated;
  ElementType type = array.type().element;
  std::optional<Element> element = only_element(body_, accumulated);
  if (!element) {
    body_ = with_stores(body_, array, [](const ir::Store& store) {
      ir::Store atomic = store;
      atomic.atomic = true;
      return ir::Stmt(atomic);
    });
    return;
  }
  ir::Var sum(array.name() + "_sum", ir::scalar(type));
  body_ = with_stores(body_, array, [&](const ir::Store& store) {
    return ir::assign(sum, ir::Apply{op, {sum, ir::atomic_update(store)->operand}});
  });
  before_.push_back(ir::declare(sum, ir::constant(*identity(op, type))));
  combine_.push_back(ir::LaneReduce{sum, op, sum});
  bool several_warps = !lanes_.in_warps && lanes_.threads > warp_size;
  store_.push_back(ir::Store{array, element->index, ir::Apply{op, {ir::Load{array, element->index}, sum}},
                             element->atomic || several_warps});
}

ir::Stmt LaneSums::after(const ir::Expr& does_it) const {
  ir::Expr lane = lanes_.in_warps || lanes_.threads <= warp_size ? ir::Expr(lanes_.thread)
                                                                 : ir::remainder(lanes_.thread, ir::integer(warp_size));
  ir::Expr first = ir::both(does_it, ir::equal(lane, ir::integer(0)));
  return ir::block({ir::block(combine_), store_.empty() ? ir::Stmt() : ir::if_then(first, ir::block(store_))});
}

}  // namespace filigree::passes

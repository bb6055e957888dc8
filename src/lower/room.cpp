#include "lower/room.h"

namespace filigree::lowering {
namespace {

/// Short enough to be written twice.
bool is_sum_of_two(const ir::Expr& expr) {
  const ir::Apply* sum = expr.as<ir::Apply>();
  auto is_leaf = [](const ir::Expr& e) { return e.as<ir::VarRef>() || e.as<ir::Literal>(); };
  return sum && is_leaf(sum->operands[0]) && is_leaf(sum->operands[1]);
}

}  // namespace

ir::Stmt Room::open(const ir::Expr& count) const {
  if (arrays_.empty()) return {};
  std::vector<ir::Stmt> code = {ir::declare(capacity_, ir::max(ir::integer(first_), count))};
  for (const Growing& g : arrays_) code.push_back(ir::Alloc{g.array, ir::multiply(capacity_, ir::integer(g.per))});
  return ir::block(code);
}

ir::Stmt Room::reserve(const ir::Expr& wanted) const {
  if (arrays_.empty()) return {};
  ir::Var needed = ir::int64_var(name_ + "_needed");
  bool is_simple = wanted.as<ir::VarRef>() || is_sum_of_two(wanted);
  ir::Expr count = is_simple ? wanted : ir::Expr(needed);
  std::vector<ir::Stmt> code = {ir::assign(capacity_, ir::max(ir::multiply(ir::integer(2), capacity_), count))};
  for (const Growing& g : arrays_) code.push_back(ir::Grow{g.array, ir::multiply(capacity_, ir::integer(g.per))});
  ir::Stmt grow = ir::if_then(ir::less(capacity_, count), ir::block(code));
  return is_simple ? grow : ir::block({ir::declare(needed, wanted), grow});
}

}  // namespace filigree::lowering

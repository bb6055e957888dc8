#include "lower/spread_values.h"

#include <algorithm>

#include "lower/branch_free.h"

namespace filigree::lowering {
namespace {

bool is_real(ElementType type) { return type == ElementType::Float32 || type == ElementType::Float64; }

class Spreading {
 public:
  explicit Spreading(const SpreadValues& operand) : operand_(operand) { where_.insert(operand.place); }

  /// Does it tell, or use, where the operand has the coordinate?
  bool asks_where(const ir::Expr& expr) const {
    bool found = false;
    ir::for_each_read(expr, [&](const ir::Var& read) { found = found || where_.contains(read); });
    return found;
  }
  void tells_where(const ir::Var& var) { where_.insert(var); }

  /// The product with the spread value in place of the operand's, so that all of it is 0 where that is; nothing if it
  /// is no such product.
  std::optional<ir::Expr> product(const ir::Expr& expr) const {
    const ir::Load* load = expr.as<ir::Load>();
    if (load && load->array == operand_.values && load->index.as<ir::VarRef>() && asks_where(load->index))
      return ir::Load{operand_.spread, operand_.key};
    if (const ir::Cast* cast = expr.as<ir::Cast>()) {
      std::optional<ir::Expr> value = is_real(cast->type) ? product(cast->value) : std::nullopt;
      return value ? std::optional<ir::Expr>(ir::Cast{cast->type, *value}) : std::nullopt;
    }
    const ir::Apply* apply = expr.as<ir::Apply>();
    if (!apply || (apply->op != Operator::Multiply && apply->op != Operator::Negate)) return std::nullopt;
    ir::Apply out = *apply;
    bool has_value = false;
    for (ir::Expr& operand : out.operands) {
      if (!asks_where(operand)) continue;
      std::optional<ir::Expr> spread = product(operand);
      if (!spread) return std::nullopt;
      operand = *spread;
      has_value = true;
    }
    return has_value ? std::optional<ir::Expr>(out) : std::nullopt;
  }

 private:
  const SpreadValues& operand_;
  ir::VarSet where_;
};

}  // namespace

std::optional<SpreadSum> spread_sum(const ir::If& branch, const SpreadValues& operand) {
  if (!branch.otherwise.is_empty()) return std::nullopt;
  Spreading spreading(operand);
  const ir::Block* list = branch.then.as<ir::Block>();
  std::vector<ir::Stmt> code;
  std::optional<ir::Var> sum;
  for (const ir::Stmt& step : list ? list->statements : std::vector<ir::Stmt>{branch.then}) {
    const ir::Declare* declared = step.as<ir::Declare>();
    const ir::Assign* assign = step.as<ir::Assign>();
    if (declared && declared->value && spreading.asks_where(*declared->value)) {
      spreading.tells_where(declared->var);
      continue;
    }
    if (declared && declared->value && is_simple(*declared->value)) {
      code.push_back(step);
      continue;
    }
    if (assign && ir::is_true(assign->value)) {
      code.push_back(ir::assign(assign->var, ir::either(assign->var, ir::Load{operand.flags, operand.key})));
      continue;
    }
    bool adds = assign && !sum && adds_to_itself(*assign) && is_real(assign->var.type().element);
    std::optional<ir::Expr> term =
        adds ? spreading.product(assign->value.as<ir::Apply>()->operands[1]) : std::nullopt;
    if (!term) return std::nullopt;
    sum = assign->var;
    code.push_back(ir::assign(*sum, ir::Apply{Operator::Add, {*sum, *term}}));
  }
  return sum ? std::optional(SpreadSum{ir::block(code), *sum}) : std::nullopt;
}

}  // namespace filigree::lowering

#include "lower/formula.h"

namespace filigree::lowering {

ir::Expr FormulaCode::operator()(const relation::Formula& formula) const {
  using Kind = relation::Formula::Kind;
  auto operand = [&](size_t n) { return (*this)(formula.operands()[n]); };
  switch (formula.kind()) {
    case Kind::Number: return ir::integer(formula.constant());
    case Kind::Value: return value(formula.var());
    case Kind::Extent: return extent(formula.var());
    case Kind::Entry: return ir::load_index(list(formula.list()), operand(0));
    case Kind::Add: return ir::add(operand(0), operand(1));
    case Kind::Subtract: return ir::subtract(operand(0), operand(1));
    case Kind::Multiply: return ir::multiply(operand(0), operand(1));
    case Kind::Quotient: return ir::quotient(operand(0), operand(1));
    case Kind::RoundedUp: {
      ir::Expr divisor = operand(1);
      return ir::quotient(ir::add(operand(0), ir::subtract(divisor, ir::integer(1))), divisor);
    }
    case Kind::Remainder: return ir::remainder(operand(0), operand(1));
    case Kind::Min: return ir::min(operand(0), operand(1));
    case Kind::Max: return ir::max(operand(0), operand(1));
  }
  return ir::integer(0);
}

}  // namespace filigree::lowering

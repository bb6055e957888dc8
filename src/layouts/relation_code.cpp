#include "layouts/relation_code.h"

#include <algorithm>

#include "layouts/bounds.h"
#include "support/check.h"

namespace filigree::layouts {

bool Code::is_natural(const Expr& expr) const {
  return layouts::is_natural(*layout_, expr) || std::find(natural_.begin(), natural_.end(), expr) != natural_.end();
}

/// Of any sign: one of the two parts is 0.
ir::Expr Code::floored(const ir::Expr& a, const ir::Expr& b) const {
  ir::Expr above = ir::max(a, ir::integer(0)), below = ir::max(ir::subtract(ir::integer(0), a), ir::integer(0));
  ir::Expr up = ir::quotient(ir::add(below, ir::subtract(b, ir::integer(1))), b);
  return ir::subtract(ir::quotient(above, b), up);
}

ir::Expr Code::element(const Expr& read) const {
  const ArrayShape& array = *layout_->find_array(read.text());
  ir::Expr number = ir::integer(0);
  for (size_t n = 0; n < read.parts().size(); n++) {
    ir::Expr place = (*this)(read.parts()[n]);
    number = n == 0 ? place : ir::add(ir::multiply(number, (*this)(array.extents[n])), place);
  }
  return number;
}

ir::Expr Code::operator()(const Expr& expr) const {
  switch (expr.kind()) {
    case Expr::Kind::Number: return ir::integer(expr.value());
    case Expr::Kind::Name:
      internal_check(values_.count(expr.text()) > 0, "layouts", "a variable without a value", expr.text());
      return values_.at(expr.text());
    case Expr::Kind::Read: {
      internal_check(arrays_.count(expr.text()) > 0, "layouts", "an array that the level does not have", expr.text());
      ir::Expr at = element(expr);
      return ir::load_index(arrays_.at(expr.text()), guard_ ? ir::multiply(*guard_, at) : at);
    }
    case Expr::Kind::Add:
    case Expr::Kind::Subtract:
    case Expr::Kind::Multiply:
    case Expr::Kind::Quotient:
    case Expr::Kind::Remainder: break;
  }
  const Expr& left = expr.parts()[0];
  ir::Expr a = (*this)(left), b = (*this)(expr.parts()[1]);
  if (expr.kind() == Expr::Kind::Add) return ir::add(a, b);
  if (expr.kind() == Expr::Kind::Subtract) return ir::subtract(a, b);
  if (expr.kind() == Expr::Kind::Multiply) return ir::multiply(a, b);
  if (expr.kind() == Expr::Kind::Quotient) return is_natural(left) ? ir::quotient(a, b) : floored(a, b);
  return is_natural(left) ? ir::remainder(a, b) : ir::subtract(a, ir::multiply(floored(a, b), b));
}

ir::Expr Code::operator()(const Formula& formula) const {
  auto side = [&](size_t n) { return (*this)(formula.sides[n]); };
  switch (formula.kind) {
    case Formula::Kind::Less: return ir::less(side(0), side(1));
    case Formula::Kind::LessEqual: return ir::greater_equal(side(1), side(0));
    case Formula::Kind::Equal: return ir::equal(side(0), side(1));
    case Formula::Kind::NotEqual: return ir::not_equal(side(0), side(1));
    case Formula::Kind::And: return all(formula.parts);
    case Formula::Kind::Or: {
      ir::Expr any = ir::boolean(false);
      for (const Formula& part : formula.parts) any = ir::either(any, (*this)(part));
      return any;
    }
    case Formula::Kind::Implies: return ir::either(ir::negate((*this)(formula.parts[0])), (*this)(formula.parts[1]));
  }
  return ir::boolean(true);
}

ir::Expr Code::all(const std::vector<Formula>& formulas) const {
  ir::Expr both = ir::boolean(true);
  for (const Formula& formula : formulas) both = ir::both(both, (*this)(formula));
  return both;
}

}  // namespace filigree::layouts

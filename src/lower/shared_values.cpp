#include "lower/shared_values.h"

namespace filigree::lowering {

ir::Stmt StoredValues::update(const ir::Expr& position,
                              const std::function<ir::Expr(const ir::Expr& current)>& value) const {
  ir::Expr at = ir::add(first, position);
  return ir::Store{array, at, ir::convert(value(ir::Load{array, at}), array.type().element), atomic};
}

ValueParts::ValueParts(const std::string& name, const StoredValues& whole, const ir::Expr& count, Operator op,
                       const ir::Var& pieces)
    : whole_(whole), count_(count), op_(op), pieces_(pieces), parts_(name, ir::array(whole.array.type().element)) {}

ir::Stmt ValueParts::open() const { return ir::Alloc{parts_, ir::multiply(pieces_, count_)}; }

StoredValues ValueParts::of(const ir::Var& piece) const { return {parts_, ir::multiply(piece, count_)}; }

ir::Stmt ValueParts::clear(const ir::Var& piece) const {
  ir::Var p = ir::int64_var("p");
  ir::Expr start = ir::constant(*identity(op_, parts_.type().element));
  return ir::For{p, ir::integer(0), count_, of(piece).update(p, [&](const ir::Expr&) { return start; })};
}

ir::Stmt ValueParts::combine() const {
  ir::Var p = ir::int64_var("p"), q = ir::int64_var("q");
  ir::Expr part = ir::Load{parts_, ir::add(ir::multiply(q, count_), p)};
  ir::Stmt one = whole_.update(p, [&](const ir::Expr& current) { return ir::Apply{op_, {current, part}}; });
  return ir::block(
      {ir::For{q, ir::integer(0), pieces_, ir::For{p, ir::integer(0), count_, one}}, ir::Free{parts_}});
}

}  // namespace filigree::lowering

// Components that iterations write while others write them, too.
//
//   y(i) += A(i,j) * x(j), columns j in pieces
//
//   at once      y_vals[i] = y_vals[i] + ...  (atomic)
//   in parts     y_parts[3*piece + i] = y_parts[3*piece + i] + ...       each piece has values of its own, and then
//                for each piece: y_vals[i] = y_vals[i] + y_parts[3*piece + i]
#pragma once

#include <functional>

#include "ir/ir.h"

namespace filigree::lowering {

/// Where values are.
struct StoredValues {
  ir::Var array;
  ir::Expr first = ir::integer(0);  // the element of the component at position 0
  bool atomic = false;              // an update of one is done at once

  /// The component at `position` gets a value that may depend on the one it has.
  ir::Stmt update(const ir::Expr& position, const std::function<ir::Expr(const ir::Expr& current)>& value) const;
};

/// Values of which each of some pieces has its own, combined in the end.
class ValueParts {
 public:
  /// `whole` has so many of this type.
  ValueParts(const std::string& name, const StoredValues& whole, const ir::Expr& count, Operator op,
             const ir::Var& pieces);

  ir::Stmt open() const;
  /// Of one piece: where its values are, and what they are in the beginning.
  StoredValues of(const ir::Var& piece) const;
  ir::Stmt clear(const ir::Var& piece) const;
  ir::Stmt combine() const;

 private:
  StoredValues whole_;
  ir::Expr count_;
  Operator op_;
  ir::Var pieces_, parts_;
};

}  // namespace filigree::lowering

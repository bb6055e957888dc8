// Expressions of the IR as C text.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "ir/ir.h"
#include "ir/names.h"

namespace filigree::emit {

// C's precedences; those of infix operators are in c_expression.cpp.
constexpr int c_conditional = 5, c_prefix = 70, c_primary = 90;

/// Text with what C makes of it.  C computes int8 + int8 as int: such text is congruent to the
/// IR's value but not equal to it, so it is not `exact` until it is converted back.
struct Piece {
  std::string text;
  int precedence;    // C's, see above
  ElementType type;  // C's type; narrow integers promote when they are operands
  bool exact = true;
};

class ExpressionPrinter {
 public:
  ExpressionPrinter(ir::Names& names, std::set<std::string>& helpers) : names_(names), helpers_(helpers) {}

  /// The text where C converts to the expression's type by itself: assignments, arguments, indices.
  std::string converted(const ir::Expr& expr);
  /// The text of a condition.
  std::string condition(const ir::Expr& expr);
  /// What follows a left-hand side that `self` reads: "++", " += v", or nothing when a plain
  /// assignment has to do.
  std::optional<std::string> compound(const ir::Expr& self, const ir::Expr& value);

 private:
  Piece piece(const ir::Expr& expr);
  Piece literal(const Scalar& value);
  Piece apply(const ir::Apply& node, ElementType result);
  Piece call(const ir::Call& node);
  Piece cast(ElementType type, const ir::Expr& value);
  Piece arithmetic(Operator op, const ir::Expr& a, const ir::Expr& b, ElementType type);
  Piece integer_division(Operator op, const ir::Expr& a, const ir::Expr& b, ElementType type);
  Piece comparison(Operator op, const ir::Expr& a, const ir::Expr& b);
  /// A call of a helper function for `type`, which is that of its parameters and its result.
  Piece helper_call(const std::string& name, ElementType type, const std::vector<ir::Expr>& operands);
  Piece call_text(const std::string& function, ElementType type, const std::vector<ir::Expr>& operands);
  // c_function.cpp
  Piece function(const ir::Apply& node, ElementType result);
  Piece select(const ir::Apply& node, ElementType result);
  Piece converted_piece(const ir::Expr& expr, ElementType type);
  Piece infix(const Piece& a, const std::string& symbol, const Piece& b, int precedence, ElementType type);
  /// An operand of an operation computed in `type`.  `implicit`: an explicit conversion to that type
  /// was left out, because C usually makes it anyway.
  struct OperandText {
    Piece text;
    bool implicit;
  };
  OperandText operand(const ir::Expr& expr, ElementType type, bool modular);

  ir::Names& names_;
  std::set<std::string>& helpers_;
};

/// "i32", "f64", "c128": how helper functions for a type are called.
std::string type_suffix(ElementType type);

}  // namespace filigree::emit

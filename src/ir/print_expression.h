// Expressions as C text.  Internal to the printer.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "ir/ir.h"
#include "ir/names.h"

namespace filigree::ir {

// C's precedences; those of infix operators are in print_expression.cpp.
constexpr int c_conditional = 5, c_prefix = 70, c_primary = 90;

/// Text with what C makes of it.  C computes int8 + int8 as int: such text is congruent to the
/// IR's value but not equal to it, so it is not `exact` until it is converted back.
struct Piece {
  std::string text;
  int precedence;       // C's, see above
  ElementType type;     // C's type; narrow integers promote when they are operands
  bool exact = true;
};

class ExpressionPrinter {
 public:
  ExpressionPrinter(Names& names, std::set<std::string>& helpers) : names_(names), helpers_(helpers) {}

  /// The text where C converts to the expression's type by itself: assignments, arguments, indices.
  std::string converted(const Expr& expr);
  /// The text of a condition.
  std::string condition(const Expr& expr);
  /// What follows a left-hand side that `self` reads: "++", " += v", or nothing when a plain
  /// assignment has to do.
  std::optional<std::string> compound(const Expr& self, const Expr& value);

 private:
  Piece piece(const Expr& expr);
  Piece literal(const Scalar& value);
  Piece apply(const Apply& node, ElementType result);
  Piece call(const Call& node);
  Piece cast(ElementType type, const Expr& value);
  Piece arithmetic(Operator op, const Expr& a, const Expr& b, ElementType type);
  Piece integer_division(Operator op, const Expr& a, const Expr& b, ElementType type);
  Piece comparison(Operator op, const Expr& a, const Expr& b);
  /// A call of a helper function for `type`, which is that of its parameters and its result.
  Piece helper_call(const std::string& name, ElementType type, const std::vector<Expr>& operands);
  Piece call_text(const std::string& function, ElementType type, const std::vector<Expr>& operands);
  // print_function.cpp
  Piece function(const Apply& node, ElementType result);
  Piece select(const Apply& node, ElementType result);
  Piece converted_piece(const Expr& expr, ElementType type);
  Piece infix(const Piece& a, const std::string& symbol, const Piece& b, int precedence, ElementType type);
  /// An operand of an operation computed in `type`.  `implicit`: an explicit conversion to that type
  /// was left out, because C usually makes it anyway.
  struct OperandText { Piece text; bool implicit; };
  OperandText operand(const Expr& expr, ElementType type, bool modular);

  Names& names_;
  std::set<std::string>& helpers_;
};

/// "i32", "f64", "c128": how helper functions for a type are called.
std::string type_suffix(ElementType type);

}  // namespace filigree::ir

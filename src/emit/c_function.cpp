// Functions of index notation as C: builtins where the compiler has them, helper functions (emit/functions.cpp)
// elsewhere.
#include <fmt/format.h>

#include "algebra/user_function.h"
#include "emit/c_expression.h"

namespace filigree::emit {

using namespace ir;  // its nodes
namespace {

bool is_integral(ElementType type) { return is_integer(type) || type == ElementType::Bool; }

/// "__builtin_sqrt", "__builtin_sqrtf", "__builtin_csqrt", "__builtin_csqrtf".
std::string builtin(const std::string& name, ElementType type) {
  bool single = type == ElementType::Float32 || type == ElementType::Complex64;
  return fmt::format("__builtin_{}{}{}", is_complex(type) ? "c" : "", name, single ? "f" : "");
}

std::string parenthesized(const Piece& piece, bool needed) { return needed ? "(" + piece.text + ")" : piece.text; }

}  // namespace

Piece ExpressionPrinter::select(const Apply& node, ElementType result) {
  Piece condition = piece(node.operands[0]);
  Piece yes = converted_piece(node.operands[1], result), no = converted_piece(node.operands[2], result);
  // What C converts different types to need not hold both, as uint64_t does not hold a negative int8_t.
  bool converts = yes.type != no.type && yes.type != result && no.type != result;
  if (converts)
    yes = {fmt::format("({}){}", c_name(result), parenthesized(yes, yes.precedence < c_prefix)), c_prefix, result};
  std::string text = fmt::format("{} ? {} : {}", parenthesized(condition, condition.precedence <= c_conditional),
                                 parenthesized(yes, yes.precedence <= c_conditional),
                                 parenthesized(no, no.precedence <= c_conditional));
  // Where both branches are written as numbers of one narrower type, so is the choice.
  bool as_typed = yes.type == result || no.type == result;
  if (as_typed) return {text, c_conditional, result};
  return {fmt::format("({})({})", c_name(result), text), c_prefix, result};
}

Piece ExpressionPrinter::function(const Apply& node, ElementType result) {
  const std::vector<Expr>& operands = node.operands;
  ElementType type = operands[0].type();  // of all operands; lowering has converted them
  auto as_it_is = [&] { return piece(operands[0]); };
  if (is_user_function(node.op)) {
    Piece call = helper_call(std::string("user_") + facts(node.op).name, type, operands);
    call.type = result;
    return call;
  }
  switch (node.op) {
    case Operator::Select: return select(node, result);
    case Operator::FloorDivide:
    case Operator::Remainder: return helper_call(facts(node.op).name, result, operands);
    case Operator::Power:
      return !is_floating(result) ? helper_call("power", result, operands)
                                  : call_text(builtin("pow", result), result, operands);
    case Operator::Abs:
      if (is_integral(type)) return is_signed_integer(type) ? helper_call("abs", result, operands) : as_it_is();
      return {fmt::format("{}({})", is_complex(type) ? builtin("abs", type) : builtin("fabs", type),
                          converted_piece(operands[0], type).text),
              c_primary, result};
    case Operator::Sign: return type == ElementType::Bool ? as_it_is() : helper_call("sign", result, operands);
    case Operator::Relu:
      if (is_integral(type) && !is_signed_integer(type)) return as_it_is();
      return helper_call("max", result, {operands[0], Literal{Scalar(result)}});
    case Operator::Conjugate:
      return is_complex(type)
                 ? call_text(type == ElementType::Complex64 ? "__builtin_conjf" : "__builtin_conj", result, operands)
                 : as_it_is();
    case Operator::Real:
    case Operator::Imag: {
      if (!is_complex(type)) return node.op == Operator::Real ? as_it_is() : literal(Scalar(result));
      Piece value = converted_piece(operands[0], type);
      return {fmt::format("{} {}", node.op == Operator::Real ? "__real__" : "__imag__",
                          parenthesized(value, value.precedence < c_prefix)),
              c_prefix, result};
    }
    case Operator::Floor:
    case Operator::Ceil:
      if (is_integral(type)) return as_it_is();
      [[fallthrough]];
    default:
      return call_text(builtin(facts(node.op).name, type), type, operands);  // of libm, called as in index notation
  }
}

}  // namespace filigree::emit

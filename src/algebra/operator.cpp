#include "algebra/operator.h"

#include "algebra/user_function.h"
#include "algebra/function_registry.h"

namespace filigree {
namespace {

constexpr bool yes = true, no = false;
constexpr Notation infix = Notation::Infix, prefix = Notation::Prefix, call = Notation::Call;
using enum Typing;

// op, name, symbol, notation, arity, precedence, associative, commutative, idempotent, typing, complex, reduction,
// writable
constexpr OperatorFacts table[] = {
    {Operator::Add, "add", "+", infix, 2, 6, yes, yes, no, Promoted, yes, "sum", yes},
    {Operator::Subtract, "subtract", "-", infix, 2, 6, no, no, no, Arithmetic, yes, nullptr, yes},
    {Operator::Multiply, "multiply", "*", infix, 2, 7, yes, yes, no, Promoted, yes, "prod", yes},
    {Operator::Divide, "divide", "/", infix, 2, 7, no, no, no, TrueDivision, yes, nullptr, yes},
    {Operator::FloorDivide, "floor_divide", "//", infix, 2, 7, no, no, no, Arithmetic, no, nullptr, yes},
    {Operator::Remainder, "remainder", "%", infix, 2, 7, no, no, no, Arithmetic, no, nullptr, yes},
    {Operator::Power, "power", "^", infix, 2, 9, no, no, no, Arithmetic, yes, nullptr, yes},
    {Operator::Negate, "negate", "-", prefix, 1, 8, no, no, no, Arithmetic, yes, nullptr, yes},
    {Operator::Min, "min", "min", call, 2, 10, yes, yes, yes, Promoted, no, "min_over", yes},
    {Operator::Max, "max", "max", call, 2, 10, yes, yes, yes, Promoted, no, "max_over", yes},
    {Operator::Equal, "equal", "==", infix, 2, 5, no, yes, no, Comparison, yes, nullptr, yes},
    {Operator::NotEqual, "not_equal", "!=", infix, 2, 5, no, yes, no, Comparison, yes, nullptr, yes},
    {Operator::Less, "less", "<", infix, 2, 5, no, no, no, Comparison, no, nullptr, yes},
    {Operator::LessEqual, "less_equal", "<=", infix, 2, 5, no, no, no, Comparison, no, nullptr, yes},
    {Operator::Greater, "greater", ">", infix, 2, 5, no, no, no, Comparison, no, nullptr, yes},
    {Operator::GreaterEqual, "greater_equal", ">=", infix, 2, 5, no, no, no, Comparison, no, nullptr, yes},
    {Operator::And, "and", "and", infix, 2, 3, yes, yes, yes, Logic, yes, "all", yes},
    {Operator::Or, "or", "or", infix, 2, 1, yes, yes, yes, Logic, yes, "any", yes},
    {Operator::Xor, "xor", "xor", infix, 2, 2, yes, yes, no, Logic, yes, nullptr, yes},
    {Operator::Not, "not", "not", prefix, 1, 4, no, no, no, Logic, yes, nullptr, yes},
    {Operator::Abs, "abs", "abs", call, 1, 10, no, no, no, RealPart, yes, nullptr, yes},
    {Operator::Sqrt, "sqrt", "sqrt", call, 1, 10, no, no, no, Floating, yes, nullptr, yes},
    {Operator::Exp, "exp", "exp", call, 1, 10, no, no, no, Floating, yes, nullptr, yes},
    {Operator::Log, "log", "log", call, 1, 10, no, no, no, Floating, yes, nullptr, yes},
    {Operator::Sin, "sin", "sin", call, 1, 10, no, no, no, Floating, yes, nullptr, yes},
    {Operator::Cos, "cos", "cos", call, 1, 10, no, no, no, Floating, yes, nullptr, yes},
    {Operator::Tanh, "tanh", "tanh", call, 1, 10, no, no, no, Floating, yes, nullptr, yes},
    {Operator::Sign, "sign", "sign", call, 1, 10, no, no, no, Promoted, no, nullptr, yes},
    {Operator::Relu, "relu", "relu", call, 1, 10, no, no, no, Promoted, no, nullptr, yes},
    {Operator::Floor, "floor", "floor", call, 1, 10, no, no, no, Promoted, no, nullptr, yes},
    {Operator::Ceil, "ceil", "ceil", call, 1, 10, no, no, no, Promoted, no, nullptr, yes},
    {Operator::Conjugate, "conj", "conj", call, 1, 10, no, no, no, Promoted, yes, nullptr, yes},
    {Operator::Real, "real", "real", call, 1, 10, no, no, no, RealPart, yes, nullptr, yes},
    {Operator::Imag, "imag", "imag", call, 1, 10, no, no, no, RealPart, yes, nullptr, yes},
    {Operator::Select, "select", "select", call, 3, 10, no, no, no, Choice, yes, nullptr, yes},
    {Operator::Quotient, "quotient", "/", infix, 2, 7, no, no, no, Promoted, no, nullptr, no},
    {Operator::Modulus, "modulus", "%", infix, 2, 7, no, no, no, Promoted, no, nullptr, no},
};

ElementType promoted(const std::vector<ElementType>& operands) {
  ElementType type = operands[0];
  for (ElementType other : operands) type = promote(type, other);
  return type;
}

ElementType real_part(ElementType type) {
  if (type == ElementType::Complex64) return ElementType::Float32;
  return type == ElementType::Complex128 ? ElementType::Float64 : type;
}

/// As NumPy, with float32 where that has float16.
ElementType floating(ElementType type) {
  if (is_floating(type) || is_complex(type)) return type;
  return size_in_bytes(type) <= 2 ? ElementType::Float32 : ElementType::Float64;
}

}  // namespace

bool is_user_function(Operator op) { return op >= Operator::FirstUserFunction; }

const OperatorFacts& facts(Operator op) { return is_user_function(op) ? user_facts(op) : table[static_cast<int>(op)]; }

std::vector<Operator> writable_operators() {
  std::vector<Operator> all;
  for (const OperatorFacts& f : table) {
    if (f.in_index_notation) all.push_back(f.op);
  }
  for (Operator op : all_user_functions()) all.push_back(op);
  return all;
}

std::optional<Operator> find_function(std::string_view name) {
  if (name == "pow") return Operator::Power;  // b ^ 2 as a call
  for (Operator op : writable_operators()) {
    if (facts(op).notation == Notation::Call && name == facts(op).name) return op;
  }
  return std::nullopt;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (Operator op : writable_operators()) {
    if (facts(op).notation == Notation::Call) names.push_back(facts(op).name);
  }
  return names;
}

ElementType operand_type(Operator op, int position, const std::vector<ElementType>& operands) {
  switch (facts(op).typing) {
    case Promoted:
    case RealPart:
    case Comparison: return promoted(operands);
    case Arithmetic:
    case TrueDivision: return result_type(op, operands);
    case Floating: return floating(operands[0]);
    case Logic: return ElementType::Bool;
    case Choice: return position == 0 ? ElementType::Bool : result_type(op, operands);
    case User: return parameter_type(user_function(op), operands);
  }
  return operands[0];
}

ElementType result_type(Operator op, const std::vector<ElementType>& operands) {
  ElementType type = promoted(operands);
  switch (facts(op).typing) {
    case Promoted: return type;
    case Arithmetic: return type == ElementType::Bool ? ElementType::Int8 : type;
    case TrueDivision: return is_integer(type) || type == ElementType::Bool ? ElementType::Float64 : type;
    case Floating: return floating(type);
    case RealPart: return real_part(type);
    case Comparison:
    case Logic: return ElementType::Bool;
    case Choice: return operands.size() < 3 ? type : promote(operands[1], operands[2]);
    case User: return result_of(user_function(op), parameter_type(user_function(op), operands));
  }
  return type;
}

ElementType reduced_type(Operator op, ElementType body) {
  if (op == Operator::Add || op == Operator::Multiply) return body == ElementType::Bool ? ElementType::Int64 : body;
  return result_type(op, {body, body});
}

}  // namespace filigree

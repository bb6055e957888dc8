// Parentheses and conversions appear only where C would otherwise mean something else.  The rule for
// conversions: an operation of the IR is computed in the NumPy type of its operands; the text is
// right as soon as C's usual arithmetic conversions arrive at that type too.
#include "emit/c_expression.h"

#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "support/check.h"

namespace filigree::emit {

using namespace ir;  // its nodes
namespace {

constexpr int logical_or = 10, logical_and = 20, bit_or = 23, bit_and = 26, equality = 30, relation = 40, additive = 50,
              multiplicative = 60, prefix = c_prefix, primary = c_primary;

/// C's precedence, which is not that of index notation.
int c_precedence(Operator op) {
  if (op == Operator::Or) return logical_or;
  if (op == Operator::And) return logical_and;
  if (op == Operator::Equal || op == Operator::NotEqual || op == Operator::Xor) return equality;
  if (facts(op).typing == Typing::Comparison) return relation;
  return op == Operator::Add || op == Operator::Subtract ? additive : multiplicative;
}

const char* c_symbol(Operator op) {
  if (op == Operator::Or) return "||";
  if (op == Operator::And) return "&&";
  return op == Operator::Xor ? "!=" : facts(op).symbol;
}

bool is_narrow(ElementType type) { return size_in_bytes(type) < 4; }
bool is_integral(ElementType type) { return is_integer(type) || type == ElementType::Bool; }
bool is_double(ElementType type) { return type == ElementType::Float64 || type == ElementType::Complex128; }

/// C's usual arithmetic conversions.
ElementType usual_conversion(ElementType a, ElementType b) {
  if (is_integral(a) && is_integral(b)) {
    if (is_narrow(a)) a = ElementType::Int32;
    if (is_narrow(b)) b = ElementType::Int32;
    if (size_in_bytes(a) != size_in_bytes(b)) return size_in_bytes(a) > size_in_bytes(b) ? a : b;
    return is_signed_integer(a) ? b : a;
  }
  bool wide = is_double(a) || is_double(b);
  if (is_complex(a) || is_complex(b)) return wide ? ElementType::Complex128 : ElementType::Complex64;
  return wide ? ElementType::Float64 : ElementType::Float32;
}

/// Does C compare these two exactly, whatever type it computes in?
bool compares_exactly(ElementType a, ElementType b) {
  if (!is_integral(a) || !is_integral(b)) return false;
  return is_signed_integer(usual_conversion(a, b)) || (!is_signed_integer(a) && !is_signed_integer(b));
}

std::string float_text(double value, bool single) {
  if (std::isnan(value)) return single ? "__builtin_nanf(\"\")" : "__builtin_nan(\"\")";
  std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + (single ? "__builtin_inff()" : "__builtin_inf()");
  std::string text = single ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return single ? text + "f" : text;
}

bool is_ring_operator(Operator op) {
  return op == Operator::Add || op == Operator::Subtract || op == Operator::Multiply || op == Operator::Negate;
}

/// Logic and arithmetic on bools: a sum is "or", a product is "and".
const char* bit_symbol(Operator op) { return op == Operator::Add || op == Operator::Max ? "|" : "&"; }

std::string parenthesized(const Piece& piece, bool needed) { return needed ? "(" + piece.text + ")" : piece.text; }

Piece cast_piece(ElementType type, const Piece& value) {
  return {fmt::format("({}){}", c_name(type), parenthesized(value, value.precedence < prefix)), prefix, type};
}

Piece exact(Piece piece, ElementType type) { return piece.exact ? piece : cast_piece(type, piece); }

/// A negative integer literal, as what it subtracts.
std::optional<Expr> subtrahend(const Expr& expr) {
  const Literal* literal = expr.as<Literal>();
  if (!literal || !is_signed_integer(expr.type())) return std::nullopt;
  std::int64_t value = literal->value.as_int();
  if (value >= 0 || value == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
  Expr positive = Literal{Scalar::of(expr.type(), -value)};
  return is_literal(positive, -value) ? std::optional(positive) : std::nullopt;
}

}  // namespace

std::string type_suffix(ElementType type) {
  switch (type) {
    case ElementType::Bool: return "bool";
    case ElementType::Int8: return "i8";
    case ElementType::Int16: return "i16";
    case ElementType::Int32: return "i32";
    case ElementType::Int64: return "i64";
    case ElementType::UInt8: return "u8";
    case ElementType::UInt16: return "u16";
    case ElementType::UInt32: return "u32";
    case ElementType::UInt64: return "u64";
    case ElementType::Float32: return "f32";
    case ElementType::Float64: return "f64";
    case ElementType::Complex64: return "c64";
    case ElementType::Complex128: return "c128";
  }
  throw InternalError("emit", "unknown element type");
}

std::string ExpressionPrinter::converted(const Expr& expr) { return converted_piece(expr, expr.type()).text; }
std::string ExpressionPrinter::condition(const Expr& expr) { return piece(expr).text; }

Piece ExpressionPrinter::converted_piece(const Expr& expr, ElementType type) {
  const Cast* node = expr.as<Cast>();
  if (node && is_integer(type) && !is_integral(node->value.type())) return piece(expr);
  bool implicit = node && node->type == type && type != ElementType::Bool;
  // An index that was widened when it was loaded is narrowed again when it is stored.
  const Cast* widened = implicit && is_integer(type) ? node->value.as<Cast>() : nullptr;
  bool drop = widened && is_integer(widened->type) && is_integral(widened->value.type()) &&
              promote(widened->value.type(), widened->type) == widened->type;
  const Expr& source = drop ? widened->value : implicit ? node->value : expr;
  Piece text = piece(source);
  // Converting to an integer that is no wider keeps congruent values congruent.
  bool truncates = is_integral(source.type()) && is_integer(type) &&
                   size_in_bytes(type) <= size_in_bytes(source.type());
  return truncates ? text : exact(text, source.type());
}

Piece ExpressionPrinter::piece(const Expr& expr) {
  return match(
      expr, [&](const Literal& n) { return literal(n.value); },
      [&](const VarRef& n) {
        return Piece{names_.of(n.var), primary, n.var.type().element};
      },
      [&](const Apply& n) { return apply(n, expr.type()); },
      [&](const Load& n) {
        return Piece{fmt::format("{}[{}]", names_.of(n.array), converted(n.index)), primary, expr.type()};
      },
      [&](const Cast& n) { return cast(n.type, n.value); }, [&](const Call& n) { return call(n); });
}

Piece ExpressionPrinter::literal(const Scalar& value) {
  ElementType type = value.type();
  if (is_complex(type)) {
    bool single = type == ElementType::Complex64;
    std::complex<double> number = value.as_complex();
    return {
        fmt::format("__builtin_complex({}, {})", float_text(number.real(), single), float_text(number.imag(), single)),
        primary, type};
  }
  if (is_floating(type)) {
    std::string text = float_text(value.as_double(), type == ElementType::Float32);
    return {text, text[0] == '-' ? prefix : primary, type};
  }
  std::int64_t number = value.as_int();
  if (number >= std::numeric_limits<std::int32_t>::min() + 1 && number <= std::numeric_limits<std::int32_t>::max() &&
      (type != ElementType::UInt64 || number >= 0)) {
    return {std::to_string(number), number < 0 ? prefix : primary, ElementType::Int32};
  }
  if (type == ElementType::UInt64) return {fmt::format("{}ull", static_cast<std::uint64_t>(number)), primary, type};
  if (type == ElementType::UInt32) return {fmt::format("{}u", number), primary, type};
  if (number == std::numeric_limits<std::int64_t>::min()) return {"(-9223372036854775807 - 1)", primary, type};
  return {std::to_string(number), number < 0 ? prefix : primary, ElementType::Int64};
}

Piece ExpressionPrinter::call(const Call& node) {
  std::string name = function_name(node.function);
  if (is_on_array(node.function)) {
    name += "_" + type_suffix(node.arguments[0].type());
    helpers_.insert(name);
    if (node.function == Function::Sort && node.arguments.size() > 2) helpers_.insert(name += "_set");
  } else if (node.function == Function::SortSegment || node.function == Function::Fetch) {
    helpers_.insert(name);
  } else {
    helpers_.insert("table");
  }
  std::string arguments;
  for (const Expr& argument : node.arguments) {
    if (!arguments.empty()) arguments += ", ";
    const VarRef* var = argument.as<VarRef>();
    arguments += var ? names_.of(var->var) : converted(argument);
  }
  return {fmt::format("{}({})", name, arguments), primary, ElementType::Int64};
}

Piece ExpressionPrinter::cast(ElementType type, const Expr& value) {
  Piece source = piece(value);
  if (type == ElementType::Bool && value.type() != ElementType::Bool) {
    source = exact(source, value.type());
    return infix(source, "!=", literal(Scalar::of(ElementType::Int64, std::int64_t{0})), equality, ElementType::Int32);
  }
  if (is_integer(type) && !is_integral(value.type())) {
    // C leaves open what becomes of numbers that do not fit.
    ElementType whole = type == ElementType::UInt64 ? type : ElementType::Int64;
    std::string helper = type_suffix(whole) + "_of";
    helpers_.insert(helper);
    source = {fmt::format("{}({})", helper, source.text), primary, whole};
    return whole == type ? source : cast_piece(type, source);
  }
  bool truncates = is_integral(value.type()) && is_integer(type) && size_in_bytes(type) <= size_in_bytes(value.type());
  if (!truncates) source = exact(source, value.type());
  return source.type == type && source.exact ? source : cast_piece(type, source);
}

ExpressionPrinter::OperandText ExpressionPrinter::operand(const Expr& expr, ElementType type, bool modular) {
  const Cast* node = expr.as<Cast>();
  bool implicit = node && node->type == type && type != ElementType::Bool && promote(node->value.type(), type) == type;
  const Expr& source = implicit ? node->value : expr;
  const Literal* whole = source.as<Literal>();
  if (whole && is_integer(source.type()) && is_floating(type)) return {literal(whole->value.cast(type)), false};
  Piece text = piece(source);
  if (!modular || source.type() != type) text = exact(text, source.type());
  return {text, implicit};
}

Piece ExpressionPrinter::infix(const Piece& a, const std::string& symbol, const Piece& b, int precedence,
                               ElementType type) {
  // Where compilers ask for parentheses that C does not need, readers want them too.
  auto unclear = [&](const Piece& side) {
    if (precedence == bit_or || precedence == bit_and) return side.precedence < prefix;
    if (precedence == logical_or) return side.precedence == logical_and;
    if (precedence == equality || precedence == relation) {
      return side.precedence == equality || side.precedence == relation || side.text[0] == '!';
    }
    return false;
  };
  bool associative = symbol == "&&" || symbol == "||";
  bool wrap_a = a.precedence < precedence || unclear(a);
  bool wrap_b = b.precedence < precedence || (b.precedence == precedence && !associative) || unclear(b);
  return {fmt::format("{} {} {}", parenthesized(a, wrap_a), symbol, parenthesized(b, wrap_b)), precedence, type};
}

Piece ExpressionPrinter::helper_call(const std::string& name, ElementType type, const std::vector<Expr>& operands) {
  std::string helper = name + "_" + type_suffix(type);
  helpers_.insert(helper);
  return call_text(helper, type, operands);
}

Piece ExpressionPrinter::call_text(const std::string& function, ElementType type, const std::vector<Expr>& operands) {
  std::string list;
  for (const Expr& operand : operands) list += (list.empty() ? "" : ", ") + converted_piece(operand, type).text;
  return {fmt::format("{}({})", function, list), primary, type};
}

Piece ExpressionPrinter::arithmetic(Operator op, const Expr& a, const Expr& b, ElementType type) {
  if (op == Operator::Add) {
    if (std::optional<Expr> positive = subtrahend(b)) return arithmetic(Operator::Subtract, a, *positive, type);
  }
  int precedence = c_precedence(op);
  const char* symbol = c_symbol(op);
  bool modular = is_ring_operator(op) && is_integral(type);
  auto [left, left_implicit] = operand(a, type, modular);
  auto [right, right_implicit] = operand(b, type, modular);
  ElementType wanted = is_narrow(type) ? ElementType::Int32 : type;
  auto fits = [&](ElementType x, ElementType y) { return usual_conversion(x, y) == wanted; };
  if (!fits(left.type, right.type)) {
    // One conversion is enough; prefer to write one that the program has.
    if (left_implicit && fits(type, right.type)) {
      left = cast_piece(type, left);
    } else if (right_implicit && fits(left.type, type)) {
      right = cast_piece(type, right);
    } else {
      left = cast_piece(type, left);
      if (!fits(type, right.type)) right = cast_piece(type, right);
    }
  }
  // Every operation on narrow integers is one on ints in C.
  Piece result = infix(left, symbol, right, precedence, wanted);
  result.exact = !is_narrow(type);
  return result;
}

/// Operands are not negative, so every signed type that holds both gives the same result: C's own choice will do.
Piece ExpressionPrinter::integer_division(Operator op, const Expr& a, const Expr& b, ElementType type) {
  Piece left = operand(a, type, false).text, right = operand(b, type, false).text;
  ElementType common = usual_conversion(left.type, right.type);
  if (!is_signed_integer(common) && common != type) {
    left = cast_piece(type, left);
    common = usual_conversion(left.type, right.type);
  }
  return infix(left, c_symbol(op), right, c_precedence(op), common);
}

Piece ExpressionPrinter::comparison(Operator op, const Expr& a, const Expr& b) {
  ElementType type = promote(a.type(), b.type());
  Piece left = operand(a, type, false).text, right = operand(b, type, false).text;
  ElementType wanted = is_narrow(type) ? ElementType::Int32 : type;
  if (usual_conversion(left.type, right.type) != wanted && !compares_exactly(left.type, right.type)) {
    left = cast_piece(type, left);
  }
  return infix(left, c_symbol(op), right, c_precedence(op), ElementType::Int32);
}

Piece ExpressionPrinter::apply(const Apply& node, ElementType result) {
  const std::vector<Expr>& operands = node.operands;
  if (static_cast<int>(operands.size()) != facts(node.op).arity) {
    // No program, but the verifier's message has to show it.
    std::string list;
    for (const Expr& operand : operands) list += (list.empty() ? "" : ", ") + piece(operand).text;
    return {fmt::format("{}({})", facts(node.op).name, list), primary, result};
  }
  Typing typing = facts(node.op).typing;
  if (typing == Typing::Comparison) return comparison(node.op, operands[0], operands[1]);
  if (node.op == Operator::Not) {
    Piece value = piece(operands[0]);
    return {"!" + parenthesized(value, value.precedence < prefix), prefix, ElementType::Int32};
  }
  if (typing == Typing::Logic) {
    return infix(piece(operands[0]), c_symbol(node.op), piece(operands[1]), c_precedence(node.op), ElementType::Int32);
  }
  if (node.op == Operator::Negate) {
    Piece value = operand(operands[0], result, is_integral(result)).text;
    bool narrow = is_narrow(result);
    if (!narrow && usual_conversion(value.type, value.type) != result) value = cast_piece(result, value);
    bool wrap = value.precedence < prefix || value.text[0] == '-';
    return {"-" + parenthesized(value, wrap), prefix, narrow ? ElementType::Int32 : result, !narrow};
  }
  bool min_or_max = node.op == Operator::Min || node.op == Operator::Max;
  if (!min_or_max && (facts(node.op).notation == Notation::Call || node.op == Operator::FloorDivide ||
                      node.op == Operator::Remainder || node.op == Operator::Power)) {
    return function(node, result);
  }
  if (result == ElementType::Bool) {
    const char* symbol = bit_symbol(node.op);
    return infix(piece(operands[0]), symbol, piece(operands[1]), *symbol == '|' ? bit_or : bit_and, ElementType::Int32);
  }
  bool complex_product = is_complex(result) && (node.op == Operator::Multiply || node.op == Operator::Divide);
  if (complex_product || min_or_max) return helper_call(facts(node.op).name, result, operands);
  if (node.op == Operator::Quotient || node.op == Operator::Modulus) {
    return integer_division(node.op, operands[0], operands[1], result);
  }
  return arithmetic(node.op, operands[0], operands[1], result);
}

namespace {

/// Is this the value of `self`, perhaps widened?
bool reads(const Expr& expr, const Expr& self) {
  const Cast* cast = expr.as<Cast>();
  return expr == self || (cast && cast->value == self && promote(self.type(), cast->type) == cast->type);
}

}  // namespace

std::optional<std::string> ExpressionPrinter::compound(const Expr& self, const Expr& value) {
  const Cast* narrowed = value.as<Cast>();
  const Apply* node = (narrowed ? narrowed->value : value).as<Apply>();
  if (!node || node->operands.size() != 2) return std::nullopt;
  ElementType type = narrowed ? narrowed->value.type() : value.type();
  Expr own = node->operands[0], other = node->operands[1];
  if (!reads(own, self) && facts(node->op).commutative) std::swap(own, other);
  if (!reads(own, self)) return std::nullopt;
  Operator op = node->op;
  bool on_numbers = op == Operator::Add || op == Operator::Multiply || op == Operator::Min || op == Operator::Max;
  if (on_numbers && type == ElementType::Bool) return fmt::format(" {}= {}", bit_symbol(op), piece(other).text);
  bool arithmetic_operator = is_ring_operator(op) || op == Operator::Divide;
  if (!arithmetic_operator || (is_complex(type) && op != Operator::Add && op != Operator::Subtract))
    return std::nullopt;
  if (op == Operator::Add) {
    if (std::optional<Expr> positive = subtrahend(other)) op = Operator::Subtract, other = *positive;
  }
  std::string amount;
  if (is_integer(self.type()) && is_integer(type) && is_ring_operator(op)) {
    // The result is truncated to `self`, so only the low bits of the operand count.
    if (is_literal(other, 1) && op != Operator::Multiply) return op == Operator::Add ? "++" : "--";
    const Cast* widened = other.as<Cast>();
    bool drop = widened && is_integral(widened->value.type()) && promote(widened->value.type(), type) == type;
    Piece text = piece(drop ? widened->value : other);
    ElementType from = drop ? widened->value.type() : other.type();
    amount = (size_in_bytes(from) < size_in_bytes(self.type()) ? exact(text, from) : text).text;
  } else {
    if (!(own == self)) return std::nullopt;
    auto [text, implicit] = operand(other, type, false);
    if (implicit && usual_conversion(self.type(), text.type) != type) text = cast_piece(type, text);
    if (usual_conversion(self.type(), text.type) != type) return std::nullopt;
    amount = text.text;
  }
  return fmt::format(" {}= {}", c_symbol(op), amount);
}

}  // namespace filigree::emit

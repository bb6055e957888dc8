// The one table of operators: spelling, types and the algebra that all sparsity reasoning uses.
// A new operator is one enumerator, one row of the table and one line in `evaluate`; functions that users add at run
// time (user_function.h) get numbers after those of the table, and every question below answers for them too.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "algebra/scalar.h"

namespace filigree {

/// FloorDivide rounds down and Remainder takes the divisor's sign, as in Python: -7 // 2 == -4 and -7 % 2 == 1.
/// Integers divided by zero give 0, as in NumPy; floats what IEEE says.  An integer to a negative power is rounded
/// towards zero, and 0 for 0. Quotient and Modulus are what generated code computes indices with, which are not
/// negative.
enum class Operator {
  Add,
  Subtract,
  Multiply,
  Divide,
  FloorDivide,
  Remainder,
  Power,
  Negate,
  Min,
  Max,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  And,
  Or,
  Xor,
  Not,
  Abs,
  Sqrt,
  Exp,
  Log,
  Sin,
  Cos,
  Tanh,
  Sign,
  Relu,
  Floor,
  Ceil,
  Conjugate,
  Real,
  Imag,
  Select,
  Quotient,
  Modulus,
  FirstUserFunction,
};

/// How an operator is written in index notation.
enum class Notation { Infix, Prefix, Call };

/// The types of an operation.  Promoted: operands are converted to the type they promote to, which is the result's.
/// Arithmetic: the same, but bools become int8.  TrueDivision: integers and bools become float64.  Floating: integers
/// and bools become floats, float32 up to 16 bits.  RealPart: the result of complex operands is real.  Comparison: of
/// promoted operands, a bool.  Logic: of bools, a bool.  Choice: a bool chooses between promoted operands.  User: see
/// user_function.h.
enum class Typing { Promoted, Arithmetic, TrueDivision, Floating, RealPart, Comparison, Logic, Choice, User };

struct OperatorFacts {
  Operator op;
  const char* name;    // "floor_divide"
  const char* symbol;  // as people write it: "//"; for calls the function's name
  Notation notation;
  int arity;
  int precedence;  // of infix and prefix forms, larger binds tighter; as in Python
  bool associative;
  bool commutative;
  bool idempotent;  // x op x == x
  Typing typing;
  bool takes_complex;      // is it defined for complex numbers?
  const char* reduction;   // what a reduction by it is called: "sum"; null if it has no name of its own
  bool in_index_notation;  // may a person write it?
};

const OperatorFacts& facts(Operator op);
bool is_user_function(Operator op);
/// Every operator that a person may write, in the table's order; then the users' functions.
std::vector<Operator> writable_operators();
/// The operator a person means by a function name such as "min".
std::optional<Operator> find_function(std::string_view name);
std::vector<std::string> function_names();

/// Is there something to start a reduction from, and does the order in which it combines not matter?
bool can_reduce(Operator op);

/// The type of `op` applied to operands of these types.
ElementType result_type(Operator op, const std::vector<ElementType>& operands);
/// The type to which operand number `position` is converted before `op` is computed.
ElementType operand_type(Operator op, int position, const std::vector<ElementType>& operands);
/// A reduction's type: its body's, but a sum or product of bools is int64, as in NumPy.
ElementType reduced_type(Operator op, ElementType body);

/// e with `x op e == e op x == x` for all x of `type`; what a reduction by `op` starts from.
std::optional<Scalar> identity(Operator op, ElementType type);
/// The value after which a reduction by `op` cannot change any more, whatever comes, if it is a likely one.
std::optional<Scalar> final_value(Operator op, ElementType type);
/// Is a reduction of so many equal values told by their number: n*x, x^n or x?
bool reduces_at_once(Operator op, const Scalar& value, ElementType type);
/// Is outer(reduce by inner of x, y) the reduction by inner of outer(x, y)?  `*` over `+`; `+` over min and
/// max where nothing wraps.
bool distributes_over(Operator outer, Operator inner, ElementType type);
/// Does a structural `value` as operand number `position` decide the result alone (x*0, 0/x)?
/// Then this is the result.  Applied to absent operands only, never to stored values.
std::optional<Scalar> annihilated(Operator op, int position, const Scalar& value, ElementType result);
/// May operand `position` with this value be dropped, leaving the other operand (x+0, x-0, x/1) in the type `result`?
bool is_neutral(Operator op, int position, const Scalar& value, ElementType result);

/// The value; operands are first converted to the types the operation is computed in.
Scalar evaluate(Operator op, const std::vector<Scalar>& operands);

/// What is left of `op(operands)` when some operands are known structurally (their operand of
/// the expression is absent, so they hold the fill).  This is the rule behind every decision about
/// sparsity; notation/substitute.h applies it to whole expressions.
struct Constant {
  Scalar value;
};  // the result is this value
struct Operand {
  int position;
};  // the result is that operand, converted to the result's type
struct Negated {
  int position;
};                    // the result is minus that operand, computed in the result's type
struct Unchanged {};  // nothing is known
using Simplified = std::variant<Constant, Operand, Negated, Unchanged>;
/// `decides` is false where no operand alone may decide: see decides_alone.
Simplified simplify(Operator op, const std::vector<std::optional<Scalar>>& known, ElementType result,
                    bool decides = true);
/// May one operand decide `op` alone, if these are the fills of its operands?  Not where they would decide differently,
/// which only infinities of different signs in a sum do: whoever is absent first would win.
bool decides_alone(Operator op, const std::vector<std::optional<Scalar>>& fills);

}  // namespace filigree

// The one table of operators: arity, spelling and the algebra that all sparsity reasoning uses.
// A new operator is one enumerator, one row of the table and one line in `evaluate`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "algebra/scalar.h"

namespace filigree {

/// FloorDivide rounds down and Remainder takes the divisor's sign, as in Python: -7 // 2 == -4 and -7 % 2 == 1.
/// By zero both give 0, as NumPy does for integers.  Conjugate leaves what is not complex as it is.
enum class Operator {
  Add, Subtract, Multiply, Divide, Negate, Min, Max, Conjugate,                    // on numbers
  FloorDivide, Remainder,                                                          // on integers; generated code
  Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, And, Or, Not, // generated code
};

/// How an operator is written in index notation and in C.
enum class Notation { Infix, Prefix, Call };

struct OperatorFacts {
  Operator op;
  const char* name;      // "min"
  const char* symbol;    // "+"; for calls the function's name
  Notation notation;
  int arity;
  int precedence;        // of infix and prefix forms, larger binds tighter
  bool associative;
  bool commutative;
  bool idempotent;       // x op x == x
  bool in_index_notation;  // may a person write it?
};

const OperatorFacts& facts(Operator op);
/// The operator a person means by a function name such as "min".
std::optional<Operator> find_function(std::string_view name);
std::vector<std::string> function_names();

/// The type of `op` applied to operands of these types: NumPy's promotion; `/` on integers is
/// float64; `//` and `%` on bools are int8; comparisons and logic are bool.
ElementType result_type(Operator op, const std::vector<ElementType>& operands);

/// e with `x op e == e op x == x` for all x of `type`; what a reduction by `op` starts from.
std::optional<Scalar> identity(Operator op, ElementType type);
/// Is outer(reduce by inner of x, y) the reduction by inner of outer(x, y)?  `*` over `+`; `+` over min and
/// max where nothing wraps.
bool distributes_over(Operator outer, Operator inner, ElementType type);
/// Does a structural `value` as operand number `position` decide the result alone (x*0, 0/x)?
/// Then this is the result.  Applied to absent operands only, never to stored values.
std::optional<Scalar> annihilated(Operator op, int position, const Scalar& value, ElementType result);
/// May operand `position` with this value be dropped, leaving the other operand (x+0, x-0, x/1)?
bool is_neutral(Operator op, int position, const Scalar& value);

/// The value; operands are first converted to the type the operation is computed in.
Scalar evaluate(Operator op, const std::vector<Scalar>& operands);

/// What is left of `op(operands)` when some operands are known structurally (their operand of
/// the expression is absent, so they hold the fill).  This is the rule behind every decision about
/// sparsity; notation/substitute.h applies it to whole expressions.
struct Constant { Scalar value; };      // the result is this value
struct Operand { int position; };       // the result is that operand
struct Negated { int position; };       // the result is minus that operand
struct Unchanged {};                    // nothing is known
using Simplified = std::variant<Constant, Operand, Negated, Unchanged>;
Simplified simplify(Operator op, const std::vector<std::optional<Scalar>>& known, ElementType result);

}  // namespace filigree

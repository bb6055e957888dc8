// Functions that users add to index notation: a C expression for generated code, a callable that computes the same for
// the interpreter and for fills, and the algebra that lets sparsity survive.
//
//   add_function({.name = "huber", .parameters = {"x", "d"},
//                 .c_expression = "x < d ? 0.5 * x * x : d * (x - 0.5 * d)",
//                 .value = [](const std::vector<Scalar>& v) { ... }});
//   parse("r(i) = huber(a(i), 1.5)")
//
// The C expression is one expression over the parameters; it may call the functions of libm as __builtin_exp(x).  All
// parameters have one type, `computed_in` of what the operands promote to; the C expression is converted to `result` of
// that type.  Both texts must compute the same: nothing can check that without running a kernel.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "algebra/operator.h"

namespace filigree {

/// Operand `position` (-1: any) with this value decides the result.
struct Annihilator {
  int position = -1;
  double value = 0;
  double result = 0;
};

struct UserFunction {
  std::string name;
  std::vector<std::string> parameters;  // one to three
  std::string c_expression;
  std::function<Scalar(const std::vector<Scalar>&)> value;

  /// The type of the parameters, from what the operands promote to; that type itself if not given.
  std::function<ElementType(ElementType)> computed_in = {};
  /// The type of the result, from the type of the parameters; that type itself if not given.
  std::function<ElementType(ElementType)> result = {};

  // Of functions of two parameters.  One that is associative, commutative and has an identity can reduce:
  // reduce(f, k, ...) and `f=`.
  bool associative = false;
  bool commutative = false;
  bool idempotent = false;
  std::optional<double> identity = {};
  // Of all.
  std::vector<Annihilator> annihilators = {};
};

/// Makes the function known for the rest of the process, to parsers as well.  Adding the same name again is refused,
/// and so is algebra that `value` contradicts for small numbers.
Operator add_function(UserFunction function);

/// Requires: is_user_function(op).
const UserFunction& user_function(Operator op);
/// The type of all parameters for operands of these types.
ElementType parameter_type(const UserFunction& function, const std::vector<ElementType>& operands);
ElementType result_of(const UserFunction& function, ElementType parameter);

}  // namespace filigree

#include "tests/reference/functions.h"

#include "algebra/user_function.h"

namespace filigree::reference {
namespace {

/// Arithmetic has no bools.
ElementType arithmetic(ElementType type) { return type == ElementType::Bool ? ElementType::Int64 : type; }

Scalar apply(Operator op, const Scalar& a, const Scalar& b) { return evaluate(op, {a, b}).cast(a.type()); }

}  // namespace

void add_functions() {
  UserFunction joined{.name = "joined", .parameters = {"a", "b"}, .c_expression = "a + b", .value = {}};
  joined.value = [](const std::vector<Scalar>& v) { return apply(Operator::Add, v[0], v[1]); };
  joined.computed_in = arithmetic;
  joined.associative = joined.commutative = true;
  joined.identity = 0;
  add_function(joined);

  UserFunction masked{.name = "masked", .parameters = {"a", "b"}, .c_expression = "b != 0 ? a : 0", .value = {}};
  masked.value = [](const std::vector<Scalar>& v) { return v[1].is_zero() ? Scalar(v[0].type()) : v[0]; };
  masked.computed_in = arithmetic;
  masked.annihilators = {{.position = 0, .value = 0, .result = 0}, {.position = 1, .value = 0, .result = 0}};
  add_function(masked);

  UserFunction squared{.name = "squared", .parameters = {"a"}, .c_expression = "a * a", .value = {}};
  squared.value = [](const std::vector<Scalar>& v) { return apply(Operator::Multiply, v[0], v[0]); };
  squared.computed_in = arithmetic;
  add_function(squared);
}

}  // namespace filigree::reference

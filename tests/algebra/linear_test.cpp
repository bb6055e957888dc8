#include "algebra/linear.h"

#include <gtest/gtest.h>

namespace filigree {
namespace {

/// Of a few numbers, is `op` of a sum the sum of its values?
bool looks_linear(Operator op, int position, ElementType type) {
  auto number = [&](double re, double im) {
    return is_complex(type) ? Scalar::of(type, std::complex<double>(re, im)) : Scalar::of(type, re);
  };
  auto applied = [&](const Scalar& value) {
    std::vector<Scalar> operands(static_cast<size_t>(facts(op).arity), number(2, 0));
    operands[static_cast<size_t>(position)] = value;
    return evaluate(op, operands).as_complex();
  };
  for (auto [a, b] : {std::pair{3., -4.}, std::pair{1.5, 8.25}, std::pair{2.5, -2.5}, std::pair{2., 2.}}) {
    Scalar x = number(a, b), y = number(b, 2 * a);
    if (applied(x) + applied(y) != applied(evaluate(Operator::Add, {x, y}))) return false;
  }
  return true;
}

TEST(IsLinearIn, AgreesWithTheValues) {
  for (Operator op : writable_operators()) {
    if (is_user_function(op)) continue;
    for (int position = 0; position < facts(op).arity; position++) {
      bool linear = looks_linear(op, position, ElementType::Float64) &&
                    (!facts(op).takes_complex || looks_linear(op, position, ElementType::Complex128));
      // Of select, it depends on what the other branch is.
      EXPECT_EQ(is_linear_in(op, position), linear && op != Operator::Select) << facts(op).name << " " << position;
    }
  }
}

}  // namespace
}  // namespace filigree

// The algebra that sparsity rests on is what the operators compute.
#include "algebra/operator.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/algebra/values.h"

namespace filigree {
namespace {

bool takes(Operator op, ElementType type) {
  if (facts(op).typing == Typing::Logic) return type == ElementType::Bool;
  return facts(op).takes_complex || !is_complex(type);
}

/// Calls `visit` for every binary operator of the table and every type it is defined for.
template <class Visit>
void for_each_operator(Visit visit) {
  for (Operator op : writable_operators()) {
    for (ElementType type : all_element_types()) {
      if (facts(op).arity == 2 && takes(op, type)) visit(op, type);
    }
  }
}

std::string label(Operator op, ElementType type, const Scalar& a, const Scalar& b) {
  return std::string(facts(op).name) + " on " + to_string(type) + ": " + to_string(a) + ", " + to_string(b);
}

TEST(Facts, StandInTheOrderOfTheEnumeration) {
  for (int n = 0; n < static_cast<int>(Operator::FirstUserFunction); n++)
    EXPECT_EQ(static_cast<int>(facts(static_cast<Operator>(n)).op), n);
}

TEST(Facts, CommutativeOperatorsCommute) {
  for_each_operator([](Operator op, ElementType type) {
    if (!facts(op).commutative) return;
    for (const Scalar& a : values_of(type)) {
      for (const Scalar& b : values_of(type))
        EXPECT_EQ(evaluate(op, {a, b}), evaluate(op, {b, a})) << label(op, type, a, b);
    }
  });
}

TEST(Facts, AssociativeOperatorsAssociateOnIntegers) {
  for_each_operator([](Operator op, ElementType type) {
    if (!facts(op).associative || is_floating(type) || is_complex(type)) return;
    std::vector<Scalar> values = values_of(type);
    for (size_t n = 2; n < values.size(); n++) {
      const Scalar &a = values[n], &b = values[n - 1], &c = values[n - 2];
      EXPECT_EQ(evaluate(op, {evaluate(op, {a, b}), c}), evaluate(op, {a, evaluate(op, {b, c})}))
          << label(op, type, a, b);
    }
  });
}

TEST(Facts, IdempotentOperatorsKeepAValue) {
  for_each_operator([](Operator op, ElementType type) {
    if (!facts(op).idempotent) return;
    for (const Scalar& a : values_of(type)) EXPECT_EQ(evaluate(op, {a, a}), a) << label(op, type, a, a);
  });
}

TEST(Identity, ChangesNothingOnEitherSide) {
  for_each_operator([](Operator op, ElementType type) {
    std::optional<Scalar> e = identity(op, type);
    if (!e) return;
    EXPECT_EQ(e->type(), type);
    for (const Scalar& a : values_of(type)) {
      EXPECT_EQ(evaluate(op, {a, *e}), a) << label(op, type, a, *e);
      EXPECT_EQ(evaluate(op, {*e, a}), a) << label(op, type, *e, a);
    }
  });
}

TEST(Identity, ExistsForWhatReduces) {
  for (ElementType type : all_element_types()) {
    EXPECT_TRUE(identity(Operator::Add, type) && identity(Operator::Multiply, type));
    EXPECT_EQ(identity(Operator::Min, type).has_value(), !is_complex(type));
  }
  EXPECT_FALSE(identity(Operator::Subtract, ElementType::Float64));
}

TEST(Annihilated, IsWhatTheOperatorComputes) {
  for_each_operator([](Operator op, ElementType type) {
    for (const Scalar& known : values_of(type)) {
      for (int position : {0, 1}) {
        ElementType result = result_type(op, {type, type});
        std::optional<Scalar> value = annihilated(op, position, known, result);
        if (!value) continue;
        EXPECT_EQ(value->type(), result);
        for (const Scalar& other : values_of(type)) {
          // Structure annihilates infinities and divisors of zero too; arithmetic need not agree there.
          bool divides = op == Operator::Divide || op == Operator::FloorDivide || op == Operator::Remainder;
          if (std::isinf(other.as_double()) ||
              (divides && other.is_zero() && (op == Operator::Divide || !is_integer(type))))
            continue;
          Scalar computed = position == 0 ? evaluate(op, {known, other}) : evaluate(op, {other, known});
          EXPECT_EQ(computed, *value) << label(op, type, known, other);
        }
      }
    }
  });
}

TEST(Annihilated, KnowsZeroAndTheExtremes) {
  Scalar zero(ElementType::Float64),
      infinity = Scalar::of(ElementType::Float64, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(annihilated(Operator::Multiply, 0, zero, ElementType::Float64));
  EXPECT_TRUE(annihilated(Operator::Multiply, 1, zero, ElementType::Float64));
  EXPECT_TRUE(annihilated(Operator::Divide, 0, zero, ElementType::Float64));
  EXPECT_FALSE(annihilated(Operator::Divide, 1, zero, ElementType::Float64));
  EXPECT_FALSE(annihilated(Operator::Add, 0, zero, ElementType::Float64));
  EXPECT_TRUE(annihilated(Operator::Max, 0, infinity, ElementType::Float64));
  EXPECT_FALSE(annihilated(Operator::Min, 0, infinity, ElementType::Float64));
}

TEST(IsNeutral, LeavesTheOtherOperand) {
  for_each_operator([](Operator op, ElementType type) {
    if (result_type(op, {type, type}) != type) return;
    for (const Scalar& known : values_of(type)) {
      for (int position : {0, 1}) {
        if (!is_neutral(op, position, known, type)) continue;
        for (const Scalar& other : values_of(type)) {
          Scalar computed = position == 0 ? evaluate(op, {known, other}) : evaluate(op, {other, known});
          EXPECT_EQ(computed, other) << label(op, type, known, other);
        }
      }
    }
  });
}

TEST(Simplify, AgreesWithEvaluateWhenAllIsKnown) {
  for_each_operator([](Operator op, ElementType type) {
    ElementType result = result_type(op, {type, type});
    for (const Scalar& a : values_of(type)) {
      for (const Scalar& b : values_of(type)) {
        if (annihilated(op, 0, a, result) || annihilated(op, 1, b, result)) continue;  // structure comes first
        Simplified simplified = simplify(op, {a, b}, result);
        ASSERT_TRUE(std::holds_alternative<Constant>(simplified)) << label(op, type, a, b);
        EXPECT_EQ(std::get<Constant>(simplified).value, evaluate(op, {a, b}).cast(result)) << label(op, type, a, b);
      }
    }
  });
}

TEST(Simplify, KeepsTheOperandThatIsLeft) {
  Scalar zero(ElementType::Float64), two = Scalar::of(ElementType::Float64, 2.0);
  EXPECT_EQ(std::get<Operand>(simplify(Operator::Add, {zero, std::nullopt}, ElementType::Float64)).position, 1);
  EXPECT_EQ(std::get<Operand>(simplify(Operator::Subtract, {std::nullopt, zero}, ElementType::Float64)).position, 0);
  EXPECT_EQ(std::get<Negated>(simplify(Operator::Subtract, {zero, std::nullopt}, ElementType::Float64)).position, 1);
  EXPECT_TRUE(std::holds_alternative<Unchanged>(simplify(Operator::Add, {two, std::nullopt}, ElementType::Float64)));
  EXPECT_TRUE(std::holds_alternative<Unchanged>(simplify(Operator::Max, {zero, std::nullopt}, ElementType::Float64)));
}

/// Are products and sums of such numbers exact?
bool is_exact(const Scalar& value) {
  double eighths = 8 * value.as_double();
  return is_integer(value.type()) || value.type() == ElementType::Bool ||
         (std::abs(eighths) < 2000 && eighths == std::floor(eighths));
}

TEST(DistributesOver, HoldsWhereverItIsClaimed) {
  int claims = 0;
  for_each_operator([&](Operator outer, ElementType type) {
    for (Operator inner : writable_operators()) {
      if (facts(inner).arity != 2 || !takes(inner, type) || !distributes_over(outer, inner, type)) continue;
      claims++;
      std::vector<Scalar> values = values_of(type);
      for (size_t n = 2; n < values.size(); n++) {
        const Scalar &x = values[n], &y = values[n - 1], &z = values[n - 2];
        Scalar left = evaluate(outer, {evaluate(inner, {x, y}), z}),
               right = evaluate(inner, {evaluate(outer, {x, z}), evaluate(outer, {y, z})});
        if (is_exact(x) && is_exact(y) && is_exact(z)) {
          EXPECT_EQ(left, right) << label(outer, type, x, y) << ", " << to_string(z) << " over " << facts(inner).name;
        }
      }
    }
  });
  EXPECT_GT(claims, 10);
}

TEST(Evaluate, DividesIntegersAsFloats) {
  Scalar one = Scalar::of(ElementType::Int32, std::int64_t{1}), two = Scalar::of(ElementType::Int32, std::int64_t{2});
  EXPECT_EQ(evaluate(Operator::Divide, {one, two}), Scalar::of(ElementType::Float64, 0.5));
}

std::int64_t on_int64(Operator op, std::int64_t a, std::int64_t b) {
  return evaluate(op, {Scalar::of(ElementType::Int64, a), Scalar::of(ElementType::Int64, b)}).as_int();
}

TEST(Evaluate, RoundsQuotientsDownAndGivesRemaindersTheDivisorsSign) {
  struct {
    std::int64_t a, b, quotient, remainder;
  } const examples[] = {{7, 2, 3, 1},   {-7, 2, -4, 1}, {7, -2, -4, -1}, {-7, -2, 3, -1},
                        {-8, 2, -4, 0}, {0, 5, 0, 0},   {5, 0, 0, 0},    {-5, 0, 0, 0}};
  for (const auto& [a, b, quotient, remainder] : examples) {
    EXPECT_EQ(on_int64(Operator::FloorDivide, a, b), quotient) << a << " // " << b;
    EXPECT_EQ(on_int64(Operator::Remainder, a, b), remainder) << a << " % " << b;
  }
}

TEST(Evaluate, QuotientsAtTheEndsOfTheRangeWrap) {
  std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(on_int64(Operator::FloorDivide, lowest, -1), lowest);
  EXPECT_EQ(on_int64(Operator::Remainder, lowest, -1), 0);
  Scalar low = Scalar::of(ElementType::Int8, std::int64_t{-128}),
         minus_one = Scalar::of(ElementType::Int8, std::int64_t{-1});
  EXPECT_EQ(evaluate(Operator::FloorDivide, {low, minus_one}), low);
  Scalar large = Scalar::of(ElementType::UInt64, std::int64_t{-1}),
         two = Scalar::of(ElementType::UInt64, std::int64_t{2});
  EXPECT_EQ(evaluate(Operator::FloorDivide, {large, two}).as_int(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(evaluate(Operator::Remainder, {large, two}).as_int(), 1);
}

TEST(Evaluate, LetsNaNWinInMinAndMax) {
  Scalar nan = Scalar::of(ElementType::Float64, std::nan("")), one = Scalar::of(ElementType::Float64, 1.0);
  for (Operator op : {Operator::Min, Operator::Max}) {
    EXPECT_TRUE(evaluate(op, {nan, one}).is_nan());
    EXPECT_TRUE(evaluate(op, {one, nan}).is_nan());
  }
}

TEST(Evaluate, HasTheTypeThatResultTypeSays) {
  for_each_operator([](Operator op, ElementType type) {
    for (ElementType other : all_element_types()) {
      if (!takes(op, other) || !takes(op, promote(type, other))) continue;
      Scalar value = evaluate(op, {Scalar::of(type, std::int64_t{1}), Scalar::of(other, std::int64_t{1})});
      EXPECT_EQ(value.type(), result_type(op, {type, other}))
          << facts(op).name << " on " << to_string(type) << " and " << to_string(other);
    }
  });
}

TEST(Evaluate, ComparesUnsignedNumbersAsUnsigned) {
  Scalar large = Scalar::of(ElementType::UInt64, std::int64_t{-1}),
         one = Scalar::of(ElementType::UInt64, std::int64_t{1});
  EXPECT_TRUE(evaluate(Operator::Less, {one, large}).as_bool());
  EXPECT_EQ(evaluate(Operator::Max, {one, large}), large);
}

TEST(Evaluate, ConjugatesOnlyWhatIsComplex) {
  for (ElementType type : all_element_types()) {
    EXPECT_EQ(result_type(Operator::Conjugate, {type}), type);
    for (const Scalar& a : values_of(type)) {
      Scalar value = evaluate(Operator::Conjugate, {a});
      EXPECT_EQ(value, is_complex(type) ? Scalar::of(type, std::conj(a.as_complex())) : a)
          << to_string(type) << " " << to_string(a);
      EXPECT_EQ(value.type(), type);
    }
    Simplified zero = simplify(Operator::Conjugate, {Scalar(type)}, type);
    EXPECT_TRUE(std::get<Constant>(zero).value.is_zero()) << to_string(type);
  }
  Scalar number = Scalar::of(ElementType::Complex64, std::complex<double>(1, 2));
  EXPECT_EQ(evaluate(Operator::Conjugate, {number}), Scalar::of(ElementType::Complex64, std::complex<double>(1, -2)));
}

TEST(FindFunction, KnowsFunctionsThatPeopleWrite) {
  EXPECT_EQ(find_function("conj"), Operator::Conjugate);
  EXPECT_EQ(find_function("min"), Operator::Min);
  EXPECT_FALSE(find_function("add"));
  for (const std::string& name : function_names()) EXPECT_TRUE(find_function(name));
}

}  // namespace
}  // namespace filigree

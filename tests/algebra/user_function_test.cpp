#include "algebra/user_function.h"

#include <gtest/gtest.h>

#include "support/diagnostic.h"

namespace filigree {
namespace {

UserFunction difference() {
  UserFunction f;
  f.name = "distance";
  f.parameters = {"a", "b"};
  f.c_expression = "a < b ? b - a : a - b";
  f.value = [](const std::vector<Scalar>& v) { return evaluate(Operator::Abs, {evaluate(Operator::Subtract, v)}); };
  return f;
}

std::string refusal(UserFunction f) {
  try {
    add_function(std::move(f));
  } catch (const UserError& error) {
    return error.message();
  }
  return "no error";
}

TEST(AddFunction, RefusesWhatItCannotUse) {
  UserFunction f = difference();
  f.name = "min";
  EXPECT_EQ(refusal(f), "The function 'min' cannot be added: there is one of that name");
  f.name = "sum";
  EXPECT_EQ(refusal(f), "The function 'sum' cannot be added: there is one of that name");
  f.name = "xor";
  EXPECT_EQ(refusal(f), "The function 'xor' cannot be added: index notation uses that word already");
  f.name = "a-b";
  EXPECT_EQ(refusal(f), "The function 'a-b' cannot be added: that is no name");
  f = difference();
  f.parameters = {"a", "a"};
  EXPECT_EQ(refusal(f), "The function 'distance' cannot be added: two parameters are called 'a'");
  f.parameters = {};
  EXPECT_EQ(refusal(f), "The function 'distance' cannot be added: it has 0 parameters; one to three are possible");
  f = difference();
  f.c_expression = " ";
  EXPECT_EQ(refusal(f), "The function 'distance' cannot be added: its C expression is empty");
  f.c_expression = "a; b";
  EXPECT_EQ(refusal(f), "The function 'distance' cannot be added: its C text is not one expression");
  f = difference();
  f.value = nullptr;
  EXPECT_EQ(refusal(f), "The function 'distance' cannot be added: there is nothing that computes its value");
}

TEST(AddFunction, RefusesAlgebraThatDoesNotHold) {
  UserFunction f = difference();
  f.associative = true;
  EXPECT_EQ(refusal(f), "The function 'distance' cannot be added: it does not associate for 1 and 1 and 2");
  f = difference();
  f.idempotent = true;
  EXPECT_EQ(refusal(f), "The function 'distance' cannot be added: it is not idempotent for 1 and 1");
  f = difference();
  f.identity = 1;
  EXPECT_EQ(refusal(f), "The function 'distance' cannot be added: its identity changes something for 0 and 1");
  f = difference();
  f.annihilators = {{.position = 0, .value = 0, .result = 0}};
  EXPECT_EQ(refusal(f), "The function 'distance' cannot be added: 0 as 'a' does not annihilate 1");
  EXPECT_FALSE(find_function("distance"));
}

TEST(AddFunction, MakesAnOperatorLikeTheOthers) {
  UserFunction f = difference();
  f.name = "far";
  f.commutative = true;
  f.identity = 0;
  f.result = [](ElementType) { return ElementType::Float64; };
  Operator op = add_function(f);
  EXPECT_EQ(find_function("far"), op);
  EXPECT_TRUE(is_user_function(op));
  EXPECT_EQ(facts(op).arity, 2);
  EXPECT_FALSE(can_reduce(op));
  EXPECT_EQ(result_type(op, {ElementType::Int8, ElementType::Int32}), ElementType::Float64);
  EXPECT_EQ(operand_type(op, 0, {ElementType::Int8, ElementType::Int32}), ElementType::Int32);
  Scalar two = Scalar::of(ElementType::Int32, std::int64_t{2}), five = Scalar::of(ElementType::Int32, std::int64_t{5});
  EXPECT_EQ(evaluate(op, {two, five}), Scalar::of(ElementType::Float64, 3.0));
  Simplified left = simplify(op, {Scalar(ElementType::Int32), std::nullopt}, ElementType::Float64);
  EXPECT_EQ(std::get<Operand>(left).position, 1);
  EXPECT_EQ(refusal(f), "The function 'far' cannot be added: there is one of that name");
}

}  // namespace
}  // namespace filigree

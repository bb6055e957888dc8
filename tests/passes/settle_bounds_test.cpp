#include "passes/settle_bounds.h"

#include <gtest/gtest.h>

#include "passes/linear_facts.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "tests/ir/kernels.h"

namespace filigree::passes {

using namespace ir;
namespace {

using namespace ir::testing;

const Var rows = int_var("rows"), columns = int_var("columns"), i = int_var("i"), j = int_var("j"), k = int_var("k"),
          x = int_var("x"), q = int_var("q");
const Var y = value_array("y"), crd("crd", array(ElementType::Int64));

Stmt write(const Expr& at) { return store(y, at, constant(Scalar(ElementType::Float64))); }
Stmt over(const Var& var, const Expr& begin, const Expr& end, const Stmt& body) { return For{var, begin, end, body}; }

/// The loops of the function with these loops.
std::string settled(const Stmt& loops) {
  Stmt body = block({Alloc{y, rows, true}, loops, declare(q, rows)});
  FunctionDef function{"f",
                       {"y", "B"},
                       {out_array(y, 0, 0, q), dimension(rows, 1, 0), dimension(columns, 1, 1),
                        {crd, {1, Binding::Part::Array, 0}, Direction::In, std::nullopt}},
                       body,
                       {}};
  verify(function);
  FunctionDef result = settle_bounds(function);
  verify(result);
  std::string text = print(result.body);
  size_t begin = text.find('\n') + 1;
  return text.substr(begin, text.find("var q") - begin);
}

TEST(SettleBounds, WhatTheLoopSaysIsNotAskedAgain) {
  Stmt inside = if_then(less(j, i), if_then(greater_equal(j, integer(0)), write(min(j, rows))));
  EXPECT_EQ(settled(over(i, integer(0), rows, over(j, integer(0), min(i, columns), inside))),
            "for i = 0 .. rows {\n  for j = 0 .. min(i, columns) {\n    y[j] = 0.0\n  }\n}\n");
}

TEST(SettleBounds, LoopsThatNeverRunGo) {
  EXPECT_EQ(settled(over(i, integer(0), rows, over(j, add(i, integer(1)), min(columns, i), write(j)))), "");
  EXPECT_EQ(settled(over(i, integer(0), rows, over(j, max(integer(0), i), min(i, columns), write(j)))), "");
}

TEST(SettleBounds, LoopsThatRunOnceAreQuestions) {
  Stmt once = over(j, max(integer(0), i), min(add(i, integer(1)), columns), write(j));
  EXPECT_EQ(settled(over(i, integer(0), rows, once)),
            "for i = 0 .. rows {\n  if i < columns {\n    y[i] = 0.0\n  }\n}\n");
  Stmt leaves = over(j, i, min(add(i, integer(1)), columns), if_then(less(j, x), ir::Break{}, write(j)));
  std::string text = settled(block({declare(x, integer(3)), over(i, integer(0), rows, leaves)}));
  EXPECT_NE(text.find("for j"), std::string::npos) << text;
}

TEST(SettleBounds, QuestionsThatLeaveAnswerOthers) {
  Stmt body = block({declare(j, Load{crd, i}), if_then(greater_equal(j, add(i, integer(1))), ir::Break{}),
                     if_then(greater_equal(i, j), write(i))});
  EXPECT_EQ(settled(over(i, integer(0), rows, body)),
            "for i = 0 .. rows {\n  var j: int64 = crd[i]\n  if j >= i + 1 {\n    break\n  }\n  y[i] = 0.0\n}\n");
}

/// Coordinates are read from memory: what is there can be anything, and sums with it may wrap around.
TEST(SettleBounds, SumsOfWhatIsReadAreNotTrusted) {
  Stmt body = block({declare(j, Load{crd, i}), if_then(less(j, add(j, integer(1))), write(i))});
  EXPECT_NE(settled(over(i, integer(0), rows, body)).find("if j < j + 1"), std::string::npos);
}

TEST(SettleBounds, VariablesThatChangeAreNotSpokenOf) {
  Stmt body = block({if_then(less(x, rows), block({assign(x, add(x, integer(5))), if_then(less(x, rows), write(x))}))});
  Stmt all = block({declare(x, integer(0)), over(i, integer(0), rows, body)});
  std::string text = settled(all);
  EXPECT_EQ(text.find("if x < rows"), text.find("if"));
  EXPECT_NE(text.rfind("if x < rows"), text.find("if x < rows")) << text;
}

TEST(SettleBounds, ADeclarationAnewIsAnotherVariable) {
  Stmt first = over(j, integer(0), integer(2), write(j)),
       second = over(j, integer(5), rows, if_then(less(j, integer(2)), write(j)));
  EXPECT_EQ(settled(block({first, second})), "for j = 0 .. 2 {\n  y[j] = 0.0\n}\n");
}

TEST(LinearFacts, CombineSeveral) {
  LinearFacts facts;
  for (const Var& var : {rows, i, j, k}) facts.know(var, true);
  facts.add(less(i, j)), facts.add(less(j, k)), facts.add(less(k, min(rows, add(i, integer(4)))));
  EXPECT_TRUE(facts.at_most(add(i, integer(3)), rows));
  EXPECT_FALSE(facts.at_most(add(i, integer(4)), rows));
  EXPECT_TRUE(facts.at_most(multiply(i, integer(2)), add(j, k), 3));
  EXPECT_FALSE(facts.at_most(x, x));
  facts.forget(j);
  EXPECT_FALSE(facts.at_most(i, k));
}

}  // namespace
}  // namespace filigree::passes

#include "passes/simplify.h"

#include <gtest/gtest.h>

#include "ir/print.h"
#include "ir/simplify_expression.h"
#include "ir/verify.h"
#include "tests/ir/kernels.h"

namespace filigree::passes {

using namespace ir;
namespace {

using namespace ir::testing;

const Var a = int_var("a"), b = int_var("b"), x("x", scalar(ElementType::Float64));
Expr binary(Operator op, const Expr& l, const Expr& r) { return Apply{op, {l, r}}; }
std::string simplified(const Expr& expr) { return print(simplify(expr)); }

const Var n = int_var("n"), m = int_var("m"), y = value_array("y"), i = int_var("i");

/// A function with an Out array `y` of `n` elements and a dimension `m`.
FunctionDef function(std::vector<Stmt> statements) {
  statements.insert(statements.begin(), {declare(n, m), Alloc{y, n, true}});
  return {"f", {"y"}, {out_array(y, 0, 0, n), dimension(m, 0, 0)}, block(std::move(statements)), {}};
}

/// The body after the two statements that all have.
std::string simplified(std::vector<Stmt> statements) {
  FunctionDef result = simplify(function(std::move(statements)));
  verify(result);
  std::string text = print(result.body), start = "var n: int64 = m\nalloc zero y[m]\n";
  EXPECT_EQ(text.substr(0, start.size()), start);
  return text.substr(start.size());
}

Stmt use(const Expr& index) { return store(y, index, constant(Scalar(ElementType::Float64))); }

TEST(Simplify, FoldsIntegersAndLogic) {
  EXPECT_EQ(simplified(binary(Operator::Add, integer(3), integer(4))), "7");
  EXPECT_EQ(simplified(binary(Operator::Add, a, integer(0))), "a");
  EXPECT_EQ(simplified(binary(Operator::Multiply, a, integer(0))), "0");
  EXPECT_EQ(simplified(binary(Operator::Subtract, a, a)), "0");
  EXPECT_EQ(simplified(binary(Operator::Add, binary(Operator::Add, a, integer(3)), integer(4))), "a + 7");
  EXPECT_EQ(simplified(binary(Operator::Subtract, binary(Operator::Add, a, integer(3)), integer(3))), "a");
  EXPECT_EQ(simplified(binary(Operator::Less, integer(3), integer(4))), "true");
  EXPECT_EQ(simplified(binary(Operator::LessEqual, a, a)), "true");
  EXPECT_EQ(simplified(Apply{Operator::Not, {less(a, b)}}), "a >= b");
  EXPECT_EQ(simplified(Apply{Operator::Not, {less(x, x)}}), "not x < x");
  EXPECT_EQ(simplified(binary(Operator::And, boolean(true), less(a, b))), "a < b");
  EXPECT_EQ(simplified(binary(Operator::Modulus, a, integer(0))), "a % 0");
  EXPECT_EQ(simplified(binary(Operator::Quotient, a, integer(1))), "a");
  EXPECT_EQ(simplified(binary(Operator::Modulus, a, integer(1))), "0");
  EXPECT_EQ(simplified(binary(Operator::Quotient, integer(7), integer(2))), "3");
  EXPECT_EQ(simplified(binary(Operator::Modulus, integer(7), integer(2))), "1");
  EXPECT_EQ(simplified(binary(Operator::Quotient, integer(-7), integer(2))), "-7 // 2");
  EXPECT_EQ(simplified(binary(Operator::Divide, integer(1), integer(2))), "1 / 2");
}

TEST(Simplify, LeavesFloatsAlone) {
  Expr zero = constant(Scalar(ElementType::Float64));
  EXPECT_EQ(simplified(binary(Operator::Multiply, x, zero)), "x * 0.0");
  EXPECT_EQ(simplified(binary(Operator::Add, x, zero)), "x + 0.0");
  EXPECT_EQ(simplified(binary(Operator::Equal, x, x)), "x == x");
  EXPECT_EQ(simplified(binary(Operator::Multiply, integer(1), x)), "1 * x");
}

TEST(Simplify, KeepsTypes) {
  Var narrow("s", scalar(ElementType::Int8));
  for (Operator op : {Operator::Add, Operator::Subtract, Operator::Multiply}) {
    for (int literal : {0, 1}) {
      Expr expr = binary(op, narrow, integer(literal));
      EXPECT_EQ(simplify(expr).type(), expr.type());
    }
  }
  EXPECT_EQ(simplified(Cast{ElementType::Int32, Cast{ElementType::Int64, Var("c", scalar(ElementType::Int32))}}), "c");
}

TEST(Simplify, CopiesAreForwarded) {
  Var copy = int_var("copy"), literal = int_var("literal"), moving = int_var("moving"), before = int_var("before"),
      late = int_var("late");
  EXPECT_EQ(simplified({declare(copy, m), declare(literal, integer(1)), use(binary(Operator::Add, copy, literal))}),
            "y[m + 1] = 0.0\n");
  EXPECT_EQ(simplified({declare(moving, m), declare(before, moving), increment(moving), use(before)}),
            "var moving: int64 = m\nvar before: int64 = moving\nmoving = moving + 1\ny[before] = 0.0\n");
  EXPECT_EQ(simplified({declare(moving, m), increment(moving), declare(late, moving), use(late)}),
            "var moving: int64 = m\nmoving = moving + 1\ny[moving] = 0.0\n");
  EXPECT_EQ(simplified({For{i, integer(0), m, block({declare(copy, i), use(copy)})}}),
            "for i = 0 .. m {\n  y[i] = 0.0\n}\n");
}

TEST(Simplify, OneVariableDeclaredInTwoPlacesIsForwardedByPlace) {
  Var p = int_var("p");
  EXPECT_EQ(simplified({For{i, integer(0), m, block({declare(p, i), use(p)})},
                        For{i, integer(0), m, block({declare(p, binary(Operator::Multiply, i, i)), use(p)})}}),
            "for i = 0 .. m {\n  y[i] = 0.0\n}\nfor i = 0 .. m {\n  var p: int64 = i * i\n  y[p] = 0.0\n}\n");
}

TEST(Simplify, ConjugatesOfWhatIsRealGo) {
  Var z("z", scalar(ElementType::Complex128));
  EXPECT_EQ(simplify(Apply{Operator::Conjugate, {x}}), Expr(x));
  EXPECT_EQ(simplify(Apply{Operator::Conjugate, {binary(Operator::Add, a, integer(0))}}), Expr(a));
  EXPECT_EQ(simplified(Apply{Operator::Conjugate, {z}}), "conj(z)");
}

TEST(Simplify, SearchesStayBeforeWhatChangesTheirArray) {
  Var w = index_array("w"), p = int_var("p"), copy = int_var("copy");
  Expr find = call(Function::HashFind, {w, integer(0), binary(Operator::Add, integer(1), integer(1)), copy});
  EXPECT_EQ(simplified({Alloc{w, integer(2), true}, declare(copy, m), declare(p, find),
                        store(w, integer(0), integer(-1)), use(p), Free{w}}),
            "alloc zero w[2]\nvar p: int64 = hash_find(w, 0, 2, m)\nw[0] = -1i32\ny[p] = 0.0\nfree w\n");
}

TEST(Simplify, WhatNeverRunsGoes) {
  EXPECT_EQ(simplified({If{boolean(true), use(m), use(integer(0))}}), "y[m] = 0.0\n");
  EXPECT_EQ(simplified({If{boolean(false), use(m), use(integer(0))}}), "y[0] = 0.0\n");
  EXPECT_EQ(simplified({While{boolean(false), use(m)}}), "");
  EXPECT_EQ(simplified({For{i, integer(3), integer(3), use(m)}}), "");
  EXPECT_EQ(simplified({For{i, integer(0), m, Stmt()}}), "");
  EXPECT_EQ(simplified({If{less(m, integer(3)), Stmt(), use(m)}}), "if m >= 3 {\n  y[m] = 0.0\n}\n");
  EXPECT_EQ(simplified({If{less(m, integer(3)), use(m), use(m)}}), "y[m] = 0.0\n");
  EXPECT_EQ(simplified({While{less(integer(5), m), block({use(m), Break{}, use(integer(0))})}}),
            "while 5 < m {\n  y[m] = 0.0\n  break\n}\n");
}

TEST(Simplify, CommentsGoWithWhatTheyExplain) {
  EXPECT_EQ(simplified({Comment{"nothing"}, If{boolean(false), use(m), Stmt()}, Comment{"something"}, use(m)}),
            "# something\ny[m] = 0.0\n");
}

TEST(Simplify, UnchangedBodiesStayTheSame) {
  FunctionDef once = simplify(vector_add());
  EXPECT_TRUE(simplify(once).body.same_as(once.body));
}

}  // namespace
}  // namespace filigree::passes

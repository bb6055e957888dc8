#include "ir/verify.h"

#include <gtest/gtest.h>

#include "support/check.h"
#include "tests/ir/kernels.h"

namespace filigree::ir {
namespace {

using namespace testing;

const Var y = value_array("y"), x = value_array("x"), u = value_array("u"), w = index_array("w"), n = int_var("n"),
          i = int_var("i");
const Var t("t", table()), size = int_var("size");
const Expr zero = constant(Scalar(ElementType::Float64));

/// A function with an Out array `y`, an In array `x`, an Update array `u` and a dimension `size`.
FunctionDef function(std::vector<Stmt> statements) {
  statements.insert(statements.begin(), {declare(n, integer(2)), Alloc{y, n}});
  return {"f",
          {"y", "x"},
          {out_array(y, 0, 0, n),
           in_array(x, 1, 0),
           dimension(size, 1, 0),
           {u, {1, Binding::Part::Array, 1}, Direction::Update, {}}},
          block(std::move(statements)),
          {}};
}

std::string refusal(const FunctionDef& f) {
  try {
    verify(f);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "accepted";
}

void expect_refused(std::vector<Stmt> statements, const std::string& what) {
  std::string message = refusal(function(std::move(statements)));
  EXPECT_NE(message.find(what), std::string::npos) << message;
  EXPECT_EQ(message.find("internal error in ir verify: "), 0u);
}

TEST(Verify, AcceptsHandWrittenKernels) {
  for (const FunctionDef& f : {spmv(), vector_add(), scatter_product(), table_product()})
    EXPECT_EQ(refusal(f), "accepted") << f.name;
  EXPECT_EQ(refusal(function({store(u, integer(0), Load{x, size})})), "accepted");
}

TEST(Verify, ShowsTheStatement) {
  EXPECT_EQ(refusal(function({Store{y, zero, zero}})),
            "internal error in ir verify: index is float64, not int64\n  while working on: y[0.0] = 0.0");
}

TEST(Verify, RefusesTypesThatDisagree) {
  expect_refused({Store{y, integer(0), integer(1)}}, "stored value is int64, not float64");
  expect_refused({Store{y, integer(0), Load{x, zero}}}, "index is float64, not int64");
  expect_refused({Assign{n, zero}}, "assigned value is float64, not int64");
  expect_refused({Declare{i, zero}}, "value of the declaration is float64, not int64");
  expect_refused({If{integer(1), increment(n), Stmt()}}, "condition is int64, not bool");
  expect_refused({While{integer(1), increment(n)}}, "condition is int64, not bool");
  expect_refused({For{i, zero, n, increment(n)}}, "begin of the loop is float64");
  expect_refused({For{i, integer(0), zero, increment(n)}}, "end of the loop is float64");
  expect_refused({Grow{y, zero}}, "count is float64");
  expect_refused({Assign{n, convert(Apply{Operator::And, {integer(1), boolean(true)}}, ElementType::Int64)}},
                 "operand of logic is int64");
  expect_refused({assign(n, Apply{Operator::Modulus, {zero, zero}})}, "modulus of something that is no integer");
  expect_refused({assign(n, Apply{Operator::Quotient, {n, zero}})}, "quotient of something that is no integer");
  Expr unsigned_number = constant(Scalar(ElementType::UInt64));
  expect_refused({assign(n, Apply{Operator::Quotient, {n, unsigned_number}})},
                 "quotient of something that is no integer");
  Expr complex = constant(Scalar(ElementType::Complex128));
  expect_refused({if_then(Apply{Operator::Less, {complex, complex}}, increment(n))}, "complex numbers have no order");
  expect_refused({assign(n, Apply{Operator::Add, {n}})}, "wrong number of operands of 'add'");
}

TEST(Verify, RefusesVariablesOutOfScope) {
  expect_refused({assign(n, i)}, "variable used outside of its scope: 'i'");
  expect_refused({assign(i, n)}, "assignment to a variable that is not in scope: 'i'");
  expect_refused({if_then(less(size, n), declare(i, n)), if_then(less(n, size), declare(i, n)), assign(n, i)},
                 "variable used outside of its scope: 'i'");
  expect_refused({declare(n, integer(1))}, "variable declared again in its own scope: 'n'");
  expect_refused({For{i, integer(0), n, For{i, integer(0), n, increment(n)}}},
                 "variable declared again in its own scope: 'i'");
  expect_refused({For{i, integer(0), n, increment(i)}}, "assignment to a loop variable or parameter: 'i'");
  expect_refused({assign(size, n)}, "assignment to a loop variable or parameter: 'size'");
  expect_refused({Declare{i, {}}}, "scalar declared without a value: 'i'");
  expect_refused({assign(n, convert(y, ElementType::Int64))}, "array or table used as a value: 'y'");
}

TEST(Verify, RefusesWrongUseOfMemory) {
  expect_refused({store(x, integer(0), zero)}, "write to an In parameter: 'x'");
  expect_refused({store(w, integer(0), integer(1))}, "array used before it is allocated: 'w'");
  expect_refused({Alloc{x, n}}, "allocation of a parameter the caller gives: 'x'");
  expect_refused({Grow{u, n}}, "growth of a parameter the caller gives: 'u'");
  expect_refused({Free{y}}, "parameter freed: 'y'");
  expect_refused({Alloc{w, n}}, "local that is not freed in the block that allocates it: 'w'");
  expect_refused({Declare{t, {}}}, "local that is not freed in the block that allocates it: 't'");
  expect_refused({Alloc{w, n}, Free{w}, Free{w}}, "free of something that is not allocated in this block: 'w'");
  expect_refused({Alloc{w, n}, if_then(less(n, size), Free{w})},
                 "free of something that is not allocated in this block: 'w'");
  expect_refused({Alloc{w, n}, Alloc{w, n}, Free{w}}, "local allocated again before it is freed: 'w'");
  expect_refused({Alloc{w, n}, Free{w}, store(w, integer(0), integer(1))}, "array used before it is allocated: 'w'");
  expect_refused({Declare{t, {}}, Free{t}, assign(n, call(Function::TableSize, {t}))}, "after it is freed: 't'");
}

TEST(Verify, RefusesWrongCalls) {
  auto with_table = [](const Stmt& statement) { return std::vector<Stmt>{Declare{t, {}}, statement, Free{t}}; };
  expect_refused(with_table(assign(n, call(Function::TableInsert, {t, n}))),
                 "wrong number of arguments of 'table_insert'");
  expect_refused(with_table(assign(n, call(Function::TableSize, {n}))), "table function on something that is no table");
  expect_refused(with_table(assign(n, add(call(Function::TableInsert, {t, n, n}), integer(1)))),
                 "call that can run out of memory inside of an expression");
  expect_refused(with_table(Evaluate{call(Function::TableSize, {t})}),
                 "call without an effect evaluated for its effect");
  expect_refused(with_table(assign(n, call(Function::TableClear, {t}))), "call without a value used as a value");
  expect_refused(with_table(assign(n, call(Function::TableFind, {t, zero, n}))), "argument is float64, not int64");
  expect_refused({Evaluate{call(Function::Sort, {y, n})}}, "sort of an array that is not Int32 or Int64: 'y'");
  auto segment = [](const Expr& crd, const Expr& vals) {
    return Evaluate{call(Function::SortSegment, {crd, vals, n, n})};
  };
  auto with_indices = [](const Stmt& statement) { return std::vector<Stmt>{Alloc{w, n}, statement, Free{w}}; };
  EXPECT_EQ(refusal(function(with_indices(segment(w, y)))), "accepted");
  EXPECT_EQ(refusal(function(with_indices(segment(w, u)))), "accepted");
  expect_refused(with_indices(segment(y, w)), "sort of an array that is not Int32 or Int64: 'y'");
  expect_refused(with_indices(segment(w, w)), "array sorted along with itself: 'w'");
  expect_refused(with_indices(segment(w, x)), "write to an In parameter: 'x'");
  expect_refused(with_indices(segment(w, n)), "sort of something that is no array");
  expect_refused({segment(w, y)}, "array used before it is allocated: 'w'");
  expect_refused(with_indices(Evaluate{call(Function::SortSegment, {w, y, n})}),
                 "wrong number of arguments of 'sort_segment'");
  expect_refused(with_indices(Evaluate{call(Function::SortSegment, {w, y, n, zero})}),
                 "argument is float64, not int64");
  expect_refused(with_indices(assign(n, call(Function::SortSegment, {w, y, n, n}))),
                 "call without a value used as a value");
  auto find = [](const Expr& crd, const Expr& coordinate) {
    return assign(n, add(call(Function::HashFind, {crd, n, n, coordinate}), n));
  };
  EXPECT_EQ(refusal(function(with_indices(find(w, n)))), "accepted");
  expect_refused(with_indices(find(x, n)), "search in an array that is not Int32 or Int64: 'x'");
  expect_refused(with_indices(find(n, n)), "search in something that is no array");
  expect_refused({find(w, n)}, "array used before it is allocated: 'w'");
  expect_refused(with_indices(find(w, zero)), "argument is float64, not int64");
  expect_refused(with_indices(assign(n, call(Function::HashFind, {w, n, n}))),
                 "wrong number of arguments of 'hash_find'");
  expect_refused(with_indices(Evaluate{call(Function::HashFind, {w, n, n, n})}),
                 "call without an effect evaluated for its effect");
  expect_refused({assign(n, call(Function::Search, {y, n, n, n}))},
                 "search of an array that is not Int32 or Int64: 'y'");
  expect_refused({assign(n, call(Function::Gallop, {n, n, n, n}))}, "gallop of something that is no array");
  expect_refused({assign(n, call(Function::SearchDown, {w, n, n}))}, "wrong number of arguments of 'search_down'");
  expect_refused({Alloc{w, n}, Evaluate{call(Function::Gallop, {w, n, n, n})}},
                 "call without an effect evaluated for its effect");
  expect_refused({Evaluate{n}}, "evaluation of something that is no call");
}

TEST(Verify, RefusesJumpsOutsideOfLoops) {
  expect_refused({Break{}}, "break outside of a loop");
  expect_refused({if_then(less(n, size), Continue{})}, "continue outside of a loop");
}

TEST(Verify, RefusesWrongParameters) {
  FunctionDef f = function({});
  f.parameters[0].count.reset();
  EXPECT_NE(refusal(f).find("Out parameter without a count: 'y'"), std::string::npos);
  f = function({});
  f.parameters[0].count = i;
  EXPECT_NE(refusal(f).find("count that is not declared at function level: 'i'"), std::string::npos);
  f = function({});
  f.body = declare(n, integer(2));
  EXPECT_NE(refusal(f).find("Out array that is never allocated: 'y'"), std::string::npos);
  f = function({});
  f.parameters[1].binding.tensor = 7;
  EXPECT_NE(refusal(f).find("bound to a tensor that is not there: 'x'"), std::string::npos);
  f = function({});
  f.parameters[1].binding.part = Binding::Part::Dimension;
  EXPECT_NE(refusal(f).find("parameter of the wrong kind: 'x'"), std::string::npos);
  f = function({});
  f.parameters.push_back(f.parameters[1]);
  EXPECT_NE(refusal(f).find("parameter listed twice: 'x'"), std::string::npos);
}

/// A parallel loop over `i` with this body.
Stmt parallel(const Stmt& body) { return For{i, integer(0), n, body, LoopKind::Parallel}; }

TEST(Verify, AcceptsParallelLoopsThatOnlyWriteElements) {
  Var k = int_var("k"), sum = int_var("sum");
  EXPECT_EQ(refusal(function({parallel(store(y, i, zero))})), "accepted");
  EXPECT_EQ(refusal(function({parallel(block(
                {declare(sum, n), For{k, integer(0), n, block({assign(sum, add(sum, k)), Break{}})}, Continue{}}))})),
            "accepted");
  EXPECT_EQ(refusal(function({Alloc{w, n}, parallel(Evaluate{call(Function::SortSegment, {w, y, i, n})}), Free{w}})),
            "accepted");
}

TEST(Verify, AcceptsMemoryThatAnIterationOfAParallelLoopHasForItself) {
  EXPECT_EQ(refusal(function({parallel(block({Alloc{w, n}, Grow{w, add(n, i)}, store(w, integer(0), i), Free{w}}))})),
            "accepted");
  EXPECT_EQ(
      refusal(function({parallel(block({Declare{t, {}}, Evaluate{call(Function::TableInsert, {t, i, i})}, Free{t}}))})),
      "accepted");
  EXPECT_EQ(
      refusal(function({Declare{t, {}}, parallel(store(y, call(Function::TableFind, {t, i, i}), zero)), Free{t}})),
      "accepted");
  expect_refused({parallel(Alloc{w, n})}, "local that is not freed in the block that allocates it: 'w'");
}

TEST(Verify, RefusesParallelLoopsWhoseIterationsDependOnEachOther) {
  expect_refused({parallel(increment(n))}, "assignment in a parallel loop to a variable from outside of it: 'n'");
  expect_refused({parallel(Break{})}, "break out of a parallel loop");
  expect_refused({parallel(Return{Status::Ok})}, "return out of a parallel loop");
  expect_refused({parallel(Alloc{y, n})}, "allocation in a parallel loop of what is shared: 'y'");
  expect_refused({Alloc{w, n}, parallel(Alloc{w, n}), Free{w}}, "allocation in a parallel loop of what is shared: 'w'");
  expect_refused({parallel(Grow{y, n})}, "growth in a parallel loop of what is shared: 'y'");
  expect_refused({Alloc{w, n}, parallel(Grow{w, n}), Free{w}}, "growth in a parallel loop of what is shared: 'w'");
  expect_refused({Alloc{w, n}, parallel(Free{w})}, "free in a parallel loop of what is shared: 'w'");
  expect_refused({Declare{t, {}}, parallel(Free{t})}, "free in a parallel loop of what is shared: 't'");
  expect_refused({Declare{t, {}}, parallel(Evaluate{call(Function::TableInsert, {t, i, i})}), Free{t}},
                 "table changed in a parallel loop that shares it: 't'");
  Var k = int_var("k");
  expect_refused({parallel(For{k, integer(0), n, store(y, k, zero), LoopKind::Parallel})},
                 "parallel loop inside of a parallel loop");
  EXPECT_EQ(refusal(function({parallel(store(y, i, zero)), increment(n)})), "accepted");
}

}  // namespace
}  // namespace filigree::ir

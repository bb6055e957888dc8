#include "ir/interpret.h"

#include <gtest/gtest.h>

#include <chrono>

#include "ir/runtime/hash.h"
#include "ir/verify.h"
#include "tests/ir/kernels.h"

namespace filigree::ir {
namespace {

using namespace testing;

struct MatrixData {
  std::vector<std::int32_t> pos, crd;
  std::vector<double> vals;
};

MatrixData matrix_b() { return {{0, 2, 2, 4}, {0, 2, 1, 2}, {1, 2, 3, 4}}; }           // 3 x 3
MatrixData matrix_c() { return {{0, 2, 3, 5}, {1, 3, 0, 0, 1}, {1, 1, 10, 100, 5}}; }  // 3 x 4

std::vector<TensorView> product_arguments(MatrixData& b, MatrixData& c) {
  return {{{3, 4}, {}}, view_of({3, 3}, {&b.pos, &b.crd}, &b.vals), view_of({3, 4}, {&c.pos, &c.crd}, &c.vals)};
}

void expect_product(std::vector<TensorView>& tensors) {
  EXPECT_EQ(indices_of(tensors[0].arrays[0]), (std::vector<std::int64_t>{0, 3, 3, 5}));
  EXPECT_EQ(indices_of(tensors[0].arrays[1]), (std::vector<std::int64_t>{0, 1, 3, 0, 1}));
  EXPECT_EQ(values_of(tensors[0].arrays[2]), (std::vector<double>{200, 11, 1, 430, 20}));
  release(tensors[0]);
}

/// A function on one Out array `y` with `count` elements.
FunctionDef on_result(const Var& y, const Var& count, std::vector<Stmt> statements) {
  return {"f", {"y"}, {out_array(y, 0, 0, count)}, block(std::move(statements)), {}};
}

std::string error_of(const FunctionDef& function, const InterpretOptions& options = {}) {
  std::vector<TensorView> tensors(3);
  tensors[0].dimensions = {2, 2};
  try {
    interpret(function, tensors, options);
  } catch (const InterpreterError& error) {
    return error.what();
  }
  release(tensors[0]);
  return "";
}

TEST(Interpret, SparseMatrixTimesVector) {
  MatrixData b = matrix_b();
  std::vector<double> x = {1, 10, 100};
  std::vector<TensorView> tensors = {{{3}, {}}, view_of({3, 3}, {&b.pos, &b.crd}, &b.vals), view_of({3}, {}, &x)};
  FunctionDef function = spmv();
  verify(function);
  ASSERT_EQ(interpret(function, tensors), Status::Ok);
  EXPECT_EQ(values_of(tensors[0].arrays[0]), (std::vector<double>{201, 0, 430}));
  release(tensors[0]);
}

TEST(Interpret, SparseVectorsMergeIntoArraysThatGrow) {
  std::vector<std::int32_t> b_pos = {0, 3}, b_crd = {1, 4, 7}, c_pos = {0, 4}, c_crd = {0, 4, 8, 9};
  std::vector<double> b = {1, 2, 3}, c = {10, 20, 30, 40};
  std::vector<TensorView> tensors = {
      {{10}, {}}, view_of({10}, {&b_pos, &b_crd}, &b), view_of({10}, {&c_pos, &c_crd}, &c)};
  FunctionDef function = vector_add();
  verify(function);
  ASSERT_EQ(interpret(function, tensors), Status::Ok);
  EXPECT_EQ(indices_of(tensors[0].arrays[0]), (std::vector<std::int64_t>{0, 6}));
  EXPECT_EQ(indices_of(tensors[0].arrays[1]), (std::vector<std::int64_t>{0, 1, 4, 7, 8, 9}));
  EXPECT_EQ(values_of(tensors[0].arrays[2]), (std::vector<double>{10, 1, 22, 3, 30, 40}));
  release(tensors[0]);
}

TEST(Interpret, ProductsThroughWorkspaceAndTableAgree) {
  for (const FunctionDef& function : {scatter_product(), table_product()}) {
    verify(function);
    MatrixData b = matrix_b(), c = matrix_c();
    std::vector<TensorView> tensors = product_arguments(b, c);
    ASSERT_EQ(interpret(function, tensors), Status::Ok);
    expect_product(tensors);
  }
}

TEST(Interpret, EveryAllocationMayFail) {
  for (const FunctionDef& function : {scatter_product(), table_product()}) {
    Interpreter interpreter(function);
    int failures = 0;
    for (;; failures++) {
      MatrixData b = matrix_b(), c = matrix_c();
      std::vector<TensorView> tensors = product_arguments(b, c);
      if (interpreter.run(tensors, {.fail_allocation_after = failures}) == Status::Ok) {
        expect_product(tensors);
        break;
      }
      EXPECT_TRUE(tensors[0].arrays.empty());
    }
    EXPECT_GE(failures, 8);
  }
}

TEST(Interpret, SizesBeyondTheLimitAreOutOfMemory) {
  Var y = value_array("y"), n = int_var("n");
  FunctionDef function = on_result(y, n, {declare(n, integer(0)), Alloc{y, integer(std::int64_t{1} << 62)}});
  std::vector<TensorView> tensors(1);
  EXPECT_EQ(interpret(function, tensors), Status::OutOfMemory);
}

TEST(Interpret, AccessOutOfBoundsIsAnError) {
  Var y = value_array("y"), n = int_var("n");
  Expr one = constant(Scalar::of(ElementType::Float64, 1.0));
  EXPECT_EQ(error_of(on_result(y, n, {declare(n, integer(2)), Alloc{y, n}, store(y, add(n, integer(1)), one)})),
            "store out of bounds: 'y' at 3, it has 2 elements in 'f': y[n + 1] = 1.0");
  EXPECT_EQ(error_of(on_result(
                y, n, {declare(n, integer(2)), Alloc{y, n, true}, store(y, integer(0), Load{y, integer(-1)})})),
            "load out of bounds: 'y' at -1, it has 2 elements in 'f': y[0] = y[-1]");
}

TEST(Interpret, ReadOfWhatWasNeverWrittenIsAnError) {
  Var y = value_array("y"), n = int_var("n");
  EXPECT_EQ(error_of(on_result(y, n, {declare(n, integer(2)), Alloc{y, n}, store(y, integer(0), Load{y, integer(1)})})),
            "load of an element that was never written: 'y' at 1 in 'f': y[0] = y[1]");
  EXPECT_EQ(
      error_of(on_result(
          y, n, {declare(n, integer(2)), Alloc{y, n}, store(y, integer(0), constant(Scalar(ElementType::Float64)))})),
      "result 'y' was never written at 1 in 'f'");
  EXPECT_EQ(error_of(on_result(y, n, {declare(n, integer(3)), Alloc{y, integer(2), true}})),
            "result 'y' has 3 elements, but room for 2 in 'f'");
  Var w = index_array("w");
  EXPECT_EQ(error_of(on_result(y, n,
                               {declare(n, integer(0)), Alloc{y, n}, Alloc{w, integer(2)},
                                Evaluate{call(Function::Sort, {w, integer(2)})}})),
            "load of an element that was never written: 'w' at 0 in 'f': sort(w, 2)");
}

TEST(Interpret, SegmentsAreCheckedAndSorted) {
  Var y = value_array("y"), n = int_var("n"), w = index_array("w"), i = int_var("i");
  auto program = [&](int written, int begin, int end) {
    Stmt fill = For{i, integer(0), integer(written),
                    block({store(w, i, subtract(integer(9), i)), store(y, i, convert(i, ElementType::Float64))})};
    return on_result(y, n,
                     {declare(n, integer(written)), Alloc{y, integer(4)}, Alloc{w, integer(5)}, fill,
                      Evaluate{call(Function::SortSegment, {w, y, integer(begin), integer(end)})}, Free{w}});
  };
  verify(program(4, 1, 4));
  std::vector<TensorView> tensors(1);
  ASSERT_EQ(interpret(program(4, 1, 4), tensors), Status::Ok);
  EXPECT_EQ(values_of(tensors[0].arrays[0]), (std::vector<double>{0, 3, 2, 1}));
  release(tensors[0]);
  EXPECT_EQ(error_of(program(4, 2, 2)), "");
  EXPECT_EQ(error_of(program(4, 2, 5)),
            "load of an element that was never written: 'w' at 4 in 'f': sort_segment(w, y, 2, 5)");
  EXPECT_EQ(error_of(program(4, -1, 2)),
            "sort out of bounds: 'w' from -1 up to 2, it has 5 elements in 'f': sort_segment(w, y, -1, 2)");
  EXPECT_EQ(error_of(program(4, 2, 1)),
            "sort out of bounds: 'w' from 2 up to 1, it has 5 elements in 'f': sort_segment(w, y, 2, 1)");
  FunctionDef short_values = program(4, 0, 5);
  Stmt fill_last = store(w, integer(4), integer(1));
  std::vector<Stmt> statements = short_values.body.as<Block>()->statements;
  statements.insert(statements.begin() + 4, fill_last);
  short_values.body = Block{statements};
  EXPECT_EQ(error_of(short_values),
            "sort out of bounds: 'y' from 0 up to 5, it has 4 elements in 'f': sort_segment(w, y, 0, 5)");
}

/// y[0] is where `coordinate` is in slots begin..end of 10 slots, the last two of which are never written.
FunctionDef search(const std::vector<std::int64_t>& slots, std::int64_t begin, std::int64_t end,
                   std::int64_t coordinate) {
  Var y = value_array("y"), n = int_var("n"), w = index_array("w");
  std::vector<Stmt> statements = {declare(n, integer(1)), Alloc{y, n}, Alloc{w, integer(10)}};
  for (std::size_t s = 0; s < slots.size(); s++)
    statements.push_back(store(w, integer(static_cast<std::int64_t>(s)), integer(slots[s])));
  Expr find = call(Function::HashFind, {w, integer(begin), integer(end), integer(coordinate)});
  statements.push_back(store(y, integer(0), convert(find, ElementType::Float64)));
  statements.push_back(Free{w});
  return on_result(y, n, statements);
}

double found(const FunctionDef& function) {
  verify(function);
  std::vector<TensorView> tensors(1);
  if (interpret(function, tensors) != Status::Ok) return -2;
  double result = values_of(tensors[0].arrays[0])[0];
  release(tensors[0]);
  return result;
}

TEST(Interpret, SearchesFindTheSlotOrTheFreeOne) {
  for (std::int64_t coordinate : {0, 1, 2, 5, 1000000007}) {
    std::vector<std::int64_t> slots(8, -1);
    auto slot = [&](std::int64_t step) { return 4 + (hash_slot(coordinate, 4) + step) % 4; };
    EXPECT_EQ(found(search(slots, 4, 8, coordinate)), static_cast<double>(-1 - slot(0)));
    EXPECT_EQ(found(search(slots, 4, 4, coordinate)), -1);
    slots[slot(0)] = slots[slot(1)] = 3;
    EXPECT_EQ(found(search(slots, 4, 8, coordinate)), static_cast<double>(-1 - slot(2)));
    slots[slot(2)] = coordinate;
    EXPECT_EQ(found(search(slots, 4, 8, coordinate)), static_cast<double>(slot(2)));
    EXPECT_EQ(found(search(slots, 0, 4, coordinate)), static_cast<double>(-1 - (slot(0) - 4)));
  }
}

TEST(Interpret, SearchesAreChecked) {
  const std::vector<std::int64_t> full = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(found(search(full, 0, 4, 2)), 2);
  EXPECT_EQ(error_of(search(full, 0, 4, 9)),
            "hash_find in 'w' from 0 up to 4, where no slot is free in 'f': y[0] = float64(hash_find(w, 0, 4, 9))");
  EXPECT_EQ(error_of(search(full, 8, 12, 9)),
            "hash_find out of bounds: 'w' from 8 up to 12, it has 10 elements in 'f': y[0] = float64(hash_find(w, 8, "
            "12, 9))");
  EXPECT_EQ(error_of(search(full, -1, 1, 9)),
            "hash_find out of bounds: 'w' from -1 up to 1, it has 10 elements in 'f': y[0] = float64(hash_find(w, -1, "
            "1, 9))");
  EXPECT_EQ(
      error_of(search(full, 4, 3, 9)),
      "hash_find out of bounds: 'w' from 4 up to 3, it has 10 elements in 'f': y[0] = float64(hash_find(w, 4, 3, 9))");
  EXPECT_EQ(error_of(search(full, 0, 3, 9)),
            "hash_find in 3 slots of 'w': not a power of two in 'f': y[0] = float64(hash_find(w, 0, 3, 9))");
  EXPECT_EQ(error_of(search(full, 0, 4, -1)),
            "hash_find of coordinate -1 in 'w' in 'f': y[0] = float64(hash_find(w, 0, 4, -1))");
  std::string unwritten = error_of(search(full, 8, 10, 9));
  EXPECT_EQ(unwritten.find("load of an element that was never written: 'w' at "), 0u) << unwritten;
}

TEST(Interpret, GrowthKeepsElementsAndLeavesTheRestUnwritten) {
  Var y = value_array("y"), n = int_var("n");
  EXPECT_EQ(error_of(on_result(y, n, {declare(n, integer(1)), Alloc{y, n, true}, Grow{y, integer(3)}})), "");
  EXPECT_EQ(error_of(on_result(y, n, {declare(n, integer(2)), Alloc{y, integer(1), true}, Grow{y, integer(3)}})),
            "result 'y' was never written at 1 in 'f'");
  EXPECT_EQ(error_of(on_result(y, n, {declare(n, integer(0)), Alloc{y, integer(3)}, Grow{y, integer(2)}})),
            "growth of 'y' from 3 to 2 elements in 'f': grow y[2]");
}

TEST(Interpret, LeaksAndDoubleFreesAreErrors) {
  Var y = value_array("y"), n = int_var("n"), w = index_array("w"), t("t", table());
  Stmt make = block({declare(n, integer(0)), Alloc{y, n}});
  EXPECT_EQ(error_of(on_result(y, n, {make, Alloc{w, integer(2)}})), "leak: 'w' is never freed in 'f'");
  EXPECT_EQ(error_of(on_result(y, n, {make, Declare{t, {}}})), "leak: table 't' is never freed in 'f'");
  EXPECT_EQ(error_of(on_result(y, n, {make, Alloc{w, integer(2)}, Alloc{w, integer(2)}})),
            "leak: 'w' allocated again before it is freed in 'f': alloc w[2]");
  EXPECT_EQ(error_of(on_result(y, n, {make, Alloc{w, integer(2)}, Free{w}, Free{w}})),
            "free of 'w', which is not allocated in 'f': free w");
  EXPECT_EQ(error_of(on_result(y, n, {make, Alloc{w, integer(2)}, Free{w}, store(w, integer(0), integer(1))})),
            "store of 'w' at 0, which is not allocated in 'f': w[0] = 1i32");
}

TEST(Interpret, TablesAreChecked) {
  Var y = value_array("y"), n = int_var("n"), t("t", table()), p = int_var("p");
  auto program = [&](std::vector<Stmt> statements) {
    statements.insert(statements.begin(), {declare(n, integer(0)), Alloc{y, n}, Declare{t, {}},
                                           declare(p, call(Function::TableAppend, {t, integer(1), integer(5)}))});
    statements.push_back(Free{t});
    return on_result(y, n, std::move(statements));
  };
  auto finish = [&](int parents) { return Evaluate{call(Function::TableFinish, {t, integer(parents)})}; };
  EXPECT_EQ(error_of(program({finish(2)})), "");
  EXPECT_EQ(error_of(program({finish(1)})),
            "table_finish with 1 parents of a table that has parent 1 in 'f': table_finish(t, 1)");
  EXPECT_NE(error_of(program({assign(p, call(Function::TableBegin, {t, integer(0)}))})).find("not finished"),
            std::string::npos);
  EXPECT_NE(
      error_of(program({finish(2), assign(p, call(Function::TableCoordinate, {t, integer(1)}))})).find("cursor 1 of 1"),
      std::string::npos);
  EXPECT_NE(error_of(program({assign(p, call(Function::TableAppend, {t, integer(1), integer(5)})), finish(2)}))
                .find("appended twice"),
            std::string::npos);
}

TEST(Interpret, SortedSearchesAreChecked) {
  Var y = value_array("y"), n = int_var("n"), w = index_array("w");
  auto program = [&](Function function, int first, int second, int end, int x) {
    std::vector<Stmt> statements = {Alloc{w, integer(2)},
                                    store(w, integer(0), integer(first)),
                                    store(w, integer(1), integer(second)),
                                    declare(n, call(function, {w, integer(0), integer(end), integer(x)})),
                                    Alloc{y, n, true},
                                    Free{w}};
    return on_result(y, n, std::move(statements));
  };
  EXPECT_EQ(error_of(program(Function::Gallop, 3, 5, 2, 4)), "");
  EXPECT_EQ(error_of(program(Function::SearchDown, 5, 3, 2, 4)), "");
  EXPECT_NE(
      error_of(program(Function::Search, 3, 5, 3, 4)).find("search out of bounds: 'w' from 0 to 3, it has 2 elements"),
      std::string::npos);
  EXPECT_NE(error_of(program(Function::Gallop, 5, 3, 2, 4)).find("gallop of 'w', which is not sorted: 3 comes after 5"),
            std::string::npos);
  EXPECT_NE(error_of(program(Function::SearchDown, 3, 5, 2, 4)).find("search_down of 'w', which is not sorted"),
            std::string::npos);
}

TEST(Interpret, DivisionsOutOfTheRuleAndEndlessLoopsAreErrors) {
  Var y = value_array("y"), n = int_var("n");
  Stmt make = block({declare(n, integer(0)), Alloc{y, n}});
  EXPECT_EQ(error_of(on_result(y, n, {make, assign(n, Apply{Operator::Modulus, {integer(3), n}})})),
            "division by zero in 'f': n = 3 % n");
  EXPECT_EQ(error_of(on_result(y, n, {make, assign(n, quotient(integer(3), n))})),
            "division by zero in 'f': n = 3 // n");
  EXPECT_EQ(error_of(on_result(y, n, {make, assign(n, quotient(subtract(n, integer(7)), integer(2)))})),
            "division of -7 by 2: a negative operand in 'f': n = (n - 7) // 2");
  EXPECT_EQ(error_of(on_result(y, n, {make, While{boolean(true), increment(n)}}), {.step_limit = 1000}),
            "step limit reached in 'f': n = n + 1");
}

TEST(Interpret, ArgumentsMustHaveTheRightTypes) {
  MatrixData b = matrix_b();
  std::vector<double> x = {1, 10, 100};
  std::vector<TensorView> tensors = {{{3}, {}}, view_of({3, 3}, {&b.pos, &b.crd}, &b.vals), view_of({3}, {}, &x)};
  tensors[1].arrays[1].type = ElementType::Int64;
  EXPECT_THROW(interpret(spmv(), tensors), InterpreterError);
}

/// One expression of any type, stored to a result of its type.
Scalar evaluate_in_ir(const Expr& expr) {
  Var y("y", array(expr.type())), n = int_var("n");
  FunctionDef function = on_result(y, n, {declare(n, integer(1)), Alloc{y, n}, store(y, integer(0), expr)});
  verify(function);
  std::vector<TensorView> tensors(1);
  EXPECT_EQ(interpret(function, tensors), Status::Ok);
  Scalar result = Scalar::load(expr.type(), tensors[0].arrays[0].data);
  release(tensors[0]);
  return result;
}

TEST(Interpret, OperatorsMeanWhatAlgebraSays) {
  for (ElementType type : all_element_types()) {
    Scalar value = is_complex(type) ? Scalar::of(type, std::complex<double>(2, 3)) : Scalar::of(type, std::int64_t{-3});
    EXPECT_EQ(evaluate_in_ir(Apply{Operator::Conjugate, {constant(value)}}), evaluate(Operator::Conjugate, {value}))
        << to_string(type);
  }
  const Operator operators[] = {Operator::Add,  Operator::Subtract,  Operator::Multiply, Operator::Divide,
                                Operator::Min,  Operator::Max,       Operator::Equal,    Operator::NotEqual,
                                Operator::Less, Operator::LessEqual, Operator::Greater,  Operator::GreaterEqual};
  for (ElementType left : all_element_types()) {
    for (ElementType right : all_element_types()) {
      for (Operator op : operators) {
        bool equality = op == Operator::Equal || op == Operator::NotEqual;
        bool field = op == Operator::Add || op == Operator::Subtract || op == Operator::Multiply ||
                     op == Operator::Divide;
        if ((is_complex(left) || is_complex(right)) && !equality && !field) continue;
        for (std::int64_t x : {-3, 0, 100}) {
          for (std::int64_t y : {2, 100}) {
            Scalar a = Scalar::of(left, x), b = Scalar::of(right, y);
            Expr expr = Apply{op, {Cast{left, constant(Scalar::of(ElementType::Int64, x))}, constant(b)}};
            EXPECT_EQ(evaluate_in_ir(expr), evaluate(op, {a, b}))
                << to_string(left) << " " << facts(op).name << " " << to_string(right) << " on " << x << ", " << y;
          }
        }
      }
    }
  }
}

TEST(Interpret, QuotientsAndRemaindersOfNonNegativeNumbers) {
  for (ElementType left : all_element_types()) {
    for (ElementType right : all_element_types()) {
      if (!is_integer(left) || !is_integer(right) || !is_integer(promote(left, right))) continue;
      for (std::int64_t x : {0, 3, 100}) {
        for (Operator op : {Operator::Quotient, Operator::Modulus}) {
          Expr expr = Apply{op, {Cast{left, integer(x)}, constant(Scalar::of(right, std::int64_t{7}))}};
          EXPECT_EQ(evaluate_in_ir(expr).as_int(), op == Operator::Quotient ? x / 7 : x % 7)
              << to_string(left) << " " << to_string(right);
        }
      }
    }
  }
}

TEST(Interpret, RunsTwentyMillionNodesPerSecond) {
  std::vector<std::int32_t> pos = {0, 1000000}, crd(1000000);
  std::vector<double> vals(1000000, 1.0), x(100, 2.0);
  for (std::size_t p = 0; p < crd.size(); p++) crd[p] = static_cast<std::int32_t>(p % 100);
  std::vector<TensorView> tensors = {{{1}, {}}, view_of({1, 100}, {&pos, &crd}, &vals), view_of({100}, {}, &x)};
  Interpreter interpreter(spmv());
  auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(interpreter.run(tensors), Status::Ok);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_EQ(values_of(tensors[0].arrays[0])[0], 2000000.0);
  release(tensors[0]);
  // sum = sum + B_vals[p] * x_vals[B2_crd[p]] has 10 nodes; slow only under sanitizers or a busy machine.
  RecordProperty("million_nodes_per_second", std::to_string(10 / seconds));
  EXPECT_LT(seconds, 5.0);
}

TEST(Interpret, ParallelLoopsRunOneIterationAfterTheOther) {
  std::vector<double> x = {1, 2, 3, 4, 5};
  for (auto& [threads, sums] : std::vector<std::pair<std::int64_t, std::vector<double>>>{
           {0, {15}}, {1, {15}}, {2, {3, 24}}, {7, {0, 2, 4, 0, 6, 8, 10}}}) {
    std::vector<TensorView> tensors = {{{1}, {}}, view_of({5}, {}, &x)};
    ASSERT_EQ(interpret(sums_in_pieces(), tensors, {.threads = threads}), Status::Ok);
    EXPECT_EQ(values_of(tensors[0].arrays[0]), sums) << threads;
    release(tensors[0]);
  }
}

}  // namespace
}  // namespace filigree::ir

#include "ir/print.h"

#include <gtest/gtest.h>

#include <limits>

#include "ir/parse.h"
#include "ir/verify.h"
#include "support/diagnostic.h"
#include "tests/ir/kernels.h"

namespace filigree::ir {
namespace {

using namespace testing;

Expr binary(Operator op, const Expr& a, const Expr& b) { return Apply{op, {a, b}}; }

const Var a = int_var("a"), b = int_var("b"), c = int_var("c");

TEST(Print, ParenthesesOnlyWhereNeeded) {
  EXPECT_EQ(print(add(multiply(a, b), c)), "a * b + c");
  EXPECT_EQ(print(multiply(add(a, b), c)), "(a + b) * c");
  EXPECT_EQ(print(subtract(a, subtract(b, c))), "a - (b - c)");
  EXPECT_EQ(print(binary(Operator::And, negate(less(a, b)), binary(Operator::Or, less(b, c), equal(a, c)))),
            "not a < b and (b < c or a == c)");
  EXPECT_EQ(print(equal(less(a, b), less(b, c))), "(a < b) == (b < c)");
  EXPECT_EQ(print(quotient(add(a, b), multiply(b, c))), "(a + b) // (b * c)");
  EXPECT_EQ(print(min(a, remainder(b, c))), "min(a, b % c)");
  EXPECT_EQ(print(Apply{Operator::Negate, {Apply{Operator::Negate, {a}}}}), "-(-a)");
  EXPECT_EQ(print(binary(Operator::FloorDivide, a, b)), "floor_divide(a, b)");
}

TEST(Print, NumbersHaveTheirTypes) {
  auto text = [](ElementType type, double value) { return print(constant(Scalar::of(type, value))); };
  EXPECT_EQ(print(integer(12)), "12");
  EXPECT_EQ(print(integer(std::numeric_limits<std::int64_t>::min())), "-9223372036854775808");
  EXPECT_EQ(print(constant(Scalar::of(ElementType::UInt64, std::int64_t{-1}))), "18446744073709551615u64");
  EXPECT_EQ(text(ElementType::Float64, 3), "3.0");
  EXPECT_EQ(text(ElementType::Float32, 0.1), "0.1f32");
  EXPECT_EQ(text(ElementType::Int8, -3), "-3i8");
  EXPECT_EQ(text(ElementType::Float32, -HUGE_VAL), "-inff32");
  EXPECT_EQ(print(constant(Scalar::of(ElementType::Complex128, std::complex<double>(1, -2)))), "complex128(1.0, -2.0)");
  EXPECT_EQ(print(boolean(true)), "true");
  EXPECT_EQ(print(Cast{ElementType::Int32, a}), "int32(a)");
}

TEST(Print, FunctionsSayEverything) {
  EXPECT_EQ(print(spmv()), R"(# y(i) = B(i,j) * x(j)
function spmv(y, B, x) {
  out y_vals: float64[y_size] is y.arrays[0]
  in B1_size: int64 is B.dimensions[0]
  in B2_pos: int32[] is B.arrays[0]
  in B2_crd: int32[] is B.arrays[1]
  in B_vals: float64[] is B.arrays[2]
  in x_vals: float64[] is x.arrays[0]

  var y_size: int64 = B1_size
  alloc y_vals[y_size]
  for i = 0 .. B1_size {
    var sum: float64 = 0.0
    for p = int64(B2_pos[i]) .. int64(B2_pos[i + 1]) {
      sum = sum + B_vals[p] * x_vals[int64(B2_crd[p])]
    }
    y_vals[i] = sum
  }
}
)");
}

/// A function with one of everything.
FunctionDef everything() {
  Var v = value_array("v"), w = index_array("w"), n = int_var("n"), t("t", table()), p("p", parts(ElementType::Int32)),
      i = int_var("i"), x = int_var("var"), inner = int_var("n");
  Var count = int_var("count"), f("f", scalar(ElementType::Float32)),
      device("gone", Type{Type::Kind::Array, ElementType::Float64, MemorySpace::Device});
  std::vector<Stmt> body = {
      Comment{"what there is"},
      Comment{""},
      declare(count, integer(3)),
      Alloc{v, count, true},
      Alloc{w, n},
      Declare{t, std::nullopt},
      Alloc{p, n},
      declare(x, integer(-1)),
      declare(f, constant(Scalar::of(ElementType::Float32, std::nan("")))),
      For{i, integer(0), n,
          block(
              {declare(inner, add(i, n)), Store{v, i, add(Load{v, i}, constant(Scalar(ElementType::Float64))), true}}),
          LoopKind::Parallel, 4},
      For{i, n, count, Continue{}, LoopKind::Simd},
      While{negate(less(x, n)),
            if_then(equal(x, n), Break{},
                    if_then(less(n, x), increment(x), assign(x, Apply{Operator::Negate, {integer(7)}})))},
      Grow{w, multiply(integer(2), n)},
      Evaluate{call(Function::Sort, {w, n})},
      declare(int_var("q"), call(Function::TableInsert, {t, integer(0), x})),
      Keep{p, integer(0), w, n},
      Take{w, p, integer(0)},
      Free{p},
      Free{t},
      Free{w},
      if_then(Cast{ElementType::Bool, f}, Return{Status::DoesNotFit}),
      Return{Status::Ok}};
  return {"all",
          {"y", "A"},
          {{v, {0, Binding::Part::Array, 0}, Direction::Out, count},
           {n, {1, Binding::Part::Count, 2}, Direction::In, {}},
           {int_var("threads"), {0, Binding::Part::Threads}, Direction::In, {}},
           {device, {1, Binding::Part::Array, 1}, Direction::Update, {}}},
          block(body),
          {"first", "", "last"}};
}

/// A launch with one of everything.
FunctionDef everything_on_device() {
  Var y("y", array(ElementType::Float64, MemorySpace::Device)),
      copy("y", array(ElementType::Float64, MemorySpace::Device)),
      tile("tile", array(ElementType::Float64, MemorySpace::Shared)), n = int_var("n");
  Var block_index = int_var("block"), warp = int_var("warp"), thread = int_var("thread"), barrier = int_var("barrier"),
      sum("sum", scalar(ElementType::Float64)), first = bool_var("first");
  Stmt inside = block({declare(sum, Load{y, thread}), declare(first, boolean(false)), Store{tile, thread, sum},
                       Barrier{BarrierScope::Block}, Barrier{BarrierScope::Warp},
                       LaneReduce{sum, Operator::Max, Load{tile, barrier}},
                       LaneReduce{sum, Operator::Add, multiply(sum, sum), Segments{quotient(thread, n), first}},
                       Store{copy, integer(0), add(Load{copy, integer(0)}, sum), true}});
  Stmt launch = For{block_index, integer(0), n,
                    block({Alloc{tile, integer(64)},
                           For{warp, integer(0), n,
                               block({declare(barrier, add(block_index, warp)),
                                      For{thread, integer(0), integer(32), inside, LoopKind::GpuThread, 2}}),
                               LoopKind::GpuWarp}}),
                    LoopKind::GpuBlock};
  return {
      "all",
      {"y"},
      {{y, {0, Binding::Part::Array, 0}, Direction::Update, {}}, {n, {0, Binding::Part::Count, 0}, Direction::In, {}}},
      block({Alloc{copy, n, true}, launch, Copy{y, copy, n}, Free{copy}}),
      {}};
}

TEST(Print, LaunchesSayWhatRunsWhere) {
  verify(everything_on_device());
  EXPECT_EQ(print(everything_on_device()), R"(function all(y) {
  update y: float64[] on device is y.arrays[0]
  in n: int64 is y.arrays[0].count
  local y_1: float64[] on device
  local tile: float64[] shared

  alloc zero y_1[n]
  block for block = 0 .. n {
    alloc tile[64]
    warp for warp = 0 .. n {
      var barrier_1: int64 = block + warp
      thread unroll(2) for thread = 0 .. 32 {
        var sum: float64 = y[thread]
        var first: bool = false
        tile[thread] = sum
        barrier block
        barrier warp
        lanes sum = max(tile[barrier_1])
        lanes sum, first = add(sum * sum) by thread // n
        atomic y_1[0] = y_1[0] + sum
      }
    }
  }
  copy y = y_1[n]
  free y_1
}
)");
}

TEST(Parse, ReadsWhatIsPrinted) {
  for (const FunctionDef& function : {everything(), everything_on_device(), spmv()}) {
    std::string text = print(function);
    FunctionDef again = parse(text);
    EXPECT_EQ(print(again), text);
    ASSERT_EQ(again.parameters.size(), function.parameters.size());
    for (std::size_t n = 0; n < again.parameters.size(); n++) {
      EXPECT_EQ(again.parameters[n].binding, function.parameters[n].binding);
      EXPECT_EQ(again.parameters[n].direction, function.parameters[n].direction);
      EXPECT_EQ(again.parameters[n].var.type(), function.parameters[n].var.type());
    }
  }
  verify(parse(print(spmv())));
  FunctionDef named{
      "f", {"threads"}, {{value_array("v"), {0, Binding::Part::Array, 0}, Direction::In, {}}}, Stmt(), {}};
  EXPECT_EQ(parse(print(named)).parameters[0].binding, named.parameters[0].binding);
}

TEST(Parse, SaysWhereTextIsNoFunction) {
  auto message = [](const std::string& body) {
    try {
      parse("function f(y) {\n  out v: float64[n] is y.arrays[0]\n\n" + body + "\n}\n");
    } catch (const UserError& error) {
      return error.text();
    }
    return std::string("nothing");
  };
  EXPECT_EQ(message("  x = 3"), "error: This is no IR, line 4: there is no variable 'x'\nnote: x = 3\n");
  EXPECT_EQ(message("  var n: int65 = 3"),
            "error: This is no IR, line 4: 'int65' is no type\nnote: var n: int65 = 3\n");
  EXPECT_EQ(message("  v[0] = 3.0 4"), "error: This is no IR, line 4: '4' follows the statement\nnote: v[0] = 3.0 4\n");
  EXPECT_EQ(message("  v[0] = 1e999"), "error: This is no IR, line 4: '1e999' is no number\nnote: v[0] = 1e999\n");
  EXPECT_EQ(message("  barrier grid"),
            "error: This is no IR, line 4: expected 'warp', found 'grid'\nnote: barrier grid\n");
  EXPECT_EQ(message("  lanes v = most(1)"),
            "error: This is no IR, line 4: there is no operator 'most'\nnote: lanes v = most(1)\n");
  EXPECT_EQ(message("  lanes v, v = add(1)"),
            "error: This is no IR, line 4: expected 'by', found 'the end'\nnote: lanes v, v = add(1)\n");
  EXPECT_EQ(message("  copy v = v"), "error: This is no IR, line 4: expected '[', found 'the end'\nnote: copy v = v\n");
  EXPECT_EQ(message("}\n  v[0] = 1.0"), "error: This is no IR, line 4: there is more behind the function\nnote: }\n");
  EXPECT_EQ(message("  for i = 0 .. 3 {"),
            "error: This is no IR, line 6: the text ends inside of the function\nnote: \n");
}

}  // namespace
}  // namespace filigree::ir

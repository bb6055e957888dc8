#include "emit/emit_c.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include <fmt/format.h>

#include "passes/eliminate_dead_code.h"
#include "ir/host_functions.h"
#include "ir/print.h"
#include "ir/runtime/hash.h"
#include "passes/simplify.h"
#include "ir/verify.h"
#include "tests/emit/compiled.h"

namespace filigree::emit {
namespace {

using namespace ir;
using namespace ir::testing;
using namespace emit::testing;

TEST(EmitC, SparseMatrixTimesVector) {
  std::vector<std::int32_t> pos = {0, 2, 2, 4}, crd = {0, 2, 1, 2};
  std::vector<double> vals = {1, 2, 3, 4}, x = {1, 10, 100};
  std::vector<TensorView> tensors = {{{3}, {}}, view_of({3, 3}, {&pos, &crd}, &vals), view_of({3}, {}, &x)};
  expect_agreement(spmv(), tensors);
  expect_agreement(spmv(), tensors, "clang-19");
}

TEST(EmitC, SparseVectorsMergeIntoArraysThatGrow) {
  std::vector<std::int32_t> b_pos = {0, 3}, b_crd = {1, 4, 7}, c_pos = {0, 4}, c_crd = {0, 4, 8, 9};
  std::vector<double> b = {1, 2, 3}, c = {10, 20, 30, 40};
  expect_agreement(vector_add(),
                   {{{10}, {}}, view_of({10}, {&b_pos, &b_crd}, &b), view_of({10}, {&c_pos, &c_crd}, &c)});
}

TEST(EmitC, ProductsThroughWorkspaceAndTable) {
  std::vector<std::int32_t> b_pos = {0, 2, 2, 4}, b_crd = {0, 2, 1, 2}, c_pos = {0, 2, 3, 5}, c_crd = {1, 3, 0, 0, 1};
  std::vector<double> b = {1, 2, 3, 4}, c = {1, 1, 10, 100, 5};
  std::vector<TensorView> tensors = {
      {{3, 4}, {}}, view_of({3, 3}, {&b_pos, &b_crd}, &b), view_of({3, 4}, {&c_pos, &c_crd}, &c)};
  expect_agreement(scatter_product(), tensors);
  expect_agreement(table_product(), tensors);
  expect_agreement(table_product(), tensors, "clang-19");
}

/// Where each number from 0 on is found among the coordinates that go up and those that go down.
FunctionDef searches() {
  Var up = index_array("up"), down = index_array("down"), y = value_array("y"), n = int_var("n"),
      count = int_var("count"), x = int_var("x");
  auto found = [&](Function function, const Var& a) {
    return store(y, count, convert(call(function, {a, integer(1), n, x}), ElementType::Float64));
  };
  std::vector<Stmt> body;
  for (const Stmt& stmt :
       {found(Function::Search, up), found(Function::Gallop, up), found(Function::SearchDown, down)}) {
    body.insert(body.end(), {stmt, increment(count)});
  }
  return {"searches",
          {"y", "a"},
          {out_array(y, 0, 0, count), dimension(n, 1, 0), in_array(up, 1, 0), in_array(down, 1, 1)},
          block({declare(count, integer(0)), Alloc{y, integer(1000)}, For{x, integer(0), integer(200), block(body)}}),
          {}};
}

TEST(EmitC, SearchesInSortedArrays) {
  std::vector<std::int32_t> up;
  for (std::int32_t k = 0; k < 60; k++) up.push_back(3 * k + k % 2);
  std::vector<std::int32_t> down(up.rbegin(), up.rend());
  std::vector<double> none;
  std::vector<TensorView> tensors = {{{200}, {}}, view_of({60}, {&up, &down}, &none)};
  expect_agreement(searches(), tensors);
  expect_agreement(searches(), tensors, "clang-19");
}

/// A value that every type holds differently: fractions, signs, the ends of the range.
Scalar sample(ElementType type, int n) {
  const double numbers[] = {0, 1, -1, 2.5, -7, 100, 127, -128, 200, 255, 1e9, -3e9, 3e9, 9e18, 1e30, -0.0};
  double value = numbers[n];
  if (is_complex(type)) return Scalar::of(type, std::complex<double>(value, numbers[(n * 5 + 3) % 13]));
  return Scalar::of(type, value);
}
constexpr int sample_count = 16;

bool has_order(Operator op) {
  return op == Operator::Min || op == Operator::Max || op == Operator::Less || op == Operator::LessEqual ||
         op == Operator::Greater || op == Operator::GreaterEqual;
}

/// For one pair of types: every operator on every pair of samples, once stored as it is and once inside
/// a larger expression, where C's own promotions would show.
FunctionDef operator_kernel(ElementType left, ElementType right, ElementType wide) {
  Var a("a", array(left)), b("b", array(right)), y("y", array(wide)), count = int_var("count"), i = int_var("i"),
                                                                      j = int_var("j");
  const Operator operators[] = {Operator::Add,  Operator::Subtract,  Operator::Multiply, Operator::Divide,
                                Operator::Min,  Operator::Max,       Operator::Equal,    Operator::NotEqual,
                                Operator::Less, Operator::LessEqual, Operator::Greater,  Operator::GreaterEqual};
  std::vector<Stmt> inner;
  bool complex = is_complex(left) || is_complex(right);
  for (Operator op : operators) {
    if (complex && has_order(op)) continue;
    Expr value = Apply{op, {Load{a, i}, Load{b, j}}};
    Expr nested = Apply{Operator::Add, {Apply{op, {value, Load{a, i}}}, Load{b, j}}};
    if (has_order(op) || op == Operator::Equal || op == Operator::NotEqual) nested = value;
    for (const Expr& expr : {value, nested}) {
      if (is_complex(expr.type()) && !is_complex(wide)) continue;
      inner.push_back(store(y, count, expr));
      inner.push_back(increment(count));
    }
  }
  Var n = int_var("n");
  Stmt body = block({declare(n, integer(sample_count)), Alloc{y, integer(24 * sample_count * sample_count), true},
                     declare(count, integer(0)), For{i, integer(0), n, For{j, integer(0), n, block(inner)}}});
  return {fmt::format("{}_{}", to_string(left), to_string(right)),
          {"y", "a", "b"},
          {out_array(y, 0, 0, count), in_array(a, 1, 0), in_array(b, 2, 0)},
          body,
          {}};
}

TEST(EmitC, OperatorsAgreeWithTheInterpreterForAllTypes) {
  for (ElementType wide : {ElementType::Int64, ElementType::Int16, ElementType::Complex128}) {
    Module module;
    for (ElementType left : all_element_types()) {
      for (ElementType right : all_element_types()) module.functions.push_back(operator_kernel(left, right, wide));
    }
    Compiled compiled(emit_c(module), "cc", "-O0");
    std::size_t n = 0;
    for (ElementType left : all_element_types()) {
      for (ElementType right : all_element_types()) {
        const FunctionDef& function = module.functions[n++];
        verify(function);
        std::vector<char> a(16 * sample_count), b(16 * sample_count);
        for (int i = 0; i < sample_count; i++) {
          sample(left, i).store(a.data() + i * size_in_bytes(left));
          sample(right, i).store(b.data() + i * size_in_bytes(right));
        }
        std::vector<TensorView> expected = {
            {{}, {}}, {{}, {{left, a.data(), sample_count}}}, {{}, {{right, b.data(), sample_count}}}};
        std::vector<TensorView> actual = expected;
        ASSERT_EQ(interpret(function, expected), Status::Ok);
        Memory memory;
        ASSERT_EQ(run(compiled.entry(function.name), actual, {wide}, memory), 0);
        SCOPED_TRACE(function.name + " to " + to_string(wide));
        expect_same(actual[0].arrays[0], expected[0].arrays[0]);
        release(actual[0]);
        release(expected[0]);
      }
    }
  }
}

/// Random expressions over one array of each type.  Left out is what C leaves open (floats to integers)
/// and what rounds twice in algebra (64-bit integers to float32).
class RandomExpression {
 public:
  RandomExpression(unsigned seed, const std::vector<Var>& arrays) : random_(seed), arrays_(arrays) {}

  Expr make(int depth) {
    if (depth == 0 || random_() % 6 == 0) {
      ElementType type = all_element_types()[random_() % 13];
      if (random_() % 3 == 0) return constant(sample(type, static_cast<int>(random_() % 10)));
      return Load{arrays_[static_cast<int>(type)], integer(static_cast<int>(random_() % 10))};
    }
    Expr a = make(depth - 1);
    if (random_() % 4 == 0) return conversion(a);
    if (random_() % 8 == 0) return Apply{random_() % 2 ? Operator::Negate : Operator::Conjugate, {a}};
    Expr b = make(depth - 1);
    const Operator operators[] = {Operator::Add,    Operator::Subtract, Operator::Multiply,
                                  Operator::Divide, Operator::Min,      Operator::Max,
                                  Operator::Equal,  Operator::Less,     Operator::And};
    Operator op = operators[random_() % 9];
    if ((is_complex(a.type()) || is_complex(b.type())) && has_order(op)) op = Operator::Add;
    if (op == Operator::And) return Apply{op, {Cast{ElementType::Bool, a}, Cast{ElementType::Bool, b}}};
    return Apply{op, {a, b}};
  }

 private:
  Expr conversion(const Expr& a) {
    ElementType to = all_element_types()[random_() % 13], from = a.type();
    bool from_number = is_floating(from) || is_complex(from);
    if (from_number && is_integer(to)) to = ElementType::Float64;
    bool single = to == ElementType::Float32 || to == ElementType::Complex64;
    if (single && is_integer(from) && size_in_bytes(from) == 8) to = ElementType::Complex128;
    return Cast{to, a};
  }

  std::mt19937 random_;
  const std::vector<Var>& arrays_;
};

TEST(EmitC, RandomExpressionsAgreeWithTheInterpreter) {
  std::vector<Var> arrays;
  std::vector<Parameter> parameters;
  std::vector<std::vector<char>> data;
  TensorView operand;
  for (ElementType type : all_element_types()) {
    int index = static_cast<int>(arrays.size());
    arrays.push_back(Var("a_" + to_string(type), array(type)));
    parameters.push_back(in_array(arrays.back(), 1, index));
    data.emplace_back(16 * sample_count);
    for (int i = 0; i < sample_count; i++) sample(type, i).store(data.back().data() + i * size_in_bytes(type));
    operand.arrays.push_back({type, data.back().data(), sample_count});
  }
  constexpr int count = 3000;
  Var y("y", array(ElementType::Complex128)), n = int_var("n");
  parameters.push_back(out_array(y, 0, 0, n));
  std::vector<Stmt> body = {declare(n, integer(count)), Alloc{y, n, true}};
  for (int seed = 0; seed < count; seed++) {
    Expr expr = RandomExpression(seed, arrays).make(2 + seed % 4);
    Var value("value", scalar(expr.type()));
    // Every other expression passes through a variable and is updated in place.
    Stmt update = assign(value, Apply{seed % 4 < 2 ? Operator::Add : Operator::Multiply, {value, value}});
    bool safe = result_type(Operator::Add, {expr.type(), expr.type()}) == expr.type();
    Stmt through = block({declare(value, expr), safe ? update : Stmt(), store(y, integer(seed), value)});
    body.push_back(seed % 2 ? if_then(less(integer(0), n), through) : store(y, integer(seed), expr));
  }
  FunctionDef function{"random_expressions", {"y", "a"}, parameters, block(body), {}};
  verify(function);
  std::vector<TensorView> expected = {{{}, {}}, operand}, actual = expected;
  ASSERT_EQ(interpret(function, expected), Status::Ok);
  for (const char* compiler : {"cc", "clang-19"}) {
    // Compilers warn about expressions only a random program has, such as bools compared with 200.
    Compiled compiled(emit_c({{function}}), compiler, "-O0 -Wno-error");
    Memory memory;
    ASSERT_EQ(run(compiled.entry(function.name), actual, {ElementType::Complex128}, memory), 0);
    for (int seed = 0; seed < count; seed++) {
      auto at = [&](const TensorView& t) {
        return Scalar::load(ElementType::Complex128, static_cast<char*>(t.arrays[0].data) + 16 * seed);
      };
      EXPECT_EQ(at(actual[0]), at(expected[0]))
          << compiler << ": " << print(RandomExpression(seed, arrays).make(2 + seed % 4));
    }
    release(actual[0]);
  }
  release(expected[0]);
}

TEST(EmitC, KernelReadsLikeATextbook) {
  std::string text = emit_c({{passes::eliminate_dead_code(passes::simplify(spmv()))}}, {.standalone = false});
  std::string kernel = text.substr(text.find("// y(i)"));
  EXPECT_EQ(kernel, R"(// y(i) = B(i,j) * x(j)
static int spmv_arrays(const filigree_runtime *runtime,
                       filigree_array *y,
                       int64_t B1_size, const int32_t *restrict B2_pos,
                       const int32_t *restrict B2_crd, const double *restrict B_vals,
                       const double *restrict x_vals) {
  double *y_vals = NULL;

  int64_t y_size = B1_size;
  ALLOC(y_vals, B1_size);
  for (int64_t i = 0; i < B1_size; i++) {
    double sum = 0.0;
    for (int64_t p = B2_pos[i]; p < B2_pos[i + 1]; p++) {
      sum += B_vals[p] * x_vals[B2_crd[p]];
    }
    y_vals[i] = sum;
  }

  y[0] = (filigree_array){y_vals, y_size};
  return 0;

out_of_memory:
  FREE(y_vals);
  return 1;
}

int spmv(const filigree_runtime *runtime, filigree_tensor *const *tensors) {
  const filigree_tensor *y = tensors[0];
  const filigree_tensor *B = tensors[1];
  const filigree_tensor *x = tensors[2];
  return spmv_arrays(runtime, y->arrays, B->dimensions[0], B->arrays[0].data, B->arrays[1].data,
                     B->arrays[2].data, x->arrays[0].data);
}
)");
}

TEST(EmitC, WithoutHeadersThereIsNoInclude) {
  std::string text = emit_c({{table_product()}}, {.standalone = false});
  EXPECT_EQ(text.find("#include"), std::string::npos);
}

TEST(EmitC, MainCompilesAndRuns) {
  for (const FunctionDef& function : {spmv(), table_product()}) {
    std::string base = (std::filesystem::temp_directory_path() / fmt::format("filigree_main_{}", getpid())).string();
    std::ofstream(base + ".c") << emit_c({{function}}, {.with_main = true});
    EXPECT_EQ(std::system(fmt::format("cc -std=c11 -Wall -Werror -O1 {0}.c -o {0} && {0} > {0}.out", base).c_str()), 0);
    std::ifstream output(base + ".out");
    std::string line;
    std::getline(output, line);
    EXPECT_EQ(line, function.name == "spmv" ? "y_vals: 0 elements" : "A2_pos: 1 element");
    for (const char* ending : {"", ".c", ".out"}) std::filesystem::remove(base + ending);
  }
}

TEST(EmitC, EarlyReturnHandsOverWhatThereIs) {
  Var y = value_array("y_vals"), n = int_var("n"), extent = int_var("extent");
  Stmt body = block({declare(n, integer(0)), Alloc{y, extent, true},
                     if_then(equal(extent, integer(3)), Return{Status::Ok}), assign(n, extent)});
  FunctionDef function{"early", {"y"}, {out_array(y, 0, 0, n), dimension(extent, 0, 0)}, body, {}};
  expect_agreement(function, {{{3}, {}}});
  expect_agreement(function, {{{4}, {}}});
}

TEST(EmitC, QuotientsAndRemaindersLocateABlock) {
  Var crd = index_array("crd"), y("y", array(ElementType::Int64)), n = int_var("n"), extent = int_var("extent"),
      p = int_var("p");
  Expr c = load_index(crd, p), block_size = integer(4);
  Stmt body = block(
      {declare(n, multiply(integer(3), extent)), Alloc{y, n},
       For{p, integer(0), extent,
           block({store(y, multiply(integer(3), p), multiply(quotient(c, block_size), integer(std::int64_t{1} << 33))),
                  store(y, add(multiply(integer(3), p), integer(1)), remainder(c, block_size)),
                  store(y, add(multiply(integer(3), p), integer(2)),
                        remainder(quotient(add(c, extent), extent), add(p, integer(1))))})}});
  FunctionDef function{
      "blocks", {"y", "x"}, {out_array(y, 0, 0, n), dimension(extent, 1, 0), in_array(crd, 1, 0)}, body, {}};
  std::vector<std::int32_t> coordinates = {0, 3, 4, 17, 2147483647};
  expect_agreement(function, {{{}, {}}, {{5}, {{ElementType::Int32, coordinates.data(), 5}}}});
}

/// A copy of a sparse vector out of order, sorted.
FunctionDef sorted_copy(ElementType coordinate, ElementType value) {
  Var crd("y1_crd", array(coordinate)), vals("y_vals", array(value)), x_crd("x1_crd", array(coordinate)),
      x_vals("x_vals", array(value));
  Var n = int_var("n"), extent = int_var("extent"), p = int_var("p"), scratch = index_array("scratch");
  Stmt copy = For{p, integer(0), extent, block({store(crd, p, Load{x_crd, p}), store(vals, p, Load{x_vals, p})})};
  Stmt body = block({declare(n, extent), Alloc{crd, n}, Alloc{vals, n}, Alloc{scratch, n}, copy,
                     Evaluate{call(Function::SortSegment, {crd, vals, integer(1), extent})}, Free{scratch}});
  return {"sorted_copy",
          {"y", "x"},
          {out_array(crd, 0, 0, n), out_array(vals, 0, 1, n), dimension(extent, 1, 0), in_array(x_crd, 1, 0),
           in_array(x_vals, 1, 1)},
          body,
          {}};
}

TEST(EmitC, SegmentsAreSorted) {
  std::vector<char> crd(16 * 100), vals(16 * 100);
  for (std::int64_t extent : {5, 100}) {
    for (ElementType coordinate : {ElementType::Int32, ElementType::Int64}) {
      for (ElementType value : {ElementType::Float64, ElementType::Bool, ElementType::Complex128}) {
        for (std::int64_t i = 0; i < extent; i++) {
          Scalar::of(coordinate, i * 37 % 11).store(crd.data() + i * size_in_bytes(coordinate));
          Scalar::of(value, i).store(vals.data() + i * size_in_bytes(value));
        }
        expect_agreement(sorted_copy(coordinate, value),
                         {{{}, {}}, {{extent}, {{coordinate, crd.data(), extent}, {value, vals.data(), extent}}}},
                         extent == 5 ? "clang-19" : "cc");
      }
    }
  }
}

TEST(EmitC, SortsOfSegmentsAreThereOnlyWhenUsed) {
  FunctionDef function = sorted_copy(ElementType::Int32, ElementType::Float64);
  EXPECT_NE(emit_c({{function}}).find("segment_merge"), std::string::npos);
  EXPECT_EQ(emit_c({{function}}, {.standalone = false}).find("segment_merge"), std::string::npos);
  EXPECT_EQ(emit_c({{scatter_product()}}).find("segment"), std::string::npos);
}

/// Where each coordinate is in two tables of x, or -1, and one that is congruent to it in 32 bits.
FunctionDef searches(ElementType coordinate) {
  Var y = index_array("y_vals"), crd("x1_crd", array(coordinate)), n = int_var("n"), extent = int_var("extent");
  Var half = int_var("half"), i = int_var("i");
  Stmt body = block(
      {declare(n, multiply(integer(3), extent)), declare(half, quotient(extent, integer(2))), Alloc{y, n},
       For{i, integer(0), extent,
           block({
               store(y, multiply(integer(3), i), call(Function::HashFind, {crd, integer(0), half, i})),
               store(y, add(multiply(integer(3), i), integer(1)), call(Function::HashFind, {crd, half, extent, i})),
               store(y, add(multiply(integer(3), i), integer(2)),
                     call(Function::HashFind, {crd, integer(0), half, add(i, integer(std::int64_t{1} << 32))})),
           })}});
  return {"searches", {"y", "x"}, {out_array(y, 0, 0, n), dimension(extent, 1, 0), in_array(crd, 1, 0)}, body, {}};
}

TEST(EmitC, SearchesFindEveryCoordinateOfTheirTable) {
  for (ElementType type : {ElementType::Int32, ElementType::Int64}) {
    constexpr std::int64_t half = 16, extent = 2 * half;
    std::vector<std::int64_t> slots(extent, -1);
    for (std::int64_t i = 0; i < extent; i += i % 5 == 0 ? 2 : 1) {
      std::int64_t begin = i % 2 * half, at = hash_slot(i, half);
      int held = 0;
      for (std::int64_t s = 0; s < half; s++) held += slots[begin + s] >= 0;
      if (held == half - 1) continue;
      while (slots[begin + at] >= 0) at = (at + 1) % half;
      slots[begin + at] = i;
    }
    std::vector<char> data(extent * 8);
    for (std::int64_t s = 0; s < extent; s++) Scalar::of(type, slots[s]).store(data.data() + s * size_in_bytes(type));
    std::vector<TensorView> arguments = {{{}, {}}, {{extent}, {{type, data.data(), extent}}}};
    expect_agreement(searches(type), arguments, type == ElementType::Int32 ? "clang-19" : "cc");
    ASSERT_EQ(interpret(searches(type), arguments), Status::Ok);
    const std::vector<std::int64_t> result = indices_of(arguments[0].arrays[0]);
    release(arguments[0]);
    for (std::int64_t i = 0; i < extent; i++) {
      for (std::int64_t table : {0, 1}) {
        auto begin = slots.begin() + table * half, end = begin + half, at = std::find(begin, end, i);
        std::int64_t free = hash_slot(i, half);
        while (*(begin + free) >= 0) free = (free + 1) % half;
        EXPECT_EQ(result[3 * i + table], at == end ? -1 - (table * half + free) : at - slots.begin())
            << "coordinate " << i;
      }
      EXPECT_LT(result[3 * i + 2], 0);
    }
  }
}

TEST(EmitC, SearchesAreInTheKernelItselfAndOnlyThoseItUses) {
  for (bool standalone : {true, false}) {
    std::string narrow = emit_c({{searches(ElementType::Int32)}}, {.standalone = standalone});
    EXPECT_NE(narrow.find("FILIGREE_HASH_FIND(hash_find_i32, int32_t)\n"), std::string::npos);
    EXPECT_NE(narrow.find("hash_find_i32(x1_crd, 0, half, i)"), std::string::npos) << narrow;
    EXPECT_EQ(narrow.find("hash_find_i64"), std::string::npos);
    EXPECT_EQ(narrow.find("filigree_functions {"), std::string::npos);
    std::string wide = emit_c({{searches(ElementType::Int64)}}, {.standalone = standalone});
    EXPECT_NE(wide.find("FILIGREE_HASH_FIND(hash_find_i64, int64_t)\n"), std::string::npos);
    EXPECT_EQ(wide.find("hash_find_i32"), std::string::npos);
    EXPECT_EQ(emit_c({{scatter_product()}}, {.standalone = standalone}).find("hash"), std::string::npos);
  }
  EXPECT_EQ(emit_c({{searches(ElementType::Int32)}}, {.standalone = false}).find("#include"), std::string::npos);
}

TEST(EmitC, ValuesThatDoNotFitReleaseEverything) {
  Var y = value_array("y_vals"), n = int_var("n"), extent = int_var("extent"), w = index_array("w");
  Stmt body = block({declare(n, extent), Alloc{y, extent, true}, Alloc{w, extent, true},
                     if_then(equal(load_index(w, integer(0)), integer(0)), Return{Status::DoesNotFit}), Free{w}});
  FunctionDef function{"fits", {"y"}, {out_array(y, 0, 0, n), dimension(extent, 0, 0)}, body, {}};
  verify(function);
  std::vector<TensorView> tensors = {{{3}, {}}};
  EXPECT_EQ(interpret(function, tensors), Status::DoesNotFit);
  Compiled compiled(emit_c({{function}}));
  Memory memory;
  EXPECT_EQ(run(compiled.entry("fits"), tensors, {ElementType::Float64}, memory), static_cast<int>(Status::DoesNotFit));
  EXPECT_EQ(memory.blocks, 0);
}

TEST(EmitC, UsersNamesNeverClashWithC) {
  Var y("double", array(ElementType::Float64)), n = int_var("int"), i = int_var("runtime"),
                                                x("table_insert", array(ElementType::Float64)), m = int_var("NULL");
  Stmt body = block({declare(n, m), Alloc{y, n}, For{i, integer(0), n, store(y, i, Load{x, i})}});
  FunctionDef function{
      "copy", {"while", "copy"}, {out_array(y, 0, 0, n), dimension(m, 0, 0), in_array(x, 1, 0)}, body, {}};
  std::vector<double> x_data = {1, 2, 3};
  expect_agreement(function, {{{3}, {}}, view_of({3}, {}, &x_data)});
}

TEST(RuntimeText, IsTheFileAsItIs) {
  for (const char* name : {"hash", "kernel", "sort", "sort_segment", "table"}) {
    std::ifstream file(std::string(FILIGREE_SOURCE_DIR) + "/src/ir/runtime/" + name + ".h");
    EXPECT_EQ(runtime_text(name), std::string(std::istreambuf_iterator<char>(file), {})) << name;
  }
  EXPECT_EQ(runtime_text("unknown"), "");
}

}  // namespace
}  // namespace filigree::emit

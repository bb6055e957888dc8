// Functions and operators that C does not have: what is emitted computes what the interpreter does.
#include "tests/emit/compiled.h"

namespace filigree::emit::testing {
namespace {

constexpr int sample_count = 9;

Scalar sample(ElementType type, int n) {
  constexpr double numbers[sample_count] = {0, 1, 2, 3, 7, -1, -3, 100, -128};
  if (is_complex(type)) return Scalar::of(type, std::complex<double>(numbers[n], numbers[(n + 2) % 4]));
  double halves = is_floating(type) && n % 3 == 2 ? 0.5 : 0;
  return is_floating(type) ? Scalar::of(type, numbers[n] + halves)
                           : Scalar::of(type, static_cast<std::int64_t>(numbers[n]));
}

bool is_computed_in(Operator op, ElementType type) {
  const OperatorFacts& f = facts(op);
  if (is_user_function(op) || (is_complex(type) && !f.takes_complex)) return false;
  if (f.typing == Typing::Floating) return is_floating(type) || is_complex(type);
  if (f.typing == Typing::Logic) return type == ElementType::Bool;
  return !(f.typing == Typing::Arithmetic && type == ElementType::Bool);
}

/// Every operator that people can write, on every pair of samples of one type.
FunctionDef kernel_for(ElementType type) {
  Var a("a", array(type)), b("b", array(type)), y("y", array(ElementType::Complex128)),
      count = int_var("count"), i = int_var("i"), j = int_var("j");
  std::vector<Stmt> inner;
  for (Operator op : writable_operators()) {
    if (!is_computed_in(op, type)) continue;
    std::vector<Expr> operands = {Load{a, i}, Load{b, j}};
    if (facts(op).arity == 1) operands.pop_back();
    if (op == Operator::Select) operands.insert(operands.begin(), less(i, j));
    inner.push_back(store(y, count, Apply{op, operands}));
    inner.push_back(increment(count));
  }
  Var n = int_var("n");
  Stmt body = block({declare(n, integer(sample_count)), Alloc{y, integer(64 * sample_count * sample_count), true},
                     declare(count, integer(0)), For{i, integer(0), n, For{j, integer(0), n, block(inner)}}});
  return {
      to_string(type), {"y", "a", "b"}, {out_array(y, 0, 0, count), in_array(a, 1, 0), in_array(b, 2, 0)}, body, {}};
}

TEST(Functions, AgreeWithTheInterpreterForAllTypes) {
  Module module;
  for (ElementType type : all_element_types()) module.functions.push_back(kernel_for(type));
  Compiled compiled(emit_c(module), "cc", "-O0 -lm");
  for (const FunctionDef& function : module.functions) {
    verify(function);
    ElementType type = *parse_element_type(function.name);
    std::vector<char> a(16 * sample_count);
    for (int n = 0; n < sample_count; n++) sample(type, n).store(a.data() + n * size_in_bytes(type));
    std::vector<TensorView> expected = {
        {{}, {}}, {{}, {{type, a.data(), sample_count}}}, {{}, {{type, a.data(), sample_count}}}};
    std::vector<TensorView> actual = expected;
    ASSERT_EQ(interpret(function, expected), Status::Ok);
    Memory memory;
    ASSERT_EQ(run(compiled.entry(function.name), actual, {ElementType::Complex128}, memory), 0);
    SCOPED_TRACE(function.name);
    expect_same(actual[0].arrays[0], expected[0].arrays[0]);
    release(actual[0]);
    release(expected[0]);
  }
}

}  // namespace
}  // namespace filigree::emit::testing

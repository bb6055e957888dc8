#include "emit/c_statement.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/ir/kernels.h"

namespace filigree::emit {
namespace {

using namespace ir;
using namespace ir::testing;

Var typed(const std::string& name, ElementType type) { return Var(name, scalar(type)); }
Expr binary(Operator op, const Expr& a, const Expr& b) { return Apply{op, {a, b}}; }
Expr plus(const Expr& a, const Expr& b) { return binary(Operator::Add, a, b); }
Expr minus(const Expr& a, const Expr& b) { return binary(Operator::Subtract, a, b); }
Expr times(const Expr& a, const Expr& b) { return binary(Operator::Multiply, a, b); }
Expr number(double value) { return constant(Scalar::of(ElementType::Float64, value)); }

const Var a = int_var("a"), b = int_var("b"), c = int_var("c");
const Var x = typed("x", ElementType::Float64), y = typed("y", ElementType::Float64);

TEST(CText, ParenthesesOnlyWhereNeeded) {
  EXPECT_EQ(c_text(plus(times(a, b), c)), "a * b + c");
  EXPECT_EQ(c_text(times(plus(a, b), c)), "(a + b) * c");
  EXPECT_EQ(c_text(minus(minus(a, b), c)), "a - b - c");
  EXPECT_EQ(c_text(minus(a, minus(b, c))), "a - (b - c)");
  EXPECT_EQ(c_text(plus(x, plus(y, x))), "x + (y + x)");
  EXPECT_EQ(c_text(binary(Operator::And, less(a, b), binary(Operator::And, less(b, c), equal(a, c)))),
            "a < b && b < c && a == c");
  EXPECT_EQ(c_text(binary(Operator::Or, binary(Operator::And, less(a, b), less(b, c)), equal(a, c))),
            "(a < b && b < c) || a == c");
  EXPECT_EQ(c_text(binary(Operator::And, binary(Operator::Or, less(a, b), less(b, c)), equal(a, c))),
            "(a < b || b < c) && a == c");
  EXPECT_EQ(c_text(negate(less(a, b))), "!(a < b)");
  EXPECT_EQ(c_text(Apply{Operator::Negate, {plus(x, y)}}), "-(x + y)");
  EXPECT_EQ(c_text(Apply{Operator::Negate, {Apply{Operator::Negate, {x}}}}), "-(-x)");
  EXPECT_EQ(c_text(times(x, Apply{Operator::Negate, {y}})), "x * -y");
  EXPECT_EQ(c_text(times(x, Apply{Operator::Conjugate, {plus(x, y)}})), "x * (x + y)");
  Var single("single", scalar(ElementType::Complex64)), z("z", scalar(ElementType::Complex128));
  EXPECT_EQ(c_text(plus(z, Apply{Operator::Conjugate, {plus(z, z)}})), "z + __builtin_conj(z + z)");
  EXPECT_EQ(c_text(Apply{Operator::Conjugate, {single}}), "__builtin_conjf(single)");
  EXPECT_EQ(c_text(equal(less(a, b), less(b, c))), "(a < b) == (b < c)");
}

TEST(CText, NegativeLiteralsSubtract) {
  EXPECT_EQ(c_text(plus(a, integer(-3))), "a - 3");
  EXPECT_EQ(c_text(times(a, integer(-3))), "a * -3");
  EXPECT_EQ(c_text(minus(a, integer(-3))), "a - -3");
}

TEST(CText, Literals) {
  EXPECT_EQ(c_text(integer(12)), "12");
  EXPECT_EQ(c_text(integer(std::numeric_limits<std::int64_t>::min())), "(-9223372036854775807 - 1)");
  EXPECT_EQ(c_text(integer(std::int64_t{1} << 40)), "1099511627776");
  EXPECT_EQ(c_text(constant(Scalar::of(ElementType::UInt64, std::int64_t{-1}))), "18446744073709551615ull");
  EXPECT_EQ(c_text(number(0)), "0.0");
  EXPECT_EQ(c_text(number(-2.5)), "-2.5");
  EXPECT_EQ(c_text(number(1e300)), "1e+300");
  EXPECT_EQ(c_text(constant(Scalar::of(ElementType::Float32, 0.1))), "0.1f");
  EXPECT_EQ(c_text(number(-std::numeric_limits<double>::infinity())), "-__builtin_inf()");
  EXPECT_EQ(c_text(number(std::numeric_limits<double>::quiet_NaN())), "__builtin_nan(\"\")");
  EXPECT_EQ(c_text(constant(Scalar::of(ElementType::Complex128, std::complex<double>(1, -2)))),
            "__builtin_complex(1.0, -2.0)");
  EXPECT_EQ(c_text(boolean(true)), "1");
}

TEST(CText, ConversionsOnlyWhereCWouldDiffer) {
  Var narrow = typed("n", ElementType::Int32), small = typed("s", ElementType::Int8),
      word = typed("u", ElementType::UInt32);
  Var single = typed("f", ElementType::Float32), crd = index_array("crd"), other = index_array("other");
  EXPECT_EQ(c_text(equal(load_index(crd, a), b)), "crd[a] == b");
  EXPECT_EQ(c_text(equal(load_index(crd, a), load_index(other, b))), "crd[a] == other[b]");
  EXPECT_EQ(c_text(plus(load_index(crd, a), b)), "crd[a] + b");
  EXPECT_EQ(c_text(plus(load_index(crd, a), integer(1))), "(int64_t)crd[a] + 1");
  EXPECT_EQ(c_text(times(load_index(crd, a), load_index(other, b))), "(int64_t)crd[a] * other[b]");
  EXPECT_EQ(c_text(Load{crd, load_index(other, a)}), "crd[other[a]]");
  EXPECT_EQ(c_text(binary(Operator::Divide, a, b)), "(double)a / b");
  EXPECT_EQ(c_text(binary(Operator::Divide, x, a)), "x / a");
  EXPECT_EQ(c_text(binary(Operator::Divide, a, integer(2))), "a / 2.0");
  EXPECT_EQ(c_text(plus(narrow, word)), "(int64_t)n + u");
  EXPECT_EQ(c_text(plus(narrow, single)), "(double)n + f");
  EXPECT_EQ(c_text(plus(plus(small, small), a)), "(int8_t)(s + s) + a");
  EXPECT_EQ(c_text(plus(plus(small, small), small)), "s + s + s");
  EXPECT_EQ(c_text(less(plus(small, small), small)), "(int8_t)(s + s) < s");
  EXPECT_EQ(c_text(Cast{ElementType::Bool, x}), "x != 0");
  EXPECT_EQ(c_text(Cast{ElementType::Int32, a}), "(int32_t)a");
}

TEST(CText, IndexDivisionsArePlain) {
  Var crd = index_array("crd"), small = typed("s", ElementType::Int8), word = typed("u", ElementType::UInt32);
  EXPECT_EQ(c_text(quotient(a, integer(4))), "a / 4");
  EXPECT_EQ(c_text(remainder(a, integer(4))), "a % 4");
  EXPECT_EQ(c_text(quotient(plus(a, b), times(b, c))), "(a + b) / (b * c)");
  EXPECT_EQ(c_text(times(quotient(a, integer(4)), c)), "a / 4 * c");
  EXPECT_EQ(c_text(times(c, quotient(a, integer(4)))), "c * (a / 4)");
  EXPECT_EQ(c_text(quotient(load_index(crd, a), integer(4))), "crd[a] / 4");
  EXPECT_EQ(c_text(times(quotient(load_index(crd, a), integer(4)), integer(9))), "(int64_t)(crd[a] / 4) * 9");
  EXPECT_EQ(c_text(plus(times(quotient(load_index(crd, a), integer(4)), b), c)), "crd[a] / 4 * b + c");
  EXPECT_EQ(c_text(remainder(plus(small, small), small)), "(int8_t)(s + s) % s");
  EXPECT_EQ(c_text(quotient(small, word)), "(int64_t)s / u");
  EXPECT_EQ(c_text(quotient(a, integer(1))), "a");
  EXPECT_EQ(c_text(remainder(a, integer(1))), "0");
  EXPECT_EQ(c_text(quotient(integer(11), integer(4))), "2");
}

TEST(CText, HelpersForWhatCHasNoOperatorFor) {
  Var z = typed("z", ElementType::Complex128), flag = typed("flag", ElementType::Bool),
      other = typed("other", ElementType::Bool);
  EXPECT_EQ(c_text(min(a, b)), "min_i64(a, b)");
  EXPECT_EQ(c_text(max(x, y)), "max_f64(x, y)");
  EXPECT_EQ(c_text(times(z, x)), "multiply_c128(z, x)");
  EXPECT_EQ(c_text(plus(z, z)), "z + z");
  EXPECT_EQ(c_text(plus(flag, times(flag, other))), "flag | (flag & other)");
  EXPECT_EQ(c_text(max(flag, other)), "flag | other");
}

TEST(CText, UpdatesAreCompound) {
  Var v = value_array("v"), pos = index_array("pos");
  EXPECT_EQ(c_text(increment(a)), "a++;\n");
  EXPECT_EQ(c_text(assign(a, minus(a, integer(1)))), "a--;\n");
  EXPECT_EQ(c_text(assign(a, plus(a, integer(-2)))), "a -= 2;\n");
  EXPECT_EQ(c_text(assign(x, plus(times(x, y), x))), "x += x * y;\n");
  EXPECT_EQ(c_text(assign(x, minus(y, x))), "x = y - x;\n");
  EXPECT_EQ(c_text(assign(x, binary(Operator::Divide, x, plus(y, y)))), "x /= y + y;\n");
  EXPECT_EQ(c_text(store(v, a, plus(Load{v, a}, x))), "v[a] += x;\n");
  EXPECT_EQ(c_text(store(v, a, plus(Load{v, b}, x))), "v[a] = v[b] + x;\n");
  EXPECT_EQ(c_text(store(pos, a, plus(load_index(pos, a), integer(1)))), "pos[a]++;\n");
  EXPECT_EQ(c_text(store(pos, a, plus(load_index(pos, a), load_index(pos, b)))), "pos[a] += pos[b];\n");
  EXPECT_EQ(c_text(assign(a, plus(a, convert(equal(b, c), ElementType::Int64)))), "a += b == c;\n");
  EXPECT_EQ(c_text(assign(x, min(x, y))), "x = min_f64(x, y);\n");
}

TEST(CText, StatementsReadLikeC) {
  Var v = value_array("v"), i = int_var("i");
  Stmt chain =
      if_then(equal(a, b), block({increment(a), increment(b)}), if_then(less(a, b), increment(a), increment(b)));
  EXPECT_EQ(c_text(block({Comment{"advance"}, chain})), R"(// advance
if (a == b) {
  a++;
  b++;
} else if (a < b) {
  a++;
} else {
  b++;
}
)");
  EXPECT_EQ(c_text(Stmt(For{i, integer(0), a, block({if_then(equal(i, b), Break{}), store(v, i, number(1))})})),
            "for (int64_t i = 0; i < a; i++) {\n  if (i == b) break;\n  v[i] = 1.0;\n}\n");
  EXPECT_EQ(c_text(Stmt(While{boolean(true), Continue{}})), "while (1) {\n  continue;\n}\n");
  EXPECT_EQ(c_text(block({Alloc{v, a}, Alloc{v, a, true}, Grow{v, times(integer(2), a)}, Free{v}})),
            "ALLOC(v, a);\nALLOC_ZERO(v, a);\nGROW(v, 2 * a);\nFREE(v);\n");
}

TEST(CText, LoopEndsThatChangeAreKept) {
  Var i = int_var("i"), n = int_var("n"), pos = index_array("pos");
  EXPECT_EQ(c_text(Stmt(For{i, integer(0), n, increment(n)})),
            "for (int64_t i = 0, i_end = n; i < i_end; i++) {\n  n++;\n}\n");
  EXPECT_EQ(c_text(Stmt(For{i, integer(0), load_index(pos, n), store(pos, i, n)})),
            "for (int64_t i = 0, i_end = pos[n]; i < i_end; i++) {\n  pos[i] = n;\n}\n");
  EXPECT_EQ(c_text(Stmt(For{i, integer(0), load_index(pos, n), increment(a)})),
            "for (int64_t i = 0; i < pos[n]; i++) {\n  a++;\n}\n");
}

TEST(CText, NamesAreDistinctWhereBothAreVisible) {
  Var outer = int_var("i"), inner = int_var("i"), later = int_var("i"), keyword = int_var("int"),
      function = int_var("table_insert"), find = int_var("hash_find_i32");
  Stmt nested = For{outer, integer(0), a, For{inner, integer(0), outer, assign(b, plus(outer, inner))}};
  EXPECT_EQ(c_text(block({nested, For{later, integer(0), a, assign(b, later)}})), R"(for (int64_t i = 0; i < a; i++) {
  for (int64_t i_1 = 0; i_1 < i; i_1++) {
    b = i + i_1;
  }
}
for (int64_t i = 0; i < a; i++) {
  b = i;
}
)");
  EXPECT_EQ(c_text(plus(keyword, function)), "int_ + table_insert_");
  EXPECT_EQ(c_text(plus(find, int_var("hash_find"))), "hash_find_i32_ + hash_find");
}

}  // namespace
}  // namespace filigree::emit

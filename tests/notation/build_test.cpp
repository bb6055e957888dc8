#include "notation/build.h"

#include <gtest/gtest.h>

#include "tests/notation/from_text.h"

namespace filigree {
namespace {

using notation::error_of;
using notation::Statement;
using notation::to_string;

class Build : public testing::Test {
 protected:
  static TensorVar tensor(const char* name, int order, ElementType type = ElementType::Float64) {
    return TensorVar(name, type, Format::dense(order));
  }
  IndexVar i{"i"}, j{"j"}, k{"k"};
  TensorVar a = tensor("a", 1), b = tensor("b", 1), c = tensor("c", 1), s = tensor("s", 0), t = tensor("t", 0);
  TensorVar A = tensor("A", 2), B = tensor("B", 2), C = tensor("C", 2);
};

TEST_F(Build, PrunesAWholeRightSide) {
  EXPECT_EQ(to_string(a(i) = prune(B(i, j) * c(j))), "a(i) = prune(sum(j, B(i,j)*c(j)))");
  EXPECT_EQ(to_string(a(i) += prune(b(i) - 1)), "a(i) += prune(b(i) - 1)");
  EXPECT_EQ(to_string(update(a(i), Operator::Min, prune(b(i)))), "a(i) min= prune(b(i))");
  EXPECT_TRUE((a(i) = prune(b(i))).prunes);
  EXPECT_FALSE((a(i) = b(i)).prunes);
}

TEST_F(Build, LooksLikeIndexNotation) {
  EXPECT_EQ(to_string(a(i) = B(i, j) * c(j)), "a(i) = sum(j, B(i,j)*c(j))");
  EXPECT_EQ(to_string(A(i, j) = B(i, k) * C(k, j)), "A(i,j) = sum(k, B(i,k)*C(k,j))");
  EXPECT_EQ(to_string(a(i) = b(i)), "a(i) = b(i)");
  EXPECT_EQ(to_string(a(i) = -b(i) * (c(i) - b(i)) / s + c(i)), "a(i) = -b(i)*(c(i) - b(i))/s + c(i)");
  EXPECT_EQ(to_string(a(i) = max(min(b(i), c(i)), 0)), "a(i) = max(min(b(i), c(i)), 0)");
  EXPECT_EQ(to_string(a(i) = conj(B(i, j)) * c(j)), "a(i) = sum(j, conj(B(i,j))*c(j))");
  EXPECT_EQ(to_string(A(i, j) = b(i)), "A(i,j) = b(i)");
}

TEST_F(Build, WritesScalarsWithoutParenthesesOnTheRight) {
  EXPECT_EQ(to_string(s() = b(i) * c(i)), "s = sum(i, b(i)*c(i))");
  EXPECT_EQ(to_string(a(i) = s * t * b(i)), "a(i) = s*t*b(i)");
  EXPECT_EQ(to_string(s() = t), "s = t");
  EXPECT_EQ(to_string(a(i) = s), "a(i) = s");
  EXPECT_EQ(to_string(a(i) = -s), "a(i) = -s");
}

TEST_F(Build, TakesNumbers) {
  EXPECT_EQ(to_string(a(i) = 2 * b(i) + 0.5), "a(i) = 2*b(i) + 0.5");
  EXPECT_EQ(to_string(a(i) = 2.5f), "a(i) = 2.5");
  EXPECT_EQ(to_string(a(i) = 3u + b(i)), "a(i) = 3 + b(i)");
  EXPECT_EQ(to_string(a(i) = sizeof(int) + b(i)), "a(i) = 4 + b(i)");
  EXPECT_EQ(to_string(a(i) = std::complex<double>(1, -2) * b(i)), "a(i) = (1 - 2i)*b(i)");
  EXPECT_EQ(to_string(a(i) = -Term(2) * b(i)), "a(i) = -2*b(i)");
}

TEST_F(Build, NumbersAreWeak) {
  TensorVar single = tensor("f", 1, ElementType::Float32), small = tensor("n", 1, ElementType::Int8);
  EXPECT_EQ((a(i) = 2.5 * single(i)).rhs.type(), ElementType::Float32);
  EXPECT_EQ((a(i) = 2 * small(i)).rhs.type(), ElementType::Int8);
  EXPECT_EQ((a(i) = 2.0 * small(i)).rhs.type(), ElementType::Float64);
  EXPECT_EQ(error_of([&] { (void)(a(i) = 300 * small(i)); }),
            "error: The number 300 does not fit in int8, the type it is combined with\n"
            "hint: write 300.0 to compute in float64\n");
}

TEST_F(Build, HasEveryAssignment) {
  EXPECT_EQ(to_string(a(i) += B(i, j)), "a(i) += sum(j, B(i,j))");
  EXPECT_EQ(to_string(a(i) -= b(i)), "a(i) -= b(i)");
  EXPECT_EQ(to_string(a(i) *= B(i, j)), "a(i) *= prod(j, B(i,j))");
  EXPECT_EQ(to_string(min_assign(A(i, j), B(i, k) + C(k, j))), "A(i,j) min= min_over(k, B(i,k) + C(k,j))");
  EXPECT_EQ(to_string(max_assign(s(), b(i))), "s max= max_over(i, b(i))");
}

TEST_F(Build, HasExplicitReductions) {
  EXPECT_EQ(to_string(a(i) = sum(j, b(i) + C(i, j))), "a(i) = sum(j, b(i) + C(i,j))");
  EXPECT_EQ(to_string(s() = sum({i, j}, B(i, j))), "s = sum(i, j, B(i,j))");
  EXPECT_EQ(to_string(a(i) = prod(j, B(i, j)) * min_over(j, B(i, j)) * max_over(j, 2 * B(i, j))),
            "a(i) = prod(j, B(i,j))*min_over(j, B(i,j))*max_over(j, 2*B(i,j))");
  EXPECT_EQ(to_string(a(i) = sum({}, b(i))), "a(i) = b(i)");
}

TEST_F(Build, TermsCanBeNamedAndReused) {
  Term row = B(i, j) * c(j);
  EXPECT_EQ(to_string(a(i) = row + b(i) * row), "a(i) = sum(j, B(i,j)*c(j)) + b(i)*sum(j, B(i,j)*c(j))");
}

TEST_F(Build, GivesWhatTheSameTextGives) {
  notation::Parsed parsed = notation::parse("a(i) = 2*B(i,j)*c(j) - max(b(i), 0)");
  Statement text = notation::resolve(parsed, {{"a", a}, {"B", B}, {"c", c}, {"b", b}});
  IndexVar row = text.lhs.indices[0], column = notation::index_vars(text)[1];
  Statement built = (a(row) = 2 * B(row, column) * c(column) - max(b(row), 0));
  EXPECT_EQ(built.lhs, text.lhs);
  EXPECT_EQ(built.rhs, text.rhs);
}

TEST_F(Build, RefusesWrongNumbersOfIndices) {
  EXPECT_EQ(error_of([&] { B(i); }), "error: 'B' has 2 dimensions but is used with 1 index\n");
  EXPECT_EQ(error_of([&] { (void)(a(i) = 2 * B); }), "error: 'B' has 2 dimensions but is used with 0 indices\n");
}

TEST_F(Build, ChecksStatements) {
  EXPECT_EQ(error_of([&] { (void)update(a(i), Operator::Less, b(i)); }),
            "error: There is no assignment '<='\nhint: assignments are = += -= *= /= min= max= and= or= xor=\n");
  EXPECT_EQ(error_of([&] { reduce(Operator::Subtract, i, b(i)); }),
            "error: '-' cannot reduce: the order of its operands matters\nhint: operators that can are + * min max and "
            "or xor\n");
  EXPECT_EQ(error_of([&] { call(Operator::Select, {b(i), b(i)}); }),
            "error: 'select' takes three operands, not 2\nhint: write select(condition, a, b)\n");
}

TEST_F(Build, HasEveryOperatorOfIndexNotation) {
  auto text = [&](const notation::Statement& statement) { return notation::to_string(statement); };
  EXPECT_EQ(text(a(i) = select(b(i) < 1 && !(b(i) == 2), pow(b(i), 2), floor_divide(b(i), 3) % 2)),
            "a(i) = select(b(i) < 1 and not b(i) == 2, b(i)^2, b(i)//3%2)");
  EXPECT_EQ(text(a(i) = exclusive_or(b(i) >= 1, b(i) != 2) || b(i) > 3), "a(i) = b(i) >= 1 xor b(i) != 2 or b(i) > 3");
  EXPECT_EQ(text(a(i) = abs(sqrt(exp(log(sin(cos(tanh(sign(relu(floor(ceil(real(imag(b(i))))))))))))))),
            "a(i) = abs(sqrt(exp(log(sin(cos(tanh(sign(relu(floor(ceil(real(imag(b(i))))))))))))))");
  EXPECT_EQ(text(a(i) = any(j, B(i, j))), "a(i) = any(j, B(i,j) != 0)");
  EXPECT_EQ(text(a(i) = all(j, B(i, j) > 0)), "a(i) = all(j, B(i,j) > 0)");
  EXPECT_EQ(text(a(i) = count(j, B(i, j))), "a(i) = sum(j, B(i,j) != 0)");
  EXPECT_EQ(text(a(i) = reduce(Operator::Xor, j, B(i, j) > 0)), "a(i) = reduce(xor, j, B(i,j) > 0)");
  EXPECT_EQ(text(a(i) /= B(i, j)), "a(i) /= prod(j, B(i,j))");
  EXPECT_EQ(text(update(a(i), Operator::Or, B(i, j))), "a(i) or= any(j, B(i,j) != 0)");
}

TEST_F(Build, RefusesNumbersAndDepthsBeyondItsLimits) {
  EXPECT_EQ(error_of([&] { (void)(a(i) = ~std::size_t{0} * b(i)); }),
            "error: The number '18446744073709551615' is too large for a 64-bit integer\n"
            "hint: convert it to double for a floating-point number\n");
  EXPECT_EQ(error_of([&] {
              Term total = b(i);
              for (int n = 0; n < 100000; n++) total = total + b(i);
            }),
            "error: The expression chains more than 2499 operators\n"
            "hint: compute parts of it into tensors of their own\n");
}

TEST_F(Build, HasEveryIndex) {
  EXPECT_EQ(to_string(a(i) = b(i) - b(i + 1)), "a(i) = b(i) - b(i+1)");
  EXPECT_EQ(to_string(a(2 * i - 1) = b(3 - i)), "a(2*i-1) = b(-i+3)");
  EXPECT_EQ(to_string(A(i, j) = B(i + k, j - k + 2) * C(i, k)), "A(i,j) = sum(k, B(i+k,j-k+2)*C(i,k))");
  EXPECT_EQ(to_string(a(j) = B(fixed(3), j)), "a(j) = B(3,j)");
  EXPECT_EQ(to_string(A(window(i, 2, 10), j) = B(window(i, 0, 16, 2), j)), "A(i(2,10),j) = B(i(0,15,2),j)");
  EXPECT_EQ(to_string(A(i, j) += B(entries(i, {1, 4, 7}), j)), "A(i,j) += B(i({1,4,7}),j)");
  EXPECT_EQ(to_string(a(i) = B(i, i)), "a(i) = B(i,i)");
  EXPECT_EQ(to_string(a(i) = pad(b(i - 1)) + b(i)), "a(i) = pad(b(i-1)) + b(i)");
  EXPECT_EQ(to_string(a(i) = value(i) * b(i + 1 - 1)), "a(i) = i*b(i)");
  EXPECT_EQ(to_string(A(i, j) = select(value(j) <= value(i), B(i, j), 0)), "A(i,j) = select(j <= i, B(i,j), 0)");
}

TEST_F(Build, ChecksIndices) {
  EXPECT_EQ(error_of([&] { window(i, 5, 2); }), "error: The window ends at 2, before it begins at 5\n");
  EXPECT_EQ(error_of([&] { window(i, 0, 5) + 1; }),
            "error: A window or a list stands alone, without a sum around it\nhint: shift its bounds instead\n");
  EXPECT_EQ(error_of([&] { fixed(-1); }), "error: The coordinate -1 is negative\nhint: coordinates begin at 0\n");
  EXPECT_EQ(error_of([&] { entries(i, {}); }), "error: A list of coordinates is empty\n");
  EXPECT_EQ(error_of([&] { pad(b(i) + 1); }), "error: pad takes a tensor with indices\nhint: write pad(b(i + 1))\n");
  EXPECT_EQ(error_of([&] { sum(i + 1, b(i)); }), "error: A reduction is over index variables, not over i+1\n");
}

}  // namespace
}  // namespace filigree

// Statements as text, einsum, and formats as values.
#include "front/compile.h"

#include <gtest/gtest.h>

#include "tests/front/message_of.h"

namespace filigree {
namespace {

using formats::compressed, formats::csc, formats::csr, formats::dense;

TEST(Compile, TakesFormatsByName) {
  Kernel product = compile("A(i,j) = B(i,k)*C(k,j)", {{"B", csr}, {"C", csr}});
  EXPECT_EQ(to_string(product.statement().lhs.tensor.format()), "csr");
  Tensor<double> B({{1, 2}, {0, 3}}, csr), C({{4, 0}, {5, 6}}, csr);
  Tensor<double> A(product.run({{"B", B}, {"C", C}}));
  EXPECT_EQ(A.at(0, 0), 14);
  EXPECT_EQ(A.at(1, 1), 18);
  Kernel typed = compile("y(i) = x(i)", {{"x", {Format{compressed}, ElementType::Float32}}, {"y", "dense"}});
  EXPECT_EQ(typed.statement().lhs.tensor.type(), ElementType::Float64);
  EXPECT_EQ(typed.statement().rhs.type(), ElementType::Float32);
  EXPECT_EQ(message_of([] { compile("y(i) = x(i)", {{"X", csr}}); }), "There is no tensor 'X' in the text");
  Program two = compile_program("T(i,j) = B(i,k)*C(k,j); y(i) = T(i,j)", {{"B", csr}, {"C", csr}});
  EXPECT_EQ(two.outputs(), std::vector<std::string>{"y"});
}

TEST(Compile, ArgumentsCanBeKeyedByTheirVariable) {
  TensorVar y("y", ElementType::Float64, Format::dense(1)), A("A", ElementType::Float64, Format{dense, compressed}),
      x("x", ElementType::Float64, Format::dense(1)), s("s", ElementType::Float64, Format());
  IndexVar i, j;
  Tensor<double> matrix({{1, 2}, {0, 3}}, csr), vector = Tensor<double>::vector({1, 10});
  Tensor<double> result(Kernel::compile((y(i) = A(i, j) * x(j))).run({{A, matrix}, {x, vector}}));
  EXPECT_EQ(result.at(0), 21);
  Tensor<double> total(Kernel::compile((s = A(i, j) * x(j))).run({{A, matrix}, {x, vector}}));
  EXPECT_EQ(total.item(), 51);
}

TEST(Einsum, ReturnsATensor) {
  Tensor<double> B({{1, 2}, {0, 3}}, csr), C({{4, 0}, {5, 6}}, csr);
  Tensor<float> f = Tensor<float>::vector({1, 2});
  Tensor<double> A = einsum("ik,kj->ij", B, C);
  EXPECT_EQ(A.at(0, 0), 14);
  EXPECT_EQ(to_string(A.format()), "csr");
  Tensor<double> y = einsum("ij,j->i", B, f);
  EXPECT_EQ(y.at(0), 5);
  EXPECT_EQ(to_string(y.format()), "dense");
  EXPECT_EQ(einsum("ii", B).item(), 4);
  Tensor<double> transposed = einsum("...j->j...", B);
  EXPECT_EQ(transposed.dimension(0), B.dimension(1));
  EXPECT_EQ(transposed.at(1, 0), B.at(0, 1));
  EXPECT_EQ(message_of([&] { einsum("ijk->i", B); }),
            "Operand 1 of einsum has 2 dimensions, but 'ijk->i' has 3 labels for it");
  EXPECT_EQ(message_of([&] { einsum("ij,jk->ik", B, f); }),
            "Operand 2 of einsum has 1 dimension, but 'ij,jk->ik' has 2 labels for it");
}

template <class A, class B>
void check_promoted() {
  using Result = typename front::Promoted<A, B>::type;
  EXPECT_EQ(element_type_of<Result>(), promote(element_type_of<A>(), element_type_of<B>()))
      << to_string(element_type_of<A>()) << " " << to_string(element_type_of<B>());
}
template <class... Types>
void check_all_promoted() {
  auto with = []<class A>(std::type_identity<A>) { (check_promoted<A, Types>(), ...); };
  (with(std::type_identity<Types>{}), ...);
}

TEST(Einsum, PromotesAsOperatorsDo) {
  check_all_promoted<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                     std::uint32_t, std::uint64_t, float, double, std::complex<float>, std::complex<double>>();
}

TEST(Formats, AreValues) {
  EXPECT_EQ(to_string(csr(2)), "csr");
  EXPECT_EQ(to_string(formats::coo(3)), "coo");
  EXPECT_EQ(to_string(formats::bcsr(4, 2)), "bcsr(4,2)");
  EXPECT_EQ((Format{dense, compressed}), csr(2));
  EXPECT_EQ(Format({dense, compressed}, {1, 0}), csc(2));
  EXPECT_EQ(message_of([] { Format({dense, compressed}, {1, 1}); }),
            "The order of the levels, {1,1}, does not name each of 2 dimensions once");
  EXPECT_EQ(message_of([] { Format{dense, csr}; }), "'csr' is no format of a level");
  EXPECT_EQ(message_of([] { csr(3); }), "Format 'csr' is for matrices, but the tensor has 3 dimensions");
}

TEST(IndexVars, NeedNoNames) {
  IndexVar i, j;
  EXPECT_NE(i, j);
  EXPECT_FALSE(i.is_named());
  EXPECT_FALSE(i.name().empty());
  EXPECT_NE(i.name(), j.name());
}

TEST(Arrays, AreReadWithTheirOwnType) {
  Array array(ElementType::Float32, 2), flags(ElementType::Bool, 2);
  EXPECT_EQ(array.as<float>().size(), 2u);
  EXPECT_EQ(message_of([&] { array.as<double>(); }), "These elements are float32, not float64");
  EXPECT_EQ(flags.as<bool>().size(), 2u);
  EXPECT_EQ(flags.as<std::uint8_t>().size(), 2u);
}

}  // namespace
}  // namespace filigree

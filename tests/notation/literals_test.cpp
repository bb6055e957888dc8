#include "notation/literals.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/notation/from_text.h"

namespace filigree::notation {
namespace {

constexpr ElementType Bool = ElementType::Bool, Int8 = ElementType::Int8, Int32 = ElementType::Int32,
                      Int64 = ElementType::Int64, UInt8 = ElementType::UInt8, UInt64 = ElementType::UInt64,
                      Float32 = ElementType::Float32, Float64 = ElementType::Float64,
                      Complex64 = ElementType::Complex64, Complex128 = ElementType::Complex128;

Statement with(ElementType type, const std::string& rhs) { return from_text("a(i) = " + rhs, {{"b", type}}); }

TEST(TypeLiterals, FollowsNumPysWeakScalars) {
  struct Row {
    ElementType tensor;
    const char* rhs;
    ElementType result;
  };
  for (const Row& row : {Row{Float32, "2*b(i)", Float32},
                         Row{Float32, "b(i) + 2.5", Float32},
                         Row{Float32, "2i*b(i)", Complex64},
                         Row{Float32, "1/2*b(i)", Float32},
                         Row{Float32, "b(i)/2", Float32},
                         Row{Float32, "min(b(i), 0)", Float32},
                         Row{Float64, "2*b(i)", Float64},
                         Row{Float64, "2i*b(i)", Complex128},
                         Row{Int8, "2*b(i)", Int8},
                         Row{Int8, "2.0*b(i)", Float64},
                         Row{Int8, "b(i)/2", Float64},
                         Row{Int32, "1/2*b(i)", Float64},
                         Row{Int32, "2i*b(i)", Complex128},
                         Row{UInt8, "b(i) + 255", UInt8},
                         Row{UInt64, "b(i) + 1", UInt64},
                         Row{Int8, "b(i) + -128", Int8},
                         Row{Bool, "2*b(i)", Int64},
                         Row{Bool, ".5*b(i)", Float64},
                         Row{Bool, "b(i)*1i", Complex128},
                         Row{Complex64, "2*b(i)", Complex64},
                         Row{Complex64, "2.5*b(i)", Complex64},
                         Row{Complex64, "2i*b(i)", Complex64},
                         Row{Int8, "2*b(i)*0.5", Float64},
                         Row{Int8, "2*(b(i) + 3)", Int8},
                         Row{Int8, "2", Int64},
                         Row{Float32, "min(b(i), inf)", Float32},
                         Row{Int32, "min(b(i), inf)", Float64},
                         Row{Complex64, "nan*b(i)", Complex64},
                         Row{Bool, "b(i) + nan", Float64},
                         Row{Int8, "-inf", Float64},
                         Row{Int8, "2.", Float64},
                         Row{Int8, "2i", Complex128}}) {
    EXPECT_EQ(with(row.tensor, row.rhs).rhs.type(), row.result) << to_string(row.tensor) << ": " << row.rhs;
  }
}

TEST(TypeLiterals, ReadsNumbers) {
  struct Row {
    const char* text;
    Scalar value;
  };
  for (const Row& row :
       {Row{"2", Scalar::of(Int64, std::int64_t{2})}, Row{".5", Scalar::of(Float64, .5)},
        Row{"1e3", Scalar::of(Float64, 1000.)}, Row{"1.5e-2", Scalar::of(Float64, .015)},
        Row{"1E+2", Scalar::of(Float64, 100.)}, Row{"3.", Scalar::of(Float64, 3.)},
        Row{"2i", Scalar::of(Complex128, std::complex<double>(0, 2))},
        Row{".5e1i", Scalar::of(Complex128, std::complex<double>(0, 5))},
        Row{"1 + 2i", Scalar::of(Complex128, std::complex<double>(1, 2))}, Row{"inf", Scalar::of(Float64, INFINITY)},
        Row{"-inf", Scalar::of(Float64, -INFINITY)}, Row{"nan", Scalar::of(Float64, NAN)},
        Row{"007", Scalar::of(Int64, std::int64_t{7})}, Row{"9223372036854775807", Scalar::of(Int64, INT64_MAX)}}) {
    Statement statement = from_text(std::string("a = ") + row.text);
    ASSERT_NE(statement.rhs.as<Literal>(), nullptr) << row.text;
    EXPECT_EQ(statement.rhs.as<Literal>()->value, row.value) << row.text;
  }
}

TEST(TypeLiterals, FoldsConstantsAsPythonDoes) {
  EXPECT_EQ(printed("a(i) = 1/2*b(i)"), "a(i) = 0.5*b(i)");
  EXPECT_EQ(printed("a(i) = (2 + 3*4)*b(i)"), "a(i) = 14*b(i)");
  EXPECT_EQ(printed("a(i) = -2*b(i)"), "a(i) = -2*b(i)");
  EXPECT_EQ(printed("a(i) = b(i)*2*3"), "a(i) = b(i)*2*3");
  EXPECT_EQ(printed("a(i) = min(2, 1.5)*b(i)"), "a(i) = 1.5*b(i)");
  EXPECT_EQ(printed("a(i) = conj(3)*b(i)"), "a(i) = 3*b(i)");
  EXPECT_EQ(printed("a(i) = 4/2*b(i)", {{"b", Int32}}), "a(i) = 2.0*b(i)");
  EXPECT_EQ(with(Float32, "1/3*b(i)").rhs.as<Apply>()->operands[0].as<Literal>()->value, Scalar::of(Float32, 1. / 3));
}

TEST(TypeLiterals, ComputesWithInfinities) {
  EXPECT_EQ(printed("a = inf*0"), "a = nan");
  EXPECT_EQ(printed("a = 2^inf"), "a = inf");
  EXPECT_EQ(printed("a = 1/inf"), "a = 0.0");
  EXPECT_EQ(printed("a = inf // 2"), "a = nan");
  EXPECT_EQ(printed("a = exp(-inf)"), "a = 0.0");
  EXPECT_EQ(printed("a(i) = select(b(i) == nan, -inf, inf + 2i)"), "a(i) = select(b(i) == nan, -inf, inf + 2i)");
}

TEST(TypeLiterals, PrintsThePlainestFormThatKeepsTheType) {
  EXPECT_EQ(printed("a(i) = 2*b(i)", {{"b", Float32}}), "a(i) = 2*b(i)");
  EXPECT_EQ(printed("a(i) = 2.0*b(i)", {{"b", Float32}}), "a(i) = 2*b(i)");
  EXPECT_EQ(printed("a(i) = 2.0*b(i)", {{"b", Int32}}), "a(i) = 2.0*b(i)");
  EXPECT_EQ(printed("a(i) = 2*b(i)", {{"b", Complex64}}), "a(i) = 2*b(i)");
  EXPECT_EQ(printed("a(i) = 2i*b(i)", {{"b", Complex64}}), "a(i) = 2i*b(i)");
  EXPECT_EQ(printed("a(i) = (1 - 2i)*b(i)"), "a(i) = (1 - 2i)*b(i)");
  EXPECT_EQ(printed("a(i) = 0i*b(i)"), "a(i) = 0i*b(i)");
  EXPECT_EQ(printed("a = 2 + 0i"), "a = 2 + 0i");
  EXPECT_EQ(printed("a = 2.0"), "a = 2.0");
  EXPECT_EQ(printed("a = 1e300"), "a = 1e+300");
  EXPECT_EQ(printed("a(i) = -0.0*b(i)"), "a(i) = -0.0*b(i)");
  EXPECT_EQ(printed("a = -9223372036854775807 - 1"), "a = -9223372036854775807 - 1");
}

std::string error_with(ElementType type, const std::string& rhs) {
  return error_of([&] { with(type, rhs); });
}

TEST(TypeLiterals, RefusesNumbersThatDoNotFit) {
  EXPECT_EQ(error_with(Int8, "b(i) + 300"),
            "error: The number 300 does not fit in int8, the type it is combined with\n"
            "  in expression, column 15:\n"
            "    a(i) = b(i) + 300\n"
            "                  ^^^\n"
            "hint: write 300.0 to compute in float64\n");
  EXPECT_EQ(error_with(UInt8, "-1*b(i)"),
            "error: The number -1 does not fit in uint8, the type it is combined with\n"
            "  in expression, column 8:\n"
            "    a(i) = -1*b(i)\n"
            "           ^^\n"
            "hint: write -1.0 to compute in float64\n");
  EXPECT_NE(error_with(UInt64, "b(i)*-1"), "no error");
  EXPECT_NE(error_with(Int8, "(100 + 100)*b(i)"), "no error");
  EXPECT_EQ(error_with(Float32, "1e300*b(i)"),
            "error: The number 1e+300 does not fit in float32, the type it is combined with\n"
            "  in expression, column 8:\n"
            "    a(i) = 1e300*b(i)\n"
            "           ^^^^^\n"
            "hint: declare the tensor float64\n");
}

TEST(TypeLiterals, RefusesConstantsWithoutAValue) {
  EXPECT_EQ(error_with(Float64, "b(i) + 1/0"),
            "error: This constant is not a finite number\n"
            "  in expression, column 15:\n"
            "    a(i) = b(i) + 1/0\n"
            "                  ^^^\n"
            "hint: check for a division by zero, or write inf or nan if that is meant\n");
  EXPECT_EQ(error_with(Float64, "9223372036854775807 + 1"),
            "error: This constant does not fit in a 64-bit integer\n"
            "  in expression, column 8:\n"
            "    a(i) = 9223372036854775807 + 1\n"
            "           ^^^^^^^^^^^^^^^^^^^^^^^\n"
            "hint: write one of its numbers with a decimal point to compute it in float64\n");
  EXPECT_EQ(error_with(Float64, "max(1, 2i)"),
            "error: 'max' is not defined for complex numbers\n"
            "  in expression, column 8:\n"
            "    a(i) = max(1, 2i)\n"
            "           ^^^^^^^^^^\n");
}

}  // namespace
}  // namespace filigree::notation

// Reductions over rows of which few have entries: the time is that of the entries, whatever the dimensions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/program.h"
#include "notation/parse.h"

namespace filigree {
namespace {

constexpr std::int64_t size = 1'000'000'000'000;

/// -2 and -3 in row 4, 4 in row 700000000000.
AnyTensor matrix(const std::string& format, double fill = 0) {
  Coordinates entries{{size, size}, {{4, 4, 700'000'000'000}, {6, 8, 0}}, Array(ElementType::Float64, 3)};
  for (int n = 0; n < 3; n++) entries.values.set(n, Scalar::of(ElementType::Float64, n == 2 ? 4.0 : -2.0 - n));
  return AnyTensor::pack(entries, parse_format(format, 2), Duplicates::Sum, "A", false,
                         Scalar::of(ElementType::Float64, fill));
}

/// The result, in so few steps that no loop can have run over a dimension.
std::string computed(const std::string& text, const std::string& format, double fill = 0) {
  notation::Parsed parsed = notation::parse(text);
  std::map<std::string, TensorVar> tensors;
  for (const notation::TensorUse& use : parsed.tensors) {
    Format stored = use.is_result ? (use.order == 0 ? Format() : Format::sparse(use.order)) : parse_format(format, 2);
    Scalar absent = Scalar::of(ElementType::Float64, use.is_result ? 0.0 : fill);
    tensors.emplace(use.name, TensorVar(use.name, ElementType::Float64, stored, absent));
  }
  KernelOptions options;
  options.target = compiler::Target::Interpret;
  options.step_limit = 2000;
  AnyTensor operand = matrix(format, fill);
  AnyTensor result = Kernel::compile(notation::resolve(parsed, tensors), options).run({{"A", operand}});
  std::string out = result.fill().is_zero() ? "" : fmt::format("fill {}; ", to_string(result.fill()));
  result.for_each([&](const std::vector<std::int64_t>& at, std::int64_t position) {
    for (std::int64_t c : at) out += fmt::format("{} ", c);
    out += to_string(result.values().get(position)) + "; ";
  });
  return out;
}

TEST(Hypersparse, ReductionsVisitStoredRows) {
  for (const char* format : {"dcsr", "coo", "dcsc", "coo_aos", "(i,j) -> (i: compressed, j: hashed)"}) {
    SCOPED_TRACE(format);
    EXPECT_EQ(computed("m(i) = max_over(j, A(i,j))", format), "4 0; 700000000000 4; ") << format;
    EXPECT_EQ(computed("m(i) = min_over(j, A(i,j))", format), "4 -3; 700000000000 0; ") << format;
    EXPECT_EQ(computed("m(j) = max_over(i, A(i,j))", format), "0 4; 6 0; 8 0; ") << format;
    EXPECT_EQ(computed("m(i) = any(j, A(i,j) > 0)", format), "4 0; 700000000000 1; ") << format;
    EXPECT_EQ(computed("m(i) max= A(i,j)*A(i,j)", format), "4 9; 700000000000 16; ") << format;
  }
}

TEST(Hypersparse, ResultsHaveTheFillOfARowWithoutEntries) {
  EXPECT_EQ(computed("m(i) = max_over(j, abs(A(i,j)) - 3)", "dcsr"), "fill -3; 4 0; 700000000000 1; ");
  EXPECT_EQ(computed("m(i) = min_over(j, A(i,j))", "dcsr", 7), "fill 7; 4 -3; 700000000000 4; ");
  EXPECT_EQ(computed("m(i) = 2*max_over(j, A(i,j)) - min_over(j, A(i,j)) + 1", "dcsr"),
            "fill 1; 4 4; 700000000000 9; ");
}

TEST(Hypersparse, RowsWithoutEntriesAreCounted) {
  EXPECT_EQ(computed("s = sum(i, max_over(j, A(i,j)))", "dcsr"), "4; ");
  EXPECT_EQ(computed("s = sum(i, max_over(j, A(i,j) - 1))", "dcsr"),
            fmt::format("{}; ", to_string(Scalar::of(ElementType::Float64, -1e12 + 4))));
  EXPECT_EQ(computed("s = max_over(i, min_over(j, A(i,j)))", "dcsr"), "0; ");
  EXPECT_EQ(computed("s = min_over(i, max_over(j, A(i,j)) + 2)", "dcsr"), "fill 2; 2; ");
}

TEST(Hypersparse, OverAnEmptyDimensionEveryRowHasTheIdentity) {
  TensorVar A("A", ElementType::Float64, parse_format("dcsr", 2)), m("m", ElementType::Float64, Format::sparse(1));
  notation::Parsed parsed = notation::parse("m(i) = min_over(j, A(i,j))");
  Coordinates none{{3, 0}, {{}, {}}, Array(ElementType::Float64, 0)};
  AnyTensor operand = AnyTensor::pack(none, A.format());
  for (compiler::Target target : {compiler::Target::Interpret, compiler::Target::Jit}) {
    KernelOptions options;
    options.target = target;
    AnyTensor result = Kernel::compile(notation::resolve(parsed, {{"A", A}, {"m", m}}), options).run({{"A", operand}});
    ASSERT_EQ(result.stored(), 3);
    for (int n = 0; n < 3; n++) EXPECT_EQ(to_string(result.values().get(n)), "inf");
  }
}

}  // namespace
}  // namespace filigree

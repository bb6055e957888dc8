#include "compiler/kernel.h"

#include <gtest/gtest.h>

#include "notation/build.h"
#include "notation/extents.h"
#include "notation/parse.h"

namespace filigree {
namespace {

IndexVar i("i"), j("j"), k("k");

TensorVar tensor(const std::string& name, const std::string& format, int order) {
  return TensorVar(name, ElementType::Float64, parse_format(format, order));
}

/// A matrix with the value 10*row + column + 1 at the given places.
AnyTensor matrix(std::vector<std::int64_t> dimensions, const std::vector<std::pair<std::int64_t, std::int64_t>>& places,
                 const std::string& format) {
  Coordinates entries;
  entries.dimensions = std::move(dimensions);
  entries.coordinate.resize(2);
  entries.values = Array(ElementType::Float64, static_cast<std::int64_t>(places.size()));
  for (size_t n = 0; n < places.size(); n++) {
    entries.coordinate[0].push_back(places[n].first);
    entries.coordinate[1].push_back(places[n].second);
    entries.values.set(static_cast<std::int64_t>(n),
                       Scalar::of(ElementType::Float64, 10.0 * double(places[n].first) + double(places[n].second) + 1));
  }
  return AnyTensor::pack(entries, parse_format(format, 2));
}

std::string listed(const AnyTensor& tensor) {
  std::string out;
  tensor.for_each([&](const std::vector<std::int64_t>& at, std::int64_t position) {
    for (std::int64_t c : at) out += std::to_string(c) + " ";
    out += "= " + to_string(tensor.values().get(position)) + "; ";
  });
  return out;
}

KernelOptions interpreted() {
  KernelOptions options;
  options.target = compiler::Target::Interpret;
  return options;
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.message();
  }
  return "no error";
}

Kernel product() {
  TensorVar A = tensor("A", "csr", 2), B = tensor("B", "csr", 2), C = tensor("C", "csr", 2);
  return Kernel::compile((A(i, j) = B(i, k) * C(k, j)), interpreted());
}

TEST(Kernel, RunsOnNewDataAndNewSizes) {
  Kernel kernel = product();
  AnyTensor small = matrix({2, 2}, {{0, 1}, {1, 0}}, "csr"), wide = matrix({2, 3}, {{1, 2}}, "csr");
  EXPECT_EQ(listed(kernel.run({{"B", small}, {"C", small}})), "0 0 = 22; 1 1 = 22; ");
  EXPECT_EQ(listed(kernel.run({{"B", small}, {"C", wide}})), "0 2 = 26; ");
}

TEST(Kernel, ComputesIntoAPatternThatWasAssembled) {
  Kernel kernel = product();
  AnyTensor B = matrix({2, 2}, {{0, 1}, {1, 0}}, "csr");
  AnyTensor A = kernel.assemble({{"B", B}, {"C", B}});
  EXPECT_EQ(listed(A), "0 0 = 0; 1 1 = 0; ");
  kernel.compute(A, {{"B", B}, {"C", B}});
  EXPECT_EQ(listed(A), "0 0 = 22; 1 1 = 22; ");
}

TEST(Kernel, RefusesAResultOfAnotherPattern) {
  Kernel kernel = product();
  AnyTensor B = matrix({2, 2}, {{0, 1}, {1, 0}}, "csr"), more = matrix({2, 2}, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, "csr");
  AnyTensor A = kernel.assemble({{"B", B}, {"C", B}});
  std::string message = "'A' does not have the pattern that these operands give";
  EXPECT_EQ(error_of([&] { kernel.compute(A, {{"B", more}, {"C", more}}); }), message);
  AnyTensor large = kernel.assemble({{"B", more}, {"C", more}});
  EXPECT_EQ(error_of([&] { kernel.compute(large, {{"B", B}, {"C", B}}); }), message);
}

TEST(Kernel, RefusesToWriteWhatItReads) {
  TensorVar A = tensor("A", "csr", 2), B = tensor("B", "csr", 2);
  Kernel twice = Kernel::compile((A(i, j) = B(i, j) * 2), interpreted());
  AnyTensor data = matrix({2, 2}, {{0, 1}}, "csr");
  EXPECT_EQ(error_of([&] { twice.compute(data, {{"B", data}}); }),
            "The values of 'A' are also an operand's; a kernel cannot write what it reads");
}

TEST(Kernel, NamesOperandsThatAreWrong) {
  Kernel kernel = product();
  AnyTensor B = matrix({2, 2}, {{0, 1}}, "csr"), columns = matrix({2, 2}, {{0, 1}}, "csc"),
            tall = matrix({3, 2}, {{0, 1}}, "csr");
  EXPECT_EQ(error_of([&] { kernel.run({{"B", B}}); }), "The operand 'C' is missing");
  EXPECT_EQ(error_of([&] { kernel.run({{"B", B}, {"C", columns}}); }),
            "'C' is stored as csc, but the kernel was compiled for csr");
  EXPECT_EQ(error_of([&] { kernel.run({{"B", B}, {"C", B}, {"D", B}}); }), "The statement has no operand 'D'");
  EXPECT_EQ(error_of([&] { kernel.run({{"B", B}, {"C", tall}}); }),
            "Index variable 'k' has two extents: dimension 2 of 'B' has 2 but dimension 1 of 'C' has 3");
}

TEST(Kernel, KeepsTemporariesInTablesWhereDimensionsAreHuge) {
  std::int64_t huge = 3'000'000'000'000;
  TensorVar A = tensor("A", "dcsr", 2), B = tensor("B", "dcsr", 2), C = tensor("C", "dcsr", 2);
  AnyTensor left = matrix({huge, huge}, {{7, huge - 1}, {huge - 1, 5}}, "dcsr"),
            right = matrix({huge, huge}, {{5, huge - 2}, {huge - 1, 0}}, "dcsr");
  Kernel multiply = Kernel::compile((A(i, j) = B(i, k) * C(k, j)), interpreted());
  EXPECT_EQ(multiply.run({{"B", left}, {"C", right}}).stored(), 2);
  Kernel transposed = Kernel::compile((A(i, j) = B(i, j) + C(j, i)), interpreted());
  EXPECT_EQ(transposed.run({{"B", left}, {"C", right}}).stored(), 4);
}

TEST(Kernel, RefusesADenseResultThatCannotFit) {
  TensorVar A = tensor("A", "dense", 2), b = tensor("b", "sparse", 1), c = tensor("c", "sparse", 1);
  Kernel outer = Kernel::compile((A(i, j) = b(i) * c(j)), interpreted());
  AnyTensor vector(ElementType::Float64, {std::int64_t{1} << 40}, Format::sparse(1));
  EXPECT_NE(error_of([&] { outer.run({{"b", vector}, {"c", vector}}); }).find("'A'"), std::string::npos);
}

TEST(Kernel, AgreesBetweenTargets) {
  TensorVar A = tensor("A", "csr", 2), B = tensor("B", "csr", 2), C = tensor("C", "csc", 2);
  AnyTensor left = matrix({3, 3}, {{0, 0}, {1, 2}, {2, 1}}, "csr"),
            right = matrix({3, 3}, {{0, 2}, {1, 1}, {2, 1}}, "csc");
  notation::Statement statement = (A(i, j) = B(i, j) + C(j, i));
  std::string expected = listed(Kernel::compile(statement, interpreted()).run({{"B", left}, {"C", right}}));
  for (compiler::Target target : {compiler::Target::Jit, compiler::Target::Cc}) {
    KernelOptions options;
    options.target = target;
    options.optimization = 1;
    EXPECT_EQ(listed(Kernel::compile(statement, options).run({{"B", left}, {"C", right}})), expected);
  }
}

TEST(Kernel, StartsFromAnOldValueThatIsGiven) {
  TensorVar A = tensor("A", "csr", 2), B = tensor("B", "csr", 2);
  Kernel kernel = Kernel::compile((A(i, j) += B(i, j)), interpreted());
  AnyTensor old = matrix({2, 2}, {{0, 0}}, "csr"), more = matrix({2, 2}, {{0, 0}, {1, 1}}, "csr");
  EXPECT_EQ(listed(kernel.run({{"B", more}})), "0 0 = 1; 1 1 = 12; ");
  EXPECT_EQ(listed(kernel.run({{"A", old}, {"B", more}})), "0 0 = 2; 1 1 = 12; ");
  EXPECT_EQ(listed(old), "0 0 = 1; ");
  AnyTensor pattern = kernel.assemble({{"A", old}, {"B", more}});
  kernel.compute(pattern, {{"A", old}, {"B", more}});
  EXPECT_EQ(listed(pattern), "0 0 = 2; 1 1 = 12; ");
}

TEST(Kernel, ReadsTheResultAsItWasBefore) {
  TensorVar A = tensor("A", "csr", 2);
  Kernel kernel = Kernel::compile((A(i, j) = A(j, i)), interpreted());
  AnyTensor old = matrix({2, 2}, {{0, 1}}, "csr");
  EXPECT_EQ(listed(kernel.run({{"A", old}})), "1 0 = 2; ");
  EXPECT_EQ(error_of([&] { kernel.run({}); }), "The operand 'A' is missing");
}

/// An empty matrix of this many rows and columns, each of its components being `fill`.
AnyTensor filled(std::int64_t rows, std::int64_t columns, const Scalar& fill) {
  Coordinates entries{{rows, columns}, {{}, {}}, Array(fill.type(), 0)};
  return AnyTensor::pack(entries, Format::sparse(2), Duplicates::Sum, "B", false, fill);
}

/// The reduction of all components by `op`.
std::string reduced(Operator op, const AnyTensor& matrix) {
  TensorVar B("B", matrix.type(), Format::sparse(2), matrix.fill()), s("s", matrix.type(), Format());
  AnyTensor result = Kernel::compile((s() = reduce(op, i, reduce(op, j, B(i, j)))), interpreted()).run({{"B", matrix}});
  return to_string(result.values().get(0));
}

TEST(Kernel, CountsSkippedPointsBeyond64Bits) {
  std::int64_t many = std::int64_t{1} << 32;
  EXPECT_EQ(reduced(Operator::Add, filled(many, many, Scalar::of(ElementType::Float64, 1.0))),
            "1.8446744073709552e+19");
  EXPECT_EQ(reduced(Operator::Add, filled(many + 1, many + 1, Scalar::of(ElementType::Int64, std::int64_t{1}))),
            std::to_string(2 * many + 1));
  EXPECT_EQ(reduced(Operator::Multiply, filled(many, many - 1, Scalar::of(ElementType::Float64, -1.0))), "1");
  EXPECT_EQ(reduced(Operator::Multiply, filled(many + 1, many - 1, Scalar::of(ElementType::Float64, -1.0))), "-1");
  EXPECT_EQ(reduced(Operator::Multiply, filled(many, many, Scalar::of(ElementType::Int64, std::int64_t{3}))), "1");
  EXPECT_EQ(reduced(Operator::Xor, filled(many + 1, many + 1, Scalar::boolean(true))), "1");
}

TEST(Kernel, IsMadeForExtentsThatNothingTells) {
  TensorVar s("s", ElementType::Int64, Format());
  notation::Statement squares = notation::resolve(notation::parse("s = sum(i, i*i)"), {{"s", s}});
  EXPECT_NE(error_of([&] {
              Kernel::compile(squares, interpreted());
            }).find("The extent of 'i' does not follow from a dimension"),
            std::string::npos);
  notation::give_extents(squares, {{"i", 10}});
  EXPECT_EQ(to_string(Kernel::compile(squares, interpreted()).run({}).values().get(0)), "285");
  EXPECT_EQ(error_of([&] { Kernel::compile(squares, interpreted()).run({}, {{"i", 5}}); }),
            "The extent of 'i' is given as 5 and as 10");
}

}  // namespace
}  // namespace filigree

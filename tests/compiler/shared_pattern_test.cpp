// Results with the pattern of an operand, where the operand's storage is not what packing makes.
#include <gtest/gtest.h>

#include "compiler/kernel.h"
#include "notation/build.h"

namespace filigree {
namespace {

IndexVar i("i"), j("j"), k("k"), l("l");

template <class T>
Array array_of(ElementType type, std::vector<T> elements) {
  return Array::borrow(type, elements.data(), static_cast<std::int64_t>(elements.size())).copy();
}
Array indices(std::vector<std::int32_t> elements) { return array_of(ElementType::Int32, std::move(elements)); }
Array values(std::vector<double> elements) { return array_of(ElementType::Float64, std::move(elements)); }

TensorVar variable(const std::string& name, const std::string& format, int order) {
  return TensorVar(name, ElementType::Float64, parse_format(format, order));
}

/// Entries (0,1,1) = 2 and (2,0,0) = 3; fibre (0,0) has none, and neither has row 1.
AnyTensor with_empty_fibre() {
  return AnyTensor::from_arrays({3, 2, 2}, parse_format("csf", 3),
                                {{indices({0, 3}), indices({0, 1, 2})},
                                 {indices({0, 2, 2, 3}), indices({0, 1, 0})},
                                 {indices({0, 0, 1, 2}), indices({1, 0})}},
                                values({2, 3}));
}

std::string entries(const AnyTensor& tensor) {
  std::string text;
  tensor.for_each([&](const std::vector<std::int64_t>& at, std::int64_t position) {
    for (std::int64_t coordinate : at) text += std::to_string(coordinate) + " ";
    text += to_string(tensor.values().get(position)) + "; ";
  });
  return text;
}

void expect(const notation::Statement& statement, const Arguments& operands, const std::string& expected,
            const std::string& commands = "") {
  for (compiler::Target target : {compiler::Target::Interpret, compiler::Target::Jit}) {
    KernelOptions options;
    options.target = target;
    options.threads = 2;
    if (!commands.empty()) options.schedule = schedule::parse(commands);
    Kernel kernel = Kernel::compile(statement, options);
    EXPECT_FALSE(kernel.program().environment.shared_patterns.empty());
    EXPECT_EQ(entries(kernel.run(operands)), expected);
    AnyTensor assembled = kernel.assemble(operands);
    kernel.compute(assembled, operands);
    EXPECT_EQ(entries(assembled), expected);
  }
}

const char* by_fibres = "collapse(i, j, f), pos(f, p, B), split(p, p0, p1, 1), parallelize(p0, cpu, none)";

TEST(SharedPattern, LeavesOutFibresWithoutEntries) {
  TensorVar A = variable("A", "dcsr", 2), B = variable("B", "csf", 3), c = variable("c", "dense", 1);
  AnyTensor stored = with_empty_fibre(),
            ones = AnyTensor::from_arrays({2}, parse_format("dense", 1), {{}}, values({1, 10}));
  notation::Statement statement = (A(i, j) = B(i, j, k) * c(k));
  for (const char* commands : {"", by_fibres})
    expect(statement, {{"B", stored}, {"c", ones}}, "0 1 20; 2 0 3; ", commands);
}

TEST(SharedPattern, LeavesOutBlocksWithoutEntries) {
  TensorVar A = variable("A", "ssd", 3), B = variable("B", "csf", 3), C = variable("C", "dense", 2);
  AnyTensor stored = with_empty_fibre(),
            dense = AnyTensor::from_arrays({2, 2}, parse_format("dense", 2), {{}, {}}, values({1, 2, 3, 4}));
  notation::Statement statement = (A(i, j, l) = B(i, j, k) * C(k, l));
  for (const char* commands : {"", by_fibres})
    expect(statement, {{"B", stored}, {"C", dense}}, "0 1 0 6; 0 1 1 8; 2 0 0 3; 2 0 1 6; ", commands);
}

TEST(SharedPattern, HasNothingWhereThereIsNothingToSum) {
  TensorVar A = variable("A", "csr", 2), B = variable("B", "csr", 2), C = variable("C", "dense", 2),
            D = variable("D", "dense", 2);
  AnyTensor stored = AnyTensor::from_arrays({2, 2}, parse_format("csr", 2), {{}, {indices({0, 1, 2}), indices({1, 0})}},
                                            values({2, 3}));
  AnyTensor wide(ElementType::Float64, {2, 0}, parse_format("dense", 2)),
      tall(ElementType::Float64, {0, 2}, parse_format("dense", 2));
  expect((A(i, j) = B(i, j) * C(i, k) * D(k, j)), {{"B", stored}, {"C", wide}, {"D", tall}}, "");
}

TEST(SharedPattern, NeedsItsLoopsOutside) {
  TensorVar A = variable("A", "csr", 2), B = variable("B", "csr", 2), C = variable("C", "dense", 2),
            D = variable("D", "dense", 2);
  auto is_shared = [&](const std::string& commands) {
    KernelOptions options;
    options.schedule = schedule::parse(commands);
    return !Kernel::compile((A(i, j) = B(i, j) * C(i, k) * D(k, j)), options)
                .program()
                .environment.shared_patterns.empty();
  };
  EXPECT_TRUE(is_shared("collapse(i, j, f), pos(f, p, B), split(p, p0, p1, 4)"));
  EXPECT_TRUE(is_shared("split(k, k0, k1, 4)"));
  EXPECT_TRUE(is_shared("precompute(C(i,k)*D(k,j), {}, {}, t)"));
  EXPECT_FALSE(is_shared("reorder(k, i, j)"));
  EXPECT_FALSE(is_shared("collapse(j, k, f), split(f, f0, f1, 4)"));
}

/// A row without entries has no component, and its node is no harm.
TEST(SharedPattern, MayHaveNodesWithoutEntriesAboveItsLastLevel) {
  TensorVar A = variable("A", "dcsr", 2), B = variable("B", "dcsr", 2);
  AnyTensor stored = AnyTensor::from_arrays({3, 3}, parse_format("dcsr", 2),
                                            {{indices({0, 2}), indices({0, 2})}, {indices({0, 0, 1}), indices({1})}},
                                            values({5}));
  expect((A(i, j) = B(i, j) * 2), {{"B", stored}}, "2 1 10; ");
}

TEST(SharedPattern, RefusesAGivenIndexOfAnotherSize) {
  TensorVar A = variable("A", "csr", 2), B = variable("B", "csr", 2);
  AnyTensor stored = AnyTensor::from_arrays({2, 2}, parse_format("csr", 2), {{}, {indices({0, 1, 2}), indices({1, 0})}},
                                            values({2, 3}));
  AnyTensor other = AnyTensor::from_arrays({2, 2}, parse_format("csr", 2),
                                           {{}, {indices({0, 1, 3}), indices({1, 0, 1})}}, values({0, 0, 0}));
  Kernel kernel = Kernel::compile((A(i, j) = B(i, j) * 2));
  EXPECT_THROW(kernel.compute(other, {{"B", stored}}), UserError);
}

}  // namespace
}  // namespace filigree

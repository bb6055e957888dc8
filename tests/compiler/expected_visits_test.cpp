#include "compiler/expected_visits.h"

#include <gtest/gtest.h>

#include "compiler/kernel.h"
#include "notation/parse.h"
#include "tensor/named_format.h"

namespace filigree::compiler {
namespace {

notation::Statement statement(const std::string& text, const std::map<std::string, std::string>& formats) {
  notation::Parsed parsed = notation::parse(text);
  std::map<std::string, TensorVar> vars;
  for (const notation::TensorUse& use : parsed.tensors) {
    auto format = formats.find(use.name);
    vars.emplace(use.name, TensorVar(use.name, ElementType::Float64,
                                     format == formats.end() ? Format::dense(use.order)
                                                             : parse_format(format->second, use.order)));
  }
  return notation::resolve(parsed, vars);
}

double visits(const notation::Statement& s, const std::map<std::string, std::int64_t>& stored, std::int64_t extent) {
  std::map<IndexVar, std::int64_t> extents;
  for (const IndexVar& var : notation::index_vars(s)) extents[var] = extent;
  return ExpectedVisits(s)(stored, extents);
}

TEST(ExpectedVisits, AreAllOfWhatNoOtherOperandLeads) {
  EXPECT_EQ(visits(statement("A(i,j) = B(i,j) + C(i,j)", {{"B", "csr"}, {"C", "csr"}}), {{"B", 10}, {"C", 20}}, 100),
            30);
  EXPECT_EQ(visits(statement("A(i,j) = B(i,k)*C(k,j)", {{"B", "csr"}, {"C", "csr"}}), {{"B", 10}, {"C", 20}}, 100), 30);
}

TEST(ExpectedVisits, AreFewerWhereASparseVectorLeads) {
  auto next = statement("next(j) = any(i, front(i) and A(i,j)) and not seen(j)",
                        {{"next", "sparse"}, {"front", "sparse"}, {"A", "csr"}});
  EXPECT_EQ(visits(next, {{"front", 3}, {"A", 5000}, {"seen", 1000}}, 1000), 3 + 15 + 0);
  EXPECT_EQ(visits(statement("y(i) = A(i,j)*x(j)", {{"A", "csr"}}), {{"A", 5000}, {"x", 1000}}, 1000), 5000);
  EXPECT_EQ(visits(statement("y(j) = x(i)*A(i,j)", {{"x", "sparse"}}), {{"A", 10000}, {"x", 2}}, 100), 2 + 200);
  EXPECT_EQ(visits(statement("y(j) = x(i) + A(i,j)", {{"x", "sparse"}}), {{"A", 10000}, {"x", 2}}, 100), 2 + 10000);
}

/// Were temporaries kept in tables?
bool uses_tables(std::int64_t nodes, std::int64_t front_size) {
  Coordinates path{{nodes, nodes}, {{}, {}}, Array(ElementType::Float64, nodes - 1)};
  for (std::int64_t node = 0; node + 1 < nodes; node++) {
    path.coordinate[0].push_back(node);
    path.coordinate[1].push_back(node + 1);
    path.values.set(node, Scalar::of(ElementType::Float64, 1.0));
  }
  Coordinates front{{nodes}, {{}}, Array(ElementType::Float64, front_size)};
  for (std::int64_t node = 0; node < front_size; node++) {
    front.coordinate[0].push_back(node);
    front.values.set(node, Scalar::of(ElementType::Float64, 1.0));
  }
  KernelOptions options;
  options.target = Target::Interpret;
  options.threads = 1;
  bool tables = false;
  options.observer = [&](const StageReport& report) { tables = tables || report.stage == "tables"; };
  Kernel step = Kernel::compile(
      statement("next(j) = prune(front(i)*A(i,j))", {{"next", "sparse"}, {"front", "sparse"}, {"A", "csr"}}), options);
  AnyTensor A = AnyTensor::pack(path, parse_format("csr", 2)), x = AnyTensor::pack(front, Format::sparse(1));
  EXPECT_EQ(step.run({{"front", x}, {"A", A}}).stored(), std::min(front_size, nodes - 1));
  return tables;
}

TEST(KernelRun, ClearsNoArrayThatIsLargerThanItsWork) {
  EXPECT_TRUE(uses_tables(100'000, 1));
  EXPECT_FALSE(uses_tables(100'000, 50'000));
  EXPECT_FALSE(uses_tables(1'000, 1));
}

}  // namespace
}  // namespace filigree::compiler

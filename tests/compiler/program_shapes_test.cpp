// Programs take the shape that is the least work for their operands.
#include <gtest/gtest.h>

#include "compiler/program.h"
#include "tests/concrete/from_text.h"

namespace filigree {
namespace {

AnyTensor dense(std::int64_t size, double factor) {
  Coordinates entries{{size, size}, {{}, {}}, Array(ElementType::Float64, size * size)};
  for (std::int64_t i = 0; i < size; i++) {
    for (std::int64_t j = 0; j < size; j++) {
      entries.coordinate[0].push_back(i);
      entries.coordinate[1].push_back(j);
      entries.values.set(i * size + j, Scalar::of(ElementType::Float64, factor * static_cast<double>((i + j) % 5)));
    }
  }
  return AnyTensor::pack(entries, Format::dense(2));
}

std::vector<notation::Statement> statements(const std::vector<std::string>& lines) {
  std::vector<notation::Statement> out;
  std::map<std::string, TensorVar> tensors;
  for (const std::string& line : lines) {
    notation::Parsed parsed = notation::parse(line);
    for (const auto& [name, tensor] : concrete::tensors_of(parsed, {})) tensors.emplace(name, tensor);
    out.push_back(notation::resolve(parsed, tensors));
  }
  return out;
}

ProgramOptions interpreted(bool fuse) {
  ProgramOptions options;
  options.target = compiler::Target::Interpret;
  options.fuse = fuse;
  return options;
}

void expect_same_results(const std::vector<std::string>& lines, const Arguments& operands) {
  std::map<std::string, AnyTensor> one = Program::compile(statements(lines), interpreted(true)).run(operands),
                                   other = Program::compile(statements(lines), interpreted(false)).run(operands);
  ASSERT_EQ(one.size(), other.size());
  for (const auto& [name, tensor] : one) {
    const AnyTensor& expected = other.at(name);
    ASSERT_EQ(tensor.values().count(), expected.values().count());
    for (std::int64_t p = 0; p < tensor.values().count(); p++)
      EXPECT_EQ(to_string(tensor.values().get(p)), to_string(expected.values().get(p))) << name << " " << p;
  }
}

TEST(ProgramShapes, ComputeOnceWhatTwoStatementsHave) {
  std::vector<std::string> lines = {"Y(i,j) = A(i,k)*B(k,j) + C(i,j)", "Z(i,j) = C(i,j) - A(i,l)*B(l,j)"};
  AnyTensor a = dense(50, 1), b = dense(50, 2), c = dense(50, 3);
  Arguments operands = {{"A", a}, {"B", b}, {"C", c}};
  Program program = Program::compile(statements(lines), interpreted(true));
  auto has_part = [](const std::vector<Program::Step>& steps) {
    return std::any_of(steps.begin(), steps.end(), [](const Program::Step& step) {
      return step.statements[0].lhs.tensor.name() == "part";
    });
  };
  EXPECT_TRUE(has_part(program.steps(operands)));
  EXPECT_FALSE(has_part(program.steps())) << "nothing is known of the operands";
  expect_same_results(lines, operands);
}

TEST(ProgramShapes, AreThoseOfTheRulesForLittleWork) {
  AnyTensor a = dense(2, 1), b = dense(2, 2), c = dense(2, 3);
  Arguments operands = {{"A", a}, {"B", b}, {"C", c}};
  std::vector<std::string> lines = {"Y(i,j) = A(i,k)*B(k,j) + C(i,j)", "Z(i,j) = C(i,j) - A(i,l)*B(l,j)"};
  Program program = Program::compile(statements(lines), interpreted(true));
  EXPECT_EQ(program.steps(operands).size(), program.steps().size());
  expect_same_results(lines, operands);
}

}  // namespace
}  // namespace filigree

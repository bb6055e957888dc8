#include "compiler/program.h"

#include <gtest/gtest.h>

#include "notation/build.h"
#include "notation/parse.h"

namespace filigree {
namespace {

IndexVar i("i"), j("j"), k("k");

TensorVar tensor(const std::string& name, const std::string& format, int order) {
  return TensorVar(name, ElementType::Float64, parse_format(format, order));
}

ProgramOptions interpreted() {
  ProgramOptions options;
  options.target = compiler::Target::Interpret;
  return options;
}

AnyTensor vector(const std::vector<double>& values) {
  Coordinates entries;
  entries.dimensions = {static_cast<std::int64_t>(values.size())};
  entries.coordinate.resize(1);
  entries.values = Array(ElementType::Float64, static_cast<std::int64_t>(values.size()));
  for (size_t n = 0; n < values.size(); n++) {
    entries.coordinate[0].push_back(static_cast<std::int64_t>(n));
    entries.values.set(static_cast<std::int64_t>(n), Scalar::of(ElementType::Float64, values[n]));
  }
  return AnyTensor::pack(entries, Format::dense(1));
}

/// 2 at (0,0), 3 at (0,2), 4 at (2,1).
AnyTensor matrix() {
  Coordinates entries;
  entries.dimensions = {3, 3};
  entries.coordinate = {{0, 0, 2}, {0, 2, 1}};
  entries.values = Array(ElementType::Float64, 3);
  for (int n = 0; n < 3; n++) entries.values.set(n, Scalar::of(ElementType::Float64, 2.0 + n));
  return AnyTensor::pack(entries, parse_format("csr", 2));
}

std::string listed(const AnyTensor& tensor) {
  std::string out;
  tensor.for_each([&](const std::vector<std::int64_t>& at, std::int64_t position) {
    for (std::int64_t c : at) out += std::to_string(c) + " ";
    out += "= " + to_string(tensor.values().get(position)) + "; ";
  });
  return out;
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.text();
  }
  return "no error";
}

const TensorVar A = tensor("A", "csr", 2), B = tensor("B", "csr", 2), T = tensor("T", "csr", 2);
const TensorVar x = tensor("x", "dense", 1), y = tensor("y", "dense", 1), z = tensor("z", "dense", 1);

TEST(ProgramRun, HandsResultsOn) {
  Program program = Program::compile({(y(i) = A(i, j) * x(j)), (x(i) = y(i) * y(i)), (z(i) = x(i) + 1)}, interpreted());
  EXPECT_EQ(program.outputs(), (std::vector<std::string>{"z"}));
  std::map<std::string, AnyTensor> results = program.run({{"A", matrix()}, {"x", vector({1, 1, 1})}});
  EXPECT_EQ(results.size(), 1u);
  EXPECT_EQ(listed(results.at("z")), "0 = 26; 1 = 1; 2 = 17; ");
}

TEST(ProgramRun, ReturnsWhatIsAskedFor) {
  ProgramOptions options = interpreted();
  options.outputs = {"T", "y"};
  Program program = Program::compile({(T(i, j) = A(i, k) * A(k, j)), (y(i) = T(i, j) * x(j))}, options);
  EXPECT_EQ(program.steps().size(), 2u);
  std::map<std::string, AnyTensor> results = program.run({{"A", matrix()}, {"x", vector({1, 1, 1})}});
  EXPECT_EQ(listed(results.at("T")), "0 0 = 4; 0 1 = 12; 0 2 = 6; ");
  EXPECT_EQ(listed(results.at("y")), "0 = 22; 1 = 0; 2 = 0; ");
  options.outputs = {"t"};
  EXPECT_EQ(error_of([&] { Program::compile({(y(i) = x(i))}, options); }),
            "error: No statement assigns the output 't'\n");
}

TEST(ProgramRun, StartsUpdatesFromAnOperandIfThereIsOne) {
  Program program = Program::compile({(y(i) += x(i)), (z(i) = y(i))}, interpreted());
  EXPECT_EQ(listed(program.run({{"x", vector({1, 2})}}).at("z")), "0 = 1; 1 = 2; ");
  EXPECT_EQ(listed(program.run({{"x", vector({1, 2})}, {"y", vector({10, 20})}}).at("z")), "0 = 11; 1 = 22; ");
}

TEST(ProgramRun, UpdatesAPartOfAnOperand) {
  TensorVar A = tensor("A", "csr", 2), b = tensor("b", "dense", 1);
  notation::Statement update = (A(fixed(0), j) += b(j));
  AnyTensor old = matrix(), terms = vector({1, 1, 1});
  std::map<std::string, AnyTensor> results = Program::compile({update}, interpreted()).run({{"A", old}, {"b", terms}});
  EXPECT_EQ(listed(results.at("A")), "0 0 = 3; 0 1 = 1; 0 2 = 4; 2 1 = 4; ");
  EXPECT_THROW(Kernel::compile(update, interpreted()).run({{"A", old}, {"b", terms}}), UserError);
}

TEST(ProgramRun, LearnsSizesFromLaterStatements) {
  Program program = Program::compile(
      {(T(i, j) = A(i, j)), (B(i, j) = x(i) * T(i, j)), (y(k) = 1), (z(k) = y(k) + x(k))}, interpreted());
  std::map<std::string, AnyTensor> results = program.run({{"A", matrix()}, {"x", vector({1, 2, 3})}});
  EXPECT_EQ(listed(results.at("z")), "0 = 2; 1 = 3; 2 = 4; ");
}

TEST(ProgramRun, ChecksAllOperandsFirst) {
  Program program =
      Program::compile({(y(i) = A(i, j) * x(j)), (z(i) = y(i) + tensor("w", "dense", 1)(i))}, interpreted());
  EXPECT_EQ(error_of([&] { program.run({{"A", matrix()}, {"x", vector({1, 1, 1})}}); }),
            "error: The operand 'w' is missing\n");
  EXPECT_EQ(error_of([&] {
              program.run({{"A", matrix()}, {"x", vector({1, 1, 1})}, {"w", vector({1, 1, 1})}, {"q", matrix()}});
            }),
            "error: The program reads no operand 'q'\n");
  EXPECT_EQ(error_of([&] { program.run({{"A", matrix()}, {"x", vector({1, 1, 1})}, {"w", vector({1, 1})}}); }),
            "error: Index variable 'i' has two extents: dimension 1 of 'A' has 3 but dimension 1 of 'w' has 2\n");
}

TEST(ProgramRun, SaysWhereAFirstValueIsMissing) {
  std::map<std::string, TensorVar> tensors = {{"x", x}, {"y", y}};
  std::vector<notation::Statement> statements;
  for (const notation::Parsed& parsed : notation::parse_program("y(i) = x(i); x(i) = y(i)").statements)
    statements.push_back(notation::resolve(parsed, tensors));
  EXPECT_EQ(error_of([&] { Program::compile(statements, interpreted()).run({}); }),
            "error: 'x' is read before it is assigned, so its first value is missing\n  in expression, column 8:\n    "
            "y(i) = x(i); x(i) = y(i)\n"
            "           ^^^^\nhint: give it as an operand, or assign it in an earlier statement\n");
}

TEST(ProgramSteps, InlineTemporaries) {
  std::vector<notation::Statement> statements = {(T(i, j) = A(i, k) * A(k, j)), (y(i) = T(i, j) * x(j))};
  Program program = Program::compile(statements, interpreted());
  ASSERT_EQ(program.steps().size(), 1u);
  EXPECT_EQ(notation::to_string(program.steps()[0].statements[0]), "y(i) = sum(j, sum(k, A(i,k)*A(k,j))*x(j))");
  EXPECT_EQ(program.steps()[0].origins, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(listed(program.run({{"A", matrix()}, {"x", vector({1, 1, 1})}}).at("y")), "0 = 22; 1 = 0; 2 = 0; ");
  ProgramOptions options = interpreted();
  options.stored = {"T"};
  EXPECT_EQ(Program::compile(statements, options).steps().size(), 2u);
}

TEST(ProgramSteps, ShareLoopsOverTheSameOperands) {
  TensorVar w = tensor("w", "dense", 1), s("s", ElementType::Float64, Format());
  IndexVar l("l"), m("m");
  Program program =
      Program::compile({(y(i) = A(i, j) * x(j)), (z(m) = A(l, m) * w(l)), (s() = A(i, j))}, interpreted());
  ASSERT_EQ(program.steps().size(), 1u);
  EXPECT_EQ(concrete::to_string(program.steps()[0].program().statement),
            "where(s = t, forall(i, where(y(i) = t2, forall(j, multi(t2 += A(i,j)*x(j); z(j) += A(i,j)*w(i); t += "
            "A(i,j))))))");
  std::map<std::string, AnyTensor> results =
      program.run({{"A", matrix()}, {"x", vector({1, 1, 1})}, {"w", vector({1, 2, 3})}});
  EXPECT_EQ(listed(results.at("y")), "0 = 5; 1 = 0; 2 = 4; ");
  EXPECT_EQ(listed(results.at("z")), "0 = 2; 1 = 12; 2 = 3; ");
  EXPECT_EQ(listed(results.at("s")), "= 9; ");
}

TEST(ProgramSteps, ShareNoLoopsWithOtherWalks) {
  TensorVar c = tensor("c", "csc", 2), v = tensor("v", "sparse", 1);
  EXPECT_EQ(Program::compile({(y(i) = A(i, j) * x(j)), (z(i) = c(i, j) * x(j))}, interpreted()).steps().size(), 2u);
  EXPECT_EQ(Program::compile({(y(i) = A(i, j) * x(j)), (z(i) = A(i, j) * v(j))}, interpreted()).steps().size(), 2u);
  EXPECT_EQ(Program::compile({(y(i) = A(i, j) * x(j)), (z(i) = A(i, j) * y(j))}, interpreted()).steps().size(), 2u);
}

TEST(ProgramSteps, StoreWhatWouldChangeBeforeItIsRead) {
  Program program =
      Program::compile({(T(i, j) = A(i, j) * x(j)), (x(i) = y(i)), (z(i) = T(i, j) * x(j))}, interpreted());
  EXPECT_EQ(program.steps().size(), 3u);
}

TEST(ProgramSteps, TakeTheCommandsThatAreAboutThem) {
  ProgramOptions options = interpreted();
  options.schedule = schedule::parse("protocol(x, j, locate)");
  TensorVar b = tensor("b", "sparse", 1);
  Program program = Program::compile({(z(i) = b(i) + 1), (y(i) = A(i, j) * x(j) + z(i))}, options);
  EXPECT_TRUE(program.steps()[0].program().environment.protocols.empty());
  EXPECT_EQ(program.steps()[1].program().environment.protocols.size(), 1u);
  options.schedule = schedule::parse("protocol(q, j, locate)");
  EXPECT_NE(error_of([&] { Program::compile({(z(i) = b(i) + 1)}, options); }).find("does not read a tensor 'q'"),
            std::string::npos);
}

TEST(ProgramFunctions, HaveNamesOfTheirOwn) {
  Program program = Program::compile({(y(i) = A(i, j) * x(j)), (z(i) = y(i) * y(i))}, interpreted());
  std::vector<ir::FunctionDef> functions = program.functions();
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions[0].name, "kernel_1");
  EXPECT_EQ(functions[1].name, "kernel_2");
}

TEST(Program, TellsIndexVariablesOfOneNameApart) {
  TensorVar A = tensor("A", "csr", 2), B = tensor("B", "csr", 2), x = tensor("x", "dense", 1),
            y = tensor("y", "dense", 1);
  IndexVar other("i"), inner("i");
  AnyTensor operand = matrix(), ones = vector({1, 10, 100});
  Program program =
      Program::compile({(B(i, other) = 2 * A(i, other)), (y(other) = B(other, inner) * x(inner))}, interpreted());
  EXPECT_EQ(listed(program.run({{"A", operand}, {"x", ones}}).at("y")), "0 = 604; 1 = 0; 2 = 80; ");
  Program outer = Program::compile({(y(i) = sum(other, A(i, other)) + sum(inner, A(inner, i)))}, interpreted());
  EXPECT_EQ(listed(outer.run({{"A", operand}}).at("y")), "0 = 7; 1 = 4; 2 = 7; ");
}

TEST(Program, RefusesTwoTensorsOfOneName) {
  TensorVar A = tensor("A", "csr", 2), also = tensor("A", "csr", 2), x = tensor("x", "dense", 1),
            y = tensor("y", "dense", 1), t = tensor("t", "dense", 1);
  std::string message =
      "error: Two different tensors are named 'A'\nhint: use the same TensorVar wherever the same tensor is meant, and "
      "give other tensors other names\n";
  EXPECT_EQ(error_of([&] { Program::compile({(t(i) = A(i, j) * x(j)), (y(i) = also(i, j) * t(j))}, interpreted()); }),
            message);
  EXPECT_EQ(error_of([&] { Kernel::compile((y(i) = A(i, j) * also(i, j)), interpreted()); }), message);
}

}  // namespace
}  // namespace filigree

// Statements that are the same but for index variables without names are the same kernel.
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "compiler/program.h"
#include "jit/compile.h"
#include "notation/build.h"

namespace filigree {
namespace {

namespace fs = std::filesystem;

TensorVar y("y", ElementType::Float64, Format::dense(1)), A("A", ElementType::Float64, parse_format("csr", 2)),
    x("x", ElementType::Float64, Format::dense(1));

Kernel product(const KernelOptions& options = {}) {
  IndexVar i, j;
  return Kernel::compile((y(i) = A(i, j) * x(j)), options);
}

TEST(CanonicalNames, GiveTheSameCode) {
  std::string first = product().c_text(lowering::Mode::Grow, {});
  for (int n = 0; n < 7; n++) EXPECT_EQ(product().c_text(lowering::Mode::Grow, {}), first);
  EXPECT_EQ(notation::to_string(product().statement()), "y(i) = sum(j, A(i,j)*x(j))");
}

TEST(CanonicalNames, AreNoneThatTheProgramChose) {
  IndexVar unnamed, i("i"), other;
  TensorVar j("j", ElementType::Float64, Format::dense(2));
  EXPECT_EQ(notation::to_string(Kernel::compile((y(unnamed) = j(unnamed, i) * j(other, i))).statement()),
            "y(k) = sum(i, j(k,i)*sum(l, j(l,i)))");
}

TEST(CanonicalNames, AreCompiledOnce) {
  fs::path folder = fs::path(testing::TempDir()) / "canonical_names_cache";
  fs::remove_all(folder);
  std::string before = std::getenv("FILIGREE_CACHE") ? std::getenv("FILIGREE_CACHE") : "";
  setenv("FILIGREE_CACHE", folder.c_str(), 1);
  jit::forget_compiled_kernels();
  AnyTensor matrix(ElementType::Float64, {3, 4}, A.format()), vector(ElementType::Float64, {4}, Format::dense(1));
  for (int n = 0; n < 5; n++) product().run({{A, matrix}, {x, vector}});
  long files = std::count_if(fs::directory_iterator(folder), fs::directory_iterator(),
                             [](const fs::directory_entry& entry) { return entry.path().extension() == ".so"; });
  before.empty() ? unsetenv("FILIGREE_CACHE") : setenv("FILIGREE_CACHE", before.c_str(), 1);
  fs::remove_all(folder);
  EXPECT_EQ(files, 1);
}

TEST(CanonicalNames, LeaveExtentsToBeGivenByTheNamesOfVariables) {
  TensorVar B("B", ElementType::Float64, Format::dense(2));
  AnyTensor vector(ElementType::Float64, {4}, Format::dense(1));
  for (int n = 0; n < 8; n++) {
    IndexVar i, j;
    Kernel kernel = Kernel::compile((B(j, i) = x(i)));
    EXPECT_EQ(kernel.run({{x, vector}}, {{j.name(), 5}}).dimensions(), (std::vector<std::int64_t>{5, 4})) << j.name();
  }
}

TEST(CanonicalNames, AreThoseOfSchedulesWhereThereIsOne) {
  IndexVar i, j;
  KernelOptions options;
  options.schedule = {schedule::Reorder{{i, j}}};
  EXPECT_NO_THROW(Kernel::compile((y(i) = A(i, j) * x(j)), options));
}

TEST(CanonicalNames, AreSharedByTheStatementsOfAProgram) {
  auto text = [] {
    IndexVar i, j, k;
    TensorVar t("t", ElementType::Float64, Format::dense(1));
    std::string out;
    Program program = Program::compile({(t(i) = A(i, j) * x(j)), (y(k) = t(k) + x(k))});
    for (const Program::Step& step : program.steps()) {
      for (const notation::Statement& statement : step.statements) out += notation::to_string(statement) + "; ";
    }
    return out;
  };
  std::string first = text();
  EXPECT_EQ(text(), first);
}

}  // namespace
}  // namespace filigree

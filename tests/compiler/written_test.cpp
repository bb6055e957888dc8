// What stages print of loops is taken as loops: the same ones run, with the same result.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "compiler/kernel.h"
#include "concrete/written.h"
#include "notation/extents.h"
#include "support/text.h"
#include "tests/concrete/from_text.h"

namespace filigree {
namespace {

AnyTensor some_tensor(const TensorVar& var, std::mt19937_64& random) {
  Coordinates entries;
  std::int64_t count = var.order() == 0 ? 1 : 7;
  for (int d = 0; d < var.order(); d++) {
    entries.dimensions.push_back(5);
    entries.coordinate.emplace_back();
    for (std::int64_t n = 0; n < count; n++) entries.coordinate.back().push_back(static_cast<std::int64_t>(random() % 5));
  }
  entries.values = Array(var.type(), count);
  for (std::int64_t n = 0; n < count; n++)
    entries.values.set(n, Scalar::of(var.type(), static_cast<std::int64_t>(1 + random() % 4)));
  return AnyTensor::pack(entries, var.format(), Duplicates::Sum, var.name(), false, var.fill());
}

std::vector<std::string> values_of(const AnyTensor& tensor) {
  Coordinates entries = tensor.coordinates();
  std::vector<std::string> out;
  for (std::int64_t n = 0; n < entries.values.count(); n++) {
    std::string line;
    for (const auto& c : entries.coordinate) line += std::to_string(c[static_cast<size_t>(n)]) + " ";
    out.push_back(line + to_string(entries.values.get(n)));
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// The first line of a stage: what follows are relations between variables.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

bool formats_have(const concrete::Formats& formats, const std::string& format) {
  return std::any_of(formats.begin(), formats.end(), [&](const auto& named) { return named.second == format; });
}

/// Runs the statement, and then the loops that its stages print; returns how many of these were taken.
int check(const std::string& text, const concrete::Formats& formats) {
  notation::Parsed parsed = notation::parse(text);
  std::map<std::string, TensorVar> tensors = concrete::tensors_of(parsed, formats);
  std::map<std::string, std::string> printed;
  KernelOptions options;
  options.target = compiler::Target::Interpret;
  options.automatic = false;
  options.observer = [&](const compiler::StageReport& report) { printed.try_emplace(report.stage, report.text); };
  Kernel kernel = Kernel::compile(notation::resolve(parsed, tensors), options);
  options.observer = nullptr;
  std::mt19937_64 random(7);
  std::map<std::string, AnyTensor> data;
  Arguments arguments;
  for (const TensorVar& operand : kernel.program().operands) {
    data.emplace(operand.name(), some_tensor(tensors.at(operand.name()), random));
    arguments.emplace_back(operand.name(), data.at(operand.name()));
  }
  std::vector<std::string> expected = values_of(kernel.run(arguments));
  int taken = 0;
  for (const char* stage : {"concrete", "assemble"}) {
    std::string loops = printed[stage];
    if (loops.find("#") != std::string::npos || loops.find("if stored") != std::string::npos ||
        formats_have(formats, "ell"))
      continue;  // slots that count entries have no name
    bool has_tables = formats_have(formats, "hash") || formats_have(formats, "dok");
    std::optional<Kernel> again;
    try {
      again = Kernel::compile(concrete::Written(loops), tensors, options);
    } catch (const UserError& error) {
      EXPECT_TRUE(has_tables) << error.text();  // what is visited as it is stored by loops around a where
      continue;
    }
    EXPECT_EQ(values_of(again->run(arguments)), expected) << stage << ": " << loops;
    taken++;
  }
  return taken;
}

TEST(Written, RunsWhatIsPrinted) {
  const std::vector<std::string> matrices = {"csr", "csc", "dcsr", "coo", "bcsr(2,2)", "dok", "hash", "dia", "dd", "ell"};
  int taken = 0;
  for (const std::string& a : matrices) {
    for (const char* b : {"csr", "csc", "coo", "dd"}) {
      concrete::Formats formats = {{"A", a}, {"B", b}, {"C", "csr"}};
      taken += check("y(i) = A(i,j)*x(j)", formats);
      taken += check("C(i,j) = A(i,k)*B(k,j)", formats);
      taken += check("C(i,j) = A(i,j) + B(i,j)", formats);
      taken += check("C(i,j) = A(i,j)*B(i,j)", formats);
      taken += check("y(i) = A(i,j)*B(j,k)*x(k)", formats);
      taken += check("s = sum(i, j, A(i,j)*B(j,i))", formats);
    }
  }
  EXPECT_GT(taken, 300);
}

TEST(Written, IsRefusedWhereLoopsAreAskedForAgain) {
  std::map<std::string, TensorVar> tensors = concrete::tensors_of(notation::parse("y(i) = A(i,j)*x(j)"), {});
  KernelOptions options;
  options.schedule = schedule::parse("precompute(A(i,j)*x(j), j, j, w)", "-s");
  EXPECT_THROW(Kernel::compile(concrete::Written("forall(i, forall(j, y(i) += A(i,j)*x(j)))"), tensors, options),
               UserError);
  tensors.erase("x");
  EXPECT_THROW(Kernel::compile(concrete::Written("forall(i, forall(j, y(i) += A(i,j)*x(j)))"), tensors), UserError);
}

}  // namespace
}  // namespace filigree

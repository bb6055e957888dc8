// Programs of several statements over random choices of formats, against the oracle.
//
//   programs [--sample N] [--seed S] [--jit-percent P]      N choices of formats for each program
#include <cstdlib>
#include <cstring>
#include <random>

#include <fmt/format.h>

#include "support/text.h"
#include "tests/differential/check_kernel.h"
#include "tests/differential/check_statements.h"
#include "tests/differential/data_sets.h"
#include "tests/differential/formats.h"

namespace filigree::differential {
namespace {

const char* const programs[] = {
    "T(i,j) = B(i,k)*C(k,j); y(i) = T(i,j)*x(j)",
    "T(i,j) = B(i,k)*C(k,j); A(i,j) = T(i,j)*M(i,j)",
    "T(i,j) = B(i,k)*C(k,j); A(i,j) = T(i,j) + M(i,j)",
    "T(i,j) = B(i,j) + C(i,j); A(j,i) = T(i,j)*M(j,i)",
    "T(i,j) = B(i,j)*C(i,j); y(j) = T(i,j)*x(i)",
    "T(i,j) = max(B(i,j), C(i,j)); s = T(i,j)",
    "t(i) = A(i,j)*x(j); y(i) = t(i) + z(i)",
    "t(i) = A(i,j)*x(j); y(i) = t(i)*z(i)",
    "t(i) = a(i) + 1; y(i) = t(i)*b(i)",
    "t(i) = a(i) + 1; u(i) = t(i)*b(i); y(i) = u(i) - t(i)",
    "s = a(i)*b(i); y(i) = s*a(i)",
    "s = a(i)*b(i); t = a(i)*a(i); r = s - t",
    "y(i) = A(i,j)*x(j); z(j) = A(i,j)*w(i)",
    "s = a(i)*b(i); s += c(i)*c(i); s *= 2",
    "x(i) = a(i) - b(i); x(i) = x(i)*c(i); x(i) += a(i)",
    "T(i,j) = B(i,k)*C(k,j); U(i,j) = T(i,j) - M(i,j); y(i) = U(i,j)*x(j)",
    "T(i,j) = B(j,i); y(i) = T(i,j)*x(j); z(j) = T(i,j)*y(i)",
    "m(i) = max_over(j, A(i,j)); y(i) = m(i) + b(i)",
    "T(i) min= A(i,j); y(i) = T(i) + b(i)",
    "t(i) = 2*a(i); T(i,j) = B(i,j); y(i) = T(i,j)*t(i)",
    "T(i,j) = prune(B(i,j)*(B(i,j) > 1)); y(i) = T(i,j)*x(j)",
    "t(i) = prune(a(i)*(a(i) > b(i))); y(i) = t(i) + c(i)",
};

class Choice {
 public:
  Choice(const std::string& text, unsigned seed) : text_(text), seed_(seed), random_(seed) {
    for (const notation::Parsed& parsed : notation::parse_program(text).statements) {
      for (const notation::TensorUse& use : parsed.tensors) {
        if (!vars_.count(use.name))
          vars_.emplace(use.name, TensorVar(use.name, ElementType::Float64, random_format(use.order)));
      }
      statements_.push_back(notation::resolve(parsed, vars_));
    }
  }

  /// Runs on data of every shape; what is wrong, if anything.
  std::optional<std::string> check(const KernelOptions& how, int& runs) {
    ProgramOptions options;
    static_cast<KernelOptions&>(options) = how;
    std::vector<TensorVar> inputs = notation::inputs(notation::statements_of(notation::link(statements_, {})));
    for (bool square : {false, true}) {
      std::vector<DataSet> sets = data(inputs, square);
      for (const DataSet& set : sets) {
        std::map<std::string, AnyTensor> tensors;
        if (!pack(set, inputs, tensors)) continue;
        Arguments arguments;
        for (const auto& [name, tensor] : tensors) arguments.emplace_back(name, tensor);
        runs++;
        auto wrong = check_statements(statements_, options, arguments, {});
        if (!wrong) continue;
        std::string message = *wrong + "\nformats " + formats() + "\ndata set '" + set.name + "'\n";
        for (const Argument& argument : arguments) message += describe(argument.name, *argument.tensor);
        return message;
      }
    }
    return std::nullopt;
  }

 private:
  Format random_format(int order) {
    std::vector<Format> all = random_() % 3 == 0 ? named_formats_of(order, false) : formats_of(order, true);
    return all[random_() % all.size()];
  }

  std::string formats() const {
    std::vector<std::string> parts;
    for (const auto& [name, var] : vars_) parts.push_back(name + ":" + to_string(var.format()));
    return join(parts, " ");
  }

  /// Inputs as one statement whose index variables have the extents of the program's: those with one name have one
  /// extent in these programs.
  std::vector<DataSet> data(const std::vector<TensorVar>& inputs, bool square) const {
    std::string sum;
    for (const TensorVar& input : inputs) {
      for (const notation::Statement& statement : statements_) {
        const notation::Expr* access = notation::find_access(statement.rhs, input.name());
        if (!access) continue;
        sum += (sum.empty() ? "" : " + ") + notation::to_string(*access);
        break;
      }
    }
    notation::Parsed parsed = notation::parse("everything_ = " + sum);
    return square ? square_data_sets(parsed, seed_) : data_sets(parsed, seed_);
  }

  bool pack(const DataSet& set, const std::vector<TensorVar>& inputs, std::map<std::string, AnyTensor>& tensors) const {
    for (const TensorVar& input : inputs) {
      std::optional<Coordinates> entries = suited(set.operands.at(input.name()), input.format(), seed_);
      if (!entries) return false;
      tensors.emplace(input.name(), AnyTensor::pack(*entries, input.format(), Duplicates::Sum, input.name()));
    }
    return true;
  }

  std::string text_;
  unsigned seed_;
  std::mt19937 random_;
  std::map<std::string, TensorVar> vars_;
  std::vector<notation::Statement> statements_;
};

int run(int sample, unsigned first_seed, int jit_percent) {
  int runs = 0, failures = 0;
  for (const char* text : programs) {
    for (int n = 0; n < sample; n++) {
      unsigned seed = first_seed + static_cast<unsigned>(n);
      KernelOptions options;
      options.target = n * 100 < sample * jit_percent ? compiler::Target::Jit : compiler::Target::Interpret;
      options.optimization = 1;
      options.contract_floats = false;
      std::optional<std::string> wrong = Choice(text, seed).check(options, runs);
      if (!wrong) continue;
      failures++;
      fmt::print("FAILED {}\nseed {}: {}\n", text, seed, *wrong);
    }
  }
  fmt::print("{} programs, {} choices of formats each, {} runs, {} failed\n", std::size(programs), sample, runs,
             failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace filigree::differential

int main(int argc, char** argv) {
  int sample = 40, jit_percent = 0;
  unsigned seed = 1;
  for (int n = 1; n + 1 < argc; n += 2) {
    if (!std::strcmp(argv[n], "--sample")) sample = std::atoi(argv[n + 1]);
    if (!std::strcmp(argv[n], "--seed")) seed = static_cast<unsigned>(std::atoi(argv[n + 1]));
    if (!std::strcmp(argv[n], "--jit-percent")) jit_percent = std::atoi(argv[n + 1]);
  }
  return filigree::differential::run(sample, seed, jit_percent);
}

// How long statements take from notation to imperative code, stage by stage.
//
// usage: bench_planning [REPETITIONS]
//
// Prints medians in microseconds.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "compiler/pipeline.h"
#include "notation/parse.h"

using namespace filigree;

namespace {

struct Problem {
  const char* name;
  const char* text;
  std::map<std::string, std::string> formats;  // of what is not dense
};

const std::vector<Problem> problems = {
    {"SpMV", "y(i) = A(i,j)*x(j)", {{"A", "csr"}}},
    {"SpMV by columns", "y(i) = A(i,j)*x(j)", {{"A", "csc"}}},
    {"SpMM", "C(i,j) = A(i,k)*B(k,j)", {{"A", "csr"}}},
    {"SpGEMM", "A(i,j) = B(i,k)*C(k,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}},
    {"sum", "A(i,j) = B(i,j) + C(i,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}},
    {"sum of five",
     "a(i) = b(i) + c(i) + d(i) + e(i) + f(i)",
     {{"a", "sparse"}, {"b", "sparse"}, {"c", "sparse"}, {"d", "sparse"}, {"e", "sparse"}, {"f", "sparse"}}},
    {"SDDMM", "A(i,j) = B(i,j)*C(i,k)*D(k,j)", {{"A", "csr"}, {"B", "csr"}}},
    {"masked product", "A(i,j) = M(i,j)*B(i,k)*C(k,j)", {{"A", "csr"}, {"M", "csr"}, {"B", "csr"}, {"C", "csr"}}},
    {"TTV", "A(i,j) = B(i,j,k)*c(k)", {{"A", "csr"}, {"B", "csf"}}},
    {"MTTKRP", "A(i,j) = B(i,k,l)*C(k,j)*D(l,j)", {{"B", "csf"}}},
    {"transposition", "A(i,j) = B(j,i)", {{"A", "csr"}, {"B", "csr"}}},
    {"blocks and diagonals", "A(i,j) = B(i,j) + C(i,j)", {{"A", "csr"}, {"B", "bcsr(2,3)"}, {"C", "dia"}}},
};

notation::Statement statement_of(const Problem& problem) {
  notation::Parsed parsed = notation::parse(problem.text);
  std::map<std::string, TensorVar> tensors;
  for (const notation::TensorUse& use : parsed.tensors) {
    auto given = problem.formats.find(use.name);
    Format format = given == problem.formats.end() ? Format::dense(use.order) : parse_format(given->second, use.order);
    tensors.emplace(use.name, TensorVar(use.name, ElementType::Float64, format));
  }
  return notation::resolve(parsed, tensors);
}

/// The median time of `action`, in microseconds.
template <class Action>
double median(int repetitions, const Action& action) {
  std::vector<double> times;
  for (int n = 0; n < repetitions; n++) {
    auto start = std::chrono::steady_clock::now();
    action();
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

}  // namespace

int main(int count, char** arguments) {
  int repetitions = count > 1 ? std::atoi(arguments[1]) : 201;
  fmt::print("{:<22} {:>10} {:>10}\n", "", "to loops", "to code");
  for (const Problem& problem : problems) {
    notation::Statement statement = statement_of(problem);
    concrete::Program program = compiler::plan(statement, {});
    double loops = median(repetitions, [&] { compiler::plan(statement, {}); });
    double code = median(repetitions, [&] { compiler::generate(program, {}); });
    fmt::print("{:<22} {:>10.1f} {:>10.1f}\n", problem.name, loops, code);
  }
}

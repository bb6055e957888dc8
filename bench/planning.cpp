// How long statements take from notation to imperative code, stage by stage.
//
// usage: bench_planning [REPETITIONS]
//
// Prints medians in microseconds.
#include <cstdlib>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "compiler/pipeline.h"
#include "problem.h"

using namespace filigree;

namespace {

const std::vector<bench::Problem> problems = {
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

}  // namespace

int main(int count, char** arguments) {
  int repetitions = count > 1 ? std::atoi(arguments[1]) : 201;
  fmt::print("{:<22} {:>10} {:>10}\n", "", "to loops", "to code");
  for (const bench::Problem& problem : problems) {
    notation::Statement statement = bench::statement_of(problem);
    concrete::Program program = compiler::plan(statement, {});
    double loops = bench::median(repetitions, [&] { compiler::plan(statement, {}); });
    double code = bench::median(repetitions, [&] { compiler::generate(program, {}); });
    fmt::print("{:<22} {:>10.1f} {:>10.1f}\n", problem.name, loops, code);
  }
}

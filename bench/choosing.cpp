// How long it takes to choose how a statement runs for given operands: when nothing is known of it, and when it is.
//
// usage: bench_choosing [REPETITIONS]
//
// Prints medians in microseconds: all ways found and measured (compiler/choose_way.h); a choice that another process
// made, read from the folder of compiled kernels; and one that this process made, with the sizes of its operands put
// together and looked up.
#include <cstdlib>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "compiler/tuned.h"
#include "compiler/way_program.h"
#include "problem.h"

using namespace filigree;

namespace {

const std::vector<bench::Problem> problems = {
    {"chain of three", "A(i,l) = B(i,j)*C(j,k)*D(k,l)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}, {"D", "csr"}}},
    {"chain of four",
     "A(i,m) = B(i,j)*C(j,k)*D(k,l)*E(l,m)",
     {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}, {"D", "csr"}, {"E", "csr"}}},
    {"masked product", "A(i,j) = M(i,j)*B(i,k)*C(k,j)", {{"A", "csr"}, {"M", "csr"}, {"B", "csr"}, {"C", "csr"}}},
    {"graph layer", "H(i,j) = A(i,k)*(X(k,l)*W(l,j))", {{"A", "csr"}}},
    {"masked exponential", "S(i,j) = M(i,j)*exp(sum(k, Q(i,k)*K(j,k)))", {{"M", "csr"}, {"S", "csr"}}},
    {"SDDMM", "S(i,j) = M(i,j)*Q(i,k)*K(j,k)", {{"M", "csr"}, {"S", "csr"}}},
    {"MTTKRP", "A(i,r) = T(i,j,k)*B(j,r)*C(k,r)", {{"T", "sss"}}},
    {"three matrices at each place",
     "A(i,j) = B(i,j)*C(i,j)*D(i,j)",
     {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}, {"D", "csr"}}},
    {"two products of matrices and vectors", "y(i) = B(i,j)*C(j,k)*d(k)", {{"B", "csr"}, {"C", "csr"}}},
    {"trace", "s = A(i,j)*B(j,k)*C(k,i)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}},
};

void run(const bench::Problem& problem, int repetitions) {
  constexpr double extent = 2000, density = 0.005;
  notation::Statement statement = bench::statement_of(problem);
  autoschedule::KnownInputs inputs;
  for (const IndexVar& var : notation::index_vars(statement)) inputs.extents[var] = static_cast<std::int64_t>(extent);
  for (const notation::Access& access : notation::accesses(statement.rhs)) {
    double all = 1;
    for (int d = 0; d < access.tensor.order(); d++) all *= extent;
    inputs.stored[access.tensor.name()] = access.tensor.format().stores_all() ? all : all * density;
  }
  concrete::Program own = compiler::plan(statement, {});
  size_t ways = 0;
  compiler::Ways found;
  double unknown = bench::median(repetitions, [&] { found = compiler::find_ways(statement, own, inputs, {}); });
  ways = found.others.size();
  compiler::keep_chosen(statement, inputs, {}, found.takes_other ? found.others[0] : compiler::Way());
  double on_disk =
      bench::median(10 * repetitions, [&] { ways += compiler::chosen_way(statement, inputs, {}) ? 0 : 1; });
  std::map<std::string, int> choices = {{compiler::bucket_of(statement, inputs), 1}};
  double known =
      bench::median(100 * repetitions, [&] { ways += choices.count(compiler::bucket_of(statement, inputs)) - 1; });
  fmt::print("{:<38}{:>6}{:>14.0f}{:>12.0f}{:>12.2f}\n", problem.name, ways, unknown, on_disk, known);
}

}  // namespace

int main(int argc, char** argv) {
  int repetitions = argc > 1 ? std::atoi(argv[1]) : 5;
  fmt::print("{:<38}{:>6}{:>14}{:>12}{:>12}\n", "statement", "ways", "not known, us", "on disk, us", "known, us");
  for (const bench::Problem& problem : problems) run(problem, repetitions);
}

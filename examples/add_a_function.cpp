// Functions of one's own in index notation: a C expression for kernels, a callable for the interpreter and for fills, and the
// algebra that keeps sparsity.
//
// `overlap` is the smaller of two numbers that are never negative.  min() has to look where only one operand is stored,
// since the other could be below zero; overlap says that 0 annihilates, so kernels visit what both store.  `join` is x + y - x*y,
// how likely one of two independent things is: associative, commutative and with the identity 0, so it can reduce.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "filigree.h"

using namespace filigree;

namespace {

Operator add_overlap() {
  UserFunction overlap;
  overlap.name = "overlap";
  overlap.parameters = {"a", "b"};
  overlap.c_expression = "a < b ? a : b";
  overlap.value = [](const std::vector<Scalar>& v) { return evaluate(Operator::Less, v).as_bool() ? v[0] : v[1]; };
  overlap.associative = overlap.commutative = overlap.idempotent = true;
  overlap.annihilators = {{.value = 0, .result = 0}};
  return add_function(overlap);
}

Operator add_join() {
  UserFunction join;
  join.name = "join";
  join.parameters = {"x", "y"};
  join.c_expression = "x + y - x * y";
  join.value = [](const std::vector<Scalar>& v) {
    double x = v[0].as_double(), y = v[1].as_double();
    return Scalar::of(v[0].type(), x + y - x * y);
  };
  join.computed_in = [](ElementType type) { return is_floating(type) ? type : ElementType::Float64; };
  join.associative = join.commutative = true;
  join.identity = 0;
  return add_function(join);
}

AnyTensor matrix(const std::vector<std::vector<double>>& rows) {
  Coordinates entries;
  entries.dimensions = {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows[0].size())};
  entries.coordinate.resize(2);
  std::vector<double> values;
  for (size_t i = 0; i < rows.size(); i++) {
    for (size_t j = 0; j < rows[i].size(); j++) {
      if (rows[i][j] == 0) continue;
      entries.coordinate[0].push_back(static_cast<std::int64_t>(i));
      entries.coordinate[1].push_back(static_cast<std::int64_t>(j));
      values.push_back(rows[i][j]);
    }
  }
  entries.values = Array(ElementType::Float64, static_cast<std::int64_t>(values.size()));
  for (size_t n = 0; n < values.size(); n++) entries.values.set(static_cast<std::int64_t>(n), Scalar::of(ElementType::Float64, values[n]));
  return AnyTensor::pack(entries, parse_format("csr", 2));
}

/// Runs the kernel as machine code and in the interpreter, which has to agree.
std::vector<double> run(const notation::Statement& statement, const Arguments& arguments) {
  std::vector<double> results[2];
  for (int n : {0, 1}) {
    KernelOptions options;
    options.target = n == 0 ? compiler::Target::Jit : compiler::Target::Interpret;
    AnyTensor result = Kernel::compile(statement, options).run(arguments);
    for (std::int64_t p = 0; p < result.values().count(); p++) results[n].push_back(result.values().get(p).as_double());
  }
  if (results[0] != results[1]) {
    std::fprintf(stderr, "the C expression and the callable differ\n");
    std::exit(1);
  }
  return results[0];
}

void expect(const char* what, const std::vector<double>& got, const std::vector<double>& expected) {
  std::printf("%s:", what);
  for (double x : got) std::printf(" %g", x);
  std::printf("\n");
  bool same = got.size() == expected.size();
  for (size_t n = 0; same && n < got.size(); n++) same = std::abs(got[n] - expected[n]) < 1e-12;
  if (!same) std::exit(1);
}

}  // namespace

int main() {
  add_overlap();
  Operator join = add_join();

  AnyTensor A = matrix({{1, 0, 3}, {0, 2, 0}}), B = matrix({{2, 5, 1}, {0, 0, 4}});
  Format csr = parse_format("csr", 2);
  std::map<std::string, TensorVar> vars = {{"y", TensorVar("y", ElementType::Float64, Format::dense(1))},
                                           {"A", TensorVar("A", ElementType::Float64, csr)},
                                           {"B", TensorVar("B", ElementType::Float64, csr)}};

  // In text ...
  notation::Statement common = notation::resolve(notation::parse("y(i) = sum(j, overlap(A(i,j), B(i,j)))"), vars);
  expect("common", run(common, {{"A", A}, {"B", B}}), {2, 0});

  // ... and in C++.
  IndexVar i("i"), j("j");
  const TensorVar &y = vars.at("y"), &a = vars.at("A");
  notation::Statement any = (y(i) = reduce(join, j, a(i, j) / 4));
  expect("any", run(any, {{"A", A}}), {1 - 0.75 * 0.25, 0.5});
  return 0;
}

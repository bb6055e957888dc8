// prune(...) in kernels and programs: what is stored, in every mode and on several threads.
#include <gtest/gtest.h>

#include "compiler/program.h"
#include "notation/parse.h"
#include "tests/notation/from_text.h"

namespace filigree {
namespace {

TensorVar variable(const std::string& name, const std::string& format, int order) {
  return TensorVar(name, ElementType::Float64, parse_format(format, order));
}

notation::Statement statement(const std::string& text, const std::map<std::string, TensorVar>& vars) {
  return notation::resolve(notation::parse(text), vars);
}

/// About `rows` entries in every one of `rows` rows, of small integers.
AnyTensor matrix(std::int64_t rows, std::int64_t seed, const std::string& format = "csr") {
  Coordinates entries{{rows, rows}, {{}, {}}, {}};
  std::vector<double> values;
  for (std::int64_t i = 0; i < rows; i++) {
    for (std::int64_t j = 0; j < rows; j++) {
      std::int64_t mixed = (i * 7919 + j * 104729 + seed * 31) % 1009;
      if (mixed % 3 != 0) continue;
      entries.coordinate[0].push_back(i);
      entries.coordinate[1].push_back(j);
      values.push_back(static_cast<double>(mixed % 5 - 2));
    }
  }
  entries.values = Array(ElementType::Float64, static_cast<std::int64_t>(values.size()));
  for (size_t n = 0; n < values.size(); n++)
    entries.values.set(static_cast<std::int64_t>(n), Scalar::of(ElementType::Float64, values[n]));
  return AnyTensor::pack(entries, parse_format(format, 2));
}

std::vector<std::pair<std::vector<std::int64_t>, double>> listed(const AnyTensor& tensor) {
  std::vector<std::pair<std::vector<std::int64_t>, double>> out;
  tensor.for_each([&](const std::vector<std::int64_t>& at, std::int64_t position) {
    out.emplace_back(at, tensor.values().get(position).as_double());
  });
  std::sort(out.begin(), out.end());
  return out;
}

TEST(Prune, StoresTheSameOnSeveralThreads) {
  AnyTensor B = matrix(90, 1), C = matrix(90, 2);
  for (const char* format :
       {"csr", "dcsr", "csc", "coo", "coo_aos", "bitmap", "dok", "hash", "sd", "ell", "dia", "bcsr(4,4)"}) {
    for (const char* text :
         {"A(i,j) = prune(B(i,j) + C(i,j))", "A(i,j) = prune(B(i,k)*C(k,j))", "A(i,j) = prune(B(j,i)*(B(j,i) > 0))"}) {
      auto s = statement(
          text, {{"A", variable("A", format, 2)}, {"B", variable("B", "csr", 2)}, {"C", variable("C", "csr", 2)}});
      KernelOptions one, several;
      several.threads = 4;
      several.worth_threads = 1;
      Arguments arguments{{"B", B}};
      if (std::string(text).find('C') != std::string::npos) arguments.emplace_back("C", C);
      AnyTensor expected = Kernel::compile(s, one).run(arguments), made = Kernel::compile(s, several).run(arguments);
      EXPECT_EQ(listed(made), listed(expected)) << text << " as " << format;
      auto unpruned = s;
      unpruned.prunes = false;
      unpruned.lhs.tensor = variable("A", "coo", 2);
      std::vector<std::pair<std::vector<std::int64_t>, double>> kept =
          listed(Kernel::compile(unpruned, one).run(arguments));
      std::erase_if(kept, [](const auto& entry) { return entry.second == 0; });
      std::vector<std::pair<std::vector<std::int64_t>, double>> entries = listed(expected);
      if (expected.format().pads()) std::erase_if(entries, [](const auto& entry) { return entry.second == 0; });
      EXPECT_EQ(entries, kept) << text << " as " << format;
    }
  }
}

TEST(Prune, IsAssembledByValues) {
  auto s = statement("A(i,j) = prune(B(i,j) + C(i,j))",
                     {{"A", variable("A", "csr", 2)}, {"B", variable("B", "csr", 2)}, {"C", variable("C", "csr", 2)}});
  Kernel kernel = Kernel::compile(s);
  AnyTensor B = matrix(20, 1), C = matrix(20, 2);
  AnyTensor made = kernel.assemble({{"B", B}, {"C", C}}), whole = kernel.run({{"B", B}, {"C", C}});
  EXPECT_EQ(made.stored(), whole.stored());
  kernel.compute(made, {{"B", B}, {"C", C}});
  EXPECT_EQ(listed(made), listed(whole));
  // Other values leave other components out.
  AnyTensor D = C;
  for (std::int64_t p = 0; p < D.values().count(); p++) D.values().set(p, Scalar::of(ElementType::Float64, 2.0));
  EXPECT_NE(notation::error_of([&] {
              kernel.compute(made, {{"B", B}, {"C", D}});
            }).find("which components it stores depends on values; use run()"),
            std::string::npos);
}

TEST(Prune, IsNotInlined) {
  std::map<std::string, TensorVar> vars{{"T", variable("T", "csr", 2)},
                                        {"B", variable("B", "csr", 2)},
                                        {"y", variable("y", "sparse", 1)},
                                        {"x", variable("x", "dense", 1)}};
  std::vector<notation::Statement> statements{statement("T(i,j) = prune(B(i,j)*(B(i,j) > 1))", vars),
                                              statement("y(i) = T(i,j)*x(j)", vars)};
  EXPECT_EQ(Program::compile(statements).steps().size(), 2u);
  statements[0].prunes = false;
  EXPECT_EQ(Program::compile(statements).steps().size(), 1u);
}

}  // namespace
}  // namespace filigree

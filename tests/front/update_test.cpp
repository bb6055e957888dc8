// Updates in place: the same as with a new tensor, at the cost of what is added.
#include <functional>

#include <gtest/gtest.h>

#include "compiler/kernel.h"
#include "front/tensor.h"

namespace filigree {
namespace {

using formats::compressed, formats::dense;

AnyTensor filled(const TensorVar& var, std::vector<std::int64_t> dimensions, int seed, bool symmetric = false) {
  Coordinates entries;
  entries.dimensions = dimensions;
  entries.coordinate.resize(dimensions.size());
  std::vector<double> values;
  std::int64_t all = 1;
  for (std::int64_t extent : dimensions) all *= extent;
  for (std::int64_t entry = 0; entry < all; entry++) {
    std::int64_t mirrored = symmetric ? entry % dimensions[0] * dimensions[0] + entry / dimensions[0] : entry,
                 n = std::min(entry, mirrored);
    if ((n * 7 + seed) % 3 == 0 && !var.format().stores_all()) continue;
    std::int64_t rest = entry;
    for (size_t d = dimensions.size(); d-- > 0; rest /= dimensions[d])
      entries.coordinate[d].push_back(rest % dimensions[d]);
    values.push_back(static_cast<double>((n * 5 + seed) % 11) - 4);
  }
  entries.values = Array(ElementType::Float64, static_cast<std::int64_t>(values.size()));
  std::copy(values.begin(), values.end(), entries.values.as<double>().begin());
  entries.values = entries.values.converted(var.type());
  return AnyTensor::pack(entries, var.format());
}

/// Updates a tensor and compares with the kernel that makes a new one.  Returns whether it was done in place.
bool check_update(const notation::Statement& statement, const Arguments& operands, const AnyTensor& old,
                  const std::string& what) {
  KernelOptions options;
  options.target = compiler::Target::Interpret;
  Kernel kernel = Kernel::compile(statement, options);
  Arguments with_old = operands;
  with_old.emplace_back(statement.lhs.tensor, old);
  AnyTensor expected = kernel.run(with_old), updated = old;
  bool in_place = kernel.update(updated, operands);
  Coordinates a = expected.coordinates(), b = updated.coordinates();
  EXPECT_EQ(a.coordinate, b.coordinate) << what;
  for (std::int64_t n = 0; n < a.count() && n < b.count(); n++)
    EXPECT_EQ(a.values.get(n), b.values.get(n)) << what << " entry " << n;
  return in_place;
}

TEST(Update, IsTheSameAsWithANewTensor) {
  IndexVar i("i"), j("j"), k("k");
  for (const char* y_format : {"dense", "sparse", "hash", "bitmap"}) {
    for (const char* a_format : {"csr", "csc", "coo", "dcsr", "dense", "bcsr(2,2)", "dia"}) {
      for (const char* x_format : {"dense", "sparse"}) {
        TensorVar y("y", ElementType::Float64, parse_format(y_format, 1)),
            A("A", ElementType::Float64, parse_format(a_format, 2)),
            x("x", ElementType::Float64, parse_format(x_format, 1));
        AnyTensor old = filled(y, {6}, 1), matrix = filled(A, {6, 5}, 2), vector = filled(x, {5}, 3);
        std::string what = std::string(y_format) + " " + a_format + " " + x_format;
        Arguments both = {{A, matrix}, {x, vector}}, one = {{A, matrix}};
        bool dense_result = y.format().stores_all();
        EXPECT_EQ(check_update((y(i) += A(i, j) * x(j)), both, old, what), dense_result);
        EXPECT_EQ(check_update((y(i) -= A(i, j) * x(j)), both, old, what), dense_result);
        EXPECT_EQ(check_update((y(i) += 2 * A(i, fixed(1))), one, old, what), dense_result);
        check_update((y(i) += max_over(j, A(i, j))), one, old, what);
        check_update((y(i) *= sum(j, A(i, j) * x(j))), both, old, what);
        check_update(max_assign(y(i), sum(j, A(i, j) * x(j))), both, old, what);
        check_update((y(i) += sum(j, A(i, j) + 1)), one, old, what);
      }
    }
  }
}

TEST(Update, OfMatricesAndOtherTypes) {
  IndexVar i("i"), j("j");
  for (const char* format :
       {"dense", "csr", "(i,j) -> (j: dense, i: dense)", "(i,j) -> (i/2: dense, j: dense, i%2: dense)", "symmetric"}) {
    for (ElementType type : {ElementType::Float64, ElementType::Int32, ElementType::Float32}) {
      TensorVar C("C", type, parse_format(format, 2)), A("A", ElementType::Float64, parse_format("csr", 2)),
          B("B", ElementType::Int32, parse_format("csc", 2));
      bool symmetric = C.format().symmetry() != Symmetry::None;
      AnyTensor a = filled(A, {5, 5}, 2, symmetric), b = filled(B, {5, 5}, 5, symmetric),
                old = filled(C, {5, 5}, 1, symmetric);
      std::string what = std::string(format) + " " + to_string(type);
      check_update((C(i, j) += A(i, j)), {{A, a}}, old, what);
      check_update((C(i, j) += A(j, i)), {{A, a}}, old, what);
      check_update((C(i, j) += B(i, j)), {{B, b}}, old, what);
      check_update((C(i, j) -= A(i, j) + B(i, j)), {{A, a}, {B, b}}, old, what);
    }
  }
}

TEST(Update, OfAPartLeavesTheRest) {
  IndexVar i("i"), j("j");
  for (const char* format : {"dense", "csr"}) {
    TensorVar C("C", ElementType::Float64, parse_format(format, 2)),
        x("x", ElementType::Float64, parse_format("sparse", 1));
    AnyTensor old = filled(C, {4, 5}, 1), vector = filled(x, {5}, 2);
    AnyTensor updated = old;
    bool in_place = Kernel::compile((C(fixed(2), j) += x(j))).update(updated, {{x, vector}});
    EXPECT_EQ(in_place, C.format().stores_all());
    for (std::int64_t r = 0; r < 4; r++) {
      for (std::int64_t c = 0; c < 5; c++) {
        double added = r == 2 ? component(vector, {c}).as_double() : 0;
        EXPECT_EQ(component(updated, {r, c}).as_double(), component(old, {r, c}).as_double() + added)
            << format << r << c;
      }
    }
  }
}

TEST(Update, OfAPartTakesNewNumbersEachTime) {
  IndexVar j("j");
  TensorVar C("C", ElementType::Float64, parse_format("csr", 2)),
      x("x", ElementType::Float64, parse_format("sparse", 1));
  AnyTensor matrix = filled(C, {4, 5}, 1), old = matrix, vector = filled(x, {5}, 2);
  int stages = 0;
  KernelOptions options;
  options.target = compiler::Target::Interpret;
  options.observer = [&](const compiler::StageReport&) { stages++; };
  Kernel kernel = Kernel::compile((C(fixed(2), j) += x(j)), options);
  kernel.update(matrix, {{x, vector}});
  int first = stages;
  kernel.update(matrix, {{x, vector}});
  EXPECT_GT(first, 0);
  EXPECT_EQ(stages, first);  // what was compiled is kept
  for (std::int64_t c = 0; c < 5; c++)
    EXPECT_EQ(component(matrix, {2, c}).as_double(),
              component(old, {2, c}).as_double() + 2 * component(vector, {c}).as_double());
}

TEST(Update, CostsWhatIsAdded) {
  std::int64_t size = 100'000;
  Tensor<double> y({size}), x({size}, Format{compressed}), all({size});
  IndexVar i;
  for (std::int64_t n : {5, 1000, 99'999}) x.insert({n}, 1);
  y.evaluate();
  KernelOptions few;
  few.target = compiler::Target::Interpret;
  few.step_limit = 1000;
  for (int n = 0; n < 3; n++) {
    y(i) += x(i);
    y.evaluate(few);
  }
  EXPECT_EQ(y.at(99'999), 3);
  EXPECT_EQ(y.at(6), 0);
  y(i) += all(i);
  EXPECT_ANY_THROW(y.evaluate(few));  // it does count
}

TEST(Update, NeedsAnOperator) {
  IndexVar i("i");
  TensorVar y("y", ElementType::Float64, Format::dense(1)), x("x", ElementType::Float64, Format::dense(1));
  AnyTensor a(ElementType::Float64, {3}, Format::dense(1)), b = a;
  EXPECT_THROW(Kernel::compile((y(i) = x(i))).update(a, {{x, b}}), UserError);
  EXPECT_THROW(Kernel::compile((y(i) += x(i))).update(a, {{x, a}}), UserError);
}

}  // namespace
}  // namespace filigree

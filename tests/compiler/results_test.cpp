// Results that kernels fill in the declared format are, array by array, what the host would have packed.
#include "compiler/kernel.h"

#include <gtest/gtest.h>

#include "notation/build.h"

namespace filigree {
namespace {

IndexVar i("i"), j("j"), k("k");

TensorVar tensor(const std::string& name, const std::string& format) {
  return TensorVar(name, ElementType::Float64, parse_format(format, 2));
}

/// The places (row, column) with the value 10*row + column + 1, in csr.
AnyTensor csr(const std::vector<std::pair<std::int64_t, std::int64_t>>& places, std::int64_t extent = 5) {
  Coordinates entries;
  entries.dimensions = {extent, extent};
  entries.coordinate.resize(2);
  entries.values = Array(ElementType::Float64, static_cast<std::int64_t>(places.size()));
  for (size_t n = 0; n < places.size(); n++) {
    entries.coordinate[0].push_back(places[n].first);
    entries.coordinate[1].push_back(places[n].second);
    entries.values.set(static_cast<std::int64_t>(n),
                       Scalar::of(ElementType::Float64, 10.0 * double(places[n].first) + double(places[n].second) + 1));
  }
  return AnyTensor::pack(entries, parse_format("csr", 2));
}

KernelOptions options(compiler::Target target) {
  KernelOptions out;
  out.target = target;
  return out;
}

const std::vector<std::string> formats = {"bitmap",
                                          "dok",
                                          "hash",
                                          "ell",
                                          "csr(decreasing)",
                                          "lower",
                                          "(i,j) -> (i: bitmap, j: compressed)",
                                          "(i,j) -> (i: compressed, j: bitmap)",
                                          "(i,j) -> (i: compressed, j: hashed)",
                                          "(i,j) -> (i: hashed, j: compressed)",
                                          "(i,j) -> (i: hashed, j: dense)",
                                          "(i,j) -> (i: hashed, j: bitmap)",
                                          "(i,j) -> (i: compressed(decreasing), j: compressed)",
                                          "(i,j) -> (i: compressed(decreasing), j: compressed(decreasing))",
                                          "(i,j) -> (i: dense, #i: slots, j: singleton(padded))",
                                          "(i,j) -> (j: dense, i: hashed)",
                                          "(i,j) -> (#j: slots, j: dense, i: singleton(padded))"};

void expect_same(const AnyTensor& made, const AnyTensor& packed, const std::string& label) {
  ASSERT_EQ(made.level_arrays().size(), packed.level_arrays().size()) << label;
  for (size_t level = 0; level < made.level_arrays().size(); level++) {
    for (size_t a = 0; a < made.level_arrays()[level].size(); a++) {
      const Array &x = made.level_arrays()[level][a], &y = packed.level_arrays()[level][a];
      ASSERT_EQ(x.count(), y.count()) << label << ", level " << level + 1;
      for (std::int64_t n = 0; n < x.count(); n++)
        EXPECT_EQ(to_string(x.get(n)), to_string(y.get(n))) << label << ", level " << level + 1 << ", element " << n;
    }
  }
  ASSERT_EQ(made.values().count(), packed.values().count()) << label;
  for (std::int64_t n = 0; n < made.values().count(); n++)
    EXPECT_EQ(to_string(made.values().get(n)), to_string(packed.values().get(n))) << label << ", value " << n;
}

void check(compiler::Target target) {
  AnyTensor B = csr({{0, 0}, {2, 0}, {2, 1}, {2, 2}, {4, 0}, {4, 3}, {4, 4}}), nothing = csr({});
  for (const std::string& format : formats) {
    TensorVar A = tensor("A", format), b = tensor("B", "csr");
    Kernel kernel = Kernel::compile((A(i, j) = b(i, j)), options(target));
    EXPECT_FALSE(kernel.program().made.has_value()) << format << " is still packed afterwards";
    for (const AnyTensor* operand : {&B, &nothing})
      expect_same(kernel.run({{"B", *operand}}), operand->converted(A.format()), format);
  }
}

TEST(Results, InterpretedAreWhatTheHostPacks) { check(compiler::Target::Interpret); }
TEST(Results, CompiledAreWhatTheHostPacks) { check(compiler::Target::Jit); }

/// Arrays start with room for a few hundred elements.
TEST(Results, GrowBeyondTheirFirstRoom) {
  std::vector<std::pair<std::int64_t, std::int64_t>> places;
  for (std::int64_t row = 0; row < 60; row++) {
    for (std::int64_t column = 0; column <= row; column++) {
      if ((7 * row + 3 * column) % 4 == 0) places.push_back({row, column});
    }
  }
  AnyTensor B = csr(places, 60);
  std::vector<std::string> all = formats;
  all.push_back("(i,j) -> (i/2: hashed, i%2: dense, j: dense)");
  all.push_back("(i,j) -> (i/2: hashed, j/3: hashed, i%2: bitmap, j%3: dense)");
  for (const std::string& format : all) {
    TensorVar A = tensor("A", format), b = tensor("B", "csr"), c = tensor("C", "csc");
    AnyTensor in_order = Kernel::compile((A(i, j) = b(i, j)), options(compiler::Target::Interpret)).run({{"B", B}});
    expect_same(in_order, B.converted(A.format()), format);
    AnyTensor sum = Kernel::compile((A(i, j) = b(i, j) + c(i, j)), options(compiler::Target::Interpret))
                        .run({{"B", B}, {"C", B.converted(c.format())}});
    sum.validate("sum");
    EXPECT_EQ(sum.values().count(), in_order.values().count()) << format;
  }
}

TEST(Results, OfProductsAreWhatTheHostPacks) {
  AnyTensor B = csr({{0, 0}, {1, 0}, {2, 0}, {2, 1}, {3, 3}, {4, 0}, {4, 3}, {4, 4}});
  TensorVar b = tensor("B", "csr");
  TensorVar plain = tensor("A", "csr");
  AnyTensor product =
      Kernel::compile((plain(i, j) = b(i, k) * b(k, j)), options(compiler::Target::Interpret)).run({{"B", B}});
  for (const std::string& format : formats) {
    TensorVar A = tensor("A", format);
    Kernel kernel = Kernel::compile((A(i, j) = b(i, k) * b(k, j)), options(compiler::Target::Interpret));
    expect_same(kernel.run({{"B", B}}), product.converted(A.format()), format);
  }
}

TEST(Results, SayWhichEntryATriangleCannotHold) {
  TensorVar A = tensor("A", "lower"), b = tensor("B", "csr");
  Kernel kernel = Kernel::compile((A(i, j) = b(i, j)), options(compiler::Target::Interpret));
  try {
    kernel.run({{"B", csr({{1, 1}, {1, 3}})}});
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_EQ(error.message(), "The entry of 'A' at (1, 3) cannot be stored as lower");
  }
}

TEST(Results, AreAssembledAndComputedInAnyFormat) {
  AnyTensor B = csr({{0, 0}, {2, 1}, {4, 0}, {4, 3}});
  for (const std::string& format : formats) {
    TensorVar A = tensor("A", format), b = tensor("B", "csr");
    Kernel kernel = Kernel::compile((A(i, j) = b(i, j)), options(compiler::Target::Interpret));
    AnyTensor result = kernel.assemble({{"B", B}});
    kernel.compute(result, {{"B", B}});
    expect_same(result, B.converted(A.format()), format);
  }
}

}  // namespace
}  // namespace filigree

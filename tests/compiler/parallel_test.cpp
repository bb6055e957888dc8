// Kernels give the same bits on any number of threads.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <set>
#include <thread>

#include "compiler/kernel.h"
#include "notation/build.h"

namespace filigree {
namespace {

/// `count` components at random places, each once, stored in the order they come in if the format has none.
AnyTensor random_matrix(std::int64_t rows, std::int64_t columns, std::int64_t count, const std::string& format,
                        unsigned seed) {
  std::mt19937_64 random(seed);
  Coordinates entries;
  entries.dimensions = {rows, columns};
  entries.coordinate.resize(2);
  std::set<std::pair<std::int64_t, std::int64_t>> places;
  std::vector<double> values;
  for (std::int64_t n = 0; n < count; n++) {
    // Some rows are much longer than others.
    std::int64_t row = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows));
    if (random() % 3 == 0) row /= 7;
    std::pair<std::int64_t, std::int64_t> place(
        row, static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(columns)));
    if (!places.insert(place).second) continue;
    entries.coordinate[0].push_back(place.first);
    entries.coordinate[1].push_back(place.second);
    values.push_back(static_cast<double>(n + 1) / 3);
  }
  entries.values = Array(ElementType::Float64, static_cast<std::int64_t>(values.size()));
  for (size_t n = 0; n < values.size(); n++)
    entries.values.set(static_cast<std::int64_t>(n), Scalar::of(ElementType::Float64, values[n]));
  return AnyTensor::pack(entries, parse_format(format, 2));
}

struct Conversion {
  const char* from;
  const char* to;
  bool in_pieces;
};

const Conversion conversions[] = {
    {"coo", "csr", true}, {"csr", "csc", true}, {"csc", "csr", true}, {"coo", "csc", true}, {"dcsr", "csc", true}};

Kernel copy(const Conversion& conversion, int threads, compiler::Target target) {
  IndexVar i("i"), j("j");
  TensorVar A("A", ElementType::Float64, parse_format(conversion.to, 2)),
      B("B", ElementType::Float64, parse_format(conversion.from, 2));
  KernelOptions options;
  options.target = target;
  options.threads = threads;
  options.worth_threads = 0;
  return Kernel::compile((A(i, j) = B(i, j)), options);
}

/// All arrays are equal.
bool same(const AnyTensor& a, const AnyTensor& b) {
  std::vector<const Array*> left = a.all_arrays(), right = b.all_arrays();
  for (size_t n = 0; n < left.size(); n++) {
    if (left[n]->type() != right[n]->type() || !(*left[n] == *right[n])) return false;
  }
  return left.size() == right.size();
}

void expect_same_on_any_number_of_threads(compiler::Target target) {
  struct Shape {
    std::int64_t rows, columns, count;
  };
  const Shape shapes[] = {{50, 40, 600}, {7, 300, 500}, {300, 7, 900}, {40, 40, 0},     {1, 30, 20},
                          {30, 1, 20},   {1, 1, 1},     {2, 3, 5},     {1000, 1000, 30}};
  for (const Conversion& conversion : conversions) {
    Kernel serial = copy(conversion, 1, target);
    for (int threads : {2, 3, 4}) {
      Kernel parallel = copy(conversion, threads, target);
      for (const Shape& shape : shapes) {
        AnyTensor operand =
            random_matrix(shape.rows, shape.columns, shape.count, conversion.from, static_cast<unsigned>(shape.rows));
        EXPECT_TRUE(same(parallel.run({{"B", operand}}), serial.run({{"B", operand}})))
            << conversion.from << " -> " << conversion.to << ", " << shape.rows << "x" << shape.columns << ", "
            << threads << " threads";
      }
    }
  }
}

TEST(Parallel, InterpretedKernelsGiveTheSameBitsOnAnyNumberOfThreads) {
  expect_same_on_any_number_of_threads(compiler::Target::Interpret);
}
TEST(Parallel, CompiledKernelsGiveTheSameBitsOnAnyNumberOfThreads) {
  expect_same_on_any_number_of_threads(compiler::Target::Jit);
}

TEST(Parallel, ConversionsRunInPieces) {
  for (const Conversion& conversion : conversions) {
    std::string text = copy(conversion, 2, compiler::Target::Jit).c_text(lowering::Mode::Grow, {.standalone = false});
    EXPECT_EQ(text.find("parallel_for(runtime, ") != std::string::npos, conversion.in_pieces)
        << conversion.from << " -> " << conversion.to << "\n"
        << text;
    std::string serial = copy(conversion, 1, compiler::Target::Jit).c_text(lowering::Mode::Grow, {.standalone = false});
    EXPECT_EQ(serial.find("parallel_for(runtime, "), std::string::npos);
  }
}

TEST(Parallel, OneKernelRunsFromSeveralThreads) {
  Kernel kernel = copy(conversions[1], 3, compiler::Target::Jit);
  AnyTensor operand = random_matrix(200, 100, 3000, "csr", 5);
  AnyTensor expected = copy(conversions[1], 1, compiler::Target::Interpret).run({{"B", operand}});
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; c++) {
    callers.emplace_back([&] {
      for (int n = 0; n < 50; n++) wrong += same(kernel.run({{"B", operand}}), expected) ? 0 : 1;
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Parallel, PatternsAreAssembledInPiecesToo) {
  for (const Conversion& conversion : conversions) {
    AnyTensor operand = random_matrix(60, 50, 900, conversion.from, 9);
    AnyTensor one = copy(conversion, 1, compiler::Target::Interpret).assemble({{"B", operand}});
    EXPECT_TRUE(same(copy(conversion, 3, compiler::Target::Interpret).assemble({{"B", operand}}), one))
        << conversion.from << " -> " << conversion.to;
  }
}

TEST(Parallel, EntriesInTheOrderOfRowsAreNotCounted) {
  auto counts = [](const Conversion& conversion) {
    return copy(conversion, 2, compiler::Target::Jit)
               .c_text(lowering::Mode::Grow, {.standalone = false})
               .find("A2_counters") != std::string::npos;
  };
  EXPECT_FALSE(counts({"coo", "csr", true}));
  EXPECT_TRUE(counts({"coo", "csc", true}));
  EXPECT_TRUE(counts({"coo(unordered)", "csr", true}));
}

}  // namespace
}  // namespace filigree

// What a schedule says about sizes: code relies on it where it holds, and no run gets through where it does not.
#include <gtest/gtest.h>

#include "compiler/kernel.h"
#include "tests/concrete/from_text.h"

namespace filigree {
namespace {

AnyTensor filled(std::vector<std::int64_t> dimensions, const std::string& format) {
  Coordinates entries;
  entries.dimensions = dimensions;
  entries.coordinate.resize(dimensions.size());
  std::int64_t points = 1, count = 0;
  for (std::int64_t d : dimensions) points *= d;
  for (std::int64_t n = 0; n < points; n++) {
    bool stored = dimensions.size() == 1 || n % 3 != 1;
    if (!stored) continue;
    for (std::int64_t d = static_cast<std::int64_t>(dimensions.size()) - 1, rest = n; d >= 0;
         rest /= dimensions[static_cast<size_t>(d)], d--) {
      entries.coordinate[static_cast<size_t>(d)].push_back(rest % dimensions[static_cast<size_t>(d)]);
    }
    count++;
  }
  entries.values = Array(ElementType::Float64, count);
  for (std::int64_t n = 0; n < count; n++) entries.values.set(n, Scalar::of(ElementType::Float64, double(n % 7 + 1)));
  return AnyTensor::pack(entries, parse_format(format, static_cast<int>(dimensions.size())));
}

KernelOptions with_schedule(const std::string& text) {
  KernelOptions options;
  options.target = compiler::Target::Interpret;
  if (!text.empty()) options.schedule = schedule::parse(text, "-s");
  return options;
}

AnyTensor spmv(const std::string& schedule, std::int64_t rows, std::int64_t columns, const std::string& format) {
  notation::Statement statement = concrete::statement("y(i) = A(i,j)*x(j)", {{"A", format}});
  AnyTensor A = filled({rows, columns}, format), x = filled({columns}, "d");
  return Kernel::compile(statement, with_schedule(schedule)).run({{"A", A}, {"x", x}});
}

std::string error_of(const std::string& schedule, std::int64_t rows) {
  try {
    spmv(schedule, rows, 4, "csr");
  } catch (const UserError& error) {
    return error.text();
  }
  return "no error";
}

TEST(Bound, KeepsResultsWhereItHolds) {
  for (const char* format : {"csr", "csc", "coo", "dd"}) {
    for (std::int64_t rows : {1, 2, 6, 8, 24}) {
      AnyTensor expected = spmv("", rows, 5, format);
      for (int size : {1, 2, 3, 4, 8}) {
        for (const char* split :
             {"split(i, i0, i1, {})", "split(i, i0, i1, up, {})", "split(i, i0, i1, {}), split(i1, i2, i3, 2)",
              "split(i, i0, i1, {}), unroll(i1, 2)"}) {
          std::string cut = split;
          cut.replace(cut.find("{}"), 2, std::to_string(size));
          std::vector<std::string> bounds = {"bound(i, exact, " + std::to_string(rows) + ")", "bound(i, min, 1)",
                                             "bound(i, max, 24), bound(j, exact, 5)"};
          if (rows % size == 0) bounds.push_back("bound(i, divisible, " + std::to_string(size) + ")");
          for (const std::string& bound : bounds) {
            std::string text = bound + ", " + cut;
            AnyTensor result = spmv(text, rows, 5, format);
            ASSERT_EQ(result.dimensions(), expected.dimensions());
            for (std::int64_t n = 0; n < rows; n++)
              ASSERT_EQ(result.values().get(n), expected.values().get(n)) << format << ": " << text;
          }
        }
      }
    }
  }
}

TEST(Bound, IsCheckedBeforeARun) {
  EXPECT_EQ(error_of("bound(i, exact, 8)", 8), "no error");
  EXPECT_EQ(error_of("bound(i, exact, 8)", 7),
            "error: The schedule says that 'i' has exactly 8 coordinates, but it has 7\n  in -s, column 1:\n    "
            "bound(i, exact, 8)\n    ^^^^^^^^^^^^^^^^^^\n"
            "hint: compile the statement without this bound, or with the right one\n");
  EXPECT_NE(error_of("bound(i, min, 8)", 7).find("'i' has at least 8 coordinates, but it has 7"), std::string::npos);
  EXPECT_NE(error_of("bound(i, max, 6)", 7).find("'i' has at most 6 coordinates, but it has 7"), std::string::npos);
  EXPECT_NE(error_of("bound(i, divisible, 2)", 7).find("'i' has a multiple of 2 coordinates, but it has 7"),
            std::string::npos);
  EXPECT_NE(error_of("bound(i, n, 8, MaxExact), split(n, a, b, 4)", 7).find("exactly 8 coordinates, but it has 7"),
            std::string::npos);
}

}  // namespace
}  // namespace filigree

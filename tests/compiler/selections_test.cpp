// Indices that tensors hold and indices that wrap around, in every format, against what they mean.
#include "compiler/selections.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compiler/kernel.h"
#include "compiler/program.h"
#include "notation/build.h"

namespace filigree {
namespace {

IndexVar i("i"), j("j");

KernelOptions interpreted() {
  KernelOptions options;
  options.target = compiler::Target::Interpret;
  return options;
}

/// The components for which `value` gives a number that is not the fill.
template <class Value>
AnyTensor packed(std::vector<std::int64_t> dimensions, const std::string& format, ElementType type, const Scalar& fill,
                 Value value) {
  Coordinates entries{dimensions, std::vector<std::vector<std::int64_t>>(dimensions.size()), Array()};
  std::vector<Scalar> values;
  std::vector<std::int64_t> at(dimensions.size(), 0);
  std::int64_t count = 1;
  for (std::int64_t extent : dimensions) count *= extent;
  for (std::int64_t n = 0; n < count; n++) {
    Scalar here = Scalar::of(ElementType::Float64, double(value(at))).cast(type);
    if (!(here == fill.cast(type))) {
      for (size_t d = 0; d < at.size(); d++) entries.coordinate[d].push_back(at[d]);
      values.push_back(here);
    }
    for (size_t d = at.size(); d-- > 0 && ++at[d] == dimensions[d];) at[d] = 0;
  }
  entries.values = Array(type, static_cast<std::int64_t>(values.size()));
  for (size_t n = 0; n < values.size(); n++) entries.values.set(static_cast<std::int64_t>(n), values[n]);
  return AnyTensor::pack(entries, parse_format(format, static_cast<int>(dimensions.size())), Duplicates::Error, "test",
                         true, fill);
}

/// All components, absent ones with the fill, row by row.
std::vector<double> components(const AnyTensor& tensor) {
  std::int64_t count = 1;
  for (std::int64_t extent : tensor.dimensions()) count *= extent;
  std::vector<double> all(static_cast<size_t>(count), tensor.fill().cast(ElementType::Float64).as_double());
  tensor.for_each([&](const std::vector<std::int64_t>& at, std::int64_t position) {
    std::int64_t n = 0;
    for (size_t d = 0; d < at.size(); d++) n = n * tensor.dimensions()[d] + at[d];
    all[static_cast<size_t>(n)] = tensor.values().get(position).cast(ElementType::Float64).as_double();
  });
  return all;
}

Scalar number(double value) { return Scalar::of(ElementType::Float64, value); }

const std::vector<std::string> vector_formats = {"dense", "sparse", "coo", "hash", "bitmap"};
const std::vector<std::string> matrix_formats = {"dense", "csr",    "csc",     "dcsr",          "coo",
                                                 "hash",  "dia",    "ell",     "bcsr(2,2)",     "csb(2,2)",
                                                 "dok",   "bitmap", "coo_aos", "csr(unordered)"};
const std::vector<std::int64_t> selected = {4, 0, 2, 2, 5, 1, 4};

TEST(Selections, GatherFromVectorsOfAnyFormatAndFill) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const std::string& format : vector_formats)
    for (double fill : {0.0, 7.0, inf, std::nan("")})
      for (std::string left : {"dense", "sparse"}) {
        if (format == "coo" && fill != 0) continue;
        auto value = [&](const std::vector<std::int64_t>& at) {
          return at[0] % 2 == 0 ? 10.0 * double(at[0]) + 1 : fill;
        };
        TensorVar x("x", ElementType::Float64, parse_format(format, 1), number(fill)),
            y("y", ElementType::Float64, parse_format(left, 1)), p("p", ElementType::Int64, Format::dense(1));
        AnyTensor vector = packed({6}, format, ElementType::Float64, number(fill), value);
        AnyTensor index = packed({7}, "dense", ElementType::Int64, number(0),
                                 [&](const auto& at) { return selected[static_cast<size_t>(at[0])]; });
        AnyTensor result = Kernel::compile(y(i) = x(at(p(i))), interpreted()).run({{"x", vector}, {"p", index}});
        std::vector<double> made = components(result);
        ASSERT_EQ(made.size(), selected.size());
        for (size_t n = 0; n < made.size(); n++) {
          double expected = value({selected[n]});
          EXPECT_TRUE(made[n] == expected || (std::isnan(made[n]) && std::isnan(expected)))
              << format << ", fill " << fill << ", into " << left << ": " << n << " is " << made[n] << " and not "
              << expected;
        }
      }
}

TEST(Selections, TakeIndicesOfAnyTypeAndFormat) {
  auto value = [](const std::vector<std::int64_t>& at) { return 10.0 * double(at[0]) + 1; };
  AnyTensor vector = packed({6}, "dense", ElementType::Float64, number(0), value);
  for (ElementType type : {ElementType::Int8, ElementType::Int16, ElementType::Int32, ElementType::Int64,
                           ElementType::UInt8, ElementType::UInt16, ElementType::UInt32, ElementType::UInt64}) {
    for (const std::string& format : vector_formats) {
      TensorVar x("x", ElementType::Float64, Format::dense(1)), y("y", ElementType::Float64, Format::dense(1)),
          p("p", type, parse_format(format, 1));
      AnyTensor index =
          packed({7}, format, type, number(0), [&](const auto& at) { return selected[static_cast<size_t>(at[0])]; });
      std::vector<double> made =
          components(Kernel::compile(y(i) = x(at(p(i))), interpreted()).run({{"x", vector}, {"p", index}}));
      for (size_t n = 0; n < selected.size(); n++)
        EXPECT_EQ(made[n], value({selected[n]})) << to_string(type) << " " << format;
    }
  }
}

TEST(Selections, GatherRowsAndColumnsOfMatricesOfAnyFormat) {
  auto value = [](const std::vector<std::int64_t>& at) {
    return (at[0] + 2 * at[1]) % 3 == 0 ? 10.0 * double(at[0]) + double(at[1]) + 1 : 0;
  };
  AnyTensor index = packed({7}, "dense", ElementType::Int32, number(0),
                           [&](const auto& at) { return selected[static_cast<size_t>(at[0])]; });
  std::int64_t n = static_cast<std::int64_t>(selected.size());
  for (const std::string& format : matrix_formats)
    for (std::string left : {"dense", "csr", "csc", "coo"}) {
      TensorVar A("A", ElementType::Float64, parse_format(format, 2)),
          C("C", ElementType::Float64, parse_format(left, 2)), p("p", ElementType::Int32, Format::dense(1)),
          q("q", ElementType::Int32, Format::dense(1));
      AnyTensor matrix = packed({6, 6}, format, ElementType::Float64, number(0), value);
      auto at_place = [](std::int64_t place) { return selected[static_cast<size_t>(place)]; };
      std::vector<double> rows =
          components(Kernel::compile(C(i, j) = A(at(p(i)), j), interpreted()).run({{"A", matrix}, {"p", index}}));
      std::vector<double> columns =
          components(Kernel::compile(C(i, j) = A(i, at(q(j))), interpreted()).run({{"A", matrix}, {"q", index}}));
      std::vector<double> both = components(Kernel::compile(C(i, j) = A(at(p(i)), at(q(j))), interpreted())
                                                .run({{"A", matrix}, {"p", index}, {"q", index}}));
      for (std::int64_t a = 0; a < n; a++)
        for (std::int64_t b = 0; b < 6; b++) {
          EXPECT_EQ(rows[static_cast<size_t>(6 * a + b)], value({at_place(a), b}))
              << format << " into " << left << ", rows";
          EXPECT_EQ(columns[static_cast<size_t>(n * b + a)], value({b, at_place(a)}))
              << format << " into " << left << ", columns";
          EXPECT_EQ(both[static_cast<size_t>(n * a + b)], value({at_place(a), at_place(b)}))
              << format << " into " << left << ", both";
        }
    }
}

TEST(Selections, WrapAroundInMatricesOfAnyFormat) {
  auto value = [](const std::vector<std::int64_t>& at) {
    return (at[0] + 2 * at[1]) % 3 == 0 ? 10.0 * double(at[0]) + double(at[1]) + 1 : 0;
  };
  for (const std::string& format : matrix_formats)
    for (std::string left : {"dense", "csr"}) {
      TensorVar A("A", ElementType::Float64, parse_format(format, 2)),
          C("C", ElementType::Float64, parse_format(left, 2));
      AnyTensor matrix = packed({4, 5}, format, ElementType::Float64, number(0), value);
      AnyTensor made = Kernel::compile(C(i, j) = wrap(A(i - 1, j + 7)) + A(i, j), interpreted()).run({{"A", matrix}});
      ASSERT_EQ(made.dimensions(), (std::vector<std::int64_t>{4, 5}));
      std::vector<double> all = components(made);
      for (std::int64_t a = 0; a < 4; a++)
        for (std::int64_t b = 0; b < 5; b++) {
          EXPECT_EQ(all[static_cast<size_t>(5 * a + b)], value({(a + 3) % 4, (b + 7) % 5}) + value({a, b}))
              << format << " into " << left;
        }
    }
}

TEST(Selections, RefuseTablesThatDoNotFit) {
  IndexVar k("k");
  TensorVar x("x", ElementType::Float64, Format::dense(1)), s("s", ElementType::Float64, Format::dense(0)),
      A("A", ElementType::Float64, Format::sparse(3));
  AnyTensor vector = packed({5}, "dense", ElementType::Float64, number(0), [](const auto&) { return 1.0; });
  // 2^66 coordinates are 4 in 64 bits.
  const std::int64_t n = std::int64_t{1} << 22;
  AnyTensor empty = AnyTensor::pack({{n, n, n}, {{}, {}, {}}, Array(ElementType::Float64, 0)}, Format::sparse(3));
  std::string message;
  try {
    Kernel::compile(s() = sum({i, j, k}, A(i, j, k) * wrap(x(i + j + k))), interpreted())
        .run({{"A", empty}, {"x", vector}});
  } catch (const UserError& error) {
    message = error.what();
  }
  EXPECT_NE(message.find("computed of i, j, k needs a table of 4194304 x 4194304 x 4194304 coordinates"),
            std::string::npos)
      << message;
}

TEST(Selections, ScatterIntoAnyFormat) {
  AnyTensor index = packed({7}, "dense", ElementType::Int64, number(0),
                           [&](const auto& at) { return selected[static_cast<size_t>(at[0])]; });
  AnyTensor weights =
      packed({7}, "dense", ElementType::Float64, number(0), [](const auto& at) { return double(at[0]) + 1; });
  for (const std::string& format : vector_formats) {
    TensorVar h("h", ElementType::Float64, parse_format(format, 1)), w("w", ElementType::Float64, Format::dense(1)),
        p("p", ElementType::Int64, Format::dense(1));
    std::vector<double> sums =
        components(Kernel::compile(h(at(p(i))) += w(i), interpreted()).run({{"p", index}, {"w", weights}}));
    std::vector<double> counts =
        components(Kernel::compile(h(at(p(i))) += 1, interpreted()).run({{"p", index}}, {{"h.1", 8}}));
    EXPECT_EQ(sums, (std::vector<double>{2, 6, 7, 0, 8, 5})) << format;
    EXPECT_EQ(counts, (std::vector<double>{1, 1, 2, 0, 2, 1, 0, 0})) << format;
  }
}

TEST(Selections, CountMoreThanSmallTypesHold) {
  AnyTensor index = packed({1000}, "dense", ElementType::Int8, number(0), [](const auto&) { return 1; });
  TensorVar h("h", ElementType::Int64, Format::dense(1)), p("p", ElementType::Int8, Format::dense(1));
  EXPECT_EQ(components(Kernel::compile(h(at(p(i))) += 1, interpreted()).run({{"p", index}})),
            (std::vector<double>{0, 1000}));
}

TEST(Selections, NameTheEntryThatIsOutside) {
  AnyTensor index = packed({2, 3}, "dense", ElementType::Int64, number(0),
                           [](const auto& at) { return at[0] == 1 && at[1] == 2 ? 9 : 1; });
  AnyTensor vector = packed({4}, "dense", ElementType::Float64, number(0), [](const auto&) { return 1; });
  TensorVar x("x", ElementType::Float64, Format::dense(1)), y("y", ElementType::Float64, Format::dense(2)),
      p("p", ElementType::Int64, Format::dense(2));
  std::string text;
  try {
    Kernel::compile(y(i, j) = x(at(p(i, j))), interpreted()).run({{"x", vector}, {"p", index}});
  } catch (const UserError& error) {
    text = error.text();
  }
  EXPECT_EQ(text, "error: p(1,2) is 9, but dimension 1 of 'x' has 4\nhint: write pad(x(...)) to read its fill there\n");
}

TEST(Selections, ReadWhatStatementsBeforeMade) {
  TensorVar x("x", ElementType::Float64, Format::sparse(1)), y("y", ElementType::Float64, Format::dense(1)),
      z("z", ElementType::Float64, Format::dense(1)), p("p", ElementType::Int64, Format::dense(1)),
      q("q", ElementType::Int64, Format::dense(1)), h("h", ElementType::Float64, Format::dense(1));
  AnyTensor index = packed({4}, "dense", ElementType::Int64, number(0), [](const auto& at) { return at[0] % 3; });
  AnyTensor vector =
      packed({3}, "sparse", ElementType::Float64, number(0), [](const auto& at) { return 10 * double(at[0]); });
  AnyTensor old = packed({3}, "dense", ElementType::Float64, number(0), [](const auto&) { return 100; });
  ProgramOptions options;
  options.target = compiler::Target::Interpret;
  options.outputs = {"y", "z", "h"};
  Program program = Program::compile(
      {(p(i) = 2 - q(i)), (y(i) = x(at(p(i)))), (z(i) = x(at(p(i))) + x(at(q(i)))), (h(at(p(i))) += y(i))}, options);
  std::map<std::string, AnyTensor> results = program.run({{"q", index}, {"x", vector}, {"h", old}});
  EXPECT_EQ(components(results.at("y")), (std::vector<double>{20, 10, 0, 20}));
  EXPECT_EQ(components(results.at("z")), (std::vector<double>{20, 20, 20, 20}));
  EXPECT_EQ(components(results.at("h")), (std::vector<double>{100, 110, 140}));
}

TEST(Selections, AssignEachComponentOnce) {
  TensorVar h("h", ElementType::Float64, Format::dense(1)), w("w", ElementType::Float64, Format::dense(1)),
      p("p", ElementType::Int64, Format::dense(1));
  EXPECT_THROW((void)(h(i) = w(at(w(i)))), UserError);
  EXPECT_THROW((void)(h(at(p(i))) /= w(i)), UserError);
  Kernel kernel = Kernel::compile(h(at(p(i))) = w(i), interpreted());
  AnyTensor vector =
      packed({4}, "dense", ElementType::Float64, number(0), [](const auto& at) { return 10 * double(at[0]); });
  AnyTensor permutation =
      packed({4}, "dense", ElementType::Int64, number(0), [](const auto& at) { return (at[0] + 1) % 4; });
  AnyTensor repeats = packed({4}, "dense", ElementType::Int64, number(0), [](const auto& at) { return at[0] % 3; });
  EXPECT_EQ(components(kernel.run({{"w", vector}, {"p", permutation}})), (std::vector<double>{30, 0, 10, 20}));
  EXPECT_THROW(kernel.run({{"w", vector}, {"p", repeats}}), UserError);
}

TEST(Selections, ReadIndicesOfIndices) {
  TensorVar x("x", ElementType::Float64, Format::dense(1)), y("y", ElementType::Float64, Format::dense(1)),
      p("p", ElementType::Int64, Format::dense(1));
  AnyTensor vector =
      packed({4}, "dense", ElementType::Float64, number(0), [](const auto& at) { return 10 * double(at[0]); });
  AnyTensor index = packed({4}, "dense", ElementType::Int64, number(0), [](const auto& at) { return (at[0] + 1) % 4; });
  AnyTensor result = Kernel::compile(y(i) = x(at(p(at(p(i))))), interpreted()).run({{"x", vector}, {"p", index}});
  EXPECT_EQ(components(result), (std::vector<double>{20, 30, 0, 10}));
}

}  // namespace
}  // namespace filigree

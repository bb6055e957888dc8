// Full pieces in loops of their own, and tails: the same results as without a schedule, for sizes with and without a
// tail, and for results of all kinds.
#include <gtest/gtest.h>

#include "compiler/kernel.h"
#include "tests/concrete/from_text.h"

namespace filigree {
namespace {

using Formats = std::map<std::string, std::string>;
using Values = std::map<std::vector<std::int64_t>, double>;

AnyTensor made_up(const std::vector<std::int64_t>& dimensions, const std::string& format, unsigned seed) {
  Coordinates entries;
  entries.dimensions = dimensions;
  entries.coordinate.resize(dimensions.size());
  std::int64_t points = 1;
  std::vector<double> values;
  for (std::int64_t extent : dimensions) points *= extent;
  for (std::int64_t n = 0; n < points; n++) {
    seed = seed * 1664525u + 1013904223u;
    if (seed >> 31) continue;
    std::int64_t rest = n;
    for (size_t d = dimensions.size(); d-- > 0; rest /= dimensions[d])
      entries.coordinate[d].push_back(rest % dimensions[d]);
    values.push_back(1 + static_cast<double>(n % 7));
  }
  entries.values = Array(ElementType::Float64, static_cast<std::int64_t>(values.size()));
  for (size_t n = 0; n < values.size(); n++)
    entries.values.set(static_cast<std::int64_t>(n), Scalar::of(ElementType::Float64, values[n]));
  return AnyTensor::pack(entries, parse_format(format, static_cast<int>(dimensions.size())));
}

struct Example {
  const char* text;
  Formats formats;
  std::vector<const char*> schedules;
};

/// Every component that is not 0, of a run with operands of this size; and the code.
Values run(const Example& example, const std::string& schedule, std::int64_t size, std::string& code) {
  KernelOptions options;
  options.target = compiler::Target::Interpret;
  options.threads = 2;
  options.worth_threads = 0;
  if (!schedule.empty()) options.schedule = schedule::parse(schedule, "-s");
  notation::Statement statement = concrete::statement(example.text, example.formats);
  std::map<std::string, AnyTensor> tensors;
  for (const notation::Access& access : notation::accesses(statement.rhs)) {
    std::vector<std::int64_t> dimensions(access.indices.size(), size);
    const std::string& name = access.tensor.name();
    if (dimensions.size() > 1 || name == "x") dimensions.back() = size + 3;
    auto known = example.formats.find(name);
    tensors.insert({name, made_up(dimensions, known == example.formats.end() ? std::string(dimensions.size(), 'd')
                                                                             : known->second,
                                  static_cast<unsigned>(name[0]))});
  }
  Arguments arguments;
  for (const auto& [name, tensor] : tensors) arguments.push_back({name, tensor});
  Kernel kernel = Kernel::compile(statement, options);
  code = kernel.c_text(lowering::Mode::Grow, {});
  Coordinates entries = kernel.run(arguments).coordinates();
  Values out;
  for (std::int64_t n = 0; n < entries.values.count(); n++) {
    std::vector<std::int64_t> at;
    for (const auto& coordinates : entries.coordinate) at.push_back(coordinates[static_cast<size_t>(n)]);
    if (double value = entries.values.get(n).as_double(); value != 0) out[at] += value;
  }
  return out;
}

const std::vector<const char*> rows = {
    "split(i, i0, i1, 4), unroll(i1, 4)",
    "split(i, i0, i1, 4), unroll(i1, 2)",
    "split(i, i0, i1, 4), bound(i1, exact, 4)",
    "split(i, i0, i1, 8), split(i1, i2, i3, 4), unroll(i3, 4)",
    "split(i, i0, i1, 8), split(i1, i2, i3, 3), unroll(i2, 3), unroll(i3, 3)",
    "split(i, i0, i1, 8), split(i1, i2, i3, up, 2), unroll(i3, 4)",
    "split(i, i0, i1, 4), split(i0, i2, i3, 2), unroll(i3, 2)",
    "split(i, i0, i1, 4), unroll(i1, 4), parallelize(i0, cpu, none)",
};
const std::vector<const char*> entries = {
    "pos(j, p, A), split(p, p0, p1, 3), vectorize(p1)",
    "pos(j, p, A), split(p, p0, p1, 3), unroll(p1, 3)",
    "pos(j, p, A), split(p, p0, p1, 4), split(p1, p2, p3, 2), unroll(p3, 2)",
    "pos(j, p, A), split(p, p0, p1, up, 3), reorder(p1, p0), unroll(p0, 3)",
    "collapse(i, j, f), pos(f, p, A), split(p, p0, p1, 4), unroll(p1, 4)",
    "collapse(i, j, f), split(f, f0, f1, 5), unroll(f1, 5)",
    "split(i, i0, i1, 2), unroll(i1, 2), pos(j, p, A), split(p, p0, p1, 3), unroll(p1, 3)",
};
const std::vector<const char*> vectors = {
    "split(i, i0, i1, 4), vectorize(i1)",
    "split(i, i0, i1, up, 4), reorder(i1, i0), unroll(i0, 4)",
    "split(i, i0, i1, up, 3), reorder(i1, i0), vectorize(i0)",
    "split(i, i0, i1, up, 3), reorder(i1, i0), unroll(i0, 3), parallelize(i1, cpu, none)",
};

TEST(FullPieces, GiveTheSameResultsAsNoPieces) {
  const std::vector<Example> examples = {
      {"y(i) = A(i,j)*x(j)", {}, rows},
      {"y(i) = A(i,j)*x(j)", {{"A", "csr"}}, rows},
      {"y(i) = A(i,j)*x(j)", {{"A", "csr"}}, entries},
      {"y(i) = A(i,j)*x(j)", {{"A", "dcsr"}}, {entries[0], entries[1], entries[2], entries[4]}},
      {"a(i) = b(i) + c(i)", {}, rows},
      {"a(i) = b(i) + c(i)", {}, vectors},
      {"B(i,j) = A(i,j) + C(i,j)", {{"B", "csr"}, {"A", "csr"}, {"C", "csr"}}, rows},
      {"B(i,j) = A(i,j)*2", {{"B", "csr"}, {"A", "csr"}}, entries},
      {"B(i,j) = A(i,k)*C(j,k)", {{"B", "csr"}, {"A", "csr"}}, rows},
      {"B(i,j) = A(i,j)", {{"B", "csc"}, {"A", "csr"}}, rows},
      {"B(i,j) = A(i,j)", {{"B", "bcsr(2,2)"}, {"A", "csr"}}, {"split(ib, i0, i1, 4), unroll(i1, 4)"}},
      {"s = A(i,j)*C(i,j)", {{"A", "csr"}}, rows},
  };
  int apart = 0, refused = 0;
  for (const Example& example : examples) {
    for (const char* schedule : example.schedules) {
      for (std::int64_t size : {0, 1, 3, 4, 7, 8, 9, 17}) {
        std::string code, plain;
        try {
          EXPECT_EQ(run(example, schedule, size, code), run(example, "", size, plain))
              << example.text << " " << schedule << " " << size << "\n" << code;
        } catch (const UserError&) {
          refused++;
          break;
        }
        apart += code.find("_full") != std::string::npos;
      }
    }
  }
  EXPECT_GT(apart, 400);
  EXPECT_LE(refused, 2);  // threads that would share a result
}

}  // namespace
}  // namespace filigree

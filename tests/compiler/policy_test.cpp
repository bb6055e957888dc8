// Kernels with another policy: other loops, other code, and the same results.
#include "policy/policy.h"

#include <gtest/gtest.h>

#include "compiler/kernel.h"
#include "tests/concrete/from_text.h"

namespace filigree {
namespace {

/// Wants the opposite of what is usual, whatever it is asked.
class Contrary : public policy::Policy {
 public:
  bool is_cheaper(const policy::OrderCost& one, const policy::OrderCost& other) const override {
    return Policy::is_cheaper(other, one);
  }
  policy::UnionLimits unions(bool small) const override { return Policy::unions(!small); }
  std::int64_t most_cases() const override { return 1; }
  policy::Lookups lookups() const override { return {1, 0, 1, 1, 1, 1, 1, 1}; }
  policy::Memory memory() const override { return {1, 0, 1, 1}; }
  policy::Cases cases() const override { return {1}; }
  policy::Grids grids() const override { return {3, 1, 16}; }
  policy::Finishing finishing() const override {
    return {.strips = {2, 100, 20}, .blocks = {2, 100}, .fetched_ahead = 1, .sums_at_once = 3};
  }
  int most_ordered() const override { return 2; }
  std::int64_t places_per_listed() const override { return 1; }
  int most_copies() const override { return 1; }
  std::int64_t fixed_pieces(bool) const override { return 3; }
  bool keeps_in_table(const policy::TemporaryFacts&) const override { return true; }
};

AnyTensor made_up(const std::vector<std::int64_t>& dimensions, const std::string& format, unsigned seed) {
  std::vector<std::vector<std::int64_t>> rows = {{}};
  for (std::int64_t extent : dimensions) {
    std::vector<std::vector<std::int64_t>> longer;
    for (const std::vector<std::int64_t>& row : rows) {
      for (std::int64_t at = 0; at < extent; at++) {
        longer.push_back(row);
        longer.back().push_back(at);
      }
    }
    rows = longer;
  }
  Coordinates entries;
  entries.dimensions = dimensions;
  entries.coordinate.resize(dimensions.size());
  std::int64_t count = 0;
  for (size_t n = 0; n < rows.size(); n++) {
    seed = seed * 1664525u + 1013904223u;
    if (format != "d" && seed >> 30 != 0) continue;
    for (size_t d = 0; d < dimensions.size(); d++) entries.coordinate[d].push_back(rows[n][d]);
    count++;
  }
  entries.values = Array(ElementType::Float64, count);
  for (std::int64_t n = 0; n < count; n++) entries.values.set(n, Scalar::of(ElementType::Float64, double(n % 5 + 1)));
  return AnyTensor::pack(entries, parse_format(format, static_cast<int>(dimensions.size())));
}

struct Example {
  const char* text;
  std::map<std::string, std::string> formats;
  const char* schedule;
};

const std::vector<Example> examples = {
    {"A(i,j) = B(i,k)*C(k,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}, ""},
    {"A(i,j) = B(i,k)*C(k,j)", {{"A", "dd"}, {"B", "csr"}, {"C", "csr"}}, ""},
    {"A(i,j) = B(i,j)*C(i,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}, ""},
    {"A(i,j) = B(i,j)+C(i,j)+D(i,j)+E(i,j)",
     {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}, {"D", "csr"}, {"E", "csr"}},
     ""},
    {"A(i,j) = B(i,j)", {{"A", "dd"}, {"B", "dd"}}, "split(j, j0, j1, 4), unroll(j1, 4)"},
};

AnyTensor run(const Example& example, KernelOptions options) {
  options.target = compiler::Target::Interpret;
  if (*example.schedule) options.schedule = schedule::parse(example.schedule, "-s");
  notation::Statement statement = concrete::statement(example.text, example.formats);
  std::map<std::string, AnyTensor> tensors;
  Arguments arguments;
  for (const notation::Access& access : notation::accesses(statement.rhs)) {
    const std::string& name = access.tensor.name();
    tensors.insert({name, made_up({7, 7}, example.formats.at(name), static_cast<unsigned>(name[0]))});
  }
  for (const auto& [name, tensor] : tensors) arguments.push_back({name, tensor});
  return Kernel::compile(statement, options).run(arguments);
}

std::string code(const Example& example, KernelOptions options) {
  if (*example.schedule) options.schedule = schedule::parse(example.schedule, "-s");
  Kernel kernel = Kernel::compile(concrete::statement(example.text, example.formats), options);
  return kernel.c_text(lowering::Mode::Grow, {});
}

/// Every component by its coordinates.
std::map<std::vector<std::int64_t>, double> components(const AnyTensor& tensor) {
  std::map<std::vector<std::int64_t>, double> out;
  Coordinates entries = tensor.coordinates();
  for (std::int64_t n = 0; n < entries.values.count(); n++) {
    std::vector<std::int64_t> at;
    for (const auto& coordinates : entries.coordinate) at.push_back(coordinates[static_cast<size_t>(n)]);
    double value = entries.values.get(n).as_double();
    if (value != 0) out[at] = value;
  }
  return out;
}

TEST(Policy, ChangesCodeAndNotResults) {
  for (const Example& example : examples) {
    KernelOptions usual, other;
    other.policy = std::make_shared<const Contrary>();
    EXPECT_NE(code(example, other), code(example, usual)) << example.text;
    EXPECT_EQ(components(run(example, other)), components(run(example, usual))) << example.text;
  }
}

}  // namespace
}  // namespace filigree

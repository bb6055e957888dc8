// Kernels of plans: they compute what kernels of statements do, and whatever is wrong with a plan is told.
#include "compiler/planned_kernel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "notation/parse.h"
#include "plan/text.h"
#include "support/text.h"

namespace filigree {
namespace {

struct Given {
  std::string name, format;
  std::vector<std::int64_t> dimensions;
};

AnyTensor make(const Given& given) {
  Coordinates entries;
  entries.dimensions = given.dimensions;
  entries.coordinate.resize(given.dimensions.size());
  std::int64_t all = 1;
  for (std::int64_t size : given.dimensions) all *= size;
  std::vector<double> values;
  for (std::int64_t n = 0; n < all; n += 1 + n % 3) {
    std::int64_t rest = n;
    for (size_t d = given.dimensions.size(); d-- > 0;) {
      entries.coordinate[d].push_back(rest % given.dimensions[d]);
      rest /= given.dimensions[d];
    }
    values.push_back(static_cast<double>(n % 7) + 1);
  }
  entries.values = Array(ElementType::Float64, static_cast<std::int64_t>(values.size()));
  for (size_t n = 0; n < values.size(); n++)
    entries.values.set(static_cast<std::int64_t>(n), Scalar::of(ElementType::Float64, values[n]));
  return AnyTensor::pack(entries, parse_format(given.format, static_cast<int>(given.dimensions.size())));
}

/// A statement with its tensors, its kernel and that kernel's plan.
struct Example {
  Example(const std::string& text, const std::string& result_format, const std::vector<Given>& given,
          const std::string& schedule = "") {
    notation::Parsed parsed = notation::parse(text);
    std::map<std::string, TensorVar> vars;
    for (const Given& one : given) {
      tensors.emplace(one.name, make(one));
      vars.emplace(one.name, TensorVar(one.name, ElementType::Float64, tensors.at(one.name).format()));
    }
    for (const notation::TensorUse& use : parsed.tensors) {
      if (use.is_result)
        vars.emplace(use.name, TensorVar(use.name, ElementType::Float64, parse_format(result_format, use.order)));
    }
    KernelOptions options;
    options.target = compiler::Target::Interpret;
    if (!schedule.empty()) options.schedule = schedule::parse(schedule);
    options.observer = [this](const compiler::StageReport& report) {
      if (report.stage == "plan") plan = report.text;
    };
    Kernel kernel = Kernel::compile(notation::resolve(parsed, vars), options);
    expected = kernel.run(arguments());
  }

  Arguments arguments() const {
    Arguments all;
    for (const auto& [name, tensor] : tensors) all.emplace_back(name, tensor);
    return all;
  }

  AnyTensor run(const std::string& text) const {
    KernelOptions options;
    options.target = compiler::Target::Interpret;
    options.threads = 2;
    std::map<std::string, AnyTensor> results = PlannedKernel::compile(plan::parse(text), options).run(arguments());
    return std::move(results.begin()->second);
  }
  std::string error(const std::string& text) const {
    try {
      run(text);
    } catch (const UserError& error) {
      return error.message();
    }
    return "none";
  }

  std::map<std::string, AnyTensor> tensors;
  std::string plan;
  AnyTensor expected;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " in\n" << text;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

void expect_same(const AnyTensor& a, const AnyTensor& b, const std::string& what) {
  EXPECT_EQ(a.format(), b.format()) << what;
  EXPECT_EQ(a.dimensions(), b.dimensions()) << what;
  Coordinates one = a.coordinates(), other = b.coordinates();
  EXPECT_EQ(one.coordinate, other.coordinate) << what;
  for (std::int64_t n = 0; n < std::min(one.count(), other.count()); n++)
    EXPECT_EQ(one.values.get(n).as_double(), other.values.get(n).as_double()) << what;
}

const Given B{"B", "csr", {5, 7}}, C{"C", "csr", {7, 4}}, b{"b", "s", {9}}, c{"c", "s", {9}};

TEST(PlannedKernel, ComputesWhatTheKernelOfTheStatementDoes) {
  const std::vector<Example> examples = {
      {"A(i,j) = B(i,k)*C(k,j)", "csr", {B, C}},
      {"y(i) = B(i,j)*x(j)", "d", {{"B", "bcsr(2,3)", {5, 7}}, {"x", "d", {7}}}},
      {"A(i,j) = B(i,j) + D(i,j)", "bcsr(2,2)", {B, {"D", "dia", {5, 7}}}},
      {"A(i,j) = B(j,i)", "csr", {B}},
      {"A(i,j) = B(i,j)*x(j)", "csr", {B, {"x", "d", {7}}}},
      {"a(i) = b(i+1)*c(i)", "s", {b, {"c", "s", {8}}}},
      {"s = max_over(i, b(i)*c(i))", "", {b, c}},
      {"A(i,j) = B(i,k)*C(k,j)", "csr", {B, C}, "split(i, i0, i1, 2), parallelize(i0, cpu)"},
      {"y(i) = B(i,j)*x(j)",
       "d",
       {B, {"x", "d", {7}}},
       "collapse(i, j, f), pos(f, p, B), split(p, p0, p1, 4), parallelize(p0, cpu, atomics)"},
      {"A(i,j) = B(i,j)", "(i,j) -> (i: hashed, j: dense)", {B}},
  };
  for (const Example& example : examples) {
    expect_same(example.run(example.plan), example.expected, example.plan);
    expect_same(example.run(plan::to_string(plan::parse(example.plan))), example.expected, example.plan);
  }
}

TEST(PlannedKernel, RunsAsItsTextSays) {
  Example product("s = b(i)*c(i)", "", {b, c});
  std::string steps = replaced(product.plan, " by length repeated", "");
  for (const char* way : {"gallop", "binary", "hash", "scan", "seqiter"})
    expect_same(product.run(replaced(steps, "c.1(i) step", fmt::format("c.1(i) {}", way))), product.expected, way);
  Example sum("A(i,j) = 2*B(i,j)", "csr", {B});
  AnyTensor other = sum.run(replaced(sum.plan, "2.0 *", "3.0 *"));
  EXPECT_EQ(other.values().get(0).as_double(), 1.5 * sum.expected.values().get(0).as_double());
}

TEST(PlannedKernel, TellsWhatIsWrongWithThePlan) {
  Example product("A(i,j) = B(i,k)*C(k,j)", "csr", {B, C});
  auto error = [&](const std::string& from, const std::string& to) {
    return product.error(replaced(product.plan, from, to));
  };
  EXPECT_EQ(
      error("B.2(i,k) step", "B.2(i,k) locate"),
      "The plan cannot run: level 2 of 'B' (compressed) cannot be reached by 'locate' in the loop over 'k': it has "
      "no random access");
  EXPECT_EQ(
      error("w(j) += ", "w(j) max= "),
      "The plan cannot run: the loop over 'k' lacks the case universe, in which it does forall(j, w(j) max= 0.0)");
  EXPECT_EQ(error("index j: dimension 2 of C", "index j: dimension 1 of C"),
            "'j' has 4 coordinates in one place of the plan and 7 in another");
  EXPECT_EQ(error("C.2(k,j) step", "C.2(k,j) step, B.2(i,k) step"),
            "The plan cannot run: the loop over 'j' uses other operands than its cases");
  EXPECT_EQ(error("operands B, C", "operands B"),
            "The plan cannot run: 'j' goes as far as a dimension of 'C', which is neither given nor made");
  EXPECT_EQ(error("operands B, C", "operands B, B"), "'B' is there already");
  EXPECT_EQ(error("A(i,j) = w(j)", "B(i,j) = w(j)"), "The plan cannot run: nothing writes 'A'");
  EXPECT_EQ(error("tensor C: float64", "tensor C: float32"),
            "'C' holds float64 values, but the kernel was compiled for float32");
  EXPECT_EQ(error("\ntensor", "\nmode values\ntensor"),
            "A plan in the mode 'values' fills in a part of results that are there already");
  EXPECT_EQ(error("order 2, csr", "order 2, dia").substr(0, 82),
            "Loops see levels as dimensions here, so what they are made of is said by 'stored B");
  Example blocks("y(i) = B(i,j)*x(j)", "d", {{"B", "bcsr(2,3)", {5, 7}}, {"x", "d", {7}}});
  EXPECT_EQ(blocks.error(replaced(blocks.plan, "bcsr(2,3)", "bcsr(2,4)")),
            "'B' is stored as bcsr(2,3), but the kernel was compiled for bcsr(2,4)");
  EXPECT_EQ(blocks.error(replaced(blocks.plan, "derived i = 0 + 2*ib + 1*ii guarded", "derived i = 0 + 2*ib + 1*ii")),
            "The plan cannot run: 'i' is to be computed here: i = 2*ib + ii");
}

TEST(PlannedKernel, NeedsItsOperands) {
  Example product("s = b(i)*c(i)", "", {b, c});
  PlannedKernel kernel = PlannedKernel::compile(plan::parse(product.plan));
  EXPECT_EQ(kernel.operands().size(), 2u);
  EXPECT_EQ(kernel.results()[0].name(), "s");
  EXPECT_THROW(kernel.run({{"b", product.tensors.at("b")}}), UserError);
  EXPECT_THROW(kernel.run({{"b", product.tensors.at("b")}, {"c", product.tensors.at("c")}, {"d", product.expected}}),
               UserError);
}

}  // namespace
}  // namespace filigree

// Sparse results that threads make together are what one thread makes, to the last bit.
#include <cstring>

#include <gtest/gtest.h>

#include "compiler/kernel.h"
#include "notation/parse.h"
#include "tests/emit/compiled.h"

namespace filigree {
namespace {

struct Example {
  std::string statement;
  std::map<std::string, std::string> formats;
  std::string schedule;
};

const std::vector<Example> examples = {
    {"A(i,j) = B(i,k)*C(k,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}, "parallelize(i, cpu, none)"},
    {"A(i,j) = B(i,k)*C(k,j)", {{"A", "csr"}, {"B", "dcsr"}, {"C", "csr"}}, "parallelize(i, cpu, none)"},
    {"A(i,j) = B(i,k)*C(k,j)",
     {{"A", "dcsr"}, {"B", "csr"}, {"C", "csr"}},
     "split(i, i0, i1, 2), parallelize(i0, cpu, none)"},
    {"A(i,j) = B(i,j) + C(i,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}, "parallelize(i, cpu, none)"},
    {"A(i,j) = B(i,j) + C(i,j)",
     {{"A", "dcsr"}, {"B", "dcsr"}, {"C", "dcsr"}},
     "split(i, i0, i1, 3), parallelize(i0, cpu, none)"},
    {"A(i,j) = B(i,j) + C(i,j)", {{"A", "coo"}, {"B", "csr"}, {"C", "csr"}}, "parallelize(i, cpu, none)"},
    {"A(i,j) = B(i,j) + C(i,j)", {{"A", "coo_aos"}, {"B", "csr"}, {"C", "csr"}}, "parallelize(i, cpu, none)"},
    {"A(i,j) = B(i,j) + C(i,j)", {{"A", "csc"}, {"B", "csc"}, {"C", "csc"}}, "parallelize(j, cpu, none)"},
    {"A(i,j) = B(i,j) + C(i,j)", {{"A", "dok"}, {"B", "csr"}, {"C", "csr"}}, "parallelize(i, cpu, none)"},
    {"A(i,j) = B(i,j)*C(i,k)*D(k,j)",
     {{"A", "csr"}, {"B", "csr"}, {"C", "dd"}, {"D", "dd"}},
     "parallelize(i, cpu, none)"},
    {"A(i,j) = B(i,j)", {{"A", "dcsr"}, {"B", "dcsr"}}, "split(i, i0, i1, 2, B), parallelize(i0, cpu, none)"},
    {"A(i,j) = B(i,j)", {{"A", "csr"}, {"B", "dcsr"}}, "parallelize(i, cpu, none)"},
    {"A(i,j,k) = B(i,j,k)", {{"A", "csf"}, {"B", "csf"}}, "parallelize(i, cpu, none)"},
    {"A(i,j,k) = B(i,j,k) + C(i,j,k)",
     {{"A", "dss"}, {"B", "sss"}, {"C", "dds"}},
     "split(i, i0, i1, up, 3), parallelize(i0, cpu, none)"},
    {"A(i,j,k) = B(i,j,k) + C(i,j,k)",
     {{"A", "sds"}, {"B", "sss"}, {"C", "dds"}},
     "split(i, i0, i1, 2), parallelize(i0, cpu, none)"},
    {"A(i,j,k) = B(i,j,l)*C(k,l)", {{"A", "ssd"}, {"B", "sss"}, {"C", "dd"}}, "parallelize(i, cpu, none)"},
    {"A(i,j) = B(i,j) + C(i,j)",
     {{"A", "bcsr(2,2)"}, {"B", "bcsr(2,2)"}, {"C", "bcsr(2,2)"}},
     "parallelize(ib, cpu, none)"},
    // With the pattern of an operand, whose entries are divided evenly.
    {"A(i,j) = B(i,j)*C(i,k)*D(k,j)",
     {{"A", "csr"}, {"B", "csr"}, {"C", "dd"}, {"D", "dd"}},
     "collapse(i, j, f), pos(f, p, B), split(p, p0, p1, 4), parallelize(p0, cpu, none)"},
    {"A(i,j) = B(i,j)*C(i,k)*D(k,j)",
     {{"A", "dcsr"}, {"B", "dcsr"}, {"C", "dd"}, {"D", "dd"}},
     "cut(i, t, nonzeros, B), parallelize(t, cpu, none)"},
    {"A(i,j) = B(i,j)*c(i)",
     {{"A", "csr"}, {"B", "csr"}, {"c", "d"}},
     "cut(i, t, merge, B), parallelize(t, cpu, none)"},
    {"A(i,j) = B(i,j)*c(j)",
     {{"A", "coo"}, {"B", "coo"}, {"c", "d"}},
     "collapse(i, j, f), pos(f, p, B), split(p, p0, p1, 3), parallelize(p0, cpu, none)"},
    {"A(i,j) = B(i,j)*c(j)", {{"A", "coo_aos"}, {"B", "coo_aos"}, {"c", "d"}}, "parallelize(i, cpu, none)"},
    {"A(i,j) = B(i,j,k)*c(k)",
     {{"A", "dcsr"}, {"B", "csf"}, {"c", "d"}},
     "collapse(i, j, f), pos(f, p, B), split(p, p0, p1, 2), parallelize(p0, cpu, none)"},
    {"A(i,j,k) = B(i,j,l)*C(k,l)",
     {{"A", "dsd"}, {"B", "dss"}, {"C", "dd"}},
     "collapse(i, j, f), pos(f, p, B), split(p, p0, p1, 2), parallelize(p0, cpu, none)"},
    {"A(i,j,k) = 2*B(i,j,k)",
     {{"A", "csf"}, {"B", "csf"}},
     "collapse(i, j, e), collapse(e, k, f), pos(f, p, B), split(p, p0, p1, 5), parallelize(p0, cpu, none)"},
};

KernelOptions options_for(const Example& example, compiler::Target target, int threads) {
  KernelOptions options;
  options.target = target;
  options.threads = threads;
  options.force = true;
  options.schedule = schedule::parse(example.schedule);
  return options;
}

std::map<std::string, TensorVar> variables_of(const Example& example) {
  std::map<std::string, TensorVar> vars;
  for (const auto& [name, format] : example.formats) {
    size_t begin = example.statement.find(name + "("), end = example.statement.find(')', begin);
    auto order = 1 + std::count(example.statement.begin() + static_cast<std::ptrdiff_t>(begin),
                                example.statement.begin() + static_cast<std::ptrdiff_t>(end), ',');
    vars.emplace(name, TensorVar(name, ElementType::Float64, parse_format(format, static_cast<int>(order))));
  }
  return vars;
}

notation::Statement statement_of(const Example& example) {
  return notation::resolve(notation::parse(example.statement), variables_of(example));
}

/// Every third component, in no obvious order; rows 4 and 5 are empty.
AnyTensor operand(const TensorVar& var, std::int64_t extent, unsigned seed) {
  Coordinates entries;
  entries.dimensions.assign(static_cast<size_t>(var.order()), extent);
  entries.coordinate.resize(static_cast<size_t>(var.order()));
  std::vector<double> values;
  std::int64_t total = 1;
  for (int d = 0; d < var.order(); d++) total *= extent;
  for (std::int64_t n = 0; n < total; n++) {
    std::vector<std::int64_t> at;
    for (std::int64_t rest = n, d = 0; d < var.order(); d++, rest /= extent) at.push_back(rest % extent);
    if ((static_cast<std::uint64_t>(n) * 2654435761u + seed) % 7 > 2 || at[0] == 4 || at[0] == 5) continue;
    for (size_t d = 0; d < at.size(); d++) entries.coordinate[d].push_back(at[d]);
    values.push_back(1 / static_cast<double>(n % 101 + 3));
  }
  entries.values = Array::borrow(ElementType::Float64, values.data(), static_cast<std::int64_t>(values.size())).copy();
  return AnyTensor::pack(entries, var.format(), Duplicates::Error, var.name(), true);
}

struct Operands {
  Operands(const Example& example, std::int64_t extent, unsigned seed = 1) {
    for (const auto& [name, var] : variables_of(example)) {
      if (name != "A") tensors.emplace(name, operand(var, extent, seed++));
    }
    for (const auto& [name, tensor] : tensors) arguments.push_back({name, tensor});
  }
  std::map<std::string, AnyTensor> tensors;
  Arguments arguments;
};

bool same(const AnyTensor& a, const AnyTensor& b) {
  std::vector<const Array*> left = a.all_arrays(), right = b.all_arrays();
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](const Array* x, const Array* y) {
    return x->type() == y->type() && x->count() == y->count() &&
           (x->count() == 0 || std::memcmp(x->data(), y->data(), static_cast<size_t>(x->bytes())) == 0);
  });
}

void expect_same_bits(compiler::Target target, const std::vector<int>& thread_counts) {
  for (const Example& example : examples) {
    notation::Statement statement = statement_of(example);
    KernelOptions serial = options_for(example, target, 1);
    serial.schedule.clear();
    Kernel one = Kernel::compile(statement, serial);
    for (int threads : thread_counts) {
      Kernel several = Kernel::compile(statement, options_for(example, target, threads));
      for (std::int64_t extent : {0, 1, 2, 9}) {
        Operands operands(example, extent);
        std::string label = fmt::format("{} as {}, {}: extent {}, {} threads", example.statement,
                                        example.formats.at("A"), example.schedule, extent, threads);
        AnyTensor expected = one.run(operands.arguments);
        EXPECT_TRUE(same(several.run(operands.arguments), expected)) << label;
        AnyTensor pattern = several.assemble(operands.arguments);
        EXPECT_TRUE(same(pattern, one.assemble(operands.arguments))) << label;
        several.compute(pattern, operands.arguments);
        EXPECT_TRUE(same(pattern, expected)) << label;
      }
    }
  }
}

TEST(ParallelResults, InterpretedHaveTheSameBitsOnAnyNumberOfThreads) {
  expect_same_bits(compiler::Target::Interpret, {1, 2, 3, 8});
}
TEST(ParallelResults, CompiledHaveTheSameBitsOnAnyNumberOfThreads) {
  expect_same_bits(compiler::Target::Jit, {1, 2, 5});
}

std::vector<ir::TensorView> views_of(const Kernel& kernel, const Operands& operands, std::int64_t extent,
                                     size_t arrays) {
  std::vector<ir::TensorView> views = {
      {std::vector<std::int64_t>(static_cast<size_t>(kernel.program().results[0].order()), extent),
       std::vector<ir::ArrayView>(arrays)}};
  for (const TensorVar& var : kernel.program().operands) {
    const AnyTensor& tensor = operands.tensors.at(var.name());
    views.push_back({tensor.dimensions(), {}});
    for (const Array* array : tensor.all_arrays())
      views.back().arrays.push_back({array->type(), const_cast<void*>(array->data()), array->count()});
  }
  return views;
}

std::vector<ElementType> result_arrays(const ir::FunctionDef& function) {
  std::vector<ElementType> types;
  for (const ir::Parameter& parameter : function.parameters) {
    if (parameter.direction == ir::Direction::Out) types.push_back(parameter.var.type().element);
  }
  return types;
}

TEST(ParallelResults, ReturnOutOfMemoryFromEveryAllocationAndLeakNothing) {
  constexpr std::int64_t extent = 6;
  for (const Example& example : {examples[0], examples[2], examples[13], examples[14]}) {
    Kernel kernel = Kernel::compile(statement_of(example), options_for(example, compiler::Target::Interpret, 3));
    Operands operands(example, extent);
    ir::FunctionDef function = kernel.function(lowering::Mode::Grow, "kernel", operands.arguments);
    std::vector<ElementType> arrays = result_arrays(function);
    emit::testing::Compiled compiled(compiler::emit(function, {}));
    for (std::int64_t allocation = 0, failures = 0;; allocation++, failures++) {
      std::vector<ir::TensorView> views = views_of(kernel, operands, extent, arrays.size()), again = views;
      ir::Status status = ir::interpret(function, views, {.threads = 3, .fail_allocation_after = allocation});
      emit::testing::Memory memory;
      memory.runtime.threads = 3;
      memory.left = allocation;
      int returned = emit::testing::run(compiled.entry("kernel"), again, arrays, memory);
      if (status != ir::Status::Ok) {
        EXPECT_EQ(status, ir::Status::OutOfMemory);
        for (const ir::ArrayView& array : views[0].arrays) EXPECT_EQ(array.data, nullptr);
      } else {
        for (const ir::ArrayView& array : views[0].arrays) std::free(array.data);
      }
      EXPECT_EQ(memory.blocks, returned == 0 ? static_cast<std::int64_t>(arrays.size()) : 0)
          << "after " << allocation << " allocations";
      if (returned == 0) emit::testing::release(again[0]);
      if (status == ir::Status::Ok && returned == 0) {
        EXPECT_GT(failures, 10);
        break;
      }
    }
  }
}

TEST(ParallelResults, RefuseAPatternThatIsNotTheirs) {
  for (const Example& example : {examples[0], examples[3], examples[4], examples[13], examples[14]}) {
    for (auto target : {compiler::Target::Interpret, compiler::Target::Jit}) {
      Kernel kernel = Kernel::compile(statement_of(example), options_for(example, target, 2));
      // Both have entries that the other has not: one row too long, another too short, nodes too many.
      Operands made_for(example, 6, 1), used(example, 6, 5), empty(example, 6, 1);
      AnyTensor pattern = kernel.assemble(made_for.arguments);
      EXPECT_THROW(kernel.compute(pattern, used.arguments), UserError) << example.statement;
      for (auto& [name, tensor] : empty.tensors) {
        Coordinates nothing;
        nothing.dimensions = tensor.dimensions();
        nothing.coordinate.resize(tensor.dimensions().size());
        nothing.values = Array(ElementType::Float64, 0);
        tensor = AnyTensor::pack(nothing, tensor.format());
      }
      EXPECT_THROW(kernel.compute(pattern, empty.arguments), UserError) << example.statement;
      AnyTensor nothing = kernel.assemble(empty.arguments);
      EXPECT_THROW(kernel.compute(nothing, made_for.arguments), UserError) << example.statement;
    }
  }
}

Kernel dot_product(const std::string& schedule, int threads, bool deterministic) {
  Example example{"s = b(i)*c(i)", {}, schedule};
  std::map<std::string, TensorVar> vars = {{"s", TensorVar("s", ElementType::Float64, Format())},
                                           {"b", TensorVar("b", ElementType::Float64, Format::dense(1))},
                                           {"c", TensorVar("c", ElementType::Float64, Format::dense(1))}};
  KernelOptions options = options_for(example, compiler::Target::Interpret, threads);
  options.deterministic = deterministic;
  return Kernel::compile(notation::resolve(notation::parse(example.statement), vars), options);
}

TEST(Deterministic, TemporariesHaveTheSameBitsOnAnyNumberOfThreads) {
  AnyTensor b = operand(TensorVar("b", ElementType::Float64, Format::dense(1)), 1000, 1),
            c = operand(TensorVar("c", ElementType::Float64, Format::dense(1)), 1000, 2);
  Arguments arguments = {{"b", b}, {"c", c}};
  std::string schedule = "parallelize(i, cpu, reduction)";
  AnyTensor one = dot_product(schedule, 1, true).run(arguments);
  bool differs = false;
  for (int threads : {2, 3, 7, 64, 100}) {
    EXPECT_TRUE(same(dot_product(schedule, threads, true).run(arguments), one)) << threads;
    differs = differs || !same(dot_product(schedule, threads, false).run(arguments), one);
  }
  EXPECT_TRUE(differs);  // or this test would show nothing
}

TEST(Deterministic, RefusesWhatDependsOnWhoIsFirst) {
  for (const char* races : {"atomics", "ignore"}) {
    std::string schedule = fmt::format("parallelize(i, cpu, {})", races);
    EXPECT_NO_THROW(dot_product(schedule, 2, false));
    try {
      dot_product(schedule, 2, true);
      ADD_FAILURE() << races;
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find(fmt::format("With '{}'", races)), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace filigree

// Memory that runs out, at every place where kernels ask for some.
#include <malloc.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/memory_error.h"
#include "compiler/program.h"
#include "notation/parse.h"
#include "support/out_of_memory.h"

namespace filigree {
namespace {

using compiler::Target;

struct Example {
  std::string statement;
  std::map<std::string, std::string> formats;
  std::string schedule = "";
};

/// Growth, dense and sparse workspaces, tables, copies of operands, two passes, sorts, pieces of parallel loops.
const std::vector<Example> examples = {
    {"A(i,j) = B(i,k)*C(k,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}},
    {"A(i,j) = B(i,k)*C(k,j)", {{"A", "dcsr"}, {"B", "csc"}, {"C", "csr"}}},
    {"A(i,j) = B(i,j) + C(j,i)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}},
    {"A(i,j) = B(i,j)", {{"A", "csc"}, {"B", "csr"}}},
    {"A(i,j) = B(j,i)", {{"A", "coo"}, {"B", "csr(unordered)"}}},
    {"A(i,j) = B(i,k)*C(k,j)", {{"A", "hash"}, {"B", "csr"}, {"C", "csr"}}},
    {"A(i,j) = B(i,j)*C(i,j)", {{"A", "dense"}, {"B", "bcsr(2,2)"}, {"C", "dia"}}},
    {"A(i,j) = B(i,j) + C(i,j)", {{"A", "ell"}, {"B", "csr"}, {"C", "coo"}}},
    {"A(i,j) = B(i,k)*C(k,j)", {{"A", "dcsr"}, {"B", "csr"}, {"C", "csr"}}, "parallelize(i, cpu, none)"},
    {"A(i,j) = B(i,k)*C(k,j)",
     {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}},
     "precompute(B(i,k)*C(k,j), j, jw, w, table)"},
};

notation::Statement statement_of(const Example& example) {
  notation::Parsed parsed = notation::parse(example.statement);
  std::map<std::string, TensorVar> tensors;
  for (const notation::TensorUse& use : parsed.tensors)
    tensors.emplace(use.name,
                    TensorVar(use.name, ElementType::Float64, parse_format(example.formats.at(use.name), use.order)));
  return notation::resolve(parsed, tensors);
}

/// 40 x 40, four entries a row.
AnyTensor matrix(const std::string& format, int shift) {
  constexpr int n = 40;
  Coordinates entries{{n, n}, {{}, {}}, Array(ElementType::Float64, 4 * n)};
  for (int e = 0; e < 4 * n; e++) {
    entries.coordinate[0].push_back(e / 4);
    entries.coordinate[1].push_back((e * 7 + shift * (e % 4)) % n);
    entries.values.set(e, Scalar::of(ElementType::Float64, 1.0 + e % 5));
  }
  return AnyTensor::pack(entries, parse_format(format, 2));
}

std::string listed(const AnyTensor& tensor) {
  std::string out;
  tensor.for_each([&](const std::vector<std::int64_t>& at, std::int64_t position) {
    out += fmt::format("{} {} {}; ", at[0], at[1], to_string(tensor.values().get(position)));
  });
  return out;
}

class EveryAllocation : public testing::TestWithParam<std::tuple<size_t, Target, int>> {};

TEST_P(EveryAllocation, EndsInAnErrorThatSaysForWhatAndHowMuch) {
  const auto& [number, target, threads] = GetParam();
  const Example& example = examples[number];
  notation::Statement statement = statement_of(example);
  KernelOptions options;
  options.target = target;
  options.threads = threads;
  options.worth_threads = 1;
  options.optimization = 0;
  if (!example.schedule.empty()) options.schedule = schedule::parse(example.schedule, "schedule");
  bool has_c = example.formats.contains("C");
  AnyTensor left = matrix(example.formats.at("B"), 3),
            right = has_c ? matrix(example.formats.at("C"), 11) : AnyTensor();
  Arguments arguments = {{"B", left}};
  if (has_c) arguments.emplace_back("C", right);
  std::string expected = listed(Kernel::compile(statement, options).run(arguments));
  int failures = 0;
  for (options.fail_allocation_after = 0; options.fail_allocation_after < 2000; options.fail_allocation_after++) {
    Kernel kernel = Kernel::compile(statement, options);
    try {
      EXPECT_EQ(listed(kernel.run(arguments)), expected);
      break;  // so many are not needed
    } catch (const UserError& error) {
      failures++;
      std::string message = error.message();
      EXPECT_TRUE(message.starts_with("Memory ran out while computing 'A' (40 x 40): ")) << message;
      EXPECT_NE(message.find("asked for a block of "), std::string::npos) << message;
      EXPECT_TRUE(message.ends_with("B")) << message;
      EXPECT_FALSE(error.hints().empty());
    }
  }
  EXPECT_GT(failures, 0) << example.statement;
  EXPECT_LT(failures, 2000) << example.statement;
}

INSTANTIATE_TEST_SUITE_P(Memory, EveryAllocation,
                         testing::Combine(testing::Range<size_t>(0, examples.size()),
                                          testing::Values(Target::Interpret, Target::Jit), testing::Values(1, 2)));

TEST(Memory, IsGivenBackWhenItRunsOut) {
  for (const Example& example : examples) {
    notation::Statement statement = statement_of(example);
    KernelOptions options;
    options.optimization = 0;
    AnyTensor left = matrix(example.formats.at("B"), 3),
              right = example.formats.contains("C") ? matrix(example.formats.at("C"), 11) : AnyTensor();
    Arguments arguments = {{"B", left}};
    if (example.formats.contains("C")) arguments.emplace_back("C", right);
    for (options.fail_allocation_after = 1; options.fail_allocation_after < 10; options.fail_allocation_after += 3) {
      Kernel kernel = Kernel::compile(statement, options);
      auto fail = [&] {
        try {
          kernel.run(arguments);
        } catch (const UserError&) {}
      };
      fail();
      constexpr size_t runs = 3000, smallest_block = 32;
      size_t before = mallinfo2().uordblks;
      for (size_t n = 0; n < runs; n++) fail();
      EXPECT_LT(mallinfo2().uordblks, before + runs * smallest_block * 4 / 5)
          << example.statement << ", allocation " << options.fail_allocation_after;
    }
  }
}

TEST(OutOfMemory, NamesTheWorkspaceOrTheResult) {
  Kernel kernel = Kernel::compile(statement_of(examples[0]));
  auto message = [&](const std::string& array) {
    return compiler::out_of_memory("computing 'A' (9 x 9)", kernel.program(), {array, 3.0 * (1 << 20)}).message();
  };
  std::string start = "Memory ran out while computing 'A' (9 x 9): ";
  EXPECT_EQ(message("A2_crd"), start + "'A' asked for a block of 3.0 MiB");
  EXPECT_EQ(message("A_vals_part"), start + "'A' asked for a block of 3.0 MiB");
  EXPECT_EQ(message("w"), start + "the workspace 'w' asked for a block of 3.0 MiB");
  EXPECT_EQ(message("w_list"), start + "the workspace 'w' asked for a block of 3.0 MiB");
  EXPECT_EQ(message("cuts"), start + "the temporary array 'cuts' asked for a block of 3.0 MiB");
  EXPECT_EQ(message(""), start + "sorting its entries asked for a block of 3.0 MiB");
}

TEST(NamingMemory, TellsWhatAnArrayOrAVectorWasFor) {
  auto error_of = [](const std::function<void()>& action) {
    try {
      naming_memory("packing 'A' (3 x 4)", 5.0 * (1 << 20), action);
    } catch (const UserError& error) {
      return error.message();
    }
    return std::string("no error");
  };
  EXPECT_EQ(error_of([] { Array(ElementType::Float64, std::int64_t{1} << 59); }),
            "Memory ran out while packing 'A' (3 x 4): a block of 4.0 EiB was asked for");
  EXPECT_EQ(error_of([] { throw std::bad_alloc(); }),
            "Memory ran out while packing 'A' (3 x 4): it takes about 5.0 MiB");
  EXPECT_EQ(error_of([] { throw UserError("It is cold"); }), "It is cold");
}

}  // namespace
}  // namespace filigree

// Every schedule that the autoscheduler finds worth having gives the oracle's result.
#include <cstdlib>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "autoschedule/frontier.h"
#include "autoschedule/realize.h"
#include "concrete/workspace.h"
#include "tests/concrete/from_text.h"
#include "tests/differential/check_kernel.h"
#include "tests/differential/expected.h"

namespace filigree::differential {
namespace {

using concrete::Formats;

struct Case {
  std::string text;
  Formats formats;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.text; }

/// Kernels that run exactly these loops.
KernelOptions with_loops(const concrete::Program& program, const notation::Statement& scheduled) {
  KernelOptions options;
  options.target = compiler::Target::Interpret;
  options.make_loops = [program, text = notation::to_string(scheduled)](const notation::Statement& statement) {
    return notation::to_string(statement) == text ? std::optional(program) : std::nullopt;
  };
  return options;
}

struct Counts {
  size_t members = 0, programs = 0;
};

/// Runs members of the frontier, equal programs once, and no more than `most` of them.
void check(const Case& one, size_t most, Counts& counts, bool may_be_too_many = false) {
  notation::Parsed parsed = notation::parse(one.text);
  std::map<std::string, TensorVar> vars = concrete::tensors_of(parsed, one.formats);
  notation::Statement statement = notation::resolve(parsed, vars);
  auto problem = autoschedule::problem_of(statement);
  ASSERT_TRUE(std::holds_alternative<autoschedule::Problem>(problem))
      << one.text << ": " << std::get<autoschedule::NotScheduled>(problem).reason;
  const auto& scheduled = std::get<autoschedule::Problem>(problem);
  auto found = autoschedule::find_frontier(scheduled, {.most_candidates = may_be_too_many ? 120'000u : 300'000u});
  if (may_be_too_many && std::holds_alternative<autoschedule::NotScheduled>(found)) return;
  ASSERT_TRUE(std::holds_alternative<autoschedule::Frontier>(found))
      << one.text << ": " << std::get<autoschedule::NotScheduled>(found).reason;
  const auto& frontier = std::get<autoschedule::Frontier>(found);
  Expected expected(statement, vars, data_sets(parsed, 5));
  std::set<std::string> seen;
  for (const autoschedule::CostClass& cost : frontier.classes) {
    for (const autoschedule::Candidate& member : cost.members) {
      autoschedule::Stmt plan = frontier.plan(member, scheduled);
      counts.members++;
      auto made = autoschedule::realize(plan, scheduled);
      ASSERT_TRUE(std::holds_alternative<concrete::Program>(made))
          << to_string(plan) << ": " << std::get<autoschedule::NotScheduled>(made).reason;
      const auto& program = std::get<concrete::Program>(made);
      std::string text = concrete::to_string(program.statement);
      for (const concrete::Access& temporary : concrete::temporaries(program))
        text += " " + to_string(temporary.tensor.format());
      if (seen.size() == most || !seen.insert(text).second) continue;
      counts.programs++;
      SCOPED_TRACE(to_string(plan) + "\n" + text);
      try {
        Kernel kernel = Kernel::compile(statement, with_loops(program, scheduled.statement));
        for (size_t set = 0; set < expected.packed.size(); set++) {
          Arguments arguments;
          for (const auto& [name, tensor] : expected.packed[set]) arguments.emplace_back(name, tensor);
          std::optional<std::string> wrong = check_kernel(kernel, arguments, {}, expected.results[set]);
          ASSERT_FALSE(wrong) << *wrong;
        }
      } catch (const std::exception&) {
        FAIL() << describe_exception();
      }
    }
  }
}

const Formats csr = {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}, {"D", "csr"}};

class Frontier : public testing::TestWithParam<Case> {};

TEST_P(Frontier, MembersGiveTheResult) {
  Counts counts;
  check(GetParam(), 200, counts);
  fmt::print("{}: {} schedules, {} programs\n", GetParam().text, counts.members, counts.programs);
  EXPECT_GT(counts.programs, 0u);
}

INSTANTIATE_TEST_SUITE_P(Figure6, Frontier,
                         testing::Values(Case{"a(i) = B(i,j)*c(j)", csr}, Case{"a(i) = B(i,j)*C(j,k)*d(k)", csr},
                                         Case{"A(i,j) = B(i,k)*C(j,k)", csr},
                                         Case{"A(i,j) = B(i,k)*C(k,l)*D(j,l)", csr},
                                         Case{"A(i,j) = B(i,k)*C(j,k)*D(j,k)", csr}));

INSTANTIATE_TEST_SUITE_P(
    Small, Frontier,
    testing::Values(
        Case{"a(i) = b(i)*c(i)", {{"a", "s"}, {"b", "s"}, {"c", "s"}}},
        Case{"a(i) = b(i) + c(i)", {{"a", "s"}, {"b", "s"}, {"c", "s"}}},
        Case{"a(i) = b(i) + c(i) + d(i)", {{"a", "s"}, {"b", "s"}, {"c", "s"}, {"d", "s"}}},
        Case{"a(i) = b(i)*c(i)*d(i)", {{"a", "s"}, {"b", "s"}, {"c", "s"}, {"d", "s"}}},
        Case{"a(i) = b(i)*(c(i) + d(i))", {{"a", "s"}, {"b", "s"}, {"c", "s"}, {"d", "s"}}},
        Case{"s = b(i)*c(i)", {{"b", "s"}, {"c", "s"}}}, Case{"s = B(i,j)", csr}, Case{"s = B(i,j)*C(i,j)", csr},
        Case{"s = x(i)*B(i,j)*y(j)", csr}, Case{"y(i) = B(i,j)*x(j) + z(i)", csr},
        Case{"y(i) = B(i,j)*x(j) - C(i,j)*z(j)", csr}, Case{"y(j) = B(i,j)*x(i)", csr},
        Case{"y(i) = 2*B(i,j)*x(j)", csr}, Case{"A(i,j) = B(i,j) + C(j,i)", csr}, Case{"A(i,j) = B(i,j)*C(j,i)", csr},
        Case{"A(i,j) = B(i,j)*C(i,j)*D(i,j)", csr}, Case{"A(i,j) = B(i,j)*x(j)", csr},
        Case{"A(i,j) = x(i)*B(i,j)*y(j)", csr}, Case{"A(i,j) = x(i)*y(j)", {{"A", "csr"}, {"x", "s"}, {"y", "s"}}},
        Case{"A(i,j) = B(i,k)*C(k,j)", csr}, Case{"A(i,j) = B(k,i)*C(k,j)", csr},
        Case{"A(i,j) = D(i,j)*P(i,k)*Q(k,j)", csr}, Case{"A(i,j) = B(i,k)*P(k,j)", {{"B", "csr"}}},
        Case{"A(i,j) = B(i,k)*C(k,j) + D(i,j)", csr}, Case{"A(i,j) = B(i,k)*B(k,j)", csr},
        Case{"a(i) = T(i,j,k)*x(j)*y(k)", {{"T", "sss"}}}, Case{"A(i,j) = T(i,j,k)*x(k)", {{"A", "csr"}, {"T", "dss"}}},
        Case{"A(i,l) = T(i,j,k)*B(j,l)*C(k,l)", {{"T", "sss"}}},
        Case{"y(i) = max(b(i), c(i))*d(i)", {{"b", "s"}, {"c", "s"}, {"d", "s"}}}, Case{"y(i) = abs(B(i,j))*x(j)", csr},
        Case{"y(i) = sqrt(sum(j, B(i,j)*B(i,j)))", csr}, Case{"y(i) = B(i,j)*x(j)/z(i)", csr},
        Case{"y(i) = B(i,j)*sum(k, C(j,k))", csr}, Case{"s = B(i,j)*B(j,k)*B(k,i)", csr},
        Case{"y(i) = sum(j, B(i,j))*sum(j, C(i,j))", csr}, Case{"s = B(k,i) - x(k)", csr},
        Case{"y(i) = sum(j, max(sum(k, B(i,j)*C(j,k)), z(i)))", csr}, Case{"y(i) = prod(j, P(i,j) + Q(i,j))", {}},
        Case{"A(i,j) = B(i,j)*C(i,j)", {{"A", "coo"}, {"B", "coo"}, {"C", "csc"}}}));

// Statements in random formats, as many as the environment variable says.
TEST(FrontierOfFormats, MembersGiveTheResult) {
  const char* const texts[] = {"a(i)=b(i)*c(i)+d(i)",
                               "a(i)=B(j,i)*c(j)+d(i)",
                               "A(i,j)=B(i,j)+C(i,j)",
                               "A(i,j)=B(i,j)+C(j,i)",
                               "A(i,j)=B(k,i)*B(k,j)",
                               "A(i,l)=B(i,j)*C(j,k)*D(k,l)",
                               "A(i,j)=B(i,j)*C(i,k)*D(k,j)",
                               "A(i,j)=(B(i,k)+C(i,k))*D(k,j)",
                               "A(i,j)=b(i)*c(j)",
                               "A(i,j)=B(i,j,k)*c(k)",
                               "A(i,j,k)=B(i,j,l)*C(k,l)",
                               "A(i,j)=B(i,k,l)*C(k,j)*D(l,j)",
                               "A(i,j,k)=B(i,j,k)+C(i,j,k)",
                               "s=B(i,j,k)*C(i,j,k)",
                               "A(i,j)=b(i)+c(j)",
                               "A(i,j)=max(B(i,j),C(i,j))-D(i,j)/2",
                               "A(i,j)=select(B(i,j)>C(i,j),B(i,j),D(j,i))",
                               "A(i,j)=(B(i,j)==C(i,j)) or D(i,j)",
                               "A(i,j) or= B(i,k) and C(k,j)",
                               "a(i)=any(j,C(i,j)*d(j)) xor any(j,B(i,j))",
                               "y(i)=B(i,j)*x(j)+C(i,j)*z(j)",
                               "y(i)=B(i,j)*x(j)*sum(k,C(i,k))",
                               "s=B(i,j)*C(j,k)*D(k,i)",
                               "A(i,j)=B(i,k)*C(k,j)*d(j)*e(i)"};
  const std::vector<std::vector<std::string>> formats = {{},
                                                         {"d", "s", "hash"},
                                                         {"csr", "csc", "dcsr", "dcsc", "coo", "dense", "hash"},
                                                         {"sss", "dss", "sss:2,1,0", "dds:1,2,0", "coo"}};
  const char* asked = std::getenv("FILIGREE_FRONTIERS");
  unsigned count = asked ? static_cast<unsigned>(std::atoi(asked)) : 24;
  Counts counts;
  for (unsigned seed = 0; seed < count && !HasFailure(); seed++) {
    std::mt19937 random(seed + 100);
    Case one{texts[seed % std::size(texts)], {}};
    for (const notation::TensorUse& use : notation::parse(one.text).tensors) {
      const std::vector<std::string>& known = formats[static_cast<size_t>(use.order)];
      if (!known.empty()) one.formats[use.name] = known[random() % known.size()];
    }
    std::string chosen;
    for (const auto& [name, format] : one.formats) chosen += " " + name + ":" + format;
    SCOPED_TRACE(one.text + chosen);
    check(one, asked ? 60 : 12, counts, true);
  }
  fmt::print("{} schedules, {} programs\n", counts.members, counts.programs);
}

TEST(FrontierOfSemirings, MembersGiveTheResult) {
  // Fills that are not 0 come with the tensors: min of sums, where nothing is stored is infinity.
  notation::Parsed parsed = notation::parse("A(i,j) min= B(i,k) + C(k,j)");
  Scalar infinity = Scalar::of(ElementType::Float64, std::numeric_limits<double>::infinity());
  std::map<std::string, TensorVar> vars;
  for (const char* name : {"A", "B", "C"})
    vars.emplace(name, TensorVar(name, ElementType::Float64, parse_format("csr", 2), infinity));
  notation::Statement statement = notation::resolve(parsed, vars);
  auto problem = std::get<autoschedule::Problem>(autoschedule::problem_of(statement));
  auto frontier = std::get<autoschedule::Frontier>(autoschedule::find_frontier(problem));
  EXPECT_EQ(frontier.candidates, 96u);  // as for a product of matrices
  EXPECT_EQ(frontier.size(), 12u);
}

}  // namespace
}  // namespace filigree::differential

// Products in several statements give the oracle's result, whichever operands meet first and however temporaries are
// stored.
#include <cstdlib>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "autoschedule/contract.h"
#include "compiler/stored_parts.h"
#include "compiler/way_program.h"
#include "compiler/workspace_ways.h"
#include "notation/extents.h"
#include "support/text.h"
#include "tests/concrete/from_text.h"
#include "tests/differential/expected.h"

namespace filigree::differential {
namespace {

struct Case {
  std::string text;
  concrete::Formats formats;
};

/// A product of three to five operands over at most five indices, in random formats; some with a sum over nothing.
Case random_product(unsigned seed) {
  const std::vector<std::vector<std::string>> formats = {{""},
                                                         {"d", "s", "hash", "bitmap"},
                                                         {"csr", "csc", "dcsr", "coo", "dense", "hash", "dense"},
                                                         {"sss", "dss", "sss:2,1,0", "dds:1,2,0", "coo", "ddd"}};
  std::mt19937 random(seed);
  std::string letters = "ijklm", used;
  Case out;
  std::vector<std::string> factors;
  size_t count = 3 + random() % 3;
  for (size_t n = 0; n < count; n++) {
    std::string name(1, static_cast<char>('B' + n)), left = letters;
    std::vector<std::string> indices;
    for (size_t order = 1 + random() % 3; order > 0; order--) {
      size_t at = random() % left.size();
      indices.emplace_back(1, left[at]);
      used += left[at];
      left.erase(at, 1);
    }
    const std::vector<std::string>& known = formats[indices.size()];
    out.formats[name] = known[random() % known.size()];
    factors.push_back(fmt::format("{}({})", name, join(indices, ",")));
  }
  std::vector<std::string> result;
  for (char index : letters) {
    if (used.find(index) != std::string::npos && result.size() < 3 && random() % 2 == 0) result.emplace_back(1, index);
  }
  const std::vector<std::string>& known = formats[result.size()];
  out.formats["A"] = known[random() % known.size()];
  if (result.empty()) out.formats.erase("A");
  out.text = fmt::format("{} = {}{}", result.empty() ? "A" : fmt::format("A({})", join(result, ",")),
                         random() % 4 == 0 ? "2*" : "", join(factors, "*"));
  return out;
}

autoschedule::KnownInputs known(const notation::Statement& statement,
                                const std::map<std::string, AnyTensor>& operands) {
  autoschedule::KnownInputs out;
  std::map<TensorVar, std::vector<std::int64_t>> dimensions;
  for (const notation::Access& access : notation::accesses(statement.rhs)) {
    const AnyTensor& tensor = operands.at(access.tensor.name());
    dimensions[access.tensor] = tensor.dimensions();
    out.stored[access.tensor.name()] = static_cast<double>(tensor.stored());
  }
  out.extents = notation::infer_extents(statement, dimensions, {});
  return out;
}

/// Runs all splits and some of their variants.
void check(const Case& one, size_t& programs) {
  notation::Parsed parsed = notation::parse(one.text);
  std::map<std::string, TensorVar> vars = concrete::tensors_of(parsed, one.formats);
  notation::Statement statement = notation::resolve(parsed, vars);
  auto problem = autoschedule::problem_of(statement);
  if (!std::holds_alternative<autoschedule::Problem>(problem)) return;
  Expected expected(statement, vars, data_sets(parsed, 7));
  for (size_t set = 0; set < expected.packed.size(); set++) {
    Arguments arguments;
    for (const auto& [name, tensor] : expected.packed[set]) arguments.emplace_back(name, tensor);
    autoschedule::KnownInputs inputs = known(statement, expected.packed[set]);
    for (const autoschedule::Split& split : autoschedule::splits(std::get<autoschedule::Problem>(problem), inputs)) {
      std::vector<autoschedule::Split> all = {split};
      for (size_t n = 0; set < 2 && n + 1 < split.statements.size(); n++) {
        for (autoschedule::Split& other : autoschedule::variants(split, n, 3)) all.push_back(std::move(other));
      }
      for (const autoschedule::Split& way : all) {
        std::vector<std::string> texts;
        ProgramOptions options;
        options.target = compiler::Target::Interpret;
        options.make_loops = compiler::own_loops();
        options.force = true;
        for (const notation::Statement& part : way.statements) {
          texts.push_back(notation::to_string(part) + " " + to_string(part.lhs.tensor.format()));
          options.stored.push_back(part.lhs.tensor.name());
        }
        options.outputs = {"A"};
        SCOPED_TRACE(join(texts, "\n"));
        try {
          std::map<std::string, AnyTensor> made = Program::compile(way.statements, options).run(arguments);
          std::optional<std::string> wrong = reference::compare(expected.results[set], made.at("A"));
          ASSERT_FALSE(wrong) << *wrong;
        } catch (const std::exception&) {
          FAIL() << describe_exception();
        }
        programs++;
      }
    }
  }
}

/// The same with functions of some of the indices.
Case random_calls(unsigned seed) {
  const std::vector<std::string> texts = {
      "A(i,j) = B(i,j)*exp(C(j))",
      "A(i,j) = B(i,j)*cos(sum(k, C(k,j)))",
      "A(i,j) = B(i,j) + cos(sum(k, C(k,j)))*D(i)",
      "A(i,j) = B(i,j)*D(i) + sum(k, C(k,j))*D(i)",
      "A(i,j) = max(B(i,j), D(i))*exp(sum(k, C(k,j))*D(j))",
      "A(i,j) = B(i,j)*exp(C(j) + 1)*cos(D(i))",
      "A(i) = B(i,j)*exp(C(j))",
      "A(i,j) = B(i,k)*C(k,j)*D(i,j)",
      "A(i,j) = B(i,k)*C(k,j)*D(i)",
      "A(j) = max(count(i, B(i,j)), 1)",
      "A(i,j) = B(i,j)*cos(1/max(count(k, B(k,j)), 1))",
      "A(i,j) = B(i,j)*max(sum(k, C(i,k)*D(k)) + sum(k, C(j,k)*D(k)), 0)",
      "A(i,j) = min_over(k, B(i,k) + C(k,j)) + D(i,j)",
      "A(j) = B(i,j)*(1/(1 + exp(sum(k, B(i,k)*C(k)))) - D(i))",
      "A(i,j) = B(i,j) + exp(C(j))*D(i)",
      "A(i,j) = max_over(k, D(i,j)*B(i,k)*C(k,j))",
      "A(j,k) = sum(i, B(i,j)*B(i,k))/3 - sum(i, B(i,j))*sum(i, B(i,k))",
      "A(i,j) = D(i,j)*exp(sum(k, B(i,k)*C(k,j)))",
      "A(i,j) = max(sum(k, B(i,k)*C(k,j)), D(i,j))",
      "A(i) = D(i) - B(i,j)*C(j,k)*E(k)",
      "A = sum(j, (sum(i, B(i,j)) + C(j))/C(j))",
      "A(j) = max(sum(i, B(i,j)), sum(i, D(i,j)))/sum(k, C(k))",
  };
  std::mt19937 random(seed);
  Case out;
  out.text = texts[seed % texts.size()];
  notation::Parsed parsed = notation::parse(out.text);
  const std::vector<std::vector<std::string>> formats = {
      {""}, {"d", "s", "bitmap", "hash"}, {"csr", "csc", "dcsr", "coo", "dense", "hash", "bitmap"}};
  for (const notation::TensorUse& use : parsed.tensors) {
    const std::vector<std::string>& known = formats[static_cast<size_t>(use.order)];
    out.formats[use.name] = known[random() % known.size()];
  }
  return out;
}

bool has_empty_dimension(const std::map<std::string, AnyTensor>& operands) {
  return std::any_of(operands.begin(), operands.end(), [](const auto& operand) {
    const std::vector<std::int64_t>& dimensions = operand.second.dimensions();
    return std::find(dimensions.begin(), dimensions.end(), 0) != dimensions.end();
  });
}

/// Runs each part in a workspace of its own, and all of them.
void check_schedules(const Case& one, size_t& programs) {
  notation::Parsed parsed = notation::parse(one.text);
  std::map<std::string, TensorVar> vars = concrete::tensors_of(parsed, one.formats);
  notation::Statement statement = notation::resolve(parsed, vars);
  std::vector<std::string> schedules = compiler::workspace_schedules(statement);
  if (schedules.size() > 1) schedules.push_back(join(schedules, ", "));
  std::vector<compiler::Way> ways;
  for (const std::string& schedule : schedules) ways.push_back({{statement}, "", schedule});
  for (const std::vector<notation::Statement>& statements : compiler::stored_parts({statement})) {
    ways.push_back({statements, "", ""});
    for (const std::vector<notation::Statement>& more : compiler::stored_parts(statements))
      ways.push_back({more, "", ""});
  }
  Expected expected(statement, vars, data_sets(parsed, 7));
  for (const compiler::Way& way : ways) {
    if (way.statements.size() == 1 && !compiler::loops_of(way)(statement)) continue;
    SCOPED_TRACE(way.schedule);
    for (size_t set = 0; set < expected.packed.size(); set++) {
      Arguments arguments;
      for (const auto& [name, tensor] : expected.packed[set]) arguments.emplace_back(name, tensor);
      KernelOptions options;
      options.target = compiler::Target::Interpret;
      options.force = true;
      try {
        std::map<std::string, AnyTensor> made = compiler::program_of(way, options).run(arguments);
        std::optional<std::string> wrong = reference::compare(expected.results[set], made.at("A"));
        ASSERT_FALSE(wrong) << *wrong;
        if (has_empty_dimension(expected.packed[set])) continue;  // no way is taken then
        options.make_loops = compiler::own_loops();
        AnyTensor own = Kernel::compile(statement, options).run(arguments);
        ASSERT_EQ(own.statistics().stored, made.at("A").statistics().stored) << "the pattern is another one";
      } catch (const UserError&) {  // the result cannot be filled so: the way is not taken then
      } catch (const std::exception&) {
        FAIL() << describe_exception();
      }
      programs++;
    }
  }
}

TEST(WorkspaceSchedules, GiveTheResult) {
  const char* asked = std::getenv("FILIGREE_WAYS");
  unsigned count = asked ? static_cast<unsigned>(std::atoi(asked)) : 60;
  size_t programs = 0;
  for (unsigned seed = 1; seed <= count && !HasFailure(); seed++) {
    Case one = seed % 3 == 0 ? random_product(seed) : random_calls(seed);
    std::string formats;
    for (const auto& [name, format] : one.formats) formats += fmt::format(" {}:{}", name, format);
    SCOPED_TRACE(fmt::format("seed {}: {}{}", seed, one.text, formats));
    check_schedules(one, programs);
  }
  fmt::print("{} programs\n", programs);
  EXPECT_GT(programs, count);
}

TEST(Splits, GiveTheResult) {
  const char* asked = std::getenv("FILIGREE_WAYS");
  unsigned count = asked ? static_cast<unsigned>(std::atoi(asked)) : 15;
  size_t programs = 0;
  for (unsigned seed = 1; seed <= count && !HasFailure(); seed++) {
    Case one = random_product(seed);
    std::string formats;
    for (const auto& [name, format] : one.formats) formats += fmt::format(" {}:{}", name, format);
    SCOPED_TRACE(fmt::format("seed {}: {}{}", seed, one.text, formats));
    check(one, programs);
  }
  fmt::print("{} programs\n", programs);
  EXPECT_GT(programs, count);
}

}  // namespace
}  // namespace filigree::differential

// Published schedules, and schedules for GPUs: which of them run, with what result, and what is said about the others.
// They are in tests/schedule/published.txt and gpu.txt.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "notation/parse.h"
#include "support/text.h"
#include "tests/concrete/from_text.h"
#include "tests/differential/expected.h"
#include "tests/differential/legal_orders.h"

namespace filigree::differential {
namespace {

const std::string folder = FILIGREE_SOURCE_DIR "/tests/schedule/";

struct Case {
  std::string before;     // all lines above the schedule
  std::string statement;  // with formats
  std::string schedule;
  std::string verdict;  // the line below it
  std::string diagnostic;
  int line;
};

std::vector<Case> read_cases(const std::string& name) {
  std::ifstream file(folder + name);
  std::vector<Case> cases;
  std::string line, before, statement;
  for (int number = 1; std::getline(file, line); number++) {
    bool begins_statement = line.starts_with("statement: ");
    if (begins_statement) statement = line.substr(11);
    if (begins_statement || line.starts_with("#") || line.empty()) {
      before += line + "\n";
    } else if (line.starts_with("> ")) {
      cases.push_back({before, statement, line.substr(2), "", "", number});
      before.clear();
    } else if (!cases.empty() && cases.back().verdict.empty()) {
      cases.back().verdict = line;
    } else if (!cases.empty()) {
      cases.back().diagnostic += line + "\n";
    }
  }
  return cases;
}

/// How many coordinates variables of the statement have.
using Sizes = std::map<std::string, std::int64_t>;

/// Sizes that a schedule relies on: where it says how many pieces there are, the last of them is not full.
Sizes sizes_for(const schedule::Schedule& schedule) {
  Sizes sizes;
  for (const schedule::Command& command : schedule) {
    const auto* bound = std::get_if<schedule::Bound>(&command);
    if (!bound || bound->kind != schedule::Bound::Kind::Exact) continue;
    for (const schedule::Command& other : schedule) {
      const auto* split = std::get_if<schedule::Split>(&other);
      if (split && split->outer == bound->variable && split->direction == schedule::Split::Direction::Down)
        sizes[split->variable.text] = bound->amount * split->size - split->size / 2;
    }
  }
  return sizes;
}

/// A statement with its data, packed, and the oracle's results.
class Runner {
 public:
  /// "a(i) = B(i,j)*c(j); B csr"
  explicit Runner(const std::string& text, const Sizes& sizes = {}) {
    std::vector<std::string> parts = split(text, ';');
    concrete::Formats formats;
    for (size_t n = 1; n < parts.size(); n++) {
      std::string part = trim(parts[n]);
      formats[part.substr(0, part.find(' '))] = part.substr(part.find(' ') + 1);
    }
    notation::Parsed parsed = notation::parse(parts[0]);
    data_ = data_sets(parsed, 7, sizes);
    std::map<std::string, TensorVar> vars = concrete::tensors_of(parsed, formats);
    statement_ = notation::resolve(parsed, vars);
    expected_ = Expected(*statement_, vars, data_);
  }

  const notation::Statement& statement() const { return *statement_; }

  /// What is wrong with the results on the first `sets` sets of data, in words.  Throws UserError if the schedule is
  /// refused.
  std::optional<std::string> run(const schedule::Schedule& schedule, size_t sets = 1000) const {
    KernelOptions options;
    options.target = compiler::Target::Interpret;
    options.schedule = schedule;
    options.automatic = false;
    options.threads = 3;
    options.worth_threads = 0;
    Kernel kernel = Kernel::compile(*statement_, options);
    for (size_t n = 0; n < std::min(sets, data_.size()); n++) {
      Arguments arguments;
      for (const auto& [name, tensor] : expected_.packed[n]) arguments.emplace_back(name, tensor);
      kernel.run(arguments);  // refused here if it is
      if (auto wrong = check_kernel(kernel, arguments, {}, expected_.results[n]))
        return fmt::format("{} on '{}': {}", schedule::to_string(schedule), data_[n].name, *wrong);
    }
    return std::nullopt;
  }

 private:
  std::vector<DataSet> data_;
  std::optional<notation::Statement> statement_;
  Expected expected_;
};

schedule::Schedule parse(const std::string& text) {
  return text == "serial" ? schedule::Schedule() : schedule::parse(text, "-s");
}

/// The data is small: so are the pieces, the smaller the smaller.  Pieces of pieces stay that, and do not divide them
/// evenly.
schedule::Schedule with_small_pieces(schedule::Schedule schedule) {
  std::set<std::int64_t> sizes;
  auto is_size = [](const schedule::Split* split) {
    return split && split->direction == schedule::Split::Direction::Down;
  };
  for (schedule::Command& command : schedule) {
    if (const auto* split = std::get_if<schedule::Split>(&command); is_size(split)) sizes.insert(split->size);
  }
  const std::vector<std::int64_t> small = {2, 3, 5, 7};
  for (schedule::Command& command : schedule) {
    auto* split = std::get_if<schedule::Split>(&command);
    if (is_size(split))
      split->size =
          std::min(split->size, small.at(static_cast<size_t>(std::distance(sizes.begin(), sizes.find(split->size)))));
  }
  return schedule;
}

struct Outcome {
  std::string diagnostic;  // of a schedule that is refused; empty if it runs
  std::optional<std::string> wrong;
};

Outcome outcome_of(const Case& c, const Runner& runner) {
  try {
    schedule::Schedule schedule = parse(c.schedule);
    for (const schedule::Schedule& each : {schedule, with_small_pieces(schedule)}) {
      Sizes sizes = sizes_for(each);
      if (auto wrong = sizes.empty() ? runner.run(each) : Runner(c.statement, sizes).run(each)) return {"", wrong};
    }
    return {"", std::nullopt};
  } catch (const UserError& error) {
    return {error.text(Wording::CommandLine), std::nullopt};
  } catch (...) {
    return {"", c.schedule + ": " + describe_exception()};
  }
}

// --- Every order of some loops ---------------------------------------------------------------------

/// The variables of the statement that a variable comes from.
using Roots = std::map<std::string, std::set<std::string>>;

Roots roots_of(const schedule::Schedule& schedule, const notation::Statement& statement) {
  Roots roots;
  for (const IndexVar& var : notation::index_vars(statement)) roots[var.name()] = {var.name()};
  for (const schedule::Command& command : schedule) {
    if (const auto* split = std::get_if<schedule::Split>(&command))
      roots[split->outer.text] = roots[split->inner.text] = roots[split->variable.text];
    if (const auto* pos = std::get_if<schedule::Pos>(&command)) roots[pos->position.text] = roots[pos->variable.text];
    if (const auto* collapse = std::get_if<schedule::Collapse>(&command)) {
      roots[collapse->variable.text] = roots[collapse->outer.text];
      roots[collapse->variable.text].merge(std::set(roots[collapse->inner.text]));
    }
  }
  return roots;
}

/// Do loops over what is reached through other levels of an operand come after the loops over these?
bool is_legal(const std::vector<std::string>& order, const Roots& roots, const notation::Statement& statement) {
  return differential::keeps_levels_in_order(order, statement, [&](const std::string& name, const IndexVar& var) {
    return roots.at(name).count(var.name()) > 0;
  });
}

/// Runs every order, and returns the verdict: how many run.
std::string count_orders(const Case& c, const Runner& runner) {
  std::string names = c.verdict.substr(10, c.verdict.find(':') - 10);
  std::vector<std::string> order = split(names, ' ');
  std::sort(order.begin(), order.end());
  schedule::Schedule loops = with_small_pieces(parse(c.schedule));
  Roots roots = roots_of(loops, runner.statement());
  int counts[2][2] = {};  // by legal, then by whether it runs
  do {
    schedule::Schedule schedule = loops;
    schedule.push_back(schedule::Reorder{{order.begin(), order.end()}});
    bool runs = true;
    try {
      auto wrong = runner.run(schedule, 2);
      EXPECT_FALSE(wrong) << c.line << ": " << c.statement << ": " << *wrong;
    } catch (const UserError&) {
      runs = false;
    }
    counts[is_legal(order, roots, runner.statement())][runs]++;
  } while (std::next_permutation(order.begin(), order.end()));
  return fmt::format("orders of {}: {} of {} legal ones run, and {} of the {} others", names, counts[1][1],
                     counts[1][0] + counts[1][1], counts[0][1], counts[0][0] + counts[0][1]);
}

// --- The file ----------------------------------------------------------------------------------------

bool should_be_refused(const Case& c) {
  return c.verdict.starts_with("refused: ") || c.verdict.starts_with("illegal: ");
}

/// The verdict and the diagnostic as they are now.
Case as_it_is(const Case& c, const Runner& runner) {
  Case now = c;
  if (c.verdict.starts_with("orders of ")) {
    now.verdict = count_orders(c, runner);
    return now;
  }
  Outcome outcome = outcome_of(c, runner);
  EXPECT_FALSE(outcome.wrong) << c.line << ": " << c.statement << ": " << *outcome.wrong;
  now.diagnostic = outcome.diagnostic;
  if (outcome.diagnostic.empty()) now.verdict = "runs";
  else if (!should_be_refused(c)) now.verdict = "refused: why?";
  return now;
}

void check_file(const std::string& name, size_t least) {
  std::vector<Case> cases = read_cases(name);
  ASSERT_GE(cases.size(), least);
  std::map<std::string, Runner> runners;
  std::string text;
  for (const Case& c : cases) {
    const Runner& runner = runners.try_emplace(c.statement, c.statement).first->second;
    Case now = as_it_is(c, runner);
    text += now.before + "> " + now.schedule + "\n" + now.verdict + "\n" + now.diagnostic;
    if (std::getenv("FILIGREE_UPDATE")) continue;
    EXPECT_EQ(now.verdict, c.verdict) << name << ":" << c.line << ": " << c.statement << ": " << c.schedule << "\n"
                                      << now.diagnostic;
    EXPECT_EQ(now.diagnostic, c.diagnostic) << name << ":" << c.line << ": " << c.statement << ": " << c.schedule;
  }
  if (std::getenv("FILIGREE_UPDATE")) std::ofstream(folder + name) << text;
}

TEST(PublishedSchedules, RunOrAreRefusedAsTheFileSays) { check_file("published.txt", 100); }
TEST(SchedulesForGpus, RunOrAreRefusedAsTheFileSays) { check_file("gpu.txt", 40); }

}  // namespace
}  // namespace filigree::differential

// Schedules that a statement does not accept, and what a person is told: the cases are in tests/schedule/illegal.txt.
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "compiler/kernel.h"
#include "support/text.h"
#include "tests/concrete/from_text.h"

namespace filigree {
namespace {

const char* const cases_file = FILIGREE_SOURCE_DIR "/tests/schedule/illegal.txt";

struct Case {
  std::string statement, schedule, expected, before;
};

/// "statement: y(i) = A(i,j)*x(j), A csr" is for the schedules below it; a schedule follows '> '; what follows it is
/// the diagnostic.
std::vector<Case> read_cases() {
  std::ifstream file(cases_file);
  std::vector<Case> cases;
  std::string line, comments, statement;
  while (std::getline(file, line)) {
    bool begins_statement = line.starts_with("statement: ");
    if (begins_statement) statement = line.substr(11);
    if (begins_statement || line.starts_with("#") || line.empty()) {
      comments += line + "\n";
    } else if (line.starts_with("> ")) {
      cases.push_back({statement, line.substr(2), "", comments});
      comments.clear();
    } else if (!cases.empty()) {
      cases.back().expected += line + "\n";
    }
  }
  return cases;
}

notation::Statement statement_of(const std::string& text) {
  std::vector<std::string> parts = split(text, ';');
  concrete::Formats formats;
  for (size_t n = 1; n < parts.size(); n++) {
    std::string part = trim(parts[n]);
    formats[part.substr(0, part.find(' '))] = part.substr(part.find(' ') + 1);
  }
  return concrete::statement(parts[0], formats);
}

std::string error(const Case& c) {
  try {
    KernelOptions options;
    options.schedule = schedule::parse(c.schedule, "-s");
    Kernel::compile(statement_of(c.statement), options);
  } catch (const UserError& error) {
    return error.text(Wording::CommandLine);
  }
  return "no error\n";
}

TEST(IllegalSchedules, SayWhatIsWrongAndWhere) {
  std::vector<Case> cases = read_cases();
  ASSERT_GE(cases.size(), 60u);
  if (std::getenv("FILIGREE_UPDATE")) {
    std::ofstream file(cases_file);
    for (const Case& c : cases) file << c.before << "> " << c.schedule << "\n" << error(c);
    return;
  }
  for (const Case& c : cases) EXPECT_EQ(error(c), c.expected) << c.statement << ": " << c.schedule;
}

TEST(IllegalSchedules, ArePointedAtAndHaveAWayOut) {
  for (const Case& c : read_cases()) {
    std::string text = error(c);
    EXPECT_NE(text.find("in -s, column"), std::string::npos) << text;
    EXPECT_NE(text.find("hint: "), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace filigree

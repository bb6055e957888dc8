// Every message of the parser, with its place: the cases are in parse_errors.txt.
#include "notation/parse_errors.h"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/notation/from_text.h"

namespace filigree::notation {
namespace {

const char* const cases_file = FILIGREE_SOURCE_DIR "/tests/notation/parse_errors.txt";

struct Case {
  std::string text, expected;
  std::string before;
};

std::vector<Case> read_cases() {
  std::ifstream file(cases_file);
  std::vector<Case> cases;
  std::string line, comments;
  while (std::getline(file, line)) {
    bool is_case = line.rfind("> ", 0) == 0;
    bool is_comment = line.rfind("#", 0) == 0 || line.empty();
    if (is_case) {
      cases.push_back({line.substr(2), "", comments});
      comments.clear();
    } else if (is_comment) {
      comments += line + "\n";
    } else if (!cases.empty()) {
      cases.back().expected += line + "\n";
    }
  }
  return cases;
}

std::string error(const std::string& text) {
  return error_of([&] { from_text(text); });
}

TEST(ParseErrors, SayWhatIsWrongAndWhere) {
  std::vector<Case> cases = read_cases();
  ASSERT_GT(cases.size(), 100u);
  if (std::getenv("FILIGREE_UPDATE")) {
    std::ofstream file(cases_file);
    for (const Case& c : cases) file << c.before << "> " << c.text << "\n" << error(c.text);
    return;
  }
  for (const Case& c : cases) EXPECT_EQ(error(c.text), c.expected) << c.text;
}

TEST(ParseErrors, NameBytesThatAreNoCharacters) {
  auto message = [](const std::string& text) {
    try {
      parse(text);
    } catch (const UserError& error) {
      return error.message();
    }
    return std::string("no error");
  };
  EXPECT_EQ(message("a = b\xff"), "Unexpected byte 0xff");
  EXPECT_EQ(message("a = \xe2\x88"), "Unexpected byte 0xe2");
  EXPECT_EQ(message(std::string("a = b\0c", 7)), "Unexpected byte 0x00");
  EXPECT_EQ(message("a = \x1b[1m"), "Unexpected byte 0x1b");
  EXPECT_EQ(message("a = \xf0\x9f\x98\x80"), "Unexpected character '\xf0\x9f\x98\x80'");
}

TEST(ParseErrors, PointIntoTheRightLine) {
  EXPECT_EQ(error("a(i) =\n  b(i) +\n  * c(i)"),
            "error: Missing an operand between '+' and '*'\n"
            "  in expression, line 3, column 3:\n"
            "      * c(i)\n"
            "      ^\n");
}

TEST(ParseErrors, SayInWhichLineTheOtherPlaceIs) {
  EXPECT_EQ(error("y(i) = A(i,j)\n  * (x(j)\n + 1"),
            "error: Missing ')' to match the '(' at line 2, column 5\n"
            "  in expression, line 3, column 5:\n"
            "     + 1\n"
            "        ^\n");
  EXPECT_EQ(error("y(i) = b(i)\n * b(i,j)"),
            "error: 'b' is used with 2 indices here but with 1 index at line 1, column 8\n"
            "  in expression, line 2, column 4:\n"
            "     * b(i,j)\n"
            "       ^^^^^^\n");
}

TEST(ParseErrors, FindTwoStatementsOnTwoLines) {
  EXPECT_EQ(error("y(i) = b(i)\nz(i) = c(i)"),
            "error: Missing ';' before 'z'\n"
            "  in expression, line 2, column 1:\n"
            "    z(i) = c(i)\n"
            "    ^\n"
            "hint: statements are separated by ';'\n");
}

TEST(ParseErrors, KeepMessagesToTheirForm) {
  for (const Case& c : read_cases()) {
    try {
      from_text(c.text);
      ADD_FAILURE() << c.text;
    } catch (const UserError& error) {
      bool capital = (error.message()[0] >= 'A' && error.message()[0] <= 'Z') || error.message()[0] == '\'';
      EXPECT_TRUE(capital) << error.message();
      EXPECT_NE(error.message().back(), '.') << error.message();
      EXPECT_TRUE(error.has_place()) << error.message();
    }
  }
}

}  // namespace
}  // namespace filigree::notation

#include "support/diagnostic.h"

#include <gtest/gtest.h>

namespace filigree {
namespace {

TEST(UserError, IsOneSentenceAfterTheWordError) {
  EXPECT_EQ(UserError("Nothing is stored").text(), "error: Nothing is stored\n");
}

TEST(UserError, HasHintsForProgramsAndForTheCommandLine) {
  UserError error = UserError("Unknown").hint("give it in the options", "give it with -d").hint("or not");
  EXPECT_EQ(error.text(), "error: Unknown\nhint: give it in the options\nhint: or not\n");
  EXPECT_EQ(error.text(Wording::CommandLine), "error: Unknown\nhint: give it with -d\nhint: or not\n");
  EXPECT_EQ(UserError("Other").hints_of(error).text(Wording::CommandLine),
            "error: Other\nhint: give it with -d\nhint: or not\n");
}

TEST(UserError, NamesFileAndLine) {
  EXPECT_EQ(UserError("No number").at_line("a.mtx", 3).text(), "error: a.mtx:3: No number\n");
  EXPECT_EQ(UserError("Cannot be read").at_line("a.mtx", 0).text(), "error: a.mtx: Cannot be read\n");
}

TEST(UserError, PointsUnderTheSource) {
  Source source = make_source("expression", "a(i) = b(j)");
  EXPECT_EQ(UserError("Wrong").at(source, {7, 11}).text(),
            "error: Wrong\n"
            "  in expression, column 8:\n"
            "    a(i) = b(j)\n"
            "           ^^^^\n");
}

TEST(UserError, ShowsTheLineThatHoldsTheSpan) {
  Source source = make_source("program", "first line\nsecond line\nthird line");
  EXPECT_EQ(UserError("Wrong").at(source, {18, 22}).text(),
            "error: Wrong\n"
            "  in program, line 2, column 8:\n"
            "    second line\n"
            "           ^^^^\n");
  EXPECT_NE(UserError("Wrong").at(source, {11, 17}).text().find("line 2, column 1:"), std::string::npos);
  EXPECT_NE(UserError("Wrong").at(source, {10, 10}).text().find("line 1, column 11:"), std::string::npos);
}

TEST(UserError, KeepsOneCaretAtTheEndOfTheText) {
  Source source = make_source("expression", "a(i) =");
  EXPECT_NE(UserError("Wrong").at(source, {6, 6}).text().find("    a(i) =\n          ^\n"), std::string::npos);
}

TEST(UserError, CountsCharactersNotBytes) {
  Source source = make_source("expression", "\xCE\xB1(i) = b");  // a Greek letter of two bytes
  EXPECT_NE(UserError("Wrong").at(source, {8, 9}).text().find("column 8:\n    \xCE\xB1(i) = b\n           ^\n"),
            std::string::npos);
  EXPECT_NE(UserError("Wrong").at(source, {0, 2}).text().find("\n    ^\n"), std::string::npos);
}

TEST(UserError, SendsNoControlBytesToTheTerminal) {
  Source source = make_source("expression", "\xCE\xB1 \x1b[31m\t\xff\xC2\x9B b");
  EXPECT_EQ(UserError("Wrong \x07").at(source, {3, 4}).text(),
            "error: Wrong ?\n  in expression, column 3:\n    \xCE\xB1 ?[31m ?? b\n      ^\n");
  EXPECT_NE(
      UserError("Wrong").at(source, {13, 14}).text().find("column 12:\n    \xCE\xB1 ?[31m ?? b\n               ^\n"),
      std::string::npos);
}

TEST(DescribePlace, NamesTheLineWhereThereAreSeveral) {
  EXPECT_EQ(describe_place(make_source("", "a = b"), 4), "column 5");
  EXPECT_EQ(describe_place(make_source("", "a =\n  b"), 6), "line 2, column 3");
}

TEST(UserError, ListsNotesThenHints) {
  std::string text = UserError("Wrong").hint("do this").note("because of that").hint("or this").text();
  EXPECT_EQ(text, "error: Wrong\nnote: because of that\nhint: do this\nhint: or this\n");
}

TEST(UserError, IsAnExceptionWithTheWholeText) {
  try {
    throw UserError("Wrong").hint("try again");
  } catch (const std::exception& error) {
    EXPECT_STREQ(error.what(), "error: Wrong\nhint: try again\n");
  }
}

TEST(DidYouMean, FindsALikelyTypo) {
  std::vector<std::string> names = {"dense", "compressed", "csr"};
  EXPECT_EQ(did_you_mean("dens", names), "dense");
  EXPECT_EQ(did_you_mean("compresed", names), "compressed");
  EXPECT_EQ(did_you_mean("cs", names), "csr");
  EXPECT_EQ(did_you_mean("CSR", names), "csr");
}

TEST(DidYouMean, KeepsSilentAboutStrangers) {
  std::vector<std::string> names = {"dense", "compressed", "csr"};
  EXPECT_FALSE(did_you_mean("banded", names));
  EXPECT_FALSE(did_you_mean("x", names));
  EXPECT_FALSE(did_you_mean("dense", {}));
}

TEST(DidYouMean, PrefersTheFirstOfEquals) { EXPECT_EQ(did_you_mean("bax", {"bar", "baz"}), "bar"); }

}  // namespace
}  // namespace filigree

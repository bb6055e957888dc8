#include "support/text.h"

#include <gtest/gtest.h>

namespace filigree {
namespace {

TEST(Split, UndoesJoin) {
  for (const std::vector<std::string>& parts : {std::vector<std::string>{"a"}, {"a", "b"}, {"", "x", ""}, {""}}) {
    EXPECT_EQ(split(join(parts, ","), ','), parts);
  }
}

TEST(Trim, DropsBlanksAtBothEnds) {
  EXPECT_EQ(trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
}

TEST(Indent, LeavesEmptyLinesEmpty) { EXPECT_EQ(indent("a\n\nb\n", 2), "  a\n\n  b\n"); }

TEST(Printable, KeepsTextAndHidesControlCharacters) {
  EXPECT_EQ(printable("a b\nc"), "a b\nc");
  EXPECT_EQ(printable("\xE2\x89\xA4 \xC3\xA9"), "\xE2\x89\xA4 \xC3\xA9");
  EXPECT_EQ(printable(std::string_view("\x1b[1m\t\r\x7f\0", 8)), "?[1m  ??");
  EXPECT_EQ(printable("\xC2\x9B\xE2\x89"), "???");
  EXPECT_EQ(printable("a\tb", Tabs::Keep), "a\tb");
  EXPECT_EQ(printable("\xE2\x80\xAE"
                      "a"),
            "?a")
      << "turns the direction of text around";
  EXPECT_EQ(printable("\xE0\x82\x9B"), "???") << "longer than need be";
  EXPECT_EQ(printable("\xED\xA0\x80"), "???") << "half of a pair";
}

TEST(Counted, AgreesInNumber) {
  EXPECT_EQ(counted(0, "dimension"), "0 dimensions");
  EXPECT_EQ(counted(1, "dimension"), "1 dimension");
  EXPECT_EQ(counted(2, "dimension"), "2 dimensions");
  EXPECT_EQ(counted(1, "entry", "entries"), "1 entry");
  EXPECT_EQ(counted(-3, "entry", "entries"), "-3 entries");
}

TEST(HumanBytes, KeepsOneDecimal) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes(0x1p40), "1.0 TiB");
}

TEST(IsIdentifier, TakesLettersDigitsAndUnderscores) {
  EXPECT_TRUE(is_identifier("a1_b"));
  EXPECT_TRUE(is_identifier("_"));
  EXPECT_FALSE(is_identifier("1a"));
  EXPECT_FALSE(is_identifier(""));
  EXPECT_FALSE(is_identifier("a-b"));
}

TEST(ParseInt64, TakesAWholeNumberThatFits) {
  long long value = 0;
  EXPECT_TRUE(parse_int64("-9223372036854775808", value));
  EXPECT_EQ(value, INT64_MIN);
  for (const char* text : {"", "1x", " 1", "1.0", "+-1"}) EXPECT_FALSE(parse_int64(text, value)) << text;
}

TEST(ParseInt64, TellsOverflowFromNonsense) {
  long long value = 0;
  bool overflow = false;
  EXPECT_FALSE(parse_int64("9223372036854775808", value, &overflow));
  EXPECT_TRUE(overflow);
  EXPECT_FALSE(parse_int64("ten", value, &overflow));
  EXPECT_FALSE(overflow);
}

}  // namespace
}  // namespace filigree

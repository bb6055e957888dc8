// What people are told of descriptions and of data that are wrong.
#include <gtest/gtest.h>

#include "layouts/pack.h"
#include "layouts/points.h"
#include "tests/layouts/examples.h"

namespace filigree::layouts {
namespace {

std::string message_of(const std::string& text) {
  try {
    parse_layout(text, "text");
  } catch (const UserError& error) {
    return error.message();
  }
  return "";
}

/// One relation, between p and i.
std::string with(const std::string& relation, const std::string& more = "") {
  return "layout v(n) {\n  arrays idx(entries), vals(entries)\n  [p] -> [i] : " + relation + "\n  value vals(p)\n" +
         more + "}\n";
}

TEST(ParseLayout, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(message_of(with("0 <= p < entries and i = idx(p)")), "");
  EXPECT_EQ(message_of(with("0 <= p < entries and i >= idx(p)")),
            "The coordinate 'i' of the layout 'v' is not determined by what is stored");
  EXPECT_EQ(message_of(with("0 <= p and i = idx(p)")), "Nothing bounds the variable 'p' of the layout 'v' from above");
  EXPECT_EQ(message_of(with("0 <= p < entries and i = index(p)")), "'index' is no array of the layout 'v'");
  EXPECT_EQ(message_of(with("0 <= p < entries and i = idx(p, p)")), "'idx' is read at 2 places, but has 1 size");
  EXPECT_EQ(message_of(with("0 <= p < entries and i = idx(q)")), "'q' is no variable and no size of the layout 'v'");
  EXPECT_EQ(message_of(with("0 <= p < entries and i = p")), "The array 'idx' of the layout 'v' is in no relation");
  EXPECT_EQ(message_of(with("0 <= p < entries and i = idx(p)", "  where b < c\n")),
            "'b' in a property of 'v' is no variable of its relation, and no place of an array");
  EXPECT_EQ(message_of(with("0 <= p < entries and i = idx(p')")), "'p'' is primed, but a relation is about one point");
  EXPECT_EQ(message_of(with("0 <= p < entries and i = idx(p)/0")), "A divisor must be at least 1");
  EXPECT_EQ(message_of("layout v(n) {\n  [p] -> [i] : 0 <= p < n and i = p\n}"), "The relation has no 'value'");
  EXPECT_EQ(message_of("layout v(n) { arrays vals(n*m) }"), "The layout 'v' has no relation");
  EXPECT_EQ(message_of("layout v(n) { arrays n(n) }"), "'n' is the name of two things in the layout 'v'");
  EXPECT_EQ(message_of("format v"), "Expected 'layout' at the start of a layout, found 'f'");
  try {
    parse_layout(with("0 <= p < entries and i = index(p)"), "text");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(error.text().find("in text, line 3, column 41"), std::string::npos) << error.text();
  }
}

TEST(FindViolations, NamesEntriesThatBreakAProperty) {
  Layout layout = example("sparse_vector");
  Data data{{9}, {{"idx", indices({1, 4, 4, 8})}, {"vals", reals({1, 2, 3, 4})}}};
  std::vector<std::string> wrong = find_violations(layout, data);
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0], "'a < a' -> idx(a) < idx(a')' does not hold at a = 1; a' = 2");
  data.arrays["idx"] = indices({1, 4, 12, 13});
  EXPECT_EQ(find_violations(layout, data)[0], "'0 <= idx(a) < n' does not hold at a = 2");
  data.arrays["idx"] = indices({1, 4, 5});
  EXPECT_EQ(find_violations(layout, data)[0],
            "The array 'vals' of the layout 'sparse_vector' has 4 elements, but needs 3");
  data.arrays.erase("idx");
  EXPECT_EQ(find_violations(layout, data)[0], "The array 'idx' of the layout 'sparse_vector' is missing");
}

TEST(FindViolations, NamesPlacesOutsideOfArrays) {
  Data data{{2, 4}, {{"pos", indices({0, 1, 3})}, {"crd", indices({0, 2})}, {"vals", reals({1, 2})}}};
  EXPECT_EQ(find_violations(example("csr"), data)[0], "The layout 'csr' reads 'crd' at 2, but it has 2 places");
}

TEST(WhyNotPacked, SaysWhatIsNotDetermined) {
  EXPECT_FALSE(why_not_packed(example("bcsr8u")));
  EXPECT_FALSE(why_not_packed(example("morton")));
  EXPECT_EQ(
      why_not_packed(example("permuted_rows")).value_or(""),
      "The arrays of the layout 'permuted_rows' do not follow from coordinates: nothing determines the variable 'pi'");
  EXPECT_EQ(why_not_packed(example("hyb")).value_or(""),
            "The arrays of the layout 'hyb' do not follow from coordinates: it has several relations, and entries "
            "could be in "
            "any of them");
}

TEST(ReadLayout, SaysWhyAFileCannotBeRead) {
  auto message = [](const std::string& path) {
    try {
      read_layout(path);
    } catch (const UserError& error) {
      return error.message();
    }
    return std::string();
  };
  EXPECT_EQ(message("/no/such/file"), "Cannot read the layout '/no/such/file': no such file or directory");
  EXPECT_EQ(message("/"), "Cannot read the layout '/': is a directory");
  EXPECT_EQ(message("/dev/zero"), "'/dev/zero' is no layout: it has more than 1 MiB");
}

}  // namespace
}  // namespace filigree::layouts

#include "notation/lost_values.h"

#include <optional>

#include <gtest/gtest.h>

#include "notation/program.h"
#include "tests/notation/from_text.h"

namespace filigree::notation {
namespace {

/// With an extent, which all variables have.
std::vector<Warning> warnings(const std::string& text, std::optional<std::int64_t> extent = {}) {
  std::map<std::string, TensorVar> tensors;
  std::vector<Statement> statements;
  for (const Parsed& parsed : parse_program(text).statements) {
    for (const auto& [name, tensor] : tensors_of(parsed)) tensors.emplace(name, tensor);
    statements.push_back(resolve(parsed, tensors));
  }
  std::vector<Statement> linked = statements_of(link(statements, {}));
  std::vector<std::map<IndexVar, std::int64_t>> extents(linked.size());
  for (size_t n = 0; extent && n < linked.size(); n++) {
    for (const IndexVar& index : linked[n].lhs.indices)
      extents[n][index] = index.map() ? *extent + index.map()->offset : *extent;
  }
  return lost_values(linked, extents);
}

TEST(LostValues, AreReplacedBeforeTheyAreRead) {
  ASSERT_EQ(warnings("H(i,j) = A(i,j); H(i,j+37) = B(i,j)").size(), 1u);
  EXPECT_EQ(warnings("H(i,j) = A(i,j); H(i,j+37) = B(i,j)")[0].text(),
            "warning: What 'H(i,j)' is assigned here is lost: 'H' is assigned anew before anything reads it\n"
            "  in expression, column 1:\n"
            "    H(i,j) = A(i,j); H(i,j+37) = B(i,j)\n"
            "    ^^^^^^\n"
            "note: 'H(i,j+37)' at column 18 makes a new 'H': outside of what it reaches there is the fill, 0\n"
            "hint: to keep both, write H1(i,j) = A(i,j); H2(i,j+37) = B(i,j); H(i,j) = pad(H1(i,j)) + pad(H2(i,j)), "
            "and give the size of 'H'\n");
  EXPECT_EQ(warnings("s = 0; t = 1; s = a(i)")[0].text(),
            "warning: What 's' is assigned here is lost: 's' is assigned anew before anything reads it\n"
            "  in expression, column 1:\n"
            "    s = 0; t = 1; s = a(i)\n"
            "    ^\n"
            "note: the next value is assigned at column 15\n"
            "hint: to add to what 's' holds, write s += a(i)\n"
            "hint: otherwise leave this statement out, or give one of the two another name\n");
  EXPECT_EQ(warnings("s = 1; s = 2; s = 3").size(), 2u);
  EXPECT_EQ(warnings("A(0,j) = b(j); A(1,j) = b(j)").size(), 1u);
}

TEST(LostValues, AreNotThoseThatAreReadOrLeft) {
  for (const char* text :
       {"s = 0; s += a(i)", "x(i) = y(i); x(i) = x(i)/2", "s = a(i); t = s; s = b(i)",
        "H(i,j) = A(i,j); H(i,j+3) += B(i,j)", "s = a(i); t = b(i)", "s = a(i)", "x(i) = x(i)/2; x(i) max= y(i)"}) {
    EXPECT_EQ(warnings(text).size(), 0u) << text;
  }
}

TEST(LostValues, SizesAreGivenToARunOrByAnOption) {
  Warning lost = warnings("H(i,j) = A(i,j); H(i,j+37) = B(i,j)", 2)[0];
  std::string both =
      "hint: to keep both, write H1(i,j) = A(i,j); H2(i,j+37) = B(i,j); H(i,j) = pad(H1(i,j)) + pad(H2(i,j)), ";
  EXPECT_NE(lost.text(Wording::Program).find(both + "with {{}, {{\"H\", {2, 39}}}} as the sizes of the run\n"),
            std::string::npos)
      << lost.text(Wording::Program);
  EXPECT_NE(lost.text(Wording::CommandLine).find(both + "with -d H:2,39\n"), std::string::npos)
      << lost.text(Wording::CommandLine);
}

TEST(MissingFunction, TensorsAreDeclaredBesideTheTextOrByAnOption) {
  try {
    parse("y(i) = cost(p(i))");
    FAIL() << "'cost' is taken for a tensor";
  } catch (const UserError& error) {
    Warning hints(error);
    EXPECT_NE(hints.text(Wording::Program).find("If 'cost' is a tensor, declare it, as in {{\"cost\", \"dense\"}}\n"),
              std::string::npos)
        << hints.text(Wording::Program);
    EXPECT_NE(hints.text(Wording::CommandLine).find("If 'cost' is a tensor, declare it, as in -f cost:dense\n"),
              std::string::npos)
        << hints.text(Wording::CommandLine);
  }
}

}  // namespace
}  // namespace filigree::notation

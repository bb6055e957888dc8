#include "compiler/stored_parts.h"

#include <gtest/gtest.h>

#include "tests/concrete/from_text.h"

namespace filigree::compiler {
namespace {

/// Each way, with the formats of temporaries.
std::vector<std::vector<std::string>> stored(const std::string& text, const concrete::Formats& formats) {
  std::vector<std::vector<std::string>> out;
  for (const std::vector<notation::Statement>& statements : stored_parts({concrete::statement(text, formats)})) {
    out.emplace_back();
    for (const notation::Statement& statement : statements)
      out.back().push_back(to_string(statement.lhs.tensor.format()) + ": " + notation::to_string(statement));
  }
  return out;
}

TEST(StoredParts, HaveNoFlagsWhereOthersTellWhatIsThere) {
  std::vector<std::vector<std::string>> all =
      stored("W(i,j) = A(i,j)*log(5000/max(sum(k, A(k,j)), 1))", {{"A", "csr"}, {"W", "csr"}});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0][0], "dense: w(j) = log(5000/max(sum(k, A(k,j)), 1))");
  EXPECT_EQ(all[0][1], "csr: W(i,j) = A(i,j)*w(j)");
  EXPECT_EQ(all[1][0], "dense: w(j) = sum(k, A(k,j))");
}

TEST(StoredParts, HaveFlagsWhereTheyMatter) {
  for (const char* text : {"W(i,j) = A(i,j)*sum(k, A(k,j))", "W(i,j) = A(i,j) + sum(k, A(k,j))",
                           "W(i,j) = A(i,j)*B(i,j) + sum(k, A(k,j))*B(i,j)"}) {
    for (const std::vector<std::string>& way : stored(text, {{"A", "csr"}, {"B", "csr"}, {"W", "csr"}}))
      EXPECT_EQ(way[0], "bitmap: w(j) = sum(k, A(k,j))") << text;
  }
}

TEST(StoredParts, HaveNoFlagsWhereAllIsThere) {
  std::vector<std::vector<std::string>> all = stored("K(i,k) = sum(P, l, sum(j, B(P,i,j)*D(j,l))*C(P,k,l))", {});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0][0], "dense: w(P,i,l) = sum(j, B(P,i,j)*D(j,l))");
}

TEST(StoredParts, AreOfEachStatement) {
  notation::Statement one =
      concrete::statement("W(i,j) = A(i,j)*log(5000/max(sum(k, A(k,j)), 1))", {{"A", "csr"}, {"W", "csr"}});
  std::vector<notation::Statement> two = stored_parts({one})[0];
  std::vector<std::vector<notation::Statement>> three = stored_parts(two);
  ASSERT_EQ(three.size(), 1u);
  EXPECT_EQ(notation::to_string(three[0][0]), "w2(j) = sum(k, A(k,j))");
  EXPECT_EQ(notation::to_string(three[0][1]), "w(j) = log(5000/max(w2(j), 1))");
}

}  // namespace
}  // namespace filigree::compiler

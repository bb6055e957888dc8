// What several statements have is computed once.
#include "compiler/common_parts.h"

#include <gtest/gtest.h>

#include "compiler/stored_parts.h"
#include "notation/program.h"
#include "tests/concrete/from_text.h"

namespace filigree::compiler {
namespace {

std::vector<std::string> texts(const std::vector<notation::Statement>& statements) {
  std::vector<std::string> out;
  for (const notation::Statement& statement : statements) out.push_back(notation::to_string(statement));
  return out;
}

/// Statements of dense tensors, but for these formats.
std::vector<notation::Statement> statements(const std::vector<std::string>& lines,
                                            const concrete::Formats& formats = {}) {
  std::vector<notation::Statement> out;
  std::map<std::string, TensorVar> tensors;
  for (const std::string& line : lines) {
    notation::Parsed parsed = notation::parse(line);
    for (const auto& [name, tensor] : concrete::tensors_of(parsed, formats)) tensors.emplace(name, tensor);
    out.push_back(notation::resolve(parsed, tensors));
  }
  return out;
}

std::vector<notation::Step> steps(const std::vector<notation::Statement>& statements) {
  std::vector<notation::Step> out;
  for (size_t n = 0; n < statements.size(); n++) out.push_back({statements[n], {n}});
  return out;
}

TEST(WithoutCopies, ReadsTheFirstOfEqualTemporaries) {
  EXPECT_EQ(texts(without_copies(statements({"w(P,i,o) = B(P,i,j)*C(j,o)", "v(k,P,o) = B(P,k,l)*C(l,o)",
                                             "K(i,k) = w(P,i,o)*v(k,P,o)"}))),
            (std::vector<std::string>{"w(P,i,o) = sum(j, B(P,i,j)*C(j,o))", "K(i,k) = sum(P, o, w(P,i,o)*w(P,k,o))"}));
  // Another operand, and another place of a variable.
  for (const char* other : {"v(k,P,o) = B(P,k,l)*D(l,o)", "v(k,P,o) = B(P,l,k)*C(l,o)"})
    EXPECT_EQ(
        without_copies(statements({"w(P,i,o) = B(P,i,j)*C(j,o)", other, "K(i,k) = w(P,i,o)*v(k,P,o)"})).size(), 3u)
        << other;
}

TEST(WithPartsOnce, StoresWhatStandsInSeveralStatements) {
  auto once = with_parts_once(
      steps(statements({"Y(i,j) = A(i,k)*B(k,j) + C(i,j)", "Z(j) = sum(i, exp(sum(l, A(i,l)*B(l,j))))"})));
  ASSERT_TRUE(once);
  EXPECT_EQ(texts(notation::statements_of(*once)),
            (std::vector<std::string>{"part(i,j) = sum(k, A(i,k)*B(k,j))", "Y(i,j) = part(i,j) + C(i,j)",
                                      "Z(j) = sum(i, exp(part(i,j)))"}));
  EXPECT_FALSE(with_parts_once(*once));
}

TEST(WithPartsOnce, StoresWhatAStatementHasTwice) {
  auto once = with_parts_once(steps(statements({"y(i,j) = sum(k, A(i,k)*x(k))*sum(l, A(j,l)*x(l))"}, {{"A", "csr"}})));
  ASSERT_TRUE(once);
  EXPECT_EQ(texts(notation::statements_of(*once)),
            (std::vector<std::string>{"part(i) = sum(k, A(i,k)*x(k))", "y(i,j) = part(i)*part(j)"}));
  EXPECT_EQ(to_string((*once)[0].statement.lhs.tensor.format()), "bitmap") << "A may have empty rows";
}

TEST(WithPartsOnce, ReadsWhatAStatementAssigns) {
  auto once = with_parts_once(
      steps(statements({"T(i,j) = A(i,k)*B(k,j)", "y(j) = sum(i, exp(sum(l, A(i,l)*B(l,j))))"})));
  ASSERT_TRUE(once);
  EXPECT_EQ(texts(notation::statements_of(*once)),
            (std::vector<std::string>{"T(i,j) = sum(k, A(i,k)*B(k,j))", "y(j) = sum(i, exp(T(i,j)))"}));
}

TEST(WithPartsOnce, LeavesAloneWhatChanges) {
  EXPECT_FALSE(with_parts_once(steps(statements({"Y(i,j) = A(i,k)*B(k,j) + C(i,j)", "A(i,k) = C(i,k)",
                                                 "A(i,k) = 2*C(i,k)", "Z(i,j) = A(i,k)*B(k,j) - C(i,j)"}))));
}

}  // namespace
}  // namespace filigree::compiler

#include "concrete/parse.h"

#include <gtest/gtest.h>

#include "support/diagnostic.h"
#include "tests/concrete/from_text.h"

namespace filigree::concrete {
namespace {

const std::map<std::string, TensorVar> tensors = {{"a", TensorVar("a", ElementType::Float64, Format::dense(1))},
                                                  {"b", TensorVar("b", ElementType::Float64, Format::sparse(1))},
                                                  {"A", TensorVar("A", ElementType::Float64, parse_format("csr", 2))},
                                                  {"t", TensorVar("t", ElementType::Float64, Format())}};

std::string printed(const std::string& text) {
  std::map<std::string, IndexVar> indices;
  return to_string(parse(text, tensors, indices));
}

std::string error(const std::string& text) {
  try {
    return printed(text);
  } catch (const UserError& error) {
    return error.message();
  }
}

TEST(Parse, ReadsWhatIsPrinted) {
  for (const char* text : {
           "a(i) = b(i)",
           "forall(i, a(i) = b(i))",
           "forall(i, where(a(i) = t, forall(j, t += A(i,j)*b(j))))",
           "sequence(forall(i, a(i) += b(i)); forall(i, a(i) += -b(i)))",
           "multi(forall(i, a(i) = b(i)); t = 2)",
           "forall(i, a(i) = b(i) if stored)",
           "forall(i, forall(j, sequence(a(i) += A(i,j)*b(j); a(j) += A(i,j)*b(i) unless i = j)))",
           "forall(i, forall(j, a(i) += A(i,j)*b(j) if stored unless i = j))",
           "forall(i, a(i) min= max(b(i), 2) - (b(i) - 1)/2)",
       }) {
    EXPECT_EQ(printed(text), text);
  }
}

TEST(Parse, MakesOneVariableOfOneName) {
  std::map<std::string, IndexVar> indices;
  Stmt stmt = parse("forall(i, a(i) = b(i))", tensors, indices);
  EXPECT_EQ(indices.size(), 1u);
  EXPECT_EQ(stmt.as<Forall>()->var, indices.at("i"));
}

TEST(Parse, AddsNoReductions) {
  std::map<std::string, IndexVar> indices;
  Stmt stmt = parse("forall(i, forall(j, a(i) += A(i,j)))", tensors, indices);
  const Assign* assign = stmt.as<Forall>()->body.as<Forall>()->body.as<Assign>();
  EXPECT_TRUE(assign->rhs.as<Access>() != nullptr);
}

TEST(Parse, SaysWhatIsWrong) {
  EXPECT_EQ(error("forall(i, a(i) = c(i))"), "Unknown tensor 'c'");
  EXPECT_EQ(error("forall(i, a(i) = A(i))"), "Tensor 'A' has the wrong number of indices");
  EXPECT_EQ(error("forall(i a(i) = b(i))"), "',' should stand here");
  EXPECT_EQ(error("forall(i, a(i) = b(i)"), "')' should stand here");
  EXPECT_EQ(error("forall(, a(i) = b(i))"), "An index variable should stand here");
  EXPECT_EQ(error("a(i) = b(i))"), "Something is left over after the statement");
  EXPECT_EQ(error("a(i) = b(i) unless i"), "Two index variables should stand after 'unless', as in i = j");
}

}  // namespace
}  // namespace filigree::concrete

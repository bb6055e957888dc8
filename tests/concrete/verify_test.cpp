// One test for every numbered rule of verify.h.
#include "concrete/verify.h"

#include <gtest/gtest.h>

#include "support/check.h"
#include "tests/concrete/from_text.h"

namespace filigree::concrete {
namespace {

const std::map<std::string, TensorVar> tensors = {
    {"a", TensorVar("a", ElementType::Float64, Format::dense(1))},
    {"b", TensorVar("b", ElementType::Float64, Format::sparse(1))},
    {"A", TensorVar("A", ElementType::Float64, parse_format("csr", 2))},
    {"t", TensorVar("t", ElementType::Float64, Format())},
};

/// What the verifier says, without the statement; "" if it is content.
std::string verdict(const Program& program) {
  try {
    verify(program, "test");
  } catch (const InternalError& error) {
    std::string text = error.what();
    return text.substr(0, text.find('\n'));
  }
  return "";
}
std::string verdict(const std::string& text) { return verdict(program(text, tensors, "a", {"b", "A"})); }

TEST(Verify, AcceptsWhatConcretizeMakes) {
  EXPECT_EQ(verdict(concretized("a(i) = B(j,i)*c(j) + d(i)", {{"B", "csr"}})), "");
  EXPECT_EQ(verdict("forall(i, where(a(i) = t, forall(j, t += A(i,j)*b(j))))"), "");
}

TEST(Verify, RefusesUnboundVariables) {
  EXPECT_EQ(verdict("forall(i, a(i) = b(j))"), "internal error in test: index variable 'j' is not bound");
}

TEST(Verify, RefusesRebinding) {
  EXPECT_EQ(verdict("forall(i, forall(i, a(i) = b(i)))"), "internal error in test: index variable 'i' is bound twice");
}

TEST(Verify, AllowsOneVariableInTwoLoopsBesideEachOther) {
  EXPECT_EQ(verdict("sequence(forall(i, a(i) += b(i)); forall(i, a(i) += b(i)))"), "");
}

TEST(Verify, RefusesAWrongNumberOfIndices) {
  Program p = program("forall(i, a(i) = b(i))", tensors, "a", {"b"});
  IndexVar i = p.statement.as<Forall>()->var;
  p.statement = Forall{i, Assign{Access{tensors.at("a"), {i}}, std::nullopt, Expr(Access{tensors.at("b"), {i, i}})}};
  EXPECT_EQ(verdict(p), "internal error in test: 'b' has the wrong number of indices");
}

TEST(Verify, RefusesAVariableWithoutExtent) {
  Program p = program("forall(i, a(i) = b(i))", tensors, "a", {"b"});
  p.environment.extents.clear();
  EXPECT_EQ(verdict(p), "internal error in test: index variable 'i' has no extent");
}

TEST(Verify, RefusesATemporaryReadBeforeItIsWritten) {
  EXPECT_EQ(verdict("forall(i, a(i) = t)"), "internal error in test: 't' is read before it is written");
}

/// A copy of `program` in which every assignment to `tensor` reads it too.
Program reading_itself(const Program& program, const TensorVar& tensor) {
  Program out = program;
  out.statement = map_assigns(program.statement, [&](const Assign& n) -> Stmt {
    if (!(n.lhs.tensor == tensor)) return n;
    return Assign{n.lhs, n.op, Expr(notation::Apply{Operator::Add, {Expr(n.lhs), n.rhs}})};
  });
  return out;
}

TEST(Verify, RefusesATemporaryReadByItsProducer) {
  Program p = program("forall(i, where(a(i) = t, t = b(i)))", tensors, "a", {"b"});
  EXPECT_EQ(verdict(p), "");
  EXPECT_EQ(verdict(reading_itself(p, tensors.at("t"))), "internal error in test: 't' is read before it is written");
}

TEST(Verify, RefusesATemporaryReadOutsideItsWhere) {
  EXPECT_EQ(verdict("forall(i, sequence(where(a(i) += t, t = b(i)); a(i) += t))"),
            "internal error in test: 't' is read before it is written");
}

TEST(Verify, RefusesAResultThatIsRead) {
  Program p = program("forall(i, a(i) = b(i))", tensors, "a", {"b"});
  EXPECT_EQ(verdict(reading_itself(p, tensors.at("a"))), "internal error in test: 'a' is read before it is written");
}

TEST(Verify, RefusesAnOrderThatAnOperandCannotFollow) {
  EXPECT_EQ(verdict("forall(j, forall(i, a(i) += A(i,j)))"),
            "internal error in test: 'A' cannot be walked in this order of loops");
}

TEST(Verify, RefusesReductionsInAssignments) {
  Program p = program("forall(i, forall(j, a(i) += A(i,j)))", tensors, "a", {"A"});
  const Forall& outer = *p.statement.as<Forall>();
  const Forall& inner = *outer.body.as<Forall>();
  const Assign& assign = *inner.body.as<Assign>();
  p.statement = Forall{
      outer.var, Assign{assign.lhs, std::nullopt, Expr(notation::Reduce{Operator::Add, {inner.var}, assign.rhs})}};
  EXPECT_EQ(verdict(p), "internal error in test: a reduction is left in an assignment");
}

TEST(Verify, ShowsTheStatement) {
  try {
    verify(program("forall(i, a(i) = t)", tensors, "a", {}), "test");
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("while working on: a(i) = t"), std::string::npos);
  }
}

}  // namespace
}  // namespace filigree::concrete

#include "concrete/written.h"

#include <gtest/gtest.h>

#include "tests/concrete/from_text.h"

namespace filigree::concrete {
namespace {

std::string meaning(const std::string& loops) { return Written(loops).meaning(); }

std::string error(const std::string& loops, const Formats& formats = {}) {
  try {
    Written written(loops);
    notation::Parsed parsed = notation::parse(written.meaning());
    written.loops_for(notation::resolve(parsed, tensors_of(parsed, formats)));
  } catch (const UserError& error) {
    return error.message();
  }
  return "";
}

/// Loops for the statement that they mean.
Program program_of(const std::string& loops, const Formats& formats) {
  Written written(loops);
  return written.loops_for(statement(written.meaning(), formats)).value();
}

TEST(Written, MeansReductionsInPlaceOfLoops) {
  EXPECT_EQ(meaning("forall(i, forall(j, y(i) += A(i,j)*x(j)))"), "y(i) = sum(j, (A(i,j)*x(j)))");
  EXPECT_EQ(meaning("forall(j, forall(i, y(i) min= A(i,j)))"), "y(i) = min_over(j, (A(i,j)))");
  EXPECT_EQ(meaning("forall(i, y(i) = b(i))"), "y(i) = (b(i))");
  EXPECT_EQ(meaning("forall(i, s -= b(i))"), "s = sum(i, (-(b(i))))");
}

TEST(Written, MeansWhatFillsAWorkspaceInItsPlace) {
  EXPECT_EQ(meaning("forall(i, where(y(i) = t*2e-1, forall(j, t += A(i,j)*x(j))))"),
            "y(i) = ((sum(j, (A(i,j)*x(j))))*2e-1)");
  EXPECT_EQ(meaning("forall(i, where(forall(j, A(i,j) = w(j)), forall(k, forall(l, w(l) += B(i,k)*C(k,l)))))"),
            "A(i,j) = ((sum(k, (B(i,k)*C(k,j)))))");
  EXPECT_EQ(meaning("where(forall(i, a(i) = w(i)), sequence(forall(i, w(i) = b(i)); forall(j, w(j) -= c(j))))"),
            "a(i) = (((b(i)) + (-(c(i)))))");
}

TEST(Written, NamesReducedVariablesApart) {
  EXPECT_EQ(meaning("forall(i, where(forall(k, y(i) += B(i,k)*t), forall(k, t += c(k))))"),
            "y(i) = sum(k2, (B(i,k2)*(sum(k, (c(k))))))");
}

TEST(Written, KeepsLoopsAsTheyAreWritten) {
  for (const auto& [loops, formats] : std::vector<std::pair<std::string, Formats>>{
           {"forall(i, forall(j, y(i) += A(i,j)*x(j)))", {{"A", "csr"}}},
           {"forall(i, forall(j, y(i) += A(i,j)*x(j)))", {{"A", "bcsr(2,2)"}}},
           {"forall(j, forall(i, y(i) += A(i,j)*x(j)))", {{"A", "csc"}}},
           {"forall(i, where(y(i) = t, forall(j, t += A(i,j)*x(j))))", {{"A", "dcsr"}, {"y", "sparse"}}},
           {"forall(k, forall(i, forall(j, A(i,j) += B(i,k)*C(k,j))))", {{"A", "csr"}, {"B", "csc"}, {"C", "csr"}}},
           {"sequence(forall(i, a(i) = b(i)); forall(i, a(i) += -c(i)))", {{"b", "sparse"}, {"c", "sparse"}}}}) {
    EXPECT_EQ(to_string(program_of(loops, formats).statement), loops);
  }
}

TEST(Written, TakesTheRestOfThePathOutOfOrderWhereOneOperandIsVisited) {
  EXPECT_NO_THROW(program_of("forall(i, where(forall(j, A(i,j) = w(j)), forall(j, w(j) += B(i,j))))",
                             {{"A", "csr"}, {"B", "dok"}}));
  EXPECT_EQ(error("forall(i, forall(j, A(i,j) = B(i,j) + C(i,j)))", {{"A", "csr"}, {"B", "dok"}, {"C", "csr"}}),
            "'B(i,j)' (dok) cannot be walked by loops over i, j");
}

TEST(Written, GoesThroughLevelsThatRelationsName) {
  std::string loops = "forall(ib, forall(jb, forall(ii, forall(ji, y(i) += A(ib,jb,ii,ji)*x(j)))))",
              relations = "\n  ib = i/2\n  jb = j/2\n  ii = i%2\n  ji = j%2\n  i = 2*ib + ii\n  j = 2*jb + ji\n";
  EXPECT_EQ(meaning(loops + relations), "y(i) = sum(j, (A(i,j)*x(j)))");
  EXPECT_EQ(to_string(program_of(loops + relations, {{"A", "bcsr(2,2)"}}).statement), loops);
  EXPECT_EQ(error(loops + relations, {{"A", "csr"}}), "'A' is stored as csr, and these are not its levels");
  EXPECT_EQ(error(loops + relations, {{"A", "bcsr(2,4)"}}), "'A' is stored as bcsr(2,4), and these are not its levels");
  EXPECT_EQ(error(loops + relations + "  k = i + 1\n", {{"A", "bcsr(2,2)"}}),
            "No format says how 'k' follows from others like this");
  EXPECT_EQ(error(loops), "'i' is not bound: no loop around it runs over 'i'");
  EXPECT_EQ(meaning("forall(d, forall(i, s += A(d,i,j)))\nd = j - i\nj = d + i"), "s = sum(i, j, (A(i,j)))");
}

TEST(Written, IsMadeOfATreeWithItsWorkspaces) {
  std::map<std::string, TensorVar> tensors = tensors_of(notation::parse("y(i) = A(i,j)*x(j)"), {{"A", "csr"}});
  tensors.emplace("t", TensorVar("t", ElementType::Float64, Format()));
  std::map<std::string, IndexVar> indices;
  Stmt tree = parse("forall(i, where(y(i) = t, forall(j, t += A(i,j)*x(j))))", tensors, indices);
  EXPECT_EQ(to_string(Written(tree).loops_for(statement(Written(tree).meaning(), {{"A", "csr"}}))->statement),
            to_string(tree));
}

TEST(Written, IsForNoOtherStatement) {
  Written written("forall(i, y(i) = b(i))");
  EXPECT_FALSE(written.loops_for(statement("y(i) = b(i) + 1")).has_value());
  EXPECT_FALSE(written.loops_for(statement("y(i) = c(i)")).has_value());
}

TEST(Written, SaysWhatIsWrong) {
  EXPECT_EQ(error("forall(i, y(i) = b(j))"), "'j' is not bound: no loop around it runs over 'j'");
  EXPECT_EQ(error("forall(i, forall(i, y(i) = b(i)))"), "'i' is bound twice: a loop over it is around this one");
  EXPECT_EQ(error("forall(i, y(i) /= b(i))"), "Loops cannot accumulate by '/'");
  EXPECT_EQ(error("forall(i, s = b(i))"), "'s' is written again in each iteration of the loop over 'i'");
  EXPECT_EQ(error("sequence(s = b; s = c)"), "'s' is written before: this would replace it");
  EXPECT_EQ(error("multi(s = b; s += c)"), "Two statements of a multi write 's'");
  EXPECT_EQ(error("where(s = t, s = b)"), "The producer of a where writes 's', which is the result");
  EXPECT_EQ(error("forall(i, where(y(i) = w(i), w(i) = b(i)))"),
            "The loop over 'i' is around the where that fills 'w', so that it has only one component there");
  EXPECT_EQ(error("where(where(s = t, t = b), t = c)"), "'t' is filled by another producer, too");
  EXPECT_EQ(error("forall(i, forall(j, y(i) = b(i) if stored))"), "'if stored' is for copies that Filigree makes itself");
  EXPECT_EQ(error("forall(s, s += 1)"), "'s' is a tensor, and cannot be an index variable too");
  EXPECT_EQ(error("forall(i, forall(j, y(i) += b(i)))"), "Nothing tells how many coordinates 'j' has");
}

TEST(Written, RefusesToGrowWithoutBound) {
  std::string loops = "s = t40", end;
  for (int n = 40; n > 0; n--) {
    loops = "where(" + loops;
    end += ", t" + std::to_string(n) + " = t" + std::to_string(n - 1) + "*t" + std::to_string(n - 1) + ")";
  }
  EXPECT_EQ(error("where(" + loops + end + ", t0 = b)"),
            "Workspaces are read so often that the statement takes more than 64 KiB when they are written out");
  std::string deep = "s = b";
  for (int n = 0; n < 1000; n++) deep = "where(" + deep;
  EXPECT_EQ(error(deep), "Statements nest more than 200 deep");
}

}  // namespace
}  // namespace filigree::concrete

#include "autoschedule/enumerate.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "autoschedule/canonical.h"
#include "autoschedule/group.h"
#include "autoschedule/place.h"
#include "autoschedule/realize.h"
#include "tests/autoschedule/from_text.h"

namespace filigree::autoschedule {
namespace {

std::vector<std::string> texts(const std::vector<Grouping>& groupings) {
  std::vector<std::string> out;
  for (const Grouping& grouping : groupings) out.push_back(to_string(grouping));
  std::sort(out.begin(), out.end());
  return out;
}

std::string reason(const std::string& text, const concrete::Formats& formats = {}) {
  auto made = problem_of(concrete::statement(text, formats));
  return std::holds_alternative<Problem>(made) ? "scheduled" : std::get<NotScheduled>(made).reason;
}

TEST(Problems, HaveProducersForReductionsInside) {
  EXPECT_EQ(to_string(problem("y(i) = A(i,j)*x(j)").body), "y(i(i)) += A(s(i),s(j)) * x(s(j))");
  EXPECT_EQ(to_string(problem("y(i) = A(i,j)*x(j) + b(i)").body),
            "where(y(i(i)) = t + b(s(i)), t += A(s(i),s(j)) * x(s(j)))");
  EXPECT_EQ(to_string(problem("y(i) = sum(j, A(i,j))*sum(j, B(i,j))").body),
            "where(where(y(i(i)) = t * t2, t += A(s(i),s(j))), t2 += B(s(i),s(j2)))");
  EXPECT_EQ(to_string(problem("y(i) = sum(j, A(i,j)*sum(k, B(j,k)))").body), "y(i(i)) += A(s(i),s(j)) * B(s(j),s(k))");
}

TEST(Problems, KnowWhichSizesAreEqual) {
  Problem p = problem("A(i,j) = B(i,k)*B(k,j)");
  EXPECT_EQ(p.dimensions.at("i"), p.dimensions.at("j"));
  Problem q = problem("A(i,j) = B(i,k)*C(k,j)");
  EXPECT_NE(q.dimensions.at("i"), q.dimensions.at("j"));
  EXPECT_EQ(q.indices, (std::vector<std::string>{"i", "j", "k"}));
}

TEST(Problems, ThatAreLeftToOthersSayWhy) {
  EXPECT_EQ(reason("y(i) = x(i)"), "it is a copy");
  EXPECT_EQ(reason("y(i) = x(i+1)*z(i)"), "an index of 'x' is no index variable");
  EXPECT_EQ(reason("y(i) = i*x(i)"), "an index variable is used as a value");
  EXPECT_EQ(reason("y(i) = prune(x(i)*z(i))"), "values of the result decide what is stored");
  EXPECT_EQ(reason("y(i) = (x(i)*(c*0))*c"), "a number decides the result alone");
  EXPECT_EQ(reason("y(i) = max_over(j, A(i,j))", {{"A", "csr"}}), "what is not stored counts in a reduction");
  EXPECT_EQ(reason("y(i) = A(i,j)*x(j)", {{"A", "bcsr(2,2)"}}), "levels of 'A' are not its dimensions");
  EXPECT_EQ(reason("y(i) = A(i,j)*x(j)", {{"A", "csr"}}), "scheduled");
}

TEST(Rewrites, DistributeByTheTableOfOperators) {
  auto of = [](const std::string& text) {
    std::vector<std::string> out;
    for (const Expr& expr : rewrites(target(parse(text)).rhs, {})) out.push_back(to_string(expr));
    return out;
  };
  EXPECT_EQ(of("y = c * (a + b)"), (std::vector<std::string>{"(a + b) * c", "a * c + b * c"}));
  EXPECT_EQ(of("y = c + min(a, b)"), (std::vector<std::string>{"c + min(a, b)", "min(a + c, b + c)"}));
  EXPECT_EQ(of("y = c + a * b"), (std::vector<std::string>{"a * b + c"}));
  EXPECT_EQ(of("y = (c * b) * a"), (std::vector<std::string>{"a * b * c"}));
  EXPECT_EQ(of("y = (a + b) * (c + d)").size(), 8u);
  // Written out, this has 64 factors.
  for (const Expr& expr : rewrites(target(parse("y = (a + b) * (c + d) * (e + f) * (g + h)")).rhs, {}))
    EXPECT_LE(accesses(expr).size(), 12u) << to_string(expr);
}

TEST(Groupings, ReduceInTemporariesWhereThatIsTheSame) {
  EXPECT_EQ(texts(*groupings(problem("y(i) = B(i,j)*x(j)"), 100)),
            (std::vector<std::string>{"y(i(i)) += B(s(i),s(j)) * x(s(j))"}));
  std::vector<std::string> three = texts(*groupings(problem("s = B(i,j)*C(j,k)*D(k,i)"), 100));
  EXPECT_EQ(three.size(), 7u);  // none, and three pairs that reduce or not
  for (const char* op : {"", "+"}) {
    std::string wanted = std::string("where(s += D(s(k),s(i)) * s'0, s'0 ") + op + "= B(s(i),s(j)) * C(s(j),s(k)))";
    EXPECT_NE(std::find(three.begin(), three.end(), wanted), three.end()) << wanted;
  }
  EXPECT_EQ(texts(*groupings(problem("a(i) = b(i)*c(i)*d(i)"), 100)).size(), 4u);
  EXPECT_FALSE(groupings(problem("s = a(i)*b(i)*c(i)*d(i)*e(i)*f(i)"), 1000));
}

TEST(Placements, MoveLoopsToWhereTheyAreUsed) {
  Problem p = problem("a(i) = B(i,j)*C(j,k)*d(k)", {{"B", "csr"}, {"C", "csr"}});
  std::vector<Stmt> all = *enumerate(p);
  std::vector<std::string> found;
  for (const Stmt& stmt : all) {
    EXPECT_EQ(depth(stmt), 2);
    found.push_back(canonical_text(stmt));
  }
  // The five of P4, section 7.3.
  EXPECT_EQ(all.size(), 5u);
  auto has = [&](const std::string& text) {
    return std::find(found.begin(), found.end(), canonical_text(parse(text))) != found.end();
  };
  EXPECT_TRUE(has("forall(j, where(forall(i, a(i(i)) += B(s(i),s(j)) * w), forall(k, w += C(s(j),s(k)) * d(s(k)))))"));
  EXPECT_TRUE(
      has("where(forall(i, forall(j, a(a(i)) += B(s(i),s(j)) * w(s(j)))), forall(j, forall(k, w(a(j)) += "
          "C(s(j),s(k)) * d(s(k)))))"));
  EXPECT_TRUE(
      has("where(forall(j, forall(i, a(i(i)) += B(s(i),s(j)) * w(s(j)))), forall(k, forall(j, w(i(j)) += "
          "C(s(j),s(k)) * d(s(k)))))"));
}

TEST(Placements, KeepWhatIsReducedInsideOfItsProducer) {
  std::vector<Stmt> all = *enumerate(problem("y(i) = A(i,j)*x(j) + b(i)"));
  for (const Stmt& stmt : all) {
    std::string text = to_string(stmt);
    EXPECT_EQ(text.find("forall(j, where"), std::string::npos) << text;
  }
}

TEST(Placements, OfSeveralTemporariesIndexWhatEachOfThemNeeds) {
  // k is shared by all four: a temporary that is read beside another one keeps it.
  std::vector<Stmt> all = *enumerate(problem("s = b(k)*c(k)*d(k)*e(k)"));
  for (const Stmt& stmt : all) {
    std::set<std::string> bound;
    std::function<void(const Stmt&)> visit = [&](const Stmt& at) {
      if (const Forall* loop = at.as<Forall>()) {
        bound.insert(loop->index);
        visit(loop->body);
        bound.erase(loop->index);
      } else if (const Where* where = at.as<Where>()) {
        visit(where->consumer);
        visit(where->producer);
      } else {
        for (const std::string& index : indices_of(at)) EXPECT_TRUE(bound.count(index)) << to_string(stmt);
      }
    };
    visit(stmt);
  }
}

TEST(Enumerate, MakesNoTwoAlike) {
  Problem p = problem("s = x(i)*x(j)");
  EXPECT_EQ(enumerate(p)->size(), 1u);  // i and j are the same up to names
  EXPECT_FALSE(enumerate(p, {.groupings = 0}));
}

TEST(Protocols, OfWhatIsWrittenFollowFromLoops) {
  auto of = [](const std::string& text) { return to_string(with_write_protocols(parse(text))); };
  EXPECT_EQ(of("forall(i, forall(k, forall(j, A(i(i),i(j)) += B(s(i),s(k)) * C(s(k),s(j)))))"),
            "forall(i, forall(k, forall(j, A(a(i),i(j)) += B(s(i),s(k)) * C(s(k),s(j)))))");
  EXPECT_EQ(of("forall(j, forall(i, A(i(i),i(j)) = B(s(i),s(j))))"),
            "forall(j, forall(i, A(a(i),a(j)) = B(s(i),s(j))))");
  EXPECT_EQ(of("forall(i, where(y(i(i)) = w, forall(j, w += A(s(i),s(j)))))"),
            "forall(i, where(y(a(i)) = w, forall(j, w += A(s(i),s(j)))))");
}

TEST(Formats, OfTemporariesFollowFromProtocols) {
  auto of = [](const std::string& text) { return least_format("w", parse(text)); };
  EXPECT_EQ(of("where(forall(i, y(a(i)) = w(s(i))), forall(i, w(a(i)) = x(s(i))))"), "c");
  EXPECT_EQ(of("where(forall(i, y(a(i)) = w(l(i))), forall(i, w(a(i)) = x(s(i))))"), "u");
  EXPECT_EQ(of("where(forall(i, forall(j, y(a(i)) += w(l(i),s(j)))), forall(i, forall(j, w(a(i),i(j)) = "
               "x(s(i),s(j)))))"),
            "uh");
}

}  // namespace
}  // namespace filigree::autoschedule

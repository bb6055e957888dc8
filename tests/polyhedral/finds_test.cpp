// Templates that are proven are those that properties allow.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "concrete/concretize.h"
#include "layouts/of_format.h"
#include "lattice/strategy.h"
#include "notation/parse.h"
#include "polyhedral/finds.h"
#include "polyhedral/solver.h"
#include "support/text.h"

namespace filigree::polyhedral {
namespace {

using layouts::Expr;
using layouts::Formula;

/// Rows of A, and in each its columns: j increases.  They are looked for in one level of B, below the same row.
FindProblem below_rows_of_csr(const layouts::LevelRelation& level) {
  auto less = [](const Expr& a, const Expr& b) { return Formula::compare(Formula::Kind::Less, a, b); };
  auto at_most = [](const Expr& a, const Expr& b) { return Formula::compare(Formula::Kind::LessEqual, a, b); };
  Expr row = Expr::name("row"), at = Expr::name("pA"), next = Expr::name("pA", true), zero = Expr::number(0);
  auto pos = [](const Expr& p) { return Expr::read("A_pos", {p}); };
  auto crd = [](const Expr& p) { return Expr::read("A_crd", {p}); };
  Formula same_row = Formula::compare(Formula::Kind::Equal, row, Expr::name("row", true));
  FindProblem problem{{"row", "pA"},
                      {},
                      {at_most(zero, row), at_most(pos(row), at), less(at, pos(row + Expr::number(1)))},
                      {Formula::implies(Formula::all({same_row, less(at, next)}), less(crd(at), crd(next)))},
                      level.variable,
                      level.lower,
                      level.upper,
                      level.coordinate,
                      crd(at)};
  problem.searched = level.properties;
  return problem;
}

bool has(const std::vector<Find>& finds, Template name) {
  return std::any_of(finds.begin(), finds.end(), [&](const Find& find) { return find.name == name; });
}

/// What the lattice says of the same loop: A steps, B is found by the protocol.
bool is_valid(const level::FormatPtr& format, concrete::Protocol protocol) {
  notation::Parsed parsed = notation::parse("s = A(i,j)*B(i,j)");
  Format csr({{0, level::dense()}, {1, level::compressed()}}), other({{0, level::dense()}, {1, format}});
  TensorVar a("A", ElementType::Float64, csr), b("B", ElementType::Float64, other),
      s("s", ElementType::Float64, Format());
  IndexVar i("i"), j("j");
  lattice::Lattice lattice{j, {{a, 1, {i, j}}, {b, 1, {i, j}}}, {}};
  concrete::Access scalar{s, {}};
  lattice.points.push_back({3u, concrete::Assign{scalar, Operator::Add, notation::Expr(concrete::Access{a, {i, j}})}});
  lattice::Strategy strategy;
  strategy.protocols = {concrete::Protocol::Step, protocol};
  strategy.used = 3;
  strategy.by_length = {false};
  return !lattice::find_problem(lattice, strategy);
}

TEST(FindTemplates, AgreeWithWhatPropertiesAllow) {
  if (!is_built_with_solver()) GTEST_SKIP() << "built without Z3";
  const std::pair<Template, concrete::Protocol> protocols[] = {{Template::Locate, concrete::Protocol::Locate},
                                                               {Template::SeqIter, concrete::Protocol::SeqIter},
                                                               {Template::Gallop, concrete::Protocol::Gallop},
                                                               {Template::Binary, concrete::Protocol::Binary},
                                                               {Template::Hash, concrete::Protocol::Hash}};
  int compared = 0;
  for (const char* text : {"dense", "bitmap", "hashed", "range", "compressed", "compressed(unordered)",
                           "compressed(decreasing)", "compressed(nonunique)", "compressed(unordered, nonunique)",
                           "compressed(decreasing, nonunique)", "singleton"}) {
    std::vector<std::string> words = split(std::string(text), '(');
    level::FormatPtr format = level::find(words[0]);
    if (words.size() > 1) {
      for (const std::string& word : split(words[1].substr(0, words[1].size() - 1), ','))
        format = format->with(trim(word));
    }
    std::optional<layouts::LevelRelation> level = layouts::relation_of(*format, Expr::name("row"));
    ASSERT_TRUE(level) << text;
    std::vector<Find> finds = find_templates(below_rows_of_csr(*level));
    for (auto [name, protocol] : protocols) {
      bool proven = has(finds, name);
      // Its own table is what a level is located by, beside what is proven of its arrays.
      if (name == Template::Locate) proven = proven || level->has_own_table;
      EXPECT_EQ(proven, is_valid(format, protocol)) << text << " by " << to_string(name);
      compared++;
    }
    EXPECT_TRUE(has(finds, Template::Scan));
  }
  fmt::print("{} verdicts compared\n", compared);
}

TEST(FindTemplates, KeepACursorForAsLongAsItIsGood) {
  if (!is_built_with_solver()) GTEST_SKIP() << "built without Z3";
  // B's segment is that of the row, so the cursor begins anew with each row, not with each entry.
  std::vector<Find> finds =
      find_templates(below_rows_of_csr(*layouts::relation_of(*level::compressed(), Expr::name("row"))));
  for (const Find& find : finds) {
    if (find.name == Template::SeqIter || find.name == Template::Gallop || find.name == Template::Hash)
      EXPECT_EQ(find.state, std::vector<std::string>{"row"}) << to_string(find);
  }
  // One vector for all rows: a table is good for all of them, a cursor for one row.
  finds = find_templates(below_rows_of_csr(*layouts::relation_of(*level::compressed(), Expr::number(0))));
  for (const Find& find : finds) {
    if (find.name == Template::SeqIter) EXPECT_EQ(find.state, std::vector<std::string>{"row"});
    if (find.name == Template::Hash) EXPECT_EQ(find.state, std::vector<std::string>{});
  }
}

/// The product of two sparse vectors, P0 figure 2: the cursor is set once.
TEST(FindTemplates, OfADotProduct) {
  if (!is_built_with_solver()) GTEST_SKIP() << "built without Z3";
  auto less = [](const Expr& a, const Expr& b) { return Formula::compare(Formula::Kind::Less, a, b); };
  Expr p = Expr::name("pA"), q = Expr::name("pB");
  auto problem_for = [&](bool b_rises) {
    Expr mine = Expr::read("A_idx", {p}), next = Expr::read("A_idx", {Expr::name("pA", true)});
    Expr key = Expr::read("B_idx", {q}), other = Expr::read("B_idx", {Expr::name("pB", true)});
    FindProblem problem{{"pA"},
                        {},
                        {Formula::compare(Formula::Kind::LessEqual, Expr::number(0), p), less(p, Expr::name("A_len"))},
                        {Formula::implies(less(p, Expr::name("pA", true)), less(mine, next))},
                        "pB",
                        Expr::number(0),
                        Expr::name("B_len"),
                        key,
                        mine};
    problem.searched = {
        Formula::implies(less(q, Expr::name("pB", true)), b_rises ? less(key, other) : less(other, key))};
    return problem;
  };
  std::vector<std::string> rising, falling;
  for (const Find& find : find_templates(problem_for(true))) rising.push_back(to_string(find));
  for (const Find& find : find_templates(problem_for(false))) falling.push_back(to_string(find));
  EXPECT_EQ(join(rising, "; "),
            "binary; seqiter, kept throughout; gallop, kept throughout; hash, kept throughout; scan");
  EXPECT_EQ(join(falling, "; "), "binary falling; seqiter falling, kept throughout; hash, kept throughout; scan");
}

}  // namespace
}  // namespace filigree::polyhedral

// Templates that are proven are those that properties allow.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "concrete/concretize.h"
#include "layouts/of_format.h"
#include "layouts/relation_level.h"
#include "lattice/strategy.h"
#include "notation/parse.h"
#include "polyhedral/finds.h"
#include "polyhedral/solver.h"
#include "polyhedral/use_layout.h"
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

constexpr std::pair<Template, concrete::Protocol> protocols[] = {{Template::Locate, concrete::Protocol::Locate},
                                                                 {Template::SeqIter, concrete::Protocol::SeqIter},
                                                                 {Template::Gallop, concrete::Protocol::Gallop},
                                                                 {Template::Binary, concrete::Protocol::Binary},
                                                                 {Template::Hash, concrete::Protocol::Hash}};

/// The format as it is, and with every combination of the properties that it takes.
std::vector<std::pair<std::string, level::FormatPtr>> variants(const std::string& name) {
  const std::vector<std::string> words = {"unordered", "decreasing", "nonunique", "padded"};
  std::vector<std::pair<std::string, level::FormatPtr>> found;
  for (size_t set = 0; set < size_t{1} << words.size(); set++) {
    level::FormatPtr format = level::find(name);
    std::string text = name;
    for (size_t n = 0; n < words.size() && format; n++) {
      if (!(set >> n & 1)) continue;
      format = format->with(words[n]);
      text += " " + words[n];
    }
    if (format) found.push_back({text, format});
  }
  return found;
}

TEST(FindTemplates, AgreeWithWhatPropertiesAllow) {
  if (!is_built_with_solver()) GTEST_SKIP() << "built without Z3";
  int compared = 0, formats = 0;
  for (const std::string& name : level::names()) {
    for (const auto& [text, format] : variants(name)) {
      // Offsets follow from other levels; triangles stand below all rows; members belong to tuples; slots count.
      if (format->is_implied() || format->stands_under_rows() || format->counts_entries() ||
          format->holds_below() > 0 || name == "member")
        continue;
      std::optional<layouts::LevelRelation> level = layouts::relation_of(*format, Expr::name("row"));
      if (!level) continue;  // of a layout
      std::vector<Find> finds = find_templates(below_rows_of_csr(*level));
      formats++;
      for (auto [find, protocol] : protocols) {
        bool proven = has(finds, find);
        // Its own table is what a level is located by, beside what is proven of its arrays.
        if (find == Template::Locate) proven = proven || (level->has_own_table && format->properties().unique);
        // One child is in order and does not repeat itself: properties speak of those of several parents that repeat.
        level::Properties p = format->properties();
        bool of_several = p.branchless && (!p.unique || p.ordered == level::Ordered::No);
        if (of_several) EXPECT_TRUE(proven || !is_valid(format, protocol)) << text << " by " << to_string(find);
        else EXPECT_EQ(proven, is_valid(format, protocol)) << text << " by " << to_string(find);
        compared++;
      }
      EXPECT_TRUE(has(finds, Template::Scan));
    }
  }
  EXPECT_GE(formats, 25);
  fmt::print("{} verdicts on {} formats compared\n", compared, formats);
}

/// The last level of a layout, below a row that is known: what is walked there, and what the properties say of it.
std::optional<layouts::LevelRelation> last_level(const layouts::Usable& usable) {
  const layouts::Term& term = usable.layout.terms[0];
  const layouts::LevelPlan &rows = usable.levels.levels[0], &plan = usable.levels.levels.back();
  if (usable.dimensions.size() != 2 || !rows.is_numbered || plan.walked.size() != 1 || !plan.tests.empty())
    return std::nullopt;
  auto in_row = [&](const auto& tree) {
    std::map<std::pair<std::string, bool>, Expr> known;
    for (const layouts::Solution& s : rows.located) {
      for (bool second : {false, true}) {
        Expr row = Expr::name("row", second);
        known.emplace(std::pair(s.atom.text(), second), substitute(s.value, [&](const Expr& name) -> const Expr* {
                        return name.is_name(term.logical[static_cast<size_t>(rows.dimension)]) ? &row : nullptr;
                      }));
      }
    }
    return substitute(tree, [&](const Expr& name) -> const Expr* {
      auto found = known.find({name.text(), name.primed()});
      return found == known.end() ? nullptr : &found->second;
    });
  };
  const layouts::Walked& walked = plan.walked[0];
  layouts::LevelRelation level{walked.variable, in_row(walked.lower[0]), in_row(walked.upper[0]),
                               in_row(plan.coordinate), {}, {}, false};
  for (const Formula& written : usable.layout.properties) {
    layouts::Property property = layouts::resolve(usable.layout, written);
    if (property.term) level.properties.push_back(in_row(property.formula));
  }
  return level;
}

/// What levels of layouts are said to be is proven in another way: from the whole relation, level by level.
TEST(FindTemplates, AgreeWithWhatLevelsOfLayoutsAllow) {
  if (!is_built_with_solver()) GTEST_SKIP() << "built without Z3";
  const char* texts[] = {"pi = pi' and a < a' -> crd(a) < crd(a')", "pi = pi' and a < a' -> crd(a) <= crd(a')",
                         "pi = pi' and a < a' -> crd(a') < crd(a)", "pi = pi' and a < a' -> crd(a') <= crd(a)",
                         "pi = pi' and a != a' -> crd(a) != crd(a')", "0 <= crd(a)",
                         "pi = pi' and a < a' -> 2*crd(a) < 2*crd(a') - 3", "pi < pi' and a < a' -> crd(a) < crd(a')"};
  int compared = 0;
  for (const char* columns : {"crd(pj)", "2*crd(pj) + 1", "7 - crd(pj)"}) {
    for (const char* property : texts) {
      UsedLayout used = use_layout(layouts::parse_layout(fmt::format(
          "layout finds{}(rows, columns) {{\n  arrays pos(rows + 1), crd(entries), vals(entries)\n"
          "  [pi, pj] -> [i, j] : 0 <= pi < rows and pos(pi) <= pj < pos(pi + 1) and i = pi and j = {}\n"
          "  value vals(pj)\n  where {}\n}}\n",
          compared, columns, property)));
      const layouts::Usable* usable = layouts::usable_of(used.format);
      ASSERT_TRUE(usable);
      std::optional<layouts::LevelRelation> level = last_level(*usable);
      ASSERT_TRUE(level) << columns;
      std::vector<Find> finds = find_templates(below_rows_of_csr(*level));
      // Arrays are searched if all of their elements are coordinates within the dimension.
      bool is_array = usable->levels.levels.back().searchable;
      for (auto [find, protocol] : protocols) {
        bool searched = find == Template::Gallop || find == Template::Binary;
        if (searched && !is_array) continue;
        EXPECT_EQ(has(finds, find), is_valid(used.format.levels().back().format, protocol))
            << columns << ", " << property << " by " << to_string(find);
        compared++;
      }
    }
  }
  fmt::print("{} verdicts on layouts compared\n", compared);
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

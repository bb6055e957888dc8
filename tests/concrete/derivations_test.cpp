// Which variables follow from which, tried out: what derivations say is compared with going through all values.
#include "concrete/derivations.h"

#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "support/diagnostic.h"

namespace filigree::concrete {
namespace {

using relation::Facts;
using relation::Formula;
using Values = std::map<IndexVar, std::int64_t>;

Facts facts_of(const Values& values, const Values& extents) {
  auto find = [](const Values& in) {
    return [&in](const IndexVar& var) { return in.count(var) ? std::optional(in.at(var)) : std::nullopt; };
  };
  return {find(values), find(extents)};
}

/// Variables of a statement, and others that follow from those before them: blocks and what is inside of them,
/// diagonals, indices, entries of lists.
class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {
    for (const char* name : {"i", "j", "k"}) {
      roots.emplace_back(name);
      all_.push_back(roots.back());
      sizes[roots.back()] = upto(7);
      environment.extents.insert({roots.back(), OfDimension{tensor_, static_cast<int>(roots.size()) - 1}});
    }
    for (std::int64_t count = 1 + upto(5); count > 0; count--) add();
    std::shuffle(environment.derivations.begin(), environment.derivations.end(), random_);
  }

  /// Runs `visit` for all values of the statement's variables, with what follows from them.
  void for_each(const std::function<void(const Values&)>& visit) const {
    Values values;
    std::function<void(size_t)> at = [&](size_t depth) {
      if (depth == roots.size()) return visit(with_derived_values(values));
      for (std::int64_t n = 0; n < sizes.at(roots[depth]); n++) {
        values[roots[depth]] = n;
        at(depth + 1);
      }
    };
    at(0);
  }

  /// From the definitions of words, and not by formulas.
  static std::int64_t value_of(const Derivation& derivation, const Values& values) {
    auto sum_of = [&](const relation::Sum& sum) {
      std::int64_t out = sum.offset;
      for (const auto& [var, factor] : sum.terms) out += factor * values.at(var);
      return out;
    };
    if (const relation::Sum* sum = derivation.as<relation::Sum>()) return sum_of(*sum);
    if (const relation::Entry* entry = derivation.as<relation::Entry>())
      return entry->list[static_cast<size_t>(sum_of(entry->number))];
    const auto& digits = *derivation.as<relation::DigitsOf<IndexVar>>();
    std::int64_t rest = values.at(digits.whole), part = 0;
    for (; rest >= digits.divisor; rest -= digits.divisor) part++;
    while (digits.modulus > 0 && part >= digits.modulus) part -= digits.modulus;
    return part;
  }

  Values with_derived_values(Values values) const {
    for (bool more = true; more;) {
      more = false;
      for (const Derivation& derivation : environment.derivations) {
        std::vector<IndexVar> sources = derivation.sources();
        bool are_known =
            std::all_of(sources.begin(), sources.end(), [&](const IndexVar& s) { return values.count(s); });
        if (!are_known || values.count(derivation.var)) continue;
        values[derivation.var] = value_of(derivation, values);
        more = true;
      }
    }
    return values;
  }

  std::int64_t upto(std::int64_t limit) { return static_cast<std::int64_t>(random_() % static_cast<unsigned>(limit)); }
  const IndexVar& some_root() { return roots[static_cast<size_t>(upto(3))]; }

  std::vector<IndexVar> roots;
  Values sizes;
  Environment environment;

 private:
  void add() {
    IndexVar var("v" + std::to_string(all_.size()));
    const IndexVar &one = some_root(), &other = some_root();
    switch (upto(4)) {
      case 0: {
        std::int64_t divisor = 1 + upto(4), modulus = upto(4);
        environment.extents.insert({var, relation::digits_range(Formula::extent(one), divisor, modulus)});
        environment.derivations.push_back({var, relation::DigitsOf<IndexVar>{one, divisor, modulus}});
        break;
      }
      case 1: {
        environment.extents.insert({var, relation::difference_range(Formula::extent(one), Formula::extent(other))});
        environment.derivations.push_back({var, relation::DifferenceOf<IndexVar>{one, other}.sum()});
        break;
      }
      case 2: {
        // 2*v + 3 is below 2*n + 2.
        std::int64_t factor = 1 + upto(3), offset = upto(4);
        environment.extents.insert(
            {var, relation::from_zero(Formula::extent(one) * Formula::number(factor) + Formula::number(offset))});
        environment.derivations.push_back({var, relation::Sum{{{one, factor}}, offset}});
        break;
      }
      default: {
        std::vector<std::int64_t> list;
        for (int n = 0; n < 7; n++) list.push_back(upto(9));
        environment.extents.insert({var, relation::from_zero(9)});
        environment.derivations.push_back({var, relation::Entry{{{{one, 1}}}, list}});
      }
    }
    all_.push_back(var);
  }

  std::mt19937 random_;
  TensorVar tensor_{"A", ElementType::Float64, Format::dense(3)};
  std::vector<IndexVar> all_;
};

TEST(Value, IsWhatTheWordsOfADerivationSay) {
  for (unsigned seed = 1; seed <= 200; seed++) {
    Random random(seed);
    random.for_each([&](const Values& values) {
      for (const Derivation& derivation : random.environment.derivations)
        EXPECT_EQ(relation::evaluate(value(derivation), facts_of(values, random.sizes)), values.at(derivation.var))
            << to_string(derivation);
    });
  }
}

TEST(AllExtents, HoldEveryValueThatAVariableCanHave) {
  int reached = 0;
  for (unsigned seed = 1; seed <= 200; seed++) {
    Random random(seed);
    Values extents = all_extents(random.environment, random.sizes);
    std::map<IndexVar, std::set<std::int64_t>> seen;
    random.for_each([&](const Values& values) {
      for (const auto& [var, at] : values) seen[var].insert(at);
    });
    for (const auto& [var, all] : seen) {
      std::int64_t first = *relation::evaluate(origin(random.environment, var), facts_of({}, extents));
      EXPECT_GE(*all.begin(), first) << var.name();
      EXPECT_LT(*all.rbegin(), first + extents.at(var)) << var.name();
      bool is_tight = *all.begin() == first && *all.rbegin() == first + extents.at(var) - 1;
      reached += is_tight;
    }
  }
  EXPECT_GT(reached, 400);  // of the variables of statements, blocks and diagonals
}

TEST(AllExtents, ThatDoNotFitAreRefused) {
  const std::int64_t large = std::int64_t{1} << 61;
  TensorVar A("A", ElementType::Float64, Format::dense(2));
  IndexVar i("i"), j("j"), twice("twice"), d("d"), both("both");
  Environment environment;
  environment.extents.insert({i, OfDimension{A, 0}});
  environment.extents.insert({j, OfDimension{A, 1}});
  environment.extents.insert({d, relation::difference_range(Formula::extent(i), Formula::extent(j))});
  EXPECT_EQ(all_extents(environment, {{i, large}, {j, large}}).at(d), 2 * (large - 1) + 1);
  environment.extents.insert({both, relation::from_zero(Formula::extent(i) * Formula::extent(j))});
  EXPECT_EQ(all_extents(environment, {{i, 1 << 30}, {j, 1 << 30}}).at(both), std::int64_t{1} << 60);
  try {
    all_extents(environment, {{i, 4'000'000'000}, {j, 4'000'000'000}});
    FAIL() << "nothing is refused";
  } catch (const UserError& error) {
    EXPECT_EQ(error.message(), "'both' would have more coordinates than a 64-bit integer counts: extent(i)*extent(j)");
  }
}

TEST(MayBeNegative, IsSaidWhereverAValueIs) {
  int negative = 0, never = 0;
  for (unsigned seed = 1; seed <= 300; seed++) {
    Random random(seed);
    for (const Derivation& derivation : random.environment.derivations) {
      bool is_below = false;
      random.for_each([&](const Values& values) { is_below = is_below || values.at(derivation.var) < 0; });
      bool may_be = may_be_negative(random.environment, derivation);
      EXPECT_TRUE(may_be || !is_below) << to_string(derivation);
      negative += may_be;
      never += !may_be;
    }
  }
  EXPECT_GT(negative, 50);
  EXPECT_GT(never, 50);
}

TEST(WithComputed, IsWhatFollowsFromWhatIsKnown) {
  for (unsigned seed = 1; seed <= 300; seed++) {
    Random random(seed);
    std::vector<IndexVar> bound;
    Values values;
    for (const IndexVar& root : random.roots) {
      if (random.upto(2) == 0) continue;
      bound.push_back(root);
      values[root] = 0;
    }
    std::vector<IndexVar> computed = with_computed(random.environment, bound);
    Values known = random.with_derived_values(values);
    EXPECT_EQ(computed.size(), known.size());
    for (const IndexVar& var : computed) EXPECT_TRUE(known.count(var)) << var.name();
    EXPECT_EQ(with_derived(random.environment, bound), computed);
  }
}

TEST(Derived, AreInAnOrderInWhichTheyCanBeComputedAndNeededAtAll) {
  for (unsigned seed = 1; seed <= 300; seed++) {
    Random random(seed);
    // Of what follows from others, too: j1 = v4 % 2.
    Environment& environment = random.environment;
    const Derivation first =
        environment
            .derivations[static_cast<size_t>(random.upto(static_cast<std::int64_t>(environment.derivations.size())))];
    IndexVar last("last");
    environment.derivations.insert(environment.derivations.begin(), {last, relation::Sum{{{first.var, 1}}}});
    TensorVar a("a", ElementType::Float64, Format::dense(1));
    Stmt reads = Assign{{a, {last}}, std::nullopt, Expr(notation::Literal{Scalar()})};
    std::vector<Derivation> all = derived(environment, random.roots, reads);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].var, first.var);
    EXPECT_EQ(all[1].var, last);
    Stmt loops = Forall{first.var, reads};  // which has a value then, without being computed
    std::vector<Derivation> inside = derived(environment, random.roots, loops);
    EXPECT_TRUE(inside.empty());
  }
}

TEST(Implications, HoldOnlyWhereTheTensorThatHoldsThemIsRead) {
  IndexVar i("i"), p("p");
  TensorVar held("held", ElementType::Bool, Format::sparse(1)), a("a", ElementType::Float64, Format::dense(1));
  Environment environment;
  environment.implications.push_back({p, {i}, held});
  Assign without{{a, {i}}, std::nullopt, Expr(notation::Literal{Scalar()})};
  Assign with{{a, {i}}, std::nullopt, Expr(Access{held, {i}})};
  EXPECT_FALSE(contains(with_derived(environment, {i}, without), p));
  EXPECT_TRUE(contains(with_derived(environment, {i}, with), p));
  EXPECT_FALSE(contains(with_computed(environment, {i}), p));  // no code computes it
}

}  // namespace
}  // namespace filigree::concrete

#include "notation/injective.h"

#include <gtest/gtest.h>

#include <set>

namespace filigree::notation {
namespace {

class Injective : public testing::Test {
 protected:
  /// T with one index for each row of factors of i, j, k.
  Access access(const std::vector<std::vector<std::int64_t>>& rows) const {
    Access out{TensorVar("T", ElementType::Float64, Format::dense(static_cast<int>(rows.size()))), {}};
    for (const std::vector<std::int64_t>& row : rows) {
      IndexMap map;
      for (size_t v = 0; v < row.size(); v++) {
        if (row[v] != 0) map.terms.push_back({vars[v], row[v]});
      }
      out.indices.push_back(make_index(map));
    }
    return out;
  }
  bool collides(const Access& a, std::vector<std::int64_t> extents) const {
    std::map<IndexVar, std::int64_t> all;
    for (size_t v = 0; v < vars.size(); v++) all[vars[v]] = extents[v];
    return find_collision(a, all).has_value();
  }
  std::vector<IndexVar> vars = {IndexVar("i"), IndexVar("j"), IndexVar("k")};
};

TEST_F(Injective, DependsOnExtentsWhereFactorsDiffer) {
  EXPECT_EQ(injectivity(access({{0, 61, 1}})), Injectivity::DependsOnExtents);
  EXPECT_EQ(injectivity(access({{1, 0, 1}})), Injectivity::Never);
  EXPECT_EQ(injectivity(access({{1}, {1, 1}})), Injectivity::Always);
  EXPECT_EQ(injectivity(access({{1, 1}, {1, -1}})), Injectivity::DependsOnExtents);
}

TEST_F(Injective, NamesTwoPointsOfOneComponent) {
  std::optional<Collision> found = find_collision(access({{0, 61, 1}}), {{vars[1], 5}, {vars[2], 62}});
  ASSERT_TRUE(found && found->vars.size() == 2);
  EXPECT_EQ(found->vars[0].first * 61 + found->vars[1].first, found->vars[0].second * 61 + found->vars[1].second);
  EXPECT_FALSE(find_collision(access({{0, 61, 1}}), {{vars[1], 5}, {vars[2], 61}}));
}

TEST_F(Injective, AgreesWithTryingAllPoints) {
  const std::vector<std::int64_t> factors = {-3, -1, 0, 1, 2, 5};
  for (std::int64_t a : factors)
    for (std::int64_t b : factors)
      for (std::int64_t c : factors)
        for (std::int64_t d : {0, 1, 4}) {
          Access both = access({{a, b, c}, {0, d, 1}});
          for (const std::vector<std::int64_t>& extents :
               std::vector<std::vector<std::int64_t>>{{2, 3, 4}, {4, 1, 3}, {3, 5, 2}, {0, 2, 2}}) {
            // A variable that no index has is not one of the access.
            bool has_i = a != 0, has_j = b != 0 || d != 0;
            std::set<std::pair<std::int64_t, std::int64_t>> seen;
            bool repeats = false;
            for (std::int64_t i = 0; i < (has_i ? extents[0] : 1); i++)
              for (std::int64_t j = 0; j < (has_j ? extents[1] : 1); j++)
                for (std::int64_t k = 0; k < extents[2]; k++) {
                  repeats |= !seen.insert({a * i + b * j + c * k, d * j + k}).second;
                }
            EXPECT_EQ(collides(both, extents), repeats) << a << " " << b << " " << c << " " << d << ": " << extents[0]
                                                        << " " << extents[1] << " " << extents[2];
          }
        }
}

TEST_F(Injective, IsQuickForLargeExtents) {
  std::int64_t n = std::int64_t{1} << 20;
  EXPECT_FALSE(collides(access({{n * n, n, 1}}), {n, n, n}));
  EXPECT_TRUE(collides(access({{n * n, n, 1}}), {n, n, n + 1}));
  EXPECT_FALSE(collides(access({{0, n + 1, n}}), {1, n, n}));
}

}  // namespace
}  // namespace filigree::notation

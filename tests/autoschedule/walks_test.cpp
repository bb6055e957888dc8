#include "autoschedule/walks.h"

#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "autoschedule/choose.h"

namespace filigree::autoschedule {
namespace {

using Entries = std::set<std::pair<std::int64_t, std::int64_t>>;

AnyTensor matrix(std::int64_t size, const Entries& entries, const char* format) {
  Coordinates all{{size, size}, {{}, {}}, Array(ElementType::Float64, static_cast<std::int64_t>(entries.size()))};
  for (const auto& [i, j] : entries) {
    all.coordinate[0].push_back(i);
    all.coordinate[1].push_back(j);
  }
  for (std::int64_t n = 0; n < all.values.count(); n++) all.values.set(n, Scalar::of(ElementType::Float64, 1.0));
  return AnyTensor::pack(all, parse_format(format, 2));
}

/// Groups of friends, who know each other, and some others.
Entries friends(std::int64_t size, std::int64_t group, unsigned seed) {
  std::mt19937 random(seed);
  Entries out;
  for (std::int64_t i = 0; i < size; i++) {
    for (std::int64_t j = i / group * group; j < std::min(size, (i / group + 1) * group); j++) out.insert({i, j});
    out.insert({i, static_cast<std::int64_t>(random() % static_cast<unsigned>(size))});
  }
  return out;
}

constexpr std::int64_t size = 240;

Universe universe() {
  Universe out;
  out.indices = {"i", "j", "k"};
  out.dimensions = {0, 1, 2};
  out.tensors = {"B", "C", "M"};
  return out;
}

Atom atom(int tensor, int a, int b) {
  Atom out;
  out.tensor = static_cast<std::uint8_t>(tensor);
  out.order = 2;
  out.vars[0] = static_cast<std::uint8_t>(a);
  out.vars[1] = static_cast<std::uint8_t>(b);
  return out;
}

class WalksTest : public testing::TestWithParam<const char*> {
 protected:
  Entries b_entries = friends(size, 12, 1), c_entries = friends(size, 20, 2), m_entries = friends(size, 6, 3);
  AnyTensor b = matrix(size, b_entries, GetParam()), c = matrix(size, c_entries, GetParam()),
            m = matrix(size, m_entries, GetParam());
  Walks walks{{{"B", &b}, {"C", &c}, {"M", &m}}};
  std::map<std::string, double> extents = {{"i", size}, {"j", size}, {"k", size}};

  void expect_near(const Query& query, double exact) const {
    std::optional<double> count = walks.count(query, universe(), extents);
    ASSERT_TRUE(count);
    EXPECT_NEAR(*count / exact, 1, 0.3) << to_string(query, universe());
    EXPECT_EQ(*count, *Walks({{"B", &b}, {"C", &c}, {"M", &m}}).count(query, universe(), extents)) << "always the same";
  }
};

TEST_P(WalksTest, CountResultsOfAJoin) {
  double products = 0, met = 0;
  Entries made;
  for (auto [i, k] : b_entries) {
    for (auto [k2, j] : c_entries) {
      if (k != k2) continue;
      products++;
      met += static_cast<double>(m_entries.count({i, j}));
      made.insert({i, j});
    }
  }
  expect_near({7, {atom(0, 0, 2), atom(1, 2, 1)}}, products);
  expect_near({7, {atom(2, 0, 1), atom(0, 0, 2), atom(1, 2, 1)}}, met);
  // What is there for some k counts once.
  expect_near({3, {atom(0, 0, 16), atom(1, 16, 1)}}, static_cast<double>(made.size()));
  expect_near({1, {atom(0, 0, 16)}}, size);
  // A loop over what no operand tells.
  expect_near({7, {atom(0, 0, 2)}}, static_cast<double>(b_entries.size()) * size);
}

INSTANTIATE_TEST_SUITE_P(Formats, WalksTest, testing::Values("csr", "csc", "dcsr", "coo", "bitmap", "hash"),
                         [](const auto& one) { return std::string(one.param); });

TEST(Walks, BeginWhereTheOthersAreToldBest) {
  // A component of C(k,j) tells no row of B(i,k) or M(i,j): from there, a walk would guess one, and find nothing.
  constexpr std::int64_t large = 4000;
  auto scattered = [](std::int64_t row, unsigned seed) {
    std::mt19937 random(seed);
    Entries out;
    for (std::int64_t i = 0; i < large; i++) {
      for (std::int64_t n = 0; n < row; n++)
        out.insert({i, static_cast<std::int64_t>(random() % static_cast<unsigned>(large))});
    }
    return out;
  };
  AnyTensor b = matrix(large, scattered(11, 1), "csr"), c = matrix(large, scattered(10, 2), "csr"),
            m = matrix(large, scattered(12, 3), "csr");
  Query query;
  query.head = 7;
  query.atoms = {atom(0, 0, 2), atom(1, 2, 1), atom(2, 0, 1)};
  std::optional<double> count =
      Walks({{"B", &b}, {"C", &c}, {"M", &m}}).count(query, universe(), {{"i", large}, {"j", large}, {"k", large}});
  ASSERT_TRUE(count);
  EXPECT_LT(*count, 10000) << "there are about 1300";
}

TEST(Walks, TellNothingOfWhatTheyDoNotKnow) {
  AnyTensor b = matrix(size, friends(size, 12, 1), "csr"), blocked = matrix(8, {{0, 0}}, "bcsr(2,2)");
  Walks walks({{"B", &b}, {"M", &blocked}});
  std::map<std::string, double> extents = {{"i", size}, {"j", size}, {"k", size}};
  EXPECT_FALSE(walks.count({3, {}}, universe(), extents));
  EXPECT_FALSE(walks.count({3, {atom(0, 0, 1), atom(1, 0, 1)}}, universe(), extents)) << "C is not there";
  EXPECT_FALSE(walks.count({3, {atom(2, 0, 1)}}, universe(), extents)) << "levels are not dimensions";
}

TEST(Estimate, AsksWalks) {
  AnyTensor b = matrix(size, friends(size, 12, 1), "csr"), c = matrix(size, friends(size, 12, 2), "csr");
  Query both{3, {atom(0, 0, 1), atom(1, 0, 1)}};
  InputSizes sizes{{{"i", size}, {"j", size}, {"k", size}},
                   {{"B", static_cast<double>(b.stored())}, {"C", static_cast<double>(c.stored())}}};
  Universe all = universe();
  all.sunk = {{0, {atom(0, 0, 1)}}, {0, {atom(1, 0, 1)}}};
  double guess = estimate(both, all, sizes);
  sizes.walks = std::make_shared<const Walks>(std::map<std::string, const AnyTensor*>{{"B", &b}, {"C", &c}});
  EXPECT_GT(estimate(both, all, sizes), 10 * guess) << "groups of friends are the same in both";
}

}  // namespace
}  // namespace filigree::autoschedule

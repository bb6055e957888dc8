#include "autoschedule/tasks.h"

#include <gtest/gtest.h>

namespace filigree::autoschedule {
namespace {

// Variables 0, 1, 2 are i, j, k; from 16 on, "there is one".  Tensors 0, 1 are B, C.
constexpr std::uint8_t i = 0, j = 1, k = 2, e1 = 16, e2 = 17, e3 = 18;

Atom atom(std::uint8_t tensor, std::vector<std::uint8_t> vars) {
  Atom out;
  out.tensor = tensor;
  out.order = static_cast<std::uint8_t>(vars.size());
  for (size_t d = 0; d < vars.size(); d++) out.vars[d] = vars[d];
  return out;
}
Atom B(std::uint8_t a, std::uint8_t b) { return atom(0, {a, b}); }
Atom C(std::uint8_t a, std::uint8_t b) { return atom(1, {a, b}); }

Query query(std::vector<std::uint8_t> head, std::vector<Atom> atoms) {
  Query out{0, std::move(atoms)};
  for (std::uint8_t var : head) out.head |= 1u << var;
  return out;
}

const Universe plain{{"i", "j", "k"}, {0, 1, 2}, {"B", "C"}, 0, {}};
const Universe nonempty{{"i", "j", "k"}, {0, 1, 2}, {"B", "C"}, 3, {}};
const Universe square{{"i", "j", "k"}, {0, 0, 0}, {"B", "C"}, 0, {}};

TEST(Contains, FindsHomomorphisms) {
  // The example of P4, section 6.1.
  Query pairs = query({i, j}, {B(i, e1), C(e2, j)});
  Query one = query({i, j}, {C(e1, j)});
  EXPECT_TRUE(contains(one, pairs, plain));
  EXPECT_FALSE(contains(pairs, one, plain));
  EXPECT_TRUE(contains(pairs, pairs, plain));
}

TEST(Contains, BacktracksWhereAnAtomFitsInSeveralPlaces) {
  Query path = query({i}, {B(i, e1), B(e1, e2)});
  Query target = query({i}, {B(i, j), B(i, k), B(k, e3)});
  EXPECT_TRUE(contains(path, target, plain));
  EXPECT_FALSE(contains(target, path, plain) && contains(query({i}, {B(i, e1), C(e1, e2)}), path, plain));
  EXPECT_FALSE(contains(query({i}, {B(i, i)}), path, plain));
}

TEST(Contains, TasksWithFewerCoordinates) {
  EXPECT_TRUE(contains(query({i, j, k}, {}), query({j, i}, {}), plain));
  EXPECT_FALSE(contains(query({i, j}, {}), query({i, k}, {}), plain));
  EXPECT_TRUE(contains(query({i, j}, {B(i, j)}), query({i}, {B(i, e1)}), plain));
  EXPECT_FALSE(contains(query({i, j}, {B(i, j)}), query({i}, {}), plain));
}

TEST(Contains, RespectsSizesOfDimensions) {
  EXPECT_FALSE(contains(query({i}, {}), query({j}, {}), plain));
  EXPECT_TRUE(contains(query({i}, {}), query({j}, {}), square));
  EXPECT_FALSE(contains(query({i}, {}), query({i, j}, {}), square));
  EXPECT_TRUE(contains(query({i, j}, {B(i, j)}), query({j, k}, {B(k, j)}), square));
  EXPECT_FALSE(contains(query({i, j}, {B(i, j)}), query({j, k}, {B(k, j)}), plain));
}

TEST(Contains, UsesAssumptions) {
  Query with = query({i}, {B(i, e1), C(e2, e3)}), without = query({i}, {B(i, e1)});
  EXPECT_FALSE(contains(with, without, plain));
  EXPECT_TRUE(contains(with, without, nonempty));
  // It is not known which component is there.
  EXPECT_FALSE(contains(query({i}, {C(i, e1)}), without, nonempty));
  EXPECT_TRUE(contains(query({i, j}, {C(j, e1)}), query({i}, {}), nonempty));
  EXPECT_FALSE(contains(query({i, j}, {C(j, j)}), query({i}, {}), nonempty));
}

TEST(Contains, ComparesUnions) {
  TaskSet inner = {query({i, j, k}, {B(i, k)}), query({i, j, k}, {C(k, j)})};
  TaskSet product = {query({i, j, k}, {B(i, k), C(k, j)})};
  EXPECT_TRUE(contains(inner, product, plain));
  EXPECT_FALSE(contains(product, inner, plain));
}

TEST(Minimized, DropsAtomsThatFollow) {
  Query small = minimized(query({i}, {B(i, e1), B(i, j), B(e2, e3)}), plain);
  EXPECT_EQ(to_string(small, plain), "{[i] | B(i,_1)}");
  Query kept = minimized(query({i}, {B(i, e1), B(e1, e2)}), plain);
  EXPECT_EQ(kept.atoms.size(), 2u);
  EXPECT_EQ(to_string(minimized(query({i}, {B(i, e1), C(e2, e3)}), nonempty), nonempty), "{[i] | B(i,_1)}");
}

TEST(Minimized, DropsQueriesThatAreContained) {
  TaskSet tasks = {query({i}, {B(i, e1)}), query({i, k}, {B(i, k)}), query({i, k}, {B(i, k), C(k, e1)})};
  EXPECT_EQ(to_string(minimized(tasks, plain), plain), "{[i,k] | B(i,k)}");
  EXPECT_EQ(to_string(minimized(TaskSet{}, plain), plain), "{}");
}

TEST(Minimized, IsTheSameForOtherNames) {
  EXPECT_EQ(minimized(query({i}, {C(e3, e1), B(i, e3)}), plain), minimized(query({i}, {B(i, e1), C(e1, e2)}), plain));
}

}  // namespace
}  // namespace filigree::autoschedule

// Insertable levels: nodes in any order with repetitions, then a walk in order; twice, to see that clearing forgets.
#include <set>

#include <gtest/gtest.h>

#include "level/registry.h"
#include "tests/level/walk.h"

namespace filigree::level {
namespace {

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;  // (parent, coordinate)

/// Inserts, finalizes and walks; then clears, inserts `again` and walks again.
Visits inserted(const Format& format, std::int64_t extent, std::int64_t parents, const Pairs& first,
                const Pairs& again) {
  Instance level = instance_of(format, extent);
  VisitRecorder recorder(100);
  std::vector<ir::Stmt> body;
  if (level.table) body.push_back(ir::Declare{*level.table, {}});
  if (level.count) body.push_back(ir::declare(*level.count, ir::integer(0)));
  std::vector<ArrayDescription> descriptions = format.arrays();
  for (size_t k = 0; k < descriptions.size(); k++)
    body.push_back(ir::Alloc{level.arrays[k], ir::integer(extent * parents + descriptions[k].extra),
                             descriptions[k].initially.has_value()});
  body.push_back(format.insert()->init(level));
  for (const Pairs* pairs : {&first, &again}) {
    for (const auto& [parent, coordinate] : *pairs) {
      // A variable for the coordinate, as lowering has it; a block keeps its scope.
      ir::Var i("i", ir::scalar(ElementType::Int64));
      Node node =
          format.insert()->insert(level, ir::integer(parent), i, false, [](const ir::Expr&) { return ir::Stmt(); });
      body.push_back(ir::For{i, ir::integer(coordinate), ir::integer(coordinate + 1), ir::block(node.setup)});
    }
    body.push_back(format.insert()->finalize(level, ir::integer(parents)));
    ir::Var parent("parent", ir::scalar(ElementType::Int64));
    body.push_back(
        ir::For{parent, ir::integer(0), ir::integer(parents), walk_children(format, level, parent, recorder)});
    body.push_back(format.insert()->clear(level));
  }
  for (const ir::Var& array : level.arrays) body.push_back(ir::Free{array});
  if (level.table) body.push_back(ir::Free{*level.table});
  return recorder.run({}, {}, ir::block(body));
}

Pairs pairs_of(const Visits& visits) {
  Pairs pairs;
  for (const auto& [parent, coordinate, position] : visits) pairs.emplace_back(parent, coordinate);
  return pairs;
}

TEST(Insert, ThenWalksEachCoordinateOnceInOrder) {
  for (const FormatPtr& format : {scattered(), numbered(), tabled()}) {
    Visits visits = inserted(*format, 6, 1, {{0, 4}, {0, 1}, {0, 4}, {0, 3}}, {});
    EXPECT_EQ(pairs_of(visits), (Pairs{{0, 1}, {0, 3}, {0, 4}})) << format->name();
  }
}

TEST(Clear, ForgetsAllNodes) {
  for (const FormatPtr& format : {scattered(), numbered(), tabled()}) {
    Visits visits = inserted(*format, 6, 1, {{0, 5}, {0, 0}}, {{0, 2}, {0, 0}});
    EXPECT_EQ(pairs_of(visits), (Pairs{{0, 0}, {0, 5}, {0, 0}, {0, 2}})) << format->name();
  }
}

TEST(Insert, GroupsATableByParents) {
  Visits visits = inserted(*tabled(), 4, 3, {{2, 1}, {0, 3}, {2, 0}, {0, 3}, {0, 1}}, {});
  EXPECT_EQ(pairs_of(visits), (Pairs{{0, 1}, {0, 3}, {2, 0}, {2, 1}}));
}

TEST(Insert, GivesEachNodeAPositionOfItsOwn) {
  for (const FormatPtr& format : {scattered(), numbered(), tabled()}) {
    std::set<std::int64_t> positions;
    Visits visits = inserted(*format, 8, 1, {{0, 7}, {0, 2}, {0, 5}}, {});
    for (const auto& [parent, coordinate, position] : visits) positions.insert(position);
    EXPECT_EQ(positions.size(), visits.size()) << format->name();
  }
}

TEST(Registry, KnowsFormatsByName) {
  EXPECT_EQ(find("dense"), dense());
  EXPECT_EQ(find("compressed"), compressed());
  EXPECT_EQ(find("no such format"), nullptr);
}

TEST(Registry, ListsWhatATensorCanBeStoredIn) {
  for (const std::string& name : names()) EXPECT_NE(find(name)->storage(), nullptr) << name;
}

}  // namespace
}  // namespace filigree::level

// Levels whose coordinates stand in the arrays of a level above: generated code and storage agree on where.
#include <gtest/gtest.h>

#include "level/registry.h"
#include "tests/level/walk.h"

namespace filigree::level {
namespace {

using Numbers = std::vector<std::int64_t>;

/// Entries (0,1,2), (2,0,3), (2,3,0) and (2,3,1), the same again under a second parent.
struct Entries {
  std::int64_t parents = 2, count = 8;
  Nodes first = {{0, 0, 0, 0, 1, 1, 1, 1}, {0, 2, 2, 2, 0, 2, 2, 2}};
  Numbers second = {1, 0, 3, 3, 1, 0, 3, 3}, third = {2, 3, 0, 1, 2, 3, 0, 1};
};

Numbers items(const Array& array) {
  Numbers out;
  for (std::int64_t n = 0; n < array.count(); n++) out.push_back(array.index_at(n));
  return out;
}

std::vector<Array> packed(const Entries& entries, std::int64_t second_extent = 4) {
  FormatPtr head = tuples(3), middle = member()->with("nonunique");
  Packed tuples = head->storage()->pack({3, entries.parents}, entries.first);
  EXPECT_EQ(tuples.positions, (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
  Packed second = middle->storage()->pack({second_extent, tuples.size, 0, {{head.get(), &tuples.arrays}}},
                                          {tuples.positions, entries.second});
  Packed third =
      member()->storage()->pack({4, second.size, 0, {{head.get(), &tuples.arrays}, {middle.get(), &second.arrays}}},
                                {second.positions, entries.third});
  EXPECT_TRUE(second.arrays.empty() && third.arrays.empty());
  EXPECT_EQ(third.positions, tuples.positions);
  EXPECT_EQ(third.size, entries.count);
  return tuples.arrays;
}

const Numbers side_by_side = {0, 1, 2, 2, 0, 3, 2, 3, 0, 2, 3, 1, 0, 1, 2, 2, 0, 3, 2, 3, 0, 2, 3, 1};

TEST(Tuples, StandSideBySide) {
  std::vector<Array> arrays = packed(Entries());
  EXPECT_EQ(items(arrays[0]), (Numbers{0, 4, 8}));
  EXPECT_EQ(items(arrays[1]), side_by_side);
  EXPECT_EQ(arrays[1].type(), ElementType::Int32);
}

TEST(Tuples, AreAsWideAsTheWidestMember) {
  std::vector<Array> arrays = packed(Entries(), std::int64_t{1} << 40);
  EXPECT_EQ(arrays[1].type(), ElementType::Int64);
  EXPECT_EQ(items(arrays[1]), side_by_side);
}

TEST(Tuples, HaveNoRoomForASecondChild) {
  FormatPtr head = tuples(2);
  Packed tuples = head->storage()->pack({3, 1}, {{0, 0}, {1, 2}});
  Packed second =
      member()->storage()->pack({3, tuples.size, 0, {{head.get(), &tuples.arrays}}}, {{0, 0, 1}, {1, 2, 0}});
  EXPECT_EQ(second.positions, (Numbers{0, Packed::does_not_fit, 1}));
}

TEST(Tuples, DescribeTheirArrays) {
  ArrayDescription crd = tuples(3)->arrays()[1];
  EXPECT_EQ(crd.per, 3);
  EXPECT_EQ(tuples(3)->holds_below(), 2);
  EXPECT_TRUE(member()->arrays().empty());
  EXPECT_EQ(to_string(*tuples(3)->with("unordered")), "tuples(3, unordered)");
  EXPECT_EQ(to_string(*tuples(3)->with("unordered")->with("4")), "tuples(4, unordered)");
  EXPECT_EQ(tuples(3)->with("0"), nullptr);
  EXPECT_EQ(tuples(3)->with("nonunique"), nullptr);
}

/// The three levels as generated code sees them.
std::vector<Instance> instances() {
  static const std::vector<FormatPtr> formats = {tuples(3), member()->with("nonunique"),
                                                 member()};  // instances point at them
  std::vector<Instance> levels;
  for (const FormatPtr& format : formats) {
    Instance level = instance_of(*format, 4);
    for (size_t up = 0; up < levels.size(); up++) level.above.push_back({formats[up].get(), levels[up].arrays});
    levels.push_back(level);
  }
  return levels;
}

/// Records (parent, first + 10 * second + 100 * third, position) of all entries.
ir::Stmt walk(const std::vector<Instance>& levels, std::int64_t parents, const VisitRecorder& recorder) {
  ir::Var parent = ir::int64_var("parent"), cursor = ir::int64_var("cursor");
  Bounds bounds = tuples(3)->position_iteration()->bounds(levels[0], parent);
  Node first = tuples(3)->position_iteration()->access(levels[0], cursor, {});
  Node second = member()->position_iteration()->access(
      levels[1], member()->position_iteration()->bounds(levels[1], first.position).begin, {});
  Node third = member()->position_iteration()->access(levels[2], second.position, {});
  ir::Expr all = ir::add(first.coordinate, ir::add(ir::multiply(ir::integer(10), second.coordinate),
                                                   ir::multiply(ir::integer(100), third.coordinate)));
  return ir::For{parent, ir::integer(0), ir::integer(parents),
                 ir::For{cursor, bounds.begin, bounds.end, recorder.visit(parent, all, third.position)}};
}

const Visits visits = {{0, 210, 0}, {0, 302, 1}, {0, 32, 2}, {0, 132, 3},
                       {1, 210, 4}, {1, 302, 5}, {1, 32, 6}, {1, 132, 7}};

TEST(Tuples, AreReadWhereTheyArePacked) {
  std::vector<Instance> levels = instances();
  VisitRecorder recorder(8);
  EXPECT_EQ(recorder.run(levels[0].arrays, packed(Entries()), walk(levels, 2, recorder)), visits);
}

TEST(Tuples, AreReadWhereTheyAreAppended) {
  std::vector<Instance> levels = instances();
  VisitRecorder recorder(8);
  Entries entries;
  std::vector<ir::Stmt> body = {ir::Alloc{levels[0].arrays[0], ir::integer(3)},
                                ir::Alloc{levels[0].arrays[1], ir::integer(24)}, tuples(3)->append()->init(levels[0])};
  for (std::int64_t n = 0; n < entries.count; n++) {
    body.push_back(
        tuples(3)->append()->coordinate(levels[0], ir::integer(n), ir::integer(entries.first.coordinate[n])));
    body.push_back(member()->append()->coordinate(levels[1], ir::integer(n), ir::integer(entries.second[n])));
    body.push_back(member()->append()->coordinate(levels[2], ir::integer(n), ir::integer(entries.third[n])));
    if (n % 4 == 3)
      body.push_back(tuples(3)->append()->edges(levels[0], ir::integer(n / 4), ir::integer(n - 3), ir::integer(n + 1)));
  }
  body.push_back(walk(levels, 2, recorder));
  for (const ir::Var& array : levels[0].arrays) body.push_back(ir::Free{array});
  EXPECT_EQ(recorder.run({}, {}, ir::block(body)), visits);
}

}  // namespace
}  // namespace filigree::level

// A level format states its nodes twice: Storage on the host, and the level functions in generated code.  They agree,
// for every registered format with every property it can have.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "level/properties.h"
#include "level/registry.h"
#include "support/diagnostic.h"
#include "tests/level/walk.h"

namespace filigree::level {
namespace {

struct Data {
  std::int64_t extent, parents;
  Nodes nodes;  // grouped by parent, with repetitions
  std::int64_t origin = 0;

  Shape shape() const { return {extent, parents, origin}; }
  void add(std::int64_t parent, std::int64_t coordinate) {
    nodes.parent.push_back(parent);
    nodes.coordinate.push_back(coordinate);
  }
  std::vector<std::int64_t> children(std::int64_t parent) const {
    std::vector<std::int64_t> out;
    for (size_t n = 0; n < nodes.parent.size(); n++) {
      if (nodes.parent[n] == parent) out.push_back(nodes.coordinate[n]);
    }
    return out;
  }
};

std::vector<Data> data_sets() {
  std::vector<Data> sets = {
      {3, 1, {}},  // nothing stored
      {3, 0, {}},  // no parents
      {0, 2, {}},  // an empty dimension
      {1, 1, {{0}, {0}}},
      {3, 3, {{0, 0, 2, 2}, {0, 2, 1, 2}}},  // the matrix of docs/formats.md
      {4, 2, {{0, 0, 0, 1}, {1, 1, 3, 0}}},  // a repetition
      {5, 2, {{0, 0, 1}, {-2, 1, 2}}, -2},   // diagonals
  };
  std::mt19937 random(1);
  for (int n = 0; n < 40; n++) {
    Data data{1 + static_cast<std::int64_t>(random() % 6), 1 + static_cast<std::int64_t>(random() % 6), {}};
    if (n % 3 == 0) data.origin = -static_cast<std::int64_t>(random() % 4);
    for (std::int64_t parent = 0; parent < data.parents; parent++) {
      for (std::int64_t i = 0; i < data.extent; i++) {
        for (unsigned times = random() % 3; times > 0; times--) data.add(parent, data.origin + i);
      }
    }
    sets.push_back(data);
  }
  return sets;
}

/// Every format that a tensor can be stored in, as it is and with every property it can have, alone and in pairs.
std::vector<FormatPtr> stored_formats() {
  std::vector<FormatPtr> formats;
  for (const std::string& name : names()) {
    FormatPtr format = find(name);
    if (format->holds_below() > 0 || format->is_held_above()) continue;  // several levels in one array: tuples_test.cpp
    formats.push_back(format);
    for (const std::string& first : all_property_words()) {
      FormatPtr with_one = format->with(first);
      if (!with_one) continue;
      formats.push_back(with_one);
      for (const std::string& second : all_property_words()) {
        if (second > first && with_one->with(second)) formats.push_back(with_one->with(second));
      }
    }
  }
  return formats;
}

/// Must every coordinate be among the nodes that are packed?
bool needs_all(const Format& format) {
  return format.properties().full && (!format.locate() || format.properties().padded);
}

/// The children of one parent as the format can have them.
std::vector<std::int64_t> suited_children(const Format& format, const Data& data, std::int64_t parent) {
  Properties properties = format.properties();
  std::vector<std::int64_t> children = data.children(parent);
  if (needs_all(format)) {
    children.clear();
    for (std::int64_t i = 0; i < data.extent; i++) children.push_back(data.origin + i);
  }
  if (properties.branchless) {
    if (children.empty() && !properties.padded) children.push_back(data.origin);
    children.resize(std::min<size_t>(children.size(), 1));
  }
  if (properties.ordered == Ordered::Decreasing) std::reverse(children.begin(), children.end());
  if (properties.ordered == Ordered::No && !children.empty()) {
    // Some order that keeps equal ones together.
    auto middle = std::upper_bound(children.begin(), children.end(), children[children.size() / 2]);
    std::rotate(children.begin(), middle, children.end());
  }
  return children;
}

/// The data as the format can have them, if it can.
std::optional<Data> suited(const Format& format, const Data& data) {
  bool any_origin = !format.properties().padded && !format.counts_entries() && !format.stands_under_rows();
  if (data.origin < 0 && !any_origin) return std::nullopt;
  bool needs_a_child = format.properties().branchless && !format.properties().padded;
  if (needs_a_child && data.extent == 0) return std::nullopt;
  if (needs_all(format) && format.properties().branchless && (data.extent != 1 || data.parents == 0))
    return std::nullopt;
  Data out{format.counts_entries() ? -1 : data.extent, data.parents, {}, data.origin};
  for (std::int64_t parent = 0; parent < data.parents; parent++) {
    for (std::int64_t coordinate : suited_children(format, data, parent)) {
      bool fits =
          format.storage()->pack({data.extent, data.parents, data.origin}, {{parent}, {coordinate}}).positions[0] !=
          Packed::does_not_fit;
      EXPECT_TRUE(fits || format.stands_under_rows()) << to_string(format);
      if (fits) out.add(parent, coordinate);
    }
  }
  return out;
}

struct Stored {
  FormatPtr format;
  Data data;
  Packed packed;
  StoredLevel level() const { return {&packed.arrays, data.extent, data.parents, data.origin}; }
  std::int64_t extent() const { return format->counts_entries() ? packed.arrays[0].index_at(0) : data.extent; }
  /// Of an implied level the walker knows the coordinate; storage says 0.
  Visits children() const {
    Visits visits;
    for (std::int64_t parent = 0; parent < data.parents; parent++) {
      format->storage()->for_each_child(level(), parent, [&](std::int64_t coordinate, std::int64_t position) {
        visits.emplace_back(parent, format->is_implied() ? data.children(parent).at(0) : coordinate, position);
      });
    }
    return visits;
  }
};

void for_each_stored(const std::function<void(const Stored&)>& check) {
  for (const FormatPtr& format : stored_formats()) {
    int sets = 0;
    for (const Data& data : data_sets()) {
      std::optional<Data> suits = suited(*format, data);
      if (!suits) continue;
      sets++;
      SCOPED_TRACE(to_string(*format));
      check({format, *suits, format->storage()->pack(suits->shape(), suits->nodes)});
    }
    EXPECT_GE(sets, 3) << to_string(*format) << " is hardly tested";
  }
}

TEST(Storage, HoldsWhatWasPacked) {
  for_each_stored([](const Stored& stored) {
    Visits visits = stored.children();
    const Nodes& nodes = stored.data.nodes;
    ASSERT_EQ(stored.packed.positions.size(), nodes.parent.size());
    std::set<std::pair<std::int64_t, std::int64_t>> given;
    for (size_t n = 0; n < nodes.parent.size(); n++) {
      auto node = std::tuple(nodes.parent[n], nodes.coordinate[n], stored.packed.positions[n]);
      EXPECT_NE(std::find(visits.begin(), visits.end(), node), visits.end());
      given.emplace(nodes.parent[n], nodes.coordinate[n]);
    }
    if (stored.format->pads()) return;
    for (const auto& [parent, coordinate, position] : visits)
      EXPECT_TRUE(given.count({parent, coordinate})) << "holds a node that was not packed";
  });
}

TEST(Storage, KeepsEveryNodeThatMayRepeat) {
  for_each_stored([](const Stored& stored) {
    if (stored.format->properties().unique || stored.format->properties().branchless) return;
    EXPECT_EQ(stored.children().size(), stored.data.nodes.parent.size());
  });
}

TEST(Storage, MergesRepetitionsWhenTold) {
  FormatPtr format = compressed()->with("nonunique");
  Packed packed = format->storage()->pack({3, 1}, {{0, 0, 0}, {1, 1, 1}, {false, true, false}});
  EXPECT_EQ(packed.positions, (std::vector<std::int64_t>{0, 0, 1}));
  EXPECT_EQ(packed.size, 2);
}

TEST(Storage, AcceptsWhatItPackedAndKnowsItsSize) {
  for_each_stored([](const Stored& stored) {
    const Storage& storage = *stored.format->storage();
    EXPECT_EQ(storage.validate(stored.level(), "level 1 of 'T'"), stored.packed.size);
    EXPECT_EQ(storage.size(stored.level()), stored.packed.size);
    double least = storage.least_size(static_cast<double>(stored.extent()), static_cast<double>(stored.data.parents),
                                      static_cast<double>(stored.data.nodes.parent.size()));
    EXPECT_LE(least, static_cast<double>(stored.packed.size));
  });
}

TEST(Storage, HasTheArraysItDescribes) {
  for_each_stored([](const Stored& stored) {
    using IndexedBy = ArrayDescription::IndexedBy;
    std::vector<ArrayDescription> descriptions = stored.format->arrays();
    ASSERT_EQ(stored.packed.arrays.size(), descriptions.size());
    for (size_t k = 0; k < descriptions.size(); k++) {
      const ArrayDescription& array = descriptions[k];
      std::int64_t indexed = array.indexed_by == IndexedBy::Parent     ? stored.data.parents
                             : array.indexed_by == IndexedBy::Position ? stored.packed.size
                                                                       : 0;
      EXPECT_EQ(stored.packed.arrays[k].count(), indexed + array.extra) << array.name;
      bool other = array.holds == ArrayDescription::Holds::Other;
      EXPECT_EQ(stored.packed.arrays[k].type(), other ? array.other_type : ElementType::Int32) << array.name;
    }
  });
}

TEST(Storage, KeepsThePropertiesItClaims) {
  for_each_stored([](const Stored& stored) {
    Properties properties = stored.format->properties();
    Visits visits = stored.children();
    std::int64_t all = stored.data.parents * (stored.format->is_implied() ? 1 : stored.extent());
    EXPECT_TRUE(!properties.full || static_cast<std::int64_t>(visits.size()) == all);
    EXPECT_TRUE(!properties.branchless || properties.padded ||
                static_cast<std::int64_t>(visits.size()) == stored.data.parents);
    std::set<std::pair<std::int64_t, std::int64_t>> seen;
    for (size_t n = 0; n < visits.size(); n++) {
      auto [parent, coordinate, position] = visits[n];
      bool is_new = seen.emplace(parent, coordinate).second;
      EXPECT_TRUE(is_new || !properties.unique);
      if (n == 0) continue;
      auto [parent_before, before, position_before] = visits[n - 1];
      EXPECT_TRUE(!properties.compact || position == position_before + 1);
      if (parent != parent_before) continue;
      EXPECT_TRUE(properties.ordered != Ordered::Increasing || coordinate >= before);
      EXPECT_TRUE(properties.ordered != Ordered::Decreasing || coordinate <= before);
    }
  });
}

TEST(Triangles, HoldOneHalf) {
  for (std::int64_t rows : {1, 3, 5}) {
    for (std::int64_t columns : {1, 3, 6}) {
      for (std::int64_t row = 0; row < rows; row++) {
        for (std::int64_t column = 0; column < columns; column++) {
          auto fits = [&](const FormatPtr& format) {
            return format->storage()->pack({columns, rows}, {{row}, {column}}).positions[0] != Packed::does_not_fit;
          };
          EXPECT_EQ(fits(lower()), column <= row);
          EXPECT_EQ(fits(upper()), row <= column);
        }
      }
    }
  }
}

TEST(LevelFunctions, WalkTheNodesThatStorageHolds) {
  for_each_stored([](const Stored& stored) {
    const Format& format = *stored.format;
    if (!format.position_iteration() && !format.value_iteration()) return;
    Visits expected = stored.children();
    Instance level = instance_of(format, stored.data.extent, stored.data.origin);
    VisitRecorder recorder(static_cast<std::int64_t>(expected.size()) + 1);
    ir::Var parent("parent", ir::scalar(ElementType::Int64));
    ir::Stmt walk = ir::For{parent, ir::integer(0), ir::integer(stored.data.parents),
                            walk_children(format, level, parent, recorder)};
    EXPECT_EQ(recorder.run(level.arrays, stored.packed.arrays, walk), expected);
  });
}

TEST(LevelFunctions, LocateTheNodesThatStorageHolds) {
  for_each_stored([](const Stored& stored) {
    const Format& format = *stored.format;
    if (!format.locate() || format.is_implied()) return;
    Visits expected = stored.children();
    Instance level = instance_of(format, stored.data.extent, stored.data.origin);
    VisitRecorder recorder(static_cast<std::int64_t>(expected.size()) + 1);
    ir::Var parent("parent", ir::scalar(ElementType::Int64)), i("i", ir::scalar(ElementType::Int64));
    Node node = format.locate()->locate(level, parent, {parent, i});
    std::vector<ir::Stmt> body = node.setup;
    body.push_back(ir::if_then(node.found, recorder.visit(parent, node.coordinate, node.position)));
    ir::Expr begin = ir::integer(stored.data.origin), end = ir::integer(stored.data.origin + stored.extent());
    ir::Stmt walk =
        ir::For{parent, ir::integer(0), ir::integer(stored.data.parents), ir::For{i, begin, end, ir::block(body)}};
    Visits visits = recorder.run(level.arrays, stored.packed.arrays, walk);
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(visits, expected);
  });
}

TEST(LevelFunctions, LocateWhatIsImpliedAtItsParent) {
  for_each_stored([](const Stored& stored) {
    if (!stored.format->is_implied()) return;
    Instance level = instance_of(*stored.format, stored.data.extent);
    VisitRecorder recorder(stored.data.parents + 1);
    ir::Var parent("parent", ir::scalar(ElementType::Int64));
    Node node = stored.format->locate()->locate(level, parent, {parent, ir::integer(7)});
    ir::Stmt walk = ir::For{parent, ir::integer(0), ir::integer(stored.data.parents),
                            recorder.visit(parent, node.coordinate, node.position)};
    Visits expected;
    for (std::int64_t p = 0; p < stored.data.parents; p++) expected.emplace_back(p, 7, p);
    EXPECT_EQ(recorder.run({}, {}, walk), expected);
  });
}

/// Code that appends the nodes of `data` one by one into arrays of its own, arranges them if the level asks for it,
/// then walks them.
Visits appended(const Format& format, const Data& data, bool skip_childless) {
  Instance level = instance_of(format, data.extent, data.origin);
  std::int64_t room =
      8 * (static_cast<std::int64_t>(data.nodes.parent.size()) + data.parents + 2);  // arranged nodes are apart
  VisitRecorder recorder(room);
  ir::Var size = ir::int64_var("size");
  std::vector<ir::Stmt> body = {ir::declare(size, ir::integer(0))};
  for (size_t a = 0; a < level.arrays.size(); a++)
    body.push_back(ir::Alloc{level.arrays[a], ir::integer(room * format.arrays()[a].per), true});
  body.push_back(format.append()->init(level));
  for (std::int64_t parent = 0; parent < data.parents; parent++) {
    std::vector<std::int64_t> children = data.children(parent);
    if (format.arrange()) std::sort(children.begin(), children.end());
    if (format.properties().unique) children.erase(std::unique(children.begin(), children.end()), children.end());
    ir::Var begin = ir::int64_var("begin"), slots = ir::int64_var("slots");
    body.push_back(ir::declare(begin, size));
    for (std::int64_t coordinate : children) {
      body.push_back(format.append()->coordinate(level, size, ir::integer(coordinate)));
      body.push_back(ir::increment(size));
    }
    if (const Arrange* arrange = format.arrange()) {
      ir::Expr count = ir::integer(static_cast<std::int64_t>(children.size()));
      body.insert(body.end(),
                  {arrange->measure(slots, count), arrange->arrange(level, std::nullopt, begin, count, slots),
                   ir::assign(size, ir::add(begin, slots))});
    }
    if (!children.empty() || !skip_childless)
      body.push_back(format.append()->edges(level, ir::integer(parent), begin, size));
  }
  if (skip_childless) body.push_back(format.append()->finalize(level, ir::integer(data.parents)));
  ir::Var parent("parent", ir::scalar(ElementType::Int64));
  body.push_back(
      ir::For{parent, ir::integer(0), ir::integer(data.parents), walk_children(format, level, parent, recorder)});
  for (const ir::Var& array : level.arrays) body.push_back(ir::Free{array});
  return recorder.run({}, {}, ir::block(body));
}

TEST(Append, MakesWhatPackMakes) {
  for_each_stored([](const Stored& stored) {
    if (!stored.format->append()) return;
    EXPECT_EQ(appended(*stored.format, stored.data, false), stored.children());
    EXPECT_EQ(appended(*stored.format, stored.data, true), stored.children())
        << "childless parents completed at the end";
  });
}

/// Where insertion puts nodes is where packing puts them, for levels whose size follows from the number of parents; and
/// marking them makes the arrays that packing makes.
TEST(Insert, PutsNodesWherePackDoes) {
  for_each_stored([](const Stored& stored) {
    const Insert* insert = stored.format->insert();
    if (!insert) return;
    const Nodes& nodes = stored.data.nodes;
    Instance level = instance_of(*stored.format, stored.data.extent, stored.data.origin);
    if (stored.format->stored_extent(level)) level.extent = ir::integer(stored.packed.arrays[0].index_at(0));
    std::optional<ir::Expr> size = insert->size(level, ir::integer(stored.data.parents));
    ASSERT_TRUE(size.has_value());
    VisitRecorder recorder(static_cast<std::int64_t>(nodes.parent.size()) + stored.packed.size + 1);
    std::vector<ir::Stmt> body = {recorder.visit(ir::integer(0), ir::integer(0), *size)};
    std::vector<ArrayDescription> arrays = stored.format->arrays();
    for (size_t a = 0; a < arrays.size(); a++) {
      bool by_position = arrays[a].indexed_by == ArrayDescription::IndexedBy::Position;
      body.push_back(ir::Alloc{level.arrays[a],
                               ir::add(by_position ? *size : ir::integer(0), ir::integer(arrays[a].extra)),
                               arrays[a].initially == 0});
      ir::Var q = ir::int64_var("q");
      if (arrays[a].initially.value_or(0) != 0)
        body.push_back(
            ir::For{q, ir::integer(0), *size, ir::store(level.arrays[a], q, ir::integer(*arrays[a].initially))});
    }
    body.push_back(insert->init(level));
    Visits expected = {{0, 0, stored.packed.size}};
    for (size_t n = 0; n < nodes.parent.size(); n++) {
      Node node = insert->insert(level, ir::integer(nodes.parent[n]), ir::integer(nodes.coordinate[n]), false,
                                 [](const ir::Expr&) { return ir::Stmt(); });
      body.insert(body.end(), node.setup.begin(), node.setup.end());
      body.push_back(recorder.visit(ir::integer(nodes.parent[n]), node.coordinate, node.position));
      body.push_back(insert->mark(level, node.position, node.coordinate));
      expected.emplace_back(nodes.parent[n], nodes.coordinate[n], stored.packed.positions[n]);
    }
    ir::Var parent("parent", ir::scalar(ElementType::Int64));
    if (stored.format->value_iteration() || stored.format->position_iteration()) {
      body.push_back(ir::For{parent, ir::integer(0), ir::integer(stored.data.parents),
                             walk_children(*stored.format, level, parent, recorder)});
      for (const auto& visit : stored.children()) expected.push_back(visit);
    }
    for (const ir::Var& array : level.arrays) body.push_back(ir::Free{array});
    EXPECT_EQ(recorder.run({}, {}, ir::block(body)), expected) << stored.format->name();
  });
}

}  // namespace
}  // namespace filigree::level

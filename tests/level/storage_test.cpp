// A level format states its nodes twice: Storage on the host, and the level functions in generated code.  They agree.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "level/registry.h"
#include "support/diagnostic.h"
#include "tests/level/walk.h"

namespace filigree::level {
namespace {

struct Data {
  std::int64_t extent, parents;
  Nodes nodes;  // sorted, with repetitions
};

std::vector<Data> data_sets() {
  std::vector<Data> sets = {
      {3, 1, {}},                                       // nothing stored
      {3, 0, {}},                                       // no parents
      {0, 2, {}},                                       // an empty dimension
      {1, 1, {{0}, {0}}},
      {3, 3, {{0, 0, 2, 2}, {0, 2, 1, 2}}},             // the matrix of docs/formats.md
      {4, 2, {{0, 0, 0, 1}, {1, 1, 3, 0}}},             // a repetition
  };
  std::mt19937 random(1);
  for (int n = 0; n < 20; n++) {
    Data data{1 + static_cast<std::int64_t>(random() % 6), 1 + static_cast<std::int64_t>(random() % 4), {}};
    for (std::int64_t parent = 0; parent < data.parents; parent++) {
      for (std::int64_t coordinate = 0; coordinate < data.extent; coordinate++) {
        for (unsigned times = random() % 3; times > 0; times--) {
          data.nodes.parent.push_back(parent);
          data.nodes.coordinate.push_back(coordinate);
        }
      }
    }
    sets.push_back(data);
  }
  return sets;
}

std::vector<FormatPtr> stored_formats() {
  std::vector<FormatPtr> formats;
  for (const std::string& name : names()) {
    // Levels without arrays of their own are tested with the level above that has them.
    if (find(name)->storage() && !find(name)->is_held_above()) formats.push_back(find(name));
  }
  return formats;
}

Visits children(const Format& format, const Packed& packed, const Data& data) {
  Visits visits;
  StoredLevel stored{&packed.arrays, data.extent, data.parents};
  for (std::int64_t parent = 0; parent < data.parents; parent++) {
    format.storage()->for_each_child(stored, parent, [&](std::int64_t coordinate, std::int64_t position) { visits.emplace_back(parent, coordinate, position); });
  }
  return visits;
}

TEST(Storage, HoldsWhatWasPacked) {
  for (const FormatPtr& format : stored_formats()) {
    for (const Data& data : data_sets()) {
      Packed packed = format->storage()->pack({data.extent, data.parents}, data.nodes);
      Visits visits = children(*format, packed, data);
      ASSERT_EQ(packed.positions.size(), data.nodes.parent.size()) << format->name();
      for (size_t n = 0; n < packed.positions.size(); n++) {
        auto node = std::tuple(data.nodes.parent[n], data.nodes.coordinate[n], packed.positions[n]);
        EXPECT_NE(std::find(visits.begin(), visits.end(), node), visits.end()) << format->name();
      }
      if (!format->properties().full) {
        for (const auto& [parent, coordinate, position] : visits) {
          bool given = false;
          for (size_t n = 0; n < packed.positions.size(); n++) given = given || (data.nodes.parent[n] == parent && data.nodes.coordinate[n] == coordinate);
          EXPECT_TRUE(given) << format->name() << " holds a node that was not packed";
        }
      }
    }
  }
}

TEST(Storage, AcceptsWhatItPackedAndKnowsItsSize) {
  for (const FormatPtr& format : stored_formats()) {
    for (const Data& data : data_sets()) {
      Packed packed = format->storage()->pack({data.extent, data.parents}, data.nodes);
      StoredLevel stored{&packed.arrays, data.extent, data.parents};
      EXPECT_EQ(format->storage()->validate(stored, "level 1 of 'T'"), packed.size);
      EXPECT_EQ(format->storage()->size(stored), packed.size);
    }
  }
}

TEST(Storage, HasTheArraysItDescribes) {
  for (const FormatPtr& format : stored_formats()) {
    for (const Data& data : data_sets()) {
      Packed packed = format->storage()->pack({data.extent, data.parents}, data.nodes);
      std::vector<ArrayDescription> descriptions = format->arrays();
      ASSERT_EQ(packed.arrays.size(), descriptions.size()) << format->name();
      for (size_t k = 0; k < descriptions.size(); k++) {
        std::int64_t indexed = descriptions[k].indexed_by == ArrayDescription::IndexedBy::Parent ? data.parents : packed.size * descriptions[k].per;
        EXPECT_EQ(packed.arrays[k].count(), indexed + descriptions[k].extra) << format->name() << " " << descriptions[k].name;
      }
    }
  }
}

TEST(Storage, KeepsThePropertiesItClaims) {
  for (const FormatPtr& format : stored_formats()) {
    Properties properties = format->properties();
    for (const Data& data : data_sets()) {
      Visits visits = children(*format, format->storage()->pack({data.extent, data.parents}, data.nodes), data);
      EXPECT_TRUE(!properties.full || static_cast<std::int64_t>(visits.size()) == data.parents * data.extent) << format->name();
      for (size_t n = 1; n < visits.size(); n++) {
        auto [parent, coordinate, position] = visits[n];
        auto [parent_before, before, position_before] = visits[n - 1];
        EXPECT_TRUE(!properties.compact || position == position_before + 1) << format->name();
        if (parent != parent_before) continue;
        EXPECT_TRUE(!properties.unique || coordinate != before) << format->name();
        EXPECT_TRUE(properties.ordered != Ordered::Increasing || coordinate >= before) << format->name();
      }
    }
  }
}

TEST(LevelFunctions, WalkTheNodesThatStorageHolds) {
  for (const FormatPtr& format : stored_formats()) {
    for (const Data& data : data_sets()) {
      Packed packed = format->storage()->pack({data.extent, data.parents}, data.nodes);
      Visits expected = children(*format, packed, data);
      Instance level = instance_of(*format, data.extent);
      VisitRecorder recorder(static_cast<std::int64_t>(expected.size()) + 1);
      ir::Var parent("parent", ir::scalar(ElementType::Int64));
      ir::Stmt walk = ir::For{parent, ir::integer(0), ir::integer(data.parents), walk_children(*format, level, parent, recorder)};
      EXPECT_EQ(recorder.run(level.arrays, packed.arrays, walk), expected) << format->name();
    }
  }
}

TEST(LevelFunctions, LocateTheNodesThatStorageHolds) {
  for (const FormatPtr& format : stored_formats()) {
    if (!format->locate()) continue;
    for (const Data& data : data_sets()) {
      Packed packed = format->storage()->pack({data.extent, data.parents}, data.nodes);
      Visits expected = children(*format, packed, data);
      Instance level = instance_of(*format, data.extent);
      VisitRecorder recorder(static_cast<std::int64_t>(expected.size()) + 1);
      ir::Var parent("parent", ir::scalar(ElementType::Int64)), i("i", ir::scalar(ElementType::Int64));
      Node node = format->locate()->locate(level, parent, {i});
      std::vector<ir::Stmt> body = node.setup;
      body.push_back(ir::if_then(node.found, recorder.visit(parent, i, node.position)));
      ir::Stmt walk = ir::For{parent, ir::integer(0), ir::integer(data.parents), ir::For{i, ir::integer(0), ir::integer(data.extent), ir::block(body)}};
      Visits visits = recorder.run(level.arrays, packed.arrays, walk);
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(visits, expected) << format->name();
    }
  }
}

/// Code that appends the nodes of `data` one by one into arrays of its own, then walks them.
Visits appended(const Format& format, const Data& data, bool skip_childless) {
  Instance level = instance_of(format, data.extent);
  std::int64_t room = static_cast<std::int64_t>(data.nodes.parent.size()) + data.parents + 2;
  VisitRecorder recorder(room);
  std::vector<ir::Stmt> body;
  for (size_t a = 0; a < level.arrays.size(); a++) body.push_back(ir::Alloc{level.arrays[a], ir::integer(room * format.arrays()[a].per), true});
  body.push_back(format.append()->init(level));
  std::int64_t size = 0;
  for (std::int64_t parent = 0; parent < data.parents; parent++) {
    std::int64_t begin = size, last = -1;
    for (size_t n = 0; n < data.nodes.parent.size(); n++) {
      if (data.nodes.parent[n] != parent || (format.properties().unique && data.nodes.coordinate[n] == last)) continue;
      last = data.nodes.coordinate[n];
      body.push_back(format.append()->coordinate(level, ir::integer(size++), ir::integer(last)));
    }
    if (size > begin || !skip_childless) body.push_back(format.append()->edges(level, ir::integer(parent), ir::integer(begin), ir::integer(size)));
  }
  if (skip_childless) body.push_back(format.append()->finalize(level, ir::integer(data.parents)));
  ir::Var parent("parent", ir::scalar(ElementType::Int64));
  body.push_back(ir::For{parent, ir::integer(0), ir::integer(data.parents), walk_children(format, level, parent, recorder)});
  for (const ir::Var& array : level.arrays) body.push_back(ir::Free{array});
  return recorder.run({}, {}, ir::block(body));
}

TEST(Append, MakesWhatPackMakes) {
  for (const FormatPtr& format : stored_formats()) {
    if (!format->append()) continue;
    for (const Data& data : data_sets()) {
      Visits expected = children(*format, format->storage()->pack({data.extent, data.parents}, data.nodes), data);
      EXPECT_EQ(appended(*format, data, false), expected) << format->name();
      EXPECT_EQ(appended(*format, data, true), expected) << format->name() << ", childless parents completed at the end";
    }
  }
}

TEST(Compressed, StoresTheExampleOfTheDocuments) {
  Packed packed = compressed()->storage()->pack({3, 3}, {{0, 0, 2, 2}, {0, 2, 1, 2}});
  std::vector<std::int64_t> pos, crd;
  for (std::int64_t n = 0; n < packed.arrays[0].count(); n++) pos.push_back(packed.arrays[0].index_at(n));
  for (std::int64_t n = 0; n < packed.arrays[1].count(); n++) crd.push_back(packed.arrays[1].index_at(n));
  EXPECT_EQ(pos, (std::vector<std::int64_t>{0, 2, 2, 4}));
  EXPECT_EQ(crd, (std::vector<std::int64_t>{0, 2, 1, 2}));
}

TEST(Compressed, SaysWhatIsWrongWithItsArrays) {
  auto message = [](std::vector<std::int32_t> pos, std::vector<std::int32_t> crd) -> std::string {
    std::vector<Array> arrays = {Array::borrow(ElementType::Int32, pos.data(), static_cast<std::int64_t>(pos.size())),
                                 Array::borrow(ElementType::Int32, crd.data(), static_cast<std::int64_t>(crd.size()))};
    try {
      compressed()->storage()->validate({&arrays, 3, 2}, "level 2 of 'B'");
    } catch (const UserError& error) {
      return error.message();
    }
    return "";
  };
  EXPECT_EQ(message({0, 2, 3}, {0, 2, 1}), "");
  EXPECT_EQ(message({0, 3}, {0, 1, 2}), "The array 'pos' of level 2 of 'B' has 2 elements, but 3 are needed (one more than the 2 positions above)");
  EXPECT_EQ(message({1, 2, 3}, {0, 1, 2}), "pos[0] of level 2 of 'B' is 1, not 0");
  EXPECT_EQ(message({0, 2, 1}, {0, 1}), "pos[2] of level 2 of 'B' is 1, less than pos[1] = 2; positions must not decrease");
  EXPECT_EQ(message({0, 2, 4}, {0, 1, 2}), "pos[2] of level 2 of 'B' is 4, but 'crd' has only 3 elements");
  EXPECT_EQ(message({0, 1, 2}, {0, 3}), "crd[1] of level 2 of 'B' is 3, outside 0..2");
  EXPECT_EQ(message({0, 2, 2}, {1, 1}), "crd[1] of level 2 of 'B' is 1 after 1; coordinates must increase within a segment");
  EXPECT_EQ(message({0, 1, 1}, {0, 1}), "The array 'crd' of level 2 of 'B' has 2 elements, but pos ends at 1");
}

}  // namespace
}  // namespace filigree::level

// Tensors whose coordinates are an array of structures.
#include <gtest/gtest.h>

#include "tensor/any_tensor.h"
#include "tests/tensor/error_of.h"

namespace filigree {
namespace {

using testing_support::error_of;

Array index_array(const std::vector<std::int32_t>& items) {
  Array array(ElementType::Int32, static_cast<std::int64_t>(items.size()));
  for (size_t i = 0; i < items.size(); i++) array.as<std::int32_t>()[i] = items[i];
  return array;
}

std::vector<std::int64_t> items(const Array& array) {
  std::vector<std::int64_t> out;
  for (std::int64_t n = 0; n < array.count(); n++) out.push_back(array.index_at(n));
  return out;
}

/// 3 x 4, entries (2,3), (0,1), (2,0) and (2,3) again.
Coordinates entries() {
  Coordinates entries{{3, 4}, {{2, 0, 2, 2}, {3, 1, 0, 3}}, Array(ElementType::Float64, 4)};
  for (int n = 0; n < 4; n++) entries.values.as<double>()[n] = n + 1;
  return entries;
}

TEST(CooAos, ParsesAndPrints) {
  EXPECT_EQ(to_map(parse_format("coo_aos", 2)), "(i,j) -> (i: tuples(2), j: member)");
  EXPECT_EQ(to_map(parse_format("coo_aos", 3)), "(i,j,k) -> (i: tuples(3), j: member(nonunique), k: member)");
  EXPECT_EQ(to_map(parse_format("coo_aos(unordered,nonunique)", 2)),
            "(i,j) -> (i: tuples(2, unordered), j: member(unordered, nonunique))");
  EXPECT_EQ(parse_format("coo_aos", 1), parse_format("coo", 1));
  for (int order = 1; order <= 5; order++) {
    for (const char* text : {"coo_aos", "coo_aos(unordered)", "coo_aos(nonunique)", "coo_aos(unordered,nonunique)",
                             "coo_aos(decreasing)"}) {
      Format format = parse_format(text, order);
      EXPECT_EQ(parse_format(to_string(format), order), format) << to_string(format);
      EXPECT_EQ(parse_format(to_map(format), order), format) << to_map(format);
      EXPECT_TRUE(order == 1 || to_string(format) == text) << to_string(format);
    }
  }
  EXPECT_FALSE(parse_format("coo_aos", 2) == parse_format("coo", 2));
  EXPECT_FALSE(*level::tuples(2) == *level::tuples(3));
}

TEST(CooAos, EveryTupleHasItsMembers) {
  auto brief = [](const std::string& text, int order) {
    std::string error = error_of([&] { parse_format(text, order); });
    return error.substr(0, error.find('\n'));
  };
  EXPECT_EQ(brief("(i,j) -> (i: tuples(2), j: compressed)", 2),
            "error: Tuples(2) has the coordinates of 1 more level, but no such levels are below it");
  EXPECT_EQ(brief("(i,j) -> (i: tuples(3), j: member)", 2),
            "error: Tuples(3) has the coordinates of 2 more levels, but 1 such level is below it");
  EXPECT_EQ(brief("(i,j,k) -> (i: tuples(2), j: member(nonunique), k: member)", 3),
            "error: Member stores nothing itself, and no level above has room for its coordinates");
  EXPECT_EQ(brief("(i,j) -> (i: compressed(nonunique), j: member)", 2),
            "error: Member stores nothing itself, and no level above has room for its coordinates");
  EXPECT_EQ(brief("(i,j) -> (i: tuples(0), j: member)", 2), "error: Unknown property '0'");
  EXPECT_EQ(brief("(i,j,k) -> (i: dense, j: tuples(2), k: member)", 3), "no error");
}

TEST(CooAos, PacksCoordinatesSideBySide) {
  AnyTensor tensor = AnyTensor::pack(entries(), parse_format("coo_aos", 2));
  ASSERT_EQ(tensor.level_arrays().size(), 2u);
  EXPECT_EQ(items(tensor.level_arrays()[0][0]), (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ(items(tensor.level_arrays()[0][1]), (std::vector<std::int64_t>{0, 1, 2, 0, 2, 3}));
  EXPECT_TRUE(tensor.level_arrays()[1].empty());
  EXPECT_EQ(tensor.values().get(2).as_double(), 5);
  tensor.validate("B");
  AnyTensor kept = AnyTensor::pack(entries(), parse_format("coo_aos(unordered,nonunique)", 2));
  EXPECT_EQ(items(kept.level_arrays()[0][1]), (std::vector<std::int64_t>{2, 3, 0, 1, 2, 0, 2, 3}));
  kept.validate("B");
}

TEST(CooAos, HoldsWhatOtherFormatsHold) {
  AnyTensor csr = AnyTensor::pack(entries(), parse_format("csr", 2));
  Array components = csr.converted(Format::dense(2)).values();
  for (const char* text : {"coo_aos", "coo_aos(unordered)", "coo_aos(decreasing)", "(i,j) -> (j: tuples(2), i: member)",
                           "(i,j) -> (i/2: tuples(2), j/2: member, i%2: dense, j%2: dense)",
                           "(i,j) -> (i: dense, j/2: tuples(2), j%2: member)"}) {
    AnyTensor tensor = csr.converted(parse_format(text, 2));
    tensor.validate("B");
    EXPECT_TRUE(tensor.converted(Format::dense(2)).values() == components) << text;
  }
  AnyTensor empty(ElementType::Float64, {0, 4}, parse_format("coo_aos", 2));
  empty.validate("B");
  EXPECT_EQ(empty.stored(), 0);
}

TEST(CooAos, CountsItsBytes) {
  AnyTensor tensor = AnyTensor::pack(entries(), parse_format("coo_aos", 2));
  const Statistics& statistics = tensor.statistics();
  EXPECT_EQ(statistics.stored, 3);
  EXPECT_EQ(statistics.levels[0].bytes, 2 * 4 + 6 * 4);
  EXPECT_EQ(statistics.levels[1].bytes, 0);
  EXPECT_EQ(statistics.levels[1].size, 3);
  EXPECT_EQ(statistics.levels[1].longest_fibre, 1);
  EXPECT_EQ(statistics.bytes, 32 + 3 * 8);
}

TEST(CooAos, TakesArraysOfTheCaller) {
  std::int32_t pos[] = {0, 2}, crd[] = {0, 3, 1, 2};
  double values[] = {5, 7};
  Array borrowed_pos = Array::borrow(ElementType::Int32, pos, 2),
        borrowed_crd = Array::borrow(ElementType::Int32, crd, 4);
  AnyTensor tensor = AnyTensor::from_arrays({3, 4}, parse_format("coo_aos", 2), {{borrowed_pos, borrowed_crd}, {}},
                                            Array::borrow(ElementType::Float64, values, 2));
  std::vector<std::vector<std::int64_t>> visited;
  tensor.for_each([&](const std::vector<std::int64_t>& coordinates, std::int64_t) { visited.push_back(coordinates); });
  EXPECT_EQ(visited, (std::vector<std::vector<std::int64_t>>{{0, 3}, {1, 2}}));
}

TEST(CooAos, SaysWhatIsWrongWithItsArrays) {
  auto message = [](const std::string& format, const std::vector<std::int32_t>& pos,
                    const std::vector<std::int32_t>& crd) {
    std::string error = error_of([&] {
      AnyTensor::from_arrays({3, 4}, parse_format(format, 2), {{index_array(pos), index_array(crd)}, {}},
                             Array(ElementType::Float64, pos.back()), "B");
    });
    return error.substr(0, error.find('\n'));
  };
  EXPECT_EQ(message("coo_aos", {0, 2}, {0, 3, 1, 2}), "no error");
  EXPECT_EQ(message("coo_aos", {0, 2}, {0, 3, 1}),
            "error: pos[1] of level 1 of 'B' is 2, but 'crd' has only 3 elements, 2 for every position");
  EXPECT_EQ(message("coo_aos", {0, 1}, {0, 3, 1}),
            "error: The array 'crd' of level 1 of 'B' has 3 elements, 2 for every position, but pos ends at 1");
  EXPECT_EQ(message("coo_aos", {0, 2}, {0, 3, 3, 2}), "error: crd[2] of level 1 of 'B' is 3, outside 0..2");
  EXPECT_EQ(message("coo_aos", {0, 2}, {0, 4, 1, 2}), "error: crd[1] of level 2 of 'B' is 4, outside 0..3");
  EXPECT_EQ(message("coo_aos", {0, 2}, {1, 3, 0, 2}),
            "error: crd[2] of level 1 of 'B' is 0 after 1; coordinates must not decrease within a segment");
  EXPECT_EQ(message("coo_aos", {0, 2}, {1, 3, 1, 2}),
            "error: crd[3] of level 2 of 'B' is 2 after 3; coordinates must increase within a segment");
  EXPECT_EQ(message("coo_aos", {0, 2}, {1, 3, 1, 3}),
            "error: crd[3] of level 2 of 'B' is 3 after 3; coordinates must increase within a segment");
  EXPECT_EQ(message("coo_aos(nonunique)", {0, 2}, {1, 3, 1, 3}), "no error");
  EXPECT_EQ(message("coo_aos(unordered)", {0, 2}, {1, 3, 0, 2}), "no error");
  EXPECT_EQ(message("coo_aos(unordered)", {0, 3}, {1, 3, 0, 2, 1, 3}),
            "error: Entries 0 and 2 have the same coordinates (1, 3), but level 2 of 'B' is declared unique");
  EXPECT_EQ(message("coo_aos(unordered,nonunique)", {0, 3}, {1, 3, 0, 2, 1, 3}), "no error");
}

}  // namespace
}  // namespace filigree

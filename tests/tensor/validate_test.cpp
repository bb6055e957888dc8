#include <gtest/gtest.h>

#include "tensor/any_tensor.h"
#include "tests/tensor/entries.h"
#include "tests/tensor/error_of.h"

namespace filigree {
namespace {

using testing_support::error_of;

Array index_array(const std::vector<std::int32_t>& items) {
  Array array(ElementType::Int32, static_cast<std::int64_t>(items.size()));
  for (size_t i = 0; i < items.size(); i++) array.as<std::int32_t>()[i] = items[i];
  return array;
}

/// The complaint about a 3 x 4 CSR matrix 'B' made of these arrays.
std::string csr_error(const std::vector<std::int32_t>& pos, const std::vector<std::int32_t>& crd, std::int64_t values) {
  return error_of([&] {
    AnyTensor::from_arrays({3, 4}, parse_format("csr", 2), {{}, {index_array(pos), index_array(crd)}},
                           Array(ElementType::Float64, values), "B");
  });
}

TEST(Validate, AcceptsGoodArrays) { EXPECT_EQ(csr_error({0, 2, 2, 3}, {0, 3, 1}, 3), "no error"); }

TEST(Validate, SaysWhatIsWrongAndWhere) {
  auto contains = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_NE(text.find("'B'"), std::string::npos) << text;
  };
  contains(csr_error({0, 2, 1, 3}, {0, 3, 1}, 3), "pos[2] of level 2 of 'B' is 1, less than pos[1] = 2");
  contains(csr_error({1, 2, 2, 3}, {0, 3, 1}, 3), "pos[0] of level 2 of 'B' is 1, not 0");
  contains(csr_error({0, 2, 3}, {0, 3, 1}, 3), "has 3 elements, but needs 4");
  contains(csr_error({0, 2, 2, 9}, {0, 3, 1}, 3), "is 9, but 'crd' has only 3 elements");
  contains(csr_error({0, 2, 2, 2}, {0, 3, 1}, 2), "has 3 elements, but pos ends at 2");
  contains(csr_error({0, 2, 2, 3}, {0, 4, 1}, 3), "crd[1] of level 2 of 'B' is 4, outside 0..3");
  contains(csr_error({0, 2, 2, 3}, {0, 3, -1}, 3), "crd[2] of level 2 of 'B' is -1, outside");
  contains(csr_error({0, 2, 2, 3}, {3, 0, 1}, 3), "crd[1] of level 2 of 'B' is 0 after 3");
  contains(csr_error({0, 2, 2, 3}, {3, 3, 1}, 3), "crd[1] of level 2 of 'B' is 3 after 3");
  EXPECT_EQ(csr_error({0, 2, 2, 3}, {0, 3, 1}, 2), "error: 'B' has 2 values, but its levels have 3 positions\n");
}

TEST(Validate, ChecksNumberAndTypeOfArrays) {
  Format csr = parse_format("csr", 2);
  Array values(ElementType::Float64, 0);
  EXPECT_EQ(error_of([&] { AnyTensor::from_arrays({3, 4}, csr, {{}}, values, "B"); }),
            "error: 'B' has arrays for 1 level, but its format csr has 2\n");
  EXPECT_EQ(error_of([&] { AnyTensor::from_arrays({3, 4}, csr, {{}, {index_array({0})}}, values, "B"); }),
            "error: Level 2 of 'B' (compressed) has 1 array, but needs 2\n");
  EXPECT_EQ(error_of([&] {
              AnyTensor::from_arrays({3, 4}, csr, {{}, {index_array({0, 0, 0, 0}), Array(ElementType::Float32, 0)}},
                                     values, "B");
            }),
            "error: Array 'crd' of level 2 of 'B' holds float32, but must hold int32 or int64\n");
}

TEST(Validate, CountsComponentsWithoutOverflow) {
  std::int64_t huge = std::int64_t{1} << 40;
  EXPECT_EQ(error_of([&] {
              AnyTensor::from_arrays({huge, huge}, Format::dense(2), {{}, {}}, Array(ElementType::Float64, 0), "B");
            }),
            "error: 'B' (1099511627776 x 1099511627776) has more components than 64 bits can count\n");
}

TEST(FromArrays, BorrowsMemory) {
  double values[] = {1, 2, 3};
  AnyTensor tensor =
      AnyTensor::from_arrays({3}, Format::dense(1), {{}}, Array::borrow(ElementType::Float64, values, 3));
  values[1] = 7;
  EXPECT_EQ(tensor.values().get(1).as_double(), 7);
}

TEST(Array, OwnsCopiesAndConverts) {
  Array array(ElementType::Int64, 3);
  EXPECT_EQ(array.index_at(2), 0);
  array.set_index(0, -5);
  array.set(1, Scalar::of(ElementType::Float64, 2.9));
  EXPECT_EQ(array.index_at(1), 2);
  for (ElementType type : all_element_types()) {
    Array converted = array.converted(type);
    EXPECT_EQ(converted.type(), type);
    for (int i = 0; i < 3; i++) EXPECT_EQ(converted.get(i), array.get(i).cast(type));
  }
  Array other = array, own = array.copy();
  array.set_index(2, 9);
  EXPECT_EQ(other.index_at(2), 0);
  EXPECT_EQ(own.index_at(2), 0);
  EXPECT_EQ(Array(ElementType::Int8, 0).copy().count(), 0);
  EXPECT_EQ(Array::adopt(ElementType::Int32, std::calloc(2, 4), 2).bytes(), 8);
  EXPECT_EQ(index_type_for(2147483647), ElementType::Int32);
  EXPECT_EQ(index_type_for(2147483648), ElementType::Int64);
}

TEST(Array, SaysWhenMemoryRunsOut) {
  std::string text = error_of([] { Array(ElementType::Float64, std::int64_t{1} << 61); });
  EXPECT_EQ(text,
            "error: Not enough memory for an array of 2305843009213693952 elements of float64 (16.0 EiB)\n"
            "hint: use a sparser format, smaller dimensions or a machine with more memory\n");
}

/// The complaint when a matrix with these entries is packed.
std::string packing_error(const std::string& format, const std::vector<std::int64_t>& shape,
                          const testing_support::EntryList& entries) {
  return error_of([&] {
    AnyTensor::pack(testing_support::make_entries(shape, entries), parse_format(format, static_cast<int>(shape.size())),
                    Duplicates::Sum, "B");
  });
}

TEST(Validate, CountsCoordinatesOfAFullLevelNotItsNodes) {
  testing_support::EntryList all_rows = {{{0, 1}, 1}, {{0, 2}, 2}, {{1, 0}, 3}, {{2, 2}, 4}},
                             two_rows = {{{0, 1}, 1}, {{0, 2}, 2}, {{2, 2}, 4}};
  for (const char* format : {"coo(full)", "coo(full,unordered)", "coo(full,nonunique)", "coo(full,decreasing)",
                             "(i,j) -> (i: compressed(full, nonunique), j: singleton)"}) {
    EXPECT_EQ(packing_error(format, {3, 3}, all_rows), "no error") << format;
    EXPECT_EQ(packing_error(format, {3, 3}, two_rows),
              "error: Parent 0 of level 1 of 'B' has 2 of the 3 coordinates, but a full level has all of them\nhint: "
              "leave 'full' out of the format\n")
        << format;
  }
  EXPECT_EQ(to_string(parse_format("coo(full)", 2)), "(i,j) -> (i: compressed(full, nonunique), j: singleton)");
}

TEST(Validate, CountsChildrenOfRepeatedNodesTogether) {
  testing_support::EntryList whole_rows = {{{0, 0}, 1}, {{0, 1}, 2}, {{2, 0}, 3}, {{2, 1}, 4}},
                             part = {{{0, 0}, 1}, {{0, 1}, 2}, {{2, 1}, 4}};
  const char* full = "(i,j) -> (i: compressed(nonunique), j: singleton(full))";
  EXPECT_EQ(packing_error(full, {3, 2}, whole_rows), "no error");
  EXPECT_EQ(packing_error(full, {3, 2}, part),
            "error: Level 2 of 'B' has 1 of the 2 coordinates below (2), but a full level has all of them\n"
            "note: coordinates of the levels above are counted from 0\nhint: leave 'full' out of the format\n");
  const char* middle = "(i,j,k) -> (i: dense, j: compressed(nonunique, unordered), k: singleton(full, unordered))";
  EXPECT_EQ(packing_error(middle, {2, 2, 2}, {{{0, 1, 0}, 1}, {{0, 0, 0}, 1}, {{0, 1, 1}, 1}, {{0, 0, 1}, 1}}),
            "no error");
  EXPECT_EQ(packing_error(middle, {2, 2, 2}, {{{0, 1, 0}, 1}, {{1, 1, 1}, 1}}).substr(0, 59),
            "error: Level 3 of 'B' has 1 of the 2 coordinates below (1),");
}

}  // namespace
}  // namespace filigree

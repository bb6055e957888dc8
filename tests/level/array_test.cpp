#include "level/array.h"

#include <gtest/gtest.h>

namespace filigree {
namespace {

TEST(Array, StartsAtZero) {
  for (ElementType type : all_element_types()) {
    Array array(type, 3);
    for (std::int64_t n = 0; n < 3; n++) EXPECT_TRUE(array.get(n).is_zero()) << to_string(type);
    EXPECT_EQ(array.bytes(), 3 * size_in_bytes(type));
  }
}

TEST(Array, IsAValueUnlessItBorrows) {
  Array array(ElementType::Int32, 2), other = array;
  array.set_index(1, 7);
  EXPECT_EQ(other.index_at(1), 0);
  other = array;
  EXPECT_EQ(other.index_at(1), 7);
  EXPECT_NE(other.data(), array.data());
  Array view = Array::borrow(ElementType::Int32, array.data(), 2), same = view;
  EXPECT_EQ(same.data(), array.data());
}

TEST(Copy, OwnsItsMemory) {
  std::int32_t numbers[] = {1, 2};
  Array borrowed = Array::borrow(ElementType::Int32, numbers, 2), copy = borrowed.copy();
  numbers[0] = 9;
  EXPECT_EQ(borrowed.index_at(0), 9);
  EXPECT_EQ(copy.index_at(0), 1);
}

TEST(Converted, ConvertsEveryElement) {
  double numbers[] = {1.5, -2};
  Array converted = Array::borrow(ElementType::Float64, numbers, 2).converted(ElementType::Int64);
  EXPECT_EQ(converted.index_at(0), 1);
  EXPECT_EQ(converted.index_at(1), -2);
}

TEST(IndexTypeFor, IsTheNarrowestThatFits) {
  EXPECT_EQ(index_type_for(-1), ElementType::Int32);
  EXPECT_EQ(index_type_for(2147483647), ElementType::Int32);
  EXPECT_EQ(index_type_for(2147483648), ElementType::Int64);
}

}  // namespace
}  // namespace filigree

#include "level/array.h"

#include <gtest/gtest.h>

#include "support/diagnostic.h"

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

std::string message_of_borrowing(ElementType type, void* data, std::int64_t count) {
  try {
    Array::borrow(type, data, count);
  } catch (const UserError& error) {
    return error.message();
  }
  return "no error";
}

TEST(Borrow, RefusesWhatIsNoMemory) {
  alignas(8) char bytes[64] = {};
  EXPECT_EQ(message_of_borrowing(ElementType::Int32, nullptr, 4), "The memory to borrow is a null pointer");
  EXPECT_EQ(message_of_borrowing(ElementType::Int32, nullptr, 0), "no error");
  EXPECT_EQ(message_of_borrowing(ElementType::Int32, bytes, -1), "An array cannot have -1 elements");
  EXPECT_EQ(message_of_borrowing(ElementType::Float64, bytes + 4, 2),
            "The memory to borrow is not aligned: elements of float64 start at multiples of 8 bytes");
  EXPECT_EQ(message_of_borrowing(ElementType::Complex64, bytes + 4, 2), "no error");
  EXPECT_EQ(message_of_borrowing(ElementType::UInt8, bytes + 3, 2), "no error");
  EXPECT_EQ(message_of_borrowing(ElementType::Float64, bytes, std::int64_t{1} << 61),
            "No memory has as many as 2305843009213693952 elements of float64");
  EXPECT_EQ(message_of_borrowing(ElementType::Complex128, bytes, std::int64_t{1} << 60),
            "No memory has as many as 1152921504606846976 elements of complex128");
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

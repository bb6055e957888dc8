#include "algebra/element_type.h"

#include <gtest/gtest.h>

#include "support/text.h"

namespace filigree {
namespace {

// numpy.promote_types, rows and columns in the order of all_element_types().
const char* const numpy_table[] = {
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128",
    "int8 int8 int16 int32 int64 int16 int32 int64 float64 float32 float64 complex64 complex128",
    "int16 int16 int16 int32 int64 int16 int32 int64 float64 float32 float64 complex64 complex128",
    "int32 int32 int32 int32 int64 int32 int32 int64 float64 float64 float64 complex128 complex128",
    "int64 int64 int64 int64 int64 int64 int64 int64 float64 float64 float64 complex128 complex128",
    "uint8 int16 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128",
    "uint16 int32 int32 int32 int64 uint16 uint16 uint32 uint64 float32 float64 complex64 complex128",
    "uint32 int64 int64 int64 int64 uint32 uint32 uint32 uint64 float64 float64 complex128 complex128",
    "uint64 float64 float64 float64 float64 uint64 uint64 uint64 uint64 float64 float64 complex128 complex128",
    "float32 float32 float32 float64 float64 float32 float32 float64 float64 float32 float64 complex64 complex128",
    "float64 float64 float64 float64 float64 float64 float64 float64 float64 float64 float64 complex128 complex128",
    "complex64 complex64 complex64 complex128 complex128 complex64 complex64 complex128 complex128 complex64 "
    "complex128 complex64 complex128",
    "complex128 complex128 complex128 complex128 complex128 complex128 complex128 complex128 complex128 complex128 "
    "complex128 complex128 complex128",
};

TEST(Promote, IsNumPys) {
  const std::vector<ElementType>& types = all_element_types();
  ASSERT_EQ(types.size(), std::size(numpy_table));
  for (size_t row = 0; row < types.size(); row++) {
    std::vector<std::string> expected = split(numpy_table[row], ' ');
    for (size_t column = 0; column < types.size(); column++) {
      EXPECT_EQ(to_string(promote(types[row], types[column])), expected[column])
          << to_string(types[row]) << " with " << to_string(types[column]);
    }
  }
}

TEST(ParseElementType, ReadsItsOwnNames) {
  for (ElementType type : all_element_types()) EXPECT_EQ(parse_element_type(to_string(type)), type);
}

TEST(ParseElementType, KnowsTacosHabits) {
  EXPECT_EQ(parse_element_type("float"), ElementType::Float32);
  EXPECT_EQ(parse_element_type("double"), ElementType::Float64);
  EXPECT_EQ(parse_element_type("int"), ElementType::Int32);
  EXPECT_FALSE(parse_element_type("quad"));
}

TEST(ElementType, BelongsToOneKind) {
  for (ElementType type : all_element_types()) {
    int kinds = is_integer(type) + is_floating(type) + is_complex(type) + (type == ElementType::Bool);
    EXPECT_EQ(kinds, 1) << to_string(type);
    EXPECT_TRUE(!is_signed_integer(type) || is_integer(type)) << to_string(type);
  }
}

}  // namespace
}  // namespace filigree

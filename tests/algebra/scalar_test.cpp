#include "algebra/scalar.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/algebra/values.h"

namespace filigree {
namespace {

TEST(Scalar, SurvivesMemory) {
  for (ElementType type : all_element_types()) {
    for (const Scalar& value : values_of(type)) {
      alignas(16) unsigned char memory[16] = {};
      value.store(memory);
      EXPECT_EQ(Scalar::load(type, memory), value) << to_string(type) << " " << to_string(value);
    }
  }
}

TEST(Scalar, SurvivesText) {
  for (ElementType type : {ElementType::Float32, ElementType::Float64}) {
    for (const Scalar& value : values_of(type)) {
      std::string text = to_string(value);
      EXPECT_EQ(Scalar::of(type, std::stod(text)), value) << text;
    }
  }
  for (const Scalar& value : values_of(ElementType::UInt64)) {
    EXPECT_EQ(Scalar::of(ElementType::UInt64, static_cast<std::int64_t>(std::stoull(to_string(value)))), value);
  }
  for (const Scalar& value : values_of(ElementType::Int64)) {
    EXPECT_EQ(Scalar::of(ElementType::Int64, static_cast<std::int64_t>(std::stoll(to_string(value)))), value);
  }
}

TEST(Scalar, HoldsFloatsRoundedToTheirType) {
  EXPECT_EQ(Scalar::of(ElementType::Float32, 0.1).as_double(), static_cast<double>(0.1f));
  EXPECT_EQ(Scalar::of(ElementType::Complex64, std::complex<double>(0.1, 0.2)).as_complex(),
            std::complex<double>(0.1f, 0.2f));
}

TEST(Cast, WrapsBetweenIntegers) {
  EXPECT_EQ(Scalar::of(ElementType::Int32, std::int64_t{300}).cast(ElementType::UInt8).as_int(), 44);
  EXPECT_EQ(Scalar::of(ElementType::Int64, std::int64_t{-1}).cast(ElementType::UInt16).as_int(), 65535);
  EXPECT_EQ(Scalar::of(ElementType::UInt8, std::int64_t{200}).cast(ElementType::Int8).as_int(), -56);
}

TEST(Cast, TruncatesFloats) {
  EXPECT_EQ(Scalar::of(ElementType::Float64, 2.9).cast(ElementType::Int32).as_int(), 2);
  EXPECT_EQ(Scalar::of(ElementType::Float64, -2.9).cast(ElementType::Int32).as_int(), -2);
  EXPECT_EQ(Scalar::of(ElementType::Float64, std::nan("")).cast(ElementType::Int64).as_int(), 0);
  EXPECT_EQ(Scalar::of(ElementType::Float64, 1e300).cast(ElementType::Int64).as_int(),
            std::numeric_limits<std::int64_t>::max());
}

TEST(Cast, MakesBoolsOfWhatIsNotZero) {
  for (ElementType type : all_element_types()) {
    for (const Scalar& value : values_of(type)) EXPECT_EQ(value.cast(ElementType::Bool).as_bool(), !value.is_zero());
  }
}

TEST(Cast, ToAWiderTypeAndBackChangesNothing) {
  for (ElementType type : all_element_types()) {
    for (ElementType wide : all_element_types()) {
      // 64-bit integers do not fit in a double.
      bool exact = promote(type, wide) == wide && !(size_in_bytes(type) == 8 && is_integer(type) && !is_integer(wide));
      if (!exact) continue;
      for (const Scalar& value : values_of(type))
        EXPECT_EQ(value.cast(wide).cast(type), value) << to_string(type) << " through " << to_string(wide);
    }
  }
}

TEST(Equality, ComparesTypeAndValueAndTakesNaNForNaN) {
  EXPECT_NE(Scalar::of(ElementType::Int32, std::int64_t{1}), Scalar::of(ElementType::Int64, std::int64_t{1}));
  EXPECT_EQ(Scalar::of(ElementType::Float64, std::nan("")), Scalar::of(ElementType::Float64, std::nan("")));
}

}  // namespace
}  // namespace filigree

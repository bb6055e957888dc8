// The types a tensor's elements, and the scalars of generated code, can have.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace filigree {

enum class ElementType {
  Bool, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Float32, Float64, Complex64, Complex128,
};

bool is_integer(ElementType type);  // bool is not an integer
bool is_signed_integer(ElementType type);
bool is_floating(ElementType type);
bool is_complex(ElementType type);
int size_in_bytes(ElementType type);

/// "float64", "int32", "complex128", ...
std::string to_string(ElementType type);
/// The C spelling: "double", "int32_t", "double _Complex", ...
std::string c_name(ElementType type);
/// Accepts to_string's names and C's and TACO's habits ("float", "double", "int").
std::optional<ElementType> parse_element_type(std::string_view text);
const std::vector<ElementType>& all_element_types();

/// The type of an operation on both, as NumPy promotes: int32 with uint32 is int64, int64 with
/// float32 is float64, uint64 with int64 is float64.
ElementType promote(ElementType a, ElementType b);

}  // namespace filigree

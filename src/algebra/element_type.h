// The types a tensor's elements, and the scalars of generated code, can have.
#pragma once

#include <complex>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace filigree {

enum class ElementType {
  Bool,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Float32,
  Float64,
  Complex64,
  Complex128,
};

/// C++ types that elements can have.  Integers go by their width, so long and long long are both int64.
template <class T>
concept Element = std::integral<T> || std::same_as<T, float> || std::same_as<T, double> ||
                  std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

template <Element T>
constexpr ElementType element_type_of() {
  if constexpr (std::same_as<T, bool>) return ElementType::Bool;
  else if constexpr (std::same_as<T, float>) return ElementType::Float32;
  else if constexpr (std::same_as<T, double>) return ElementType::Float64;
  else if constexpr (std::same_as<T, std::complex<float>>) return ElementType::Complex64;
  else if constexpr (std::same_as<T, std::complex<double>>) return ElementType::Complex128;
  else if constexpr (sizeof(T) == 1) return std::signed_integral<T> ? ElementType::Int8 : ElementType::UInt8;
  else if constexpr (sizeof(T) == 2) return std::signed_integral<T> ? ElementType::Int16 : ElementType::UInt16;
  else if constexpr (sizeof(T) == 4) return std::signed_integral<T> ? ElementType::Int32 : ElementType::UInt32;
  else return std::signed_integral<T> ? ElementType::Int64 : ElementType::UInt64;
}

bool is_integer(ElementType type);  // bool is not an integer
bool is_signed_integer(ElementType type);
bool is_floating(ElementType type);
bool is_complex(ElementType type);
int size_in_bytes(ElementType type);

/// "float64", "int32", "complex128", ...
std::string to_string(ElementType type);
/// The C spelling: "double", "int32_t", "double _Complex", ...
std::string c_name(ElementType type);
/// The C++ spelling: "double", "std::int32_t", "std::complex<double>", ...
std::string cpp_name(ElementType type);
/// At which multiples of bytes elements may start.
int alignment(ElementType type);
/// Accepts to_string's names and C's and TACO's habits ("float", "double", "int").
std::optional<ElementType> parse_element_type(std::string_view text);
const std::vector<ElementType>& all_element_types();

/// The type of an operation on both, as NumPy promotes: int32 with uint32 is int64, int64 with
/// float32 is float64, uint64 with int64 is float64.
ElementType promote(ElementType a, ElementType b);

}  // namespace filigree

// Calls a template with the C++ type that holds elements of an element type.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "algebra/element_type.h"
#include "support/check.h"

namespace filigree {

/// `function(std::type_identity<T>{})`, where T is what memory holds; bool is kept in a std::uint8_t.
template <class Function>
decltype(auto) visit_element_type(ElementType type, Function&& function) {
  switch (type) {
    case ElementType::Bool: return function(std::type_identity<std::uint8_t>{});
    case ElementType::Int8: return function(std::type_identity<std::int8_t>{});
    case ElementType::Int16: return function(std::type_identity<std::int16_t>{});
    case ElementType::Int32: return function(std::type_identity<std::int32_t>{});
    case ElementType::Int64: return function(std::type_identity<std::int64_t>{});
    case ElementType::UInt8: return function(std::type_identity<std::uint8_t>{});
    case ElementType::UInt16: return function(std::type_identity<std::uint16_t>{});
    case ElementType::UInt32: return function(std::type_identity<std::uint32_t>{});
    case ElementType::UInt64: return function(std::type_identity<std::uint64_t>{});
    case ElementType::Float32: return function(std::type_identity<float>{});
    case ElementType::Float64: return function(std::type_identity<double>{});
    case ElementType::Complex64: return function(std::type_identity<std::complex<float>>{});
    case ElementType::Complex128: return function(std::type_identity<std::complex<double>>{});
  }
  throw InternalError("level", "visit of an unknown element type");
}

}  // namespace filigree

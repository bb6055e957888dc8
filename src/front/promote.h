// The element type of an operation on elements of two types, at compile time: as filigree::promote.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "algebra/element_type.h"

namespace filigree::front {

template <class T>
constexpr bool is_complex_v = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

/// The floating-point type that holds a real or an integer type: float only for what is at most 16 bits wide, or float
/// itself.
template <class T>
struct FloatOf {
  using type = std::conditional_t<std::is_same_v<T, float> || (std::integral<T> && sizeof(T) <= 2), float, double>;
};
template <class T>
struct FloatOf<std::complex<T>> {
  using type = T;
};

template <int Bytes>
using SignedOf = std::conditional_t<
    Bytes <= 1, std::int8_t,
    std::conditional_t<Bytes <= 2, std::int16_t, std::conditional_t<Bytes <= 4, std::int32_t, std::int64_t>>>;

template <Element A, Element B>
constexpr auto promoted() {
  using FloatA = typename FloatOf<A>::type;
  using FloatB = typename FloatOf<B>::type;
  using Real = std::conditional_t<std::is_same_v<FloatA, double> || std::is_same_v<FloatB, double>, double, float>;
  if constexpr (std::is_same_v<A, B>) return std::type_identity<A>{};
  else if constexpr (std::is_same_v<A, bool>) return std::type_identity<B>{};
  else if constexpr (std::is_same_v<B, bool>) return std::type_identity<A>{};
  else if constexpr (is_complex_v<A> || is_complex_v<B>) return std::type_identity<std::complex<Real>>{};
  else if constexpr (std::floating_point<A> || std::floating_point<B>) return std::type_identity<Real>{};
  else if constexpr (std::signed_integral<A> == std::signed_integral<B>)
    return std::type_identity<std::conditional_t<(sizeof(A) >= sizeof(B)), A, B>>{};
  else {
    using Signed = std::conditional_t<std::signed_integral<A>, A, B>;
    using Unsigned = std::conditional_t<std::signed_integral<A>, B, A>;
    if constexpr (sizeof(Signed) > sizeof(Unsigned)) return std::type_identity<Signed>{};
    else if constexpr (sizeof(Unsigned) >= 8) return std::type_identity<double>{};
    else return std::type_identity<SignedOf<2 * sizeof(Unsigned)>>{};
  }
}

template <Element First, Element... Rest>
struct Promoted {
  using type = First;
};
template <Element First, Element Second, Element... Rest>
struct Promoted<First, Second, Rest...> : Promoted<typename decltype(promoted<First, Second>())::type, Rest...> {};

}  // namespace filigree::front

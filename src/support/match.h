// Exhaustive match over a variant: a forgotten alternative does not compile.
#pragma once

#include <variant>

namespace filigree {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

template <class Variant, class... Cases>
decltype(auto) match_variant(Variant&& variant, Cases&&... cases) {
  return std::visit(Overloaded{std::forward<Cases>(cases)...}, std::forward<Variant>(variant));
}

/// Match on a tree handle: anything with `kind()` that returns a variant.
template <class Handle, class... Cases>
decltype(auto) match(const Handle& handle, Cases&&... cases) {
  return std::visit(Overloaded{std::forward<Cases>(cases)...}, handle.kind());
}

}  // namespace filigree

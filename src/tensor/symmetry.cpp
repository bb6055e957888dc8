#include "tensor/symmetry.h"

#include <map>

#include <fmt/format.h>

namespace filigree {
namespace {

const char* adjective(Symmetry symmetry) {
  return symmetry == Symmetry::Skew ? "skew-symmetric" : symmetry == Symmetry::Hermitian ? "hermitian" : "symmetric";
}

}  // namespace

Scalar mirrored(const Scalar& value, Symmetry symmetry) {
  if (symmetry == Symmetry::Skew) return evaluate(Operator::Negate, {value}).cast(value.type());
  if (symmetry == Symmetry::Hermitian && is_complex(value.type())) {
    std::complex<double> z = value.as_complex();
    return Scalar::of(ElementType::Complex128, std::conj(z)).cast(value.type());
  }
  return value;
}

Coordinates stored_half(const Coordinates& entries, Symmetry symmetry, Duplicates duplicates, const std::string& name) {
  Tensor whole = Tensor::pack(entries, Format::sparse(2), duplicates, name);
  Coordinates sorted = whole.coordinates();
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> at;  // only of entries above the diagonal
  for (std::int64_t n = 0; n < sorted.count(); n++) {
    if (sorted.coordinate[0][n] < sorted.coordinate[1][n]) at[{sorted.coordinate[0][n], sorted.coordinate[1][n]}] = n;
  }
  auto fail = [&](std::int64_t i, std::int64_t j, const std::string& why) {
    return UserError(fmt::format("'{}' is not {}: the entry at ({}, {}) {}", name, adjective(symmetry), i, j, why))
        .note("coordinates count from 0").hint("store it in another format, such as csr");
  };
  Coordinates half{entries.dimensions, {{}, {}}, Array(), false, entries.dimensions_implied};
  std::vector<std::int64_t> kept;
  for (std::int64_t n = 0; n < sorted.count(); n++) {
    std::int64_t i = sorted.coordinate[0][n], j = sorted.coordinate[1][n];
    if (i < j) continue;
    Scalar value = sorted.values.get(n);
    if (i == j) {
      if (!(mirrored(value, symmetry) == value)) throw fail(i, j, fmt::format("on the diagonal is {}", to_string(value)));
    } else {
      auto other = at.find({j, i});
      if (other == at.end()) throw fail(i, j, "has no mirror image");
      if (!(sorted.values.get(other->second) == mirrored(value, symmetry))) {
        throw fail(i, j, fmt::format("is {}, its mirror image {}", to_string(value), to_string(sorted.values.get(other->second))));
      }
      at.erase(other);
    }
    half.coordinate[0].push_back(i);
    half.coordinate[1].push_back(j);
    kept.push_back(n);
  }
  if (!at.empty()) throw fail(at.begin()->first.first, at.begin()->first.second, "has no mirror image");
  half.values = Array(sorted.values.type(), static_cast<std::int64_t>(kept.size()));
  for (size_t n = 0; n < kept.size(); n++) half.values.set(static_cast<std::int64_t>(n), sorted.values.get(kept[n]));
  return half;
}

}  // namespace filigree

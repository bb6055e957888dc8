#include "tensor/symmetry.h"

#include <algorithm>

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
  AnyTensor whole = AnyTensor::pack(entries, Format::sparse(2), duplicates, name);
  Coordinates sorted = whole.coordinates();
  const std::vector<std::int64_t>&row = sorted.coordinate[0], &column = sorted.coordinate[1];
  // The entries above the diagonal in the order of their mirror images: by column, then by row.
  std::vector<std::int64_t> above;
  for (std::int64_t n = 0; n < sorted.count(); n++) {
    if (row[n] < column[n]) above.push_back(n);
  }
  std::stable_sort(above.begin(), above.end(), [&](std::int64_t a, std::int64_t b) { return column[a] < column[b]; });
  auto fail = [&](std::int64_t i, std::int64_t j, const std::string& why) {
    return UserError(fmt::format("'{}' is not {}: the entry at ({}, {}) {}", name, adjective(symmetry), i, j, why))
        .note("coordinates count from 0")
        .hint("store it in another format, such as csr");
  };
  Coordinates half{entries.dimensions, {{}, {}}, Array(), false, entries.dimensions_implied};
  std::vector<std::int64_t> kept;
  size_t next = 0;  // of those above
  for (std::int64_t n = 0; n < sorted.count(); n++) {
    std::int64_t i = row[n], j = column[n];
    if (i < j) continue;
    Scalar value = sorted.values.get(n);
    if (i == j) {
      if (!(mirrored(value, symmetry) == value))
        throw fail(i, j, fmt::format("on the diagonal is {}", to_string(value)));
    } else {
      bool is_next = next < above.size() && row[above[next]] == j && column[above[next]] == i;
      if (!is_next) {
        bool comes_later = next == above.size() || std::pair(column[above[next]], row[above[next]]) > std::pair(i, j);
        if (comes_later) throw fail(i, j, "has no mirror image");
        throw fail(row[above[next]], column[above[next]], "has no mirror image");
      }
      Scalar other = sorted.values.get(above[next++]);
      if (!(other == mirrored(value, symmetry)))
        throw fail(i, j, fmt::format("is {}, its mirror image {}", to_string(value), to_string(other)));
    }
    half.coordinate[0].push_back(i);
    half.coordinate[1].push_back(j);
    kept.push_back(n);
  }
  if (next < above.size()) throw fail(row[above[next]], column[above[next]], "has no mirror image");
  half.values = Array(sorted.values.type(), static_cast<std::int64_t>(kept.size()));
  for (size_t n = 0; n < kept.size(); n++) half.values.set(static_cast<std::int64_t>(n), sorted.values.get(kept[n]));
  return half;
}

void check_fill(const Scalar& fill, const Format& format, const std::string& name) {
  if (mirrored(fill, format.symmetry()) == fill) return;
  throw UserError(fmt::format("'{}' ({}) cannot have the fill {}, which is not its own mirror image", name,
                              to_string(format), to_string(fill)));
}

}  // namespace filigree

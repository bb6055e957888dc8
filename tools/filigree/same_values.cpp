#include "same_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "level/visit_element_type.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree::tool {
namespace {

/// Of rounding errors, relative to the larger of two numbers and to the largest of all.
struct Tolerance {
  double of_number, of_largest;
};

Tolerance tolerance(ElementType type) {
  if (is_integer(type) || type == ElementType::Bool) return {0, 0};
  bool single = type == ElementType::Float32 || type == ElementType::Complex64;
  return single ? Tolerance{1e-3, 1e-5} : Tolerance{1e-9, 1e-12};
}

double largest(const Array& values) {
  double most = 0;
  visit_element_type(values.type(), [&]<class T>(std::type_identity<T>) {
    for (const T& value : values.as<T>()) {
      double size = 0;
      if constexpr (std::is_arithmetic_v<T>) size = std::abs(static_cast<double>(value));
      else size = static_cast<double>(std::abs(value));
      if (std::isfinite(size)) most = std::max(most, size);
    }
  });
  return most;
}

bool is_finite(const Scalar& value) {
  return std::isfinite(value.as_complex().real()) && std::isfinite(value.as_complex().imag());
}

/// Keeps the largest difference that is more than rounding.
class Comparison {
 public:
  Comparison(ElementType type, double largest) : tolerance_(tolerance(type)), slack_(largest * tolerance_.of_largest) {}

  bool is_same(const Scalar& a, const Scalar& b) const {
    if (a == b) return true;
    if (tolerance_.of_number == 0 || !is_finite(a) || !is_finite(b)) return false;
    double difference = std::abs(a.as_complex() - b.as_complex());
    return difference <= tolerance_.of_number * std::max(std::abs(a.as_complex()), std::abs(b.as_complex())) + slack_;
  }
  void note(const Scalar& a, const Scalar& b, const std::vector<std::int64_t>& at) {
    double difference = std::abs(a.as_complex() - b.as_complex());
    if (std::isnan(difference)) difference = std::numeric_limits<double>::infinity();
    if (!found_.empty() && !(difference > worst_)) return;
    worst_ = difference;
    std::vector<std::string> coordinates;
    for (std::int64_t c : at) coordinates.push_back(std::to_string(c + 1));
    found_ = fmt::format("{} instead of {}{}", to_string(b), to_string(a),
                         at.empty() ? "" : " at " + join(coordinates, " "));
  }
  std::optional<std::string> result() const { return found_.empty() ? std::nullopt : std::optional(found_); }

 private:
  Tolerance tolerance_;
  double slack_;
  double worst_ = 0;
  std::string found_;
};

std::vector<std::int64_t> place(const Coordinates& entries, std::int64_t n) {
  std::vector<std::int64_t> at;
  for (const std::vector<std::int64_t>& coordinate : entries.coordinate)
    at.push_back(coordinate[static_cast<size_t>(n)]);
  return at;
}

/// Component by component; what a tensor does not store is its fill.
std::optional<std::string> compare_entries(const AnyTensor& a, const AnyTensor& b) {
  Coordinates left = a.coordinates(), right = b.coordinates();
  Comparison comparison(a.type(), std::max(largest(left.values), largest(right.values)));
  auto compare = [&](const Scalar& x, const Scalar& y, const Coordinates& entries, std::int64_t n) {
    if (!comparison.is_same(x, y)) comparison.note(x, y, place(entries, n));
  };
  if (left.coordinate == right.coordinate) {
    for (std::int64_t n = 0; n < left.count(); n++) compare(left.values.get(n), right.values.get(n), left, n);
  } else {
    for (std::int64_t n = 0, m = 0; n < left.count() || m < right.count();) {
      bool only_left = m >= right.count(), only_right = n >= left.count();
      std::vector<std::int64_t> at_n, at_m;
      if (!only_left && !only_right) at_n = place(left, n), at_m = place(right, m);
      bool has_left = !only_right && at_n <= at_m, has_right = !only_left && at_m <= at_n;
      compare(has_left ? left.values.get(n) : a.fill(), has_right ? right.values.get(m) : b.fill(),
              has_left ? left : right, has_left ? n : m);
      n += has_left;
      m += has_right;
    }
  }
  bool all_stored = a.format().is_dense() || b.format().is_dense();
  if (!all_stored && !comparison.is_same(a.fill(), b.fill())) comparison.note(a.fill(), b.fill(), {});
  return comparison.result();
}

}  // namespace

std::optional<std::string> find_difference(const AnyTensor& a, const AnyTensor& b) {
  if (a.dimensions() != b.dimensions())
    return fmt::format("dimensions {} instead of {}", describe_dimensions(b.dimensions()),
                       describe_dimensions(a.dimensions()));
  if (a.type() != b.type()) return fmt::format("type {} instead of {}", to_string(b.type()), to_string(a.type()));
  return compare_entries(a, b);
}

}  // namespace filigree::tool

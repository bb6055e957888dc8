#include "describe_contents.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>

#include <fmt/format.h>

#include "level/visit_element_type.h"
#include "support/text.h"
#include "tensor/sort.h"
#include "tensor/any_tensor.h"

namespace filigree::tool {
namespace {

template <class T>
double size_of(const T& value) {
  if constexpr (std::is_arithmetic_v<T>) return std::abs(static_cast<double>(value));
  else return static_cast<double>(std::abs(value));
}

template <class T>
T conjugate(const T& value) {
  if constexpr (std::is_arithmetic_v<T>) return value;
  else return std::conj(value);
}

/// Unsigned numbers have no negative difference.
template <class T>
double distance(const T& a, const T& b) {
  if constexpr (std::is_arithmetic_v<T>) return std::abs(static_cast<double>(a) - static_cast<double>(b));
  else return static_cast<double>(std::abs(a - b));
}

template <class T>
bool is_nan(const T& value) {
  return std::isnan(size_of(value));
}

/// How a square matrix looks beside its transpose.
struct Mirror {
  std::int64_t off_diagonal = 0;  // entries there
  std::int64_t mirrored = 0;      // those whose mirror image is an entry, too
  bool symmetric = true, skew = true, hermitian = true;
  double difference = 0;  // the largest of an entry and its mirror image
};

/// Requires: entries sorted, each place once.
Mirror compare_with_transpose(const Coordinates& entries) {
  const std::vector<std::int64_t>&rows = entries.coordinate[0], &columns = entries.coordinate[1];
  std::vector<std::int64_t> transposed = sorted_numbers(entries, {1, 0});
  Mirror mirror;
  visit_element_type(entries.values.type(), [&]<class T>(std::type_identity<T>) {
    std::span<const T> values = entries.values.as<T>();
    size_t other = 0;
    for (size_t n = 0; n < rows.size(); n++) {
      auto before = [&](std::int64_t m) { return std::pair(columns[m], rows[m]) < std::pair(rows[n], columns[n]); };
      while (other < transposed.size() && before(transposed[other])) other++;
      std::int64_t m = other < transposed.size() ? transposed[other] : -1;
      bool has_image = m >= 0 && columns[m] == rows[n] && rows[m] == columns[n];
      mirror.off_diagonal += rows[n] != columns[n];
      mirror.mirrored += has_image && rows[n] != columns[n];
      T value = values[n], image = has_image ? values[m] : T(0);
      bool both_nan = is_nan(value) && is_nan(image);
      mirror.symmetric &= value == image || both_nan;
      mirror.skew &= value == static_cast<T>(-image) || both_nan;
      mirror.hermitian &= value == conjugate(image) || both_nan;
      if (has_image) mirror.difference = std::max(mirror.difference, distance(value, image));
    }
  });
  return mirror;
}

std::string name_symmetry(const Mirror& mirror, ElementType type) {
  if (mirror.symmetric) return "symmetric";
  if (mirror.skew) return "skew-symmetric";
  if (mirror.hermitian && is_complex(type)) return "hermitian";
  return "";
}

/// Smallest and largest, of complex numbers by their size, and what is no ordinary number.
struct Range {
  std::string least, most;  // empty without numbers
  std::int64_t zeros = 0, nans = 0, infinities = 0;
};

Range range_of(const Array& values) {
  Range range;
  visit_element_type(values.type(), [&]<class T>(std::type_identity<T>) {
    std::optional<T> least, most;
    auto is_less = [](const T& a, const T& b) {
      if constexpr (std::is_arithmetic_v<T>) return a < b;
      else return std::abs(a) < std::abs(b);
    };
    for (const T& value : values.as<T>()) {
      range.zeros += value == T(0);
      range.infinities += std::isinf(size_of(value));
      if (is_nan(value)) {
        range.nans++;
        continue;
      }
      if (!least || is_less(value, *least)) least = value;
      if (!most || is_less(*most, value)) most = value;
    }
    if (!least) return;
    range.least = to_string(Scalar::load(values.type(), &*least), ", ");
    range.most = to_string(Scalar::load(values.type(), &*most), ", ");
  });
  return range;
}

/// How many of the coordinates of a dimension some entry has.
std::int64_t count_distinct(const std::vector<std::int64_t>& coordinates, std::int64_t extent) {
  if (extent <= static_cast<std::int64_t>(8 * coordinates.size() + 1024)) {
    std::vector<bool> seen(static_cast<size_t>(extent));
    for (std::int64_t c : coordinates) seen[static_cast<size_t>(c)] = true;
    return std::count(seen.begin(), seen.end(), true);
  }
  std::vector<std::int64_t> sorted = coordinates;
  std::sort(sorted.begin(), sorted.end());
  return std::unique(sorted.begin(), sorted.end()) - sorted.begin();
}

/// "3 rows"
std::string describe_extent(std::int64_t extent, int order, int dimension) {
  if (order > 2) return fmt::format("{} in dimension {}", extent, dimension + 1);
  return counted(extent, order == 1 ? "coordinate" : dimension == 0 ? "row" : "column");
}

}  // namespace

Banner parse_banner(const std::string& line) {
  std::vector<std::string> words;
  for (const std::string& word : split(trim(line), ' ')) {
    if (!word.empty()) words.push_back(lower_case(word));
  }
  if (words.size() < 4 || !words[0].ends_with("%matrixmarket")) return {};
  return {words[2], words[3], words.size() > 4 ? words[4] : "general"};
}

std::string describe_symmetry(const Coordinates& entries, const Banner& banner) {
  bool is_square = entries.order() == 2 && entries.dimensions[0] == entries.dimensions[1];
  if (!is_square) return "";
  Mirror mirror = compare_with_transpose(AnyTensor::pack(entries, Format::sparse(2)).coordinates());
  std::string name = name_symmetry(mirror, entries.values.type());
  if (name.empty() && mirror.mirrored == mirror.off_diagonal) {
    name = fmt::format("{}: values and their mirror images differ by up to {:.3g}",
                       entries.is_dense ? "none" : "of the pattern only", mirror.difference);
  } else if (name.empty()) {
    name = mirror.mirrored == 0
               ? "none"
               : fmt::format("none: of {} off the diagonal, {} a mirror image",
                             counted(mirror.off_diagonal, "entry", "entries"), counted(mirror.mirrored, "has", "have"));
  }
  bool says_so = !banner.symmetry.empty() && banner.symmetry != "general";
  return fmt::format("symmetry     {}{}\n", name, says_so ? "; the file holds one half" : "");
}

std::string describe_range(const Coordinates& entries) {
  if (entries.count() == 0) return "";
  Range range = range_of(entries.values);
  std::string text = range.least.empty()         ? ""
                     : range.least == range.most ? "all " + range.least
                                                 : range.least + " to " + range.most;
  if (is_complex(entries.values.type()) && range.least != range.most)
    text = fmt::format("from the smallest {} to the largest {}", range.least, range.most);
  std::vector<std::string> parts;
  if (!text.empty()) parts.push_back(text);
  parts.push_back(counted(range.zeros, "zero"));
  if (range.infinities > 0) parts.push_back(fmt::format("{} infinite", range.infinities));
  if (range.nans > 0) parts.push_back(fmt::format("{} nan", range.nans));
  return "range        " + join(parts, "; ") + "\n";
}

std::string describe_empty(const Coordinates& entries) {
  if (entries.order() == 0 || entries.is_dense) return "";
  std::vector<std::string> parts;
  for (int d = 0; d < entries.order(); d++) {
    std::int64_t extent = entries.dimensions[d], empty = extent - count_distinct(entries.coordinate[d], extent);
    parts.push_back(fmt::format("{} of {}", empty, describe_extent(extent, entries.order(), d)));
  }
  return "empty        " + join(parts, ", ") + "\n";
}

}  // namespace filigree::tool

// Symmetric files store one triangle, as a rule the lower one.  Reading mirrors it: a_ji is a_ij, -a_ij
// or the conjugate of a_ij; the diagonal stays single.
#include <algorithm>

#include <fmt/format.h>

#include "io/adapt.h"
#include "io/entries.h"
#include "io/fill.h"
#include "io/matrix_market.h"
#include "level/packing.h"
#include "level/visit_element_type.h"
#include "support/diagnostic.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree::io {
namespace {

template <class T>
T mirrored(T value, Symmetry symmetry) {
  if (symmetry == Symmetry::SkewSymmetric) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(0 - static_cast<std::uint64_t>(value));  // the least integer has no negative and stays
    } else {
      return -value;
    }
  }
  if constexpr (!std::is_arithmetic_v<T>) {
    if (symmetry == Symmetry::Hermitian) return std::conj(value);
  }
  return value;
}

/// May this value be on the diagonal?  A hermitian one is taken as it is, real or not, as other readers do.
template <class T>
bool diagonal_is_good(T value, Symmetry symmetry) {
  return symmetry != Symmetry::SkewSymmetric || value == T{};
}

bool is_signed(ElementType type) { return is_signed_integer(type) || is_floating(type) || is_complex(type); }

class MatrixMarketReader {
 public:
  MatrixMarketReader(TextFile& file, const ReadOptions& options)
      : file_(file), options_(options), header_(read_matrix_market_header(file)) {}

  Contents read() {
    check_options();
    EntryList result = header_.is_array ? read_array() : read_coordinates();
    if (options_.type) result.values = result.values.converted(*options_.type);
    if (becomes_vector()) make_vector(result);
    std::optional<Scalar> fill;
    if (!header_.fill.empty()) fill = parse_fill(header_.fill, result.values.type(), file_.path, header_.fill_line);
    Contents contents(std::move(result));
    if (fill) contents.set_fill(*fill);
    return contents;
  }

 private:
  UserError whole_file_error(const std::string& message) const { return UserError(message).at_line(file_.path, 0); }

  void check_options() {
    const std::vector<std::int64_t>& dimensions = header_.dimensions;
    int order = static_cast<int>(dimensions.size());
    if (options_.order && *options_.order != order && !becomes_vector()) {
      throw wrong_order(fmt::format("The file holds a tensor with {} ({})", counted(order, "dimension"),
                                    describe_dimensions(dimensions)),
                        order, *options_.order, options_)
          .at_line(file_.path, 0);
    }
    if (options_.dimensions) {
      std::vector<std::int64_t> found = dimensions;
      if (becomes_vector()) found.erase(found.begin() + dropped_dimension());
      if (*options_.dimensions != found) {
        throw whole_file_error(fmt::format("The file says that its dimensions are {}, but {} are expected",
                                           describe_dimensions(dimensions), describe_dimensions(*options_.dimensions)));
      }
    }
    if (options_.type && is_complex(header_.type) && !is_complex(*options_.type)) {
      throw whole_file_error(
          fmt::format("The file holds complex values, but {} are expected", to_string(*options_.type)));
    }
    if (options_.type && header_.symmetry == Symmetry::SkewSymmetric && !is_signed(*options_.type)) {
      throw whole_file_error(
          fmt::format("The file is skew-symmetric, but {} has no negative values", to_string(*options_.type)));
    }
    // Read in the wanted type at once, so that values out of its range are noticed.
    if (options_.type && !is_complex(*options_.type)) header_.type = *options_.type;
  }

  /// Is a matrix with one column or row read as a vector, because one is expected or was written?
  bool becomes_vector() const {
    const std::vector<std::int64_t>& dimensions = header_.dimensions;
    if (dimensions.size() != 2 || (dimensions[0] != 1 && dimensions[1] != 1)) return false;
    if (options_.order) return *options_.order == 1;
    return options_.dimensions ? options_.dimensions->size() == 1 : header_.is_vector;
  }
  int dropped_dimension() const { return header_.dimensions[1] == 1 ? 1 : 0; }

  EntryLayout layout() const {
    EntryLayout layout;
    layout.type = header_.type;
    layout.numbers = header_.is_pattern ? 0 : is_complex(header_.type) ? 2 : 1;
    return layout;
  }

  EntryList read_coordinates() {
    EntryLayout lines = layout();
    lines.order = static_cast<int>(header_.dimensions.size());
    lines.dimensions = header_.dimensions;
    lines.count = header_.count;
    lines.base = options_.base.value_or(1);
    Entries entries = read_entries(file_, header_.body, lines, options_.threads);
    lines_ = std::move(entries.lines);
    EntryList result{header_.dimensions, std::move(entries.coordinate), std::move(entries.values)};
    if (header_.symmetry != Symmetry::General) mirror(result);
    return result;
  }

  void mirror(EntryList& entries) const {
    // Both have one type: dimensions are the same.
    level::as_indices(entries.coordinate[0], [&]<class Index>(const Index* rows) {
      mirror<Index>(entries, rows, entries.coordinate[1].as<Index>().data());
    });
  }

  template <class Index>
  void mirror(EntryList& entries, const Index* rows, const Index* columns) const {
    std::int64_t stored = entries.count(), above = 0, below = 0;
    for (std::int64_t n = 0; n < stored; n++) {
      above += rows[n] < columns[n];
      below += rows[n] > columns[n];
    }
    if (above > 0 && below > 0) check_triangles_disjoint(entries);
    const std::int64_t all = stored + above + below;
    Array values = level::room_for(entries.values.type(), all);
    visit_element_type(values.type(), [&]<class T>(std::type_identity<T>) {
      std::span<const T> from = entries.values.as<T>();
      std::span<T> to = values.as<T>();
      std::copy(from.begin(), from.end(), to.begin());
      std::int64_t next = stored;
      for (std::int64_t n = 0; n < stored; n++) {
        if (rows[n] != columns[n]) to[next++] = mirrored(from[n], header_.symmetry);
        else if (!diagonal_is_good(from[n], header_.symmetry)) throw bad_diagonal(lines_.line_of(n));
      }
    });
    entries.values = std::move(values);
    Array all_rows = level::room_for(element_type_of<Index>(), all),
          all_columns = level::room_for(all_rows.type(), all);
    auto append = [&](Array& to, const Index* first, const Index* then) {
      Index* next = std::copy(first, first + stored, to.as<Index>().data());
      for (std::int64_t n = 0; n < stored; n++) {
        if (rows[n] != columns[n]) *next++ = then[n];
      }
    };
    append(all_rows, rows, columns);
    append(all_columns, columns, rows);
    entries.coordinate[0] = std::move(all_rows);
    entries.coordinate[1] = std::move(all_columns);
  }

  UserError bad_diagonal(long line) const {
    return UserError("The diagonal of a skew-symmetric matrix must be 0")
        .at_line(file_.path, line)
        .hint("correct the value, or write 'general' in the banner and give all entries");
  }

  /// Some writers give the upper triangle, or some entries on each side; that is well defined.  An entry
  /// given on both sides is not: its writer meant 'general', and mirroring would count it twice.
  void check_triangles_disjoint(const EntryList& entries) const {
    struct Place {
      std::int64_t row, column, number;
    };
    std::vector<Place> lower, upper;
    for (std::int64_t n = 0; n < entries.count(); n++) {
      std::int64_t row = entries.coordinate[0].index_at(n), column = entries.coordinate[1].index_at(n);
      if (row > column) lower.push_back({row, column, n});
      if (row < column) upper.push_back({column, row, n});
    }
    auto less = [](const Place& a, const Place& b) { return std::pair(a.row, a.column) < std::pair(b.row, b.column); };
    std::sort(lower.begin(), lower.end(), less);
    for (const Place& place : upper) {
      auto found = std::lower_bound(lower.begin(), lower.end(), place, less);
      if (found == lower.end() || less(place, *found)) continue;
      long line = lines_.line_of(std::max(found->number, place.number));
      throw UserError(fmt::format("Both ({},{}) and ({},{}) are given, but a symmetric file stores one of them",
                                  place.row + 1, place.column + 1, place.column + 1, place.row + 1))
          .at_line(file_.path, line)
          .hint("remove one triangle, or write 'general' in the banner");
    }
  }

  EntryList read_array() {
    EntryLayout lines = layout();
    const std::vector<std::int64_t>& dimensions = header_.dimensions;
    std::int64_t components = checked_dense_bytes(dimensions, lines.type, file_.path) / size_in_bytes(lines.type);
    lines.count = components;
    if (header_.symmetry != Symmetry::General) {
      std::int64_t n = dimensions[0];
      lines.count = header_.symmetry == Symmetry::SkewSymmetric ? (components - n) / 2 : (components + n) / 2;
    }
    Entries entries = read_entries(file_, header_.body, lines, options_.threads);
    lines_ = std::move(entries.lines);
    EntryList result{dimensions, {}, Array(lines.type, components), true};
    for (std::int64_t extent : dimensions) result.coordinate.emplace_back(index_type_for(extent), components);
    // Components are listed with the last dimension fastest, so that they need not be sorted for packing.
    std::vector<std::int64_t> at(dimensions.size(), 0);
    visit_element_type(lines.type, [&]<class T>(std::type_identity<T>) {
      std::span<const T> from = entries.values.as<T>();
      std::span<T> to = result.values.as<T>();
      for (std::int64_t n = 0; n < components; n++) {
        for (size_t dimension = 0; dimension < at.size(); dimension++)
          result.coordinate[dimension].set_index(n, at[dimension]);
        to[n] = header_.symmetry == Symmetry::General ? from[column_major(at)] : from_triangle(from, at[0], at[1]);
        for (size_t dimension = at.size(); dimension-- > 0;) {
          if (++at[dimension] < dimensions[dimension]) break;
          at[dimension] = 0;
        }
      }
    });
    return result;
  }

  std::int64_t column_major(const std::vector<std::int64_t>& at) const {
    std::int64_t number = 0;
    for (size_t dimension = at.size(); dimension-- > 0;)
      number = number * header_.dimensions[dimension] + at[dimension];
    return number;
  }

  /// A component of a matrix whose lower triangle is stored by columns; skew-symmetric without the diagonal.
  template <class T>
  T from_triangle(std::span<const T> stored, std::int64_t row, std::int64_t column) const {
    bool skew = header_.symmetry == Symmetry::SkewSymmetric;
    if (row < column) return mirrored(from_triangle(stored, column, row), header_.symmetry);
    if (row == column && skew) return T{};
    std::int64_t n = header_.dimensions[0];
    std::int64_t number = column * n - column * (column - 1) / 2 + (row - column);
    if (skew) number -= column + 1;
    if (row == column && !diagonal_is_good(stored[number], header_.symmetry))
      throw bad_diagonal(lines_.line_of(number));
    return stored[number];
  }

  void make_vector(EntryList& entries) const {
    entries.dimensions.erase(entries.dimensions.begin() + dropped_dimension());
    entries.coordinate.erase(entries.coordinate.begin() + dropped_dimension());
  }

  TextFile& file_;
  EntryLines lines_;
  const ReadOptions& options_;
  MatrixMarketHeader header_;
};

}  // namespace

Contents read_matrix_market(TextFile& file, const ReadOptions& options) {
  return MatrixMarketReader(file, options).read();
}

}  // namespace filigree::io

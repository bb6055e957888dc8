#include "io/npz.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "io/adapt.h"
#include "io/dense.h"
#include "io/npy.h"
#include "io/zip.h"
#include "level/visit_element_type.h"
#include "support/diagnostic.h"
#include "support/text.h"
#include "tensor/named_format.h"
#include "tensor/size.h"

namespace filigree::io {
namespace {

constexpr std::int64_t largest_extent = std::int64_t{1} << 62;  // so that sums of two do not overflow

/// The first `count` elements.
Array front(Array array, std::int64_t count) {
  if (array.count() == count) return array;
  Array shorter(array.type(), count);
  if (count > 0) std::memcpy(shorter.data(), array.data(), static_cast<size_t>(shorter.bytes()));
  return shorter;
}

class NpzReader {
 public:
  explicit NpzReader(const Bytes& bytes) : path_(bytes.path), zip_(bytes.view(), bytes.path) {}

  Contents read() {
    if (!has("format")) return read_other();
    std::string format = load("format").text;
    dimensions_ = read_shape();
    if (format == "csr") return dimensions_.size() == 1 ? read_vector() : read_compressed(0);
    if (format == "csc") return read_compressed(1);
    if (format == "bsr") return read_blocks();
    if (format == "dia") return read_diagonals();
    if (format == "coo") return read_list();
    throw wrong(fmt::format("The format is {}", quoted(format))).hint("known are csr, csc, coo, bsr and dia");
  }

 private:
  UserError wrong(const std::string& message) const { return UserError(message).at_line(path_, 0); }
  bool has(const std::string& name) const { return zip_.has(name + ".npy"); }

  NpyArray load(const std::string& name) const {
    if (!has(name))
      throw wrong(fmt::format("The array '{}' is missing", name)).hint("scipy.sparse.save_npz writes such files");
    return parse_npy(zip_.read(name + ".npy"), name);
  }

  /// No sparse matrix of SciPy's.
  Contents read_other() {
    const std::vector<std::string>& names = zip_.names();
    if (has("coords") && has("data") && has("shape")) {
      dimensions_ = read_shape();
      Contents contents = read_list();
      if (has("fill_value")) {
        NpyArray fill = load("fill_value");
        if (fill.values.count() != 1) throw wrong("The array 'fill_value' does not have one element");
        contents.set_fill(adapted_fill(fill.values.get(0), contents.type(), path_));
      }
      return contents;
    }
    if (names.size() == 1 && names[0].ends_with(".npy")) return read_npy(zip_.read(names[0]), ReadOptions());
    std::vector<std::string> quoted_names;
    for (const std::string& name : names) quoted_names.push_back(quoted(name));
    if (quoted_names.size() > 8) quoted_names.resize(8);
    throw wrong(names.empty() ? "The archive is empty"
                              : fmt::format("The archive is not one tensor: it holds {}", join(quoted_names, ", ")))
        .hint("scipy.sparse.save_npz writes sparse matrices, numpy.save one array");
  }

  std::vector<std::int64_t> read_shape() const {
    NpyArray array = load("shape");
    if (!is_integer(array.values.type()) || array.shape.size() != 1)
      throw wrong("The array 'shape' is not a list of integers");
    std::vector<std::int64_t> shape;
    for (std::int64_t n = 0; n < array.values.count(); n++) {
      std::int64_t extent = array.values.get(n).cast(ElementType::Int64).as_int();
      if (extent < 0 || extent > largest_extent) throw wrong("A size in 'shape' is negative or too large");
      shape.push_back(extent);
    }
    return shape;
  }

  void require_matrix() const {
    if (dimensions_.size() != 2)
      throw wrong(fmt::format("The array 'shape' has {}, but a matrix has 2", counted(dimensions_.size(), "size")));
  }

  /// An array of int32 or int64.
  Array indices(const std::string& name) const { return indices(load(name), name, 1); }
  Array indices(NpyArray array, const std::string& name, size_t order) const {
    if (!is_integer(array.values.type()) || array.shape.size() != order) {
      throw wrong(fmt::format("The array '{}' is not {} of integers", name, order == 1 ? "a list" : "a table"));
    }
    ElementType type = array.values.type();
    Array values = by_rows(std::move(array));
    if (type == ElementType::Int32 || type == ElementType::Int64) return values;
    return values.converted(ElementType::Int64);  // what is over 64 bits becomes negative, and is refused as such
  }

  NpyArray data(size_t order) const {
    NpyArray array = load("data");
    if (array.values.data() == nullptr || array.shape.size() != order)
      throw wrong(
          fmt::format("The array 'data' has {} instead of {}", counted(array.shape.size(), "dimension"), order));
    return array;
  }

  /// Is every element of [0, extent)?
  void check_range(const Array& array, std::int64_t extent, const std::string& name) const {
    for (std::int64_t n = 0; n < array.count(); n++) {
      std::int64_t value = array.index_at(n);
      if (value < 0 || value >= extent)
        throw wrong(fmt::format("Element {} of '{}' is {}, outside of 0..{}", n, name, value, extent - 1))
            .note("elements count from 0");
    }
  }

  /// Where the entries of each row begin and end; `count` entries there are.
  void check_pointers(const Array& pointers, std::int64_t rows, std::int64_t count) const {
    if (pointers.count() == 0 || pointers.count() - 1 != rows)
      throw wrong(fmt::format("The array 'indptr' has {}, but the matrix needs {}",
                              counted(pointers.count(), "element"), rows + 1));
    std::int64_t before = 0;
    for (std::int64_t n = 0; n < pointers.count(); n++) {
      std::int64_t at = pointers.index_at(n);
      if (at < before || at > count || (n == 0 && at != 0)) {
        throw wrong(fmt::format("Element {} of 'indptr' is {}, which is not where a row can begin", n, at))
            .note("elements count from 0")
            .hint("they start at 0, never fall, and end at the number of entries at most");
      }
      before = at;
    }
  }

  static bool rows_are_sorted(const Array& pointers, const Array& columns) {
    for (std::int64_t row = 0; row + 1 < pointers.count(); row++) {
      for (std::int64_t n = pointers.index_at(row) + 1; n < pointers.index_at(row + 1); n++) {
        if (columns.index_at(n - 1) >= columns.index_at(n)) return false;
      }
    }
    return true;
  }

  /// csr (0) and csc (1).
  Contents read_compressed(int dense_dimension) {
    require_matrix();
    Array pointers = indices("indptr"), columns = indices("indices"), values = data(1).values;
    if (columns.count() != values.count())
      throw wrong(
          fmt::format("'indices' has {}, but 'data' has {}", counted(columns.count(), "element"), values.count()));
    std::int64_t rows = dimensions_[static_cast<size_t>(dense_dimension)];
    check_pointers(pointers, rows, columns.count());
    std::int64_t count = pointers.index_at(rows);
    columns = front(std::move(columns), count);
    values = front(std::move(values), count);
    check_range(columns, dimensions_[static_cast<size_t>(1 - dense_dimension)], "indices");
    Format format = csr_format(dense_dimension);
    if (rows_are_sorted(pointers, columns)) {
      std::vector<std::vector<Array>> arrays(2);
      arrays[1] = {std::move(pointers), std::move(columns)};
      return Contents(AnyTensor::from_arrays(dimensions_, format, std::move(arrays), std::move(values), path_));
    }
    Coordinates entries{dimensions_, {{}, {}}, std::move(values)};
    for (std::vector<std::int64_t>& coordinate : entries.coordinate) coordinate.resize(static_cast<size_t>(count));
    for (std::int64_t row = 0; row < rows; row++) {
      for (std::int64_t n = pointers.index_at(row); n < pointers.index_at(row + 1); n++) {
        entries.coordinate[static_cast<size_t>(dense_dimension)][static_cast<size_t>(n)] = row;
        entries.coordinate[static_cast<size_t>(1 - dense_dimension)][static_cast<size_t>(n)] = columns.index_at(n);
      }
    }
    Contents contents(std::move(entries));
    contents.set_usual_format(format);
    return contents;
  }

  /// A csr array of one dimension: one row.
  Contents read_vector() {
    std::vector<std::int64_t> length = dimensions_;
    dimensions_ = {1, length[0]};
    Coordinates entries = read_compressed(0).coordinates();
    return Contents(Coordinates{length, {std::move(entries.coordinate[1])}, std::move(entries.values)});
  }

  Contents read_list() {
    Array values = data(1).values;
    size_t order = dimensions_.size();
    Coordinates entries{dimensions_, std::vector<std::vector<std::int64_t>>(order), Array()};
    for (size_t d = 0; d < order; d++) {
      Array column = has("coords") ? row_of_table(d, order, values.count()) : listed(d, order);
      if (column.count() != values.count())
        throw wrong(fmt::format("Dimension {} has {}, but there {}", d + 1, counted(column.count(), "coordinate"),
                                values.count() == 1 ? "is 1 value" : fmt::format("are {} values", values.count())));
      check_range(column, dimensions_[d], has("coords") ? "coords" : d == 0 ? "row" : "col");
      entries.coordinate[d].resize(static_cast<size_t>(column.count()));
      for (std::int64_t n = 0; n < column.count(); n++)
        entries.coordinate[d][static_cast<size_t>(n)] = column.index_at(n);
    }
    entries.values = std::move(values);
    return Contents(std::move(entries));
  }

  Array listed(size_t dimension, size_t order) const {
    // SciPy once wrote a vector with a row of zeros.
    if (order == 1) return indices("col");
    require_matrix();
    return indices(dimension == 0 ? "row" : "col");
  }

  Array row_of_table(size_t row, size_t order, std::int64_t count) {
    if (!table_) {
      NpyArray array = load("coords");
      std::vector<std::int64_t> expected = {static_cast<std::int64_t>(order), count};
      if (array.shape != expected)
        throw wrong(fmt::format("The array 'coords' is {}, but must be {}", describe_dimensions(array.shape),
                                describe_dimensions(expected)));
      table_ = indices(std::move(array), "coords", 2);
    }
    Array one(table_->type(), count);
    size_t bytes = static_cast<size_t>(one.bytes());
    if (bytes > 0) std::memcpy(one.data(), static_cast<const char*>(table_->data()) + row * bytes, bytes);
    return one;
  }

  Contents read_blocks() {
    require_matrix();
    Array pointers = indices("indptr"), columns = indices("indices");
    NpyArray blocks = data(3);
    std::int64_t height = blocks.shape[1], width = blocks.shape[2];
    bool divides = height > 0 && width > 0 && dimensions_[0] % height == 0 && dimensions_[1] % width == 0;
    if (!divides)
      throw wrong(fmt::format("Blocks of {} x {} do not divide a matrix of {}", height, width,
                              describe_dimensions(dimensions_)));
    if (columns.count() != blocks.shape[0])
      throw wrong(fmt::format("'indices' has {}, but 'data' has {}", counted(columns.count(), "element"),
                              counted(blocks.shape[0], "block")));
    std::int64_t rows = dimensions_[0] / height;
    check_pointers(pointers, rows, columns.count());
    std::int64_t count = pointers.index_at(rows);
    columns = front(std::move(columns), count);
    check_range(columns, dimensions_[1] / width, "indices");
    Array values = front(by_rows(std::move(blocks)), count * height * width);
    Format format = block_format({height, width});
    if (rows_are_sorted(pointers, columns)) {
      std::vector<std::vector<Array>> arrays(format.levels().size());
      arrays[1] = {std::move(pointers), std::move(columns)};
      return Contents(AnyTensor::from_arrays(dimensions_, format, std::move(arrays), std::move(values), path_));
    }
    Coordinates entries{dimensions_, {{}, {}}, std::move(values)};
    for (std::int64_t row = 0; row < rows; row++) {
      for (std::int64_t n = pointers.index_at(row); n < pointers.index_at(row + 1); n++) {
        for (std::int64_t inside = 0; inside < height * width; inside++) {
          entries.coordinate[0].push_back(row * height + inside / width);
          entries.coordinate[1].push_back(columns.index_at(n) * width + inside % width);
        }
      }
    }
    Contents contents(std::move(entries));
    contents.set_usual_format(format);
    return contents;
  }

  /// SciPy has the entry at (i, j) of diagonal j - i at column j; our diagonals have it at row i.
  Contents read_diagonals() {
    require_matrix();
    Array offsets = indices("offsets");
    NpyArray table = data(2);
    std::int64_t length = table.shape[1], rows = dimensions_[0], columns = dimensions_[1];
    if (table.shape[0] != offsets.count())
      throw wrong(fmt::format("'offsets' has {}, but 'data' has {}", counted(offsets.count(), "element"),
                              counted(table.shape[0], "diagonal")));
    Array values = by_rows(std::move(table));
    std::map<std::int64_t, std::int64_t> diagonals;  // offset -> number
    for (std::int64_t n = 0; n < offsets.count(); n++) {
      std::int64_t offset = offsets.index_at(n);
      bool is_inside = rows > 0 && columns > 0 && offset > -rows && offset < columns;
      if (is_inside && !diagonals.emplace(offset, n).second)
        throw wrong(fmt::format("The diagonal {} is there twice", offset));
    }
    // Storage has a place for every row of a diagonal, which may be far more than the file has.
    double places = static_cast<double>(diagonals.size()) * static_cast<double>(rows);
    bool as_storage = places <= 4.0 * static_cast<double>(values.count()) + 1024;
    Array stored(values.type(), as_storage ? static_cast<std::int64_t>(places) : 0),
        list(ElementType::Int64, static_cast<std::int64_t>(diagonals.size()));
    Coordinates entries{dimensions_, {{}, {}}, Array()};
    visit_element_type(values.type(), [&]<class T>(std::type_identity<T>) {
      const T* from = values.as<T>().data();
      std::vector<T> kept;
      std::int64_t number = 0;
      for (const auto& [offset, n] : diagonals) {
        list.set_index(number, offset);
        for (std::int64_t j = std::max<std::int64_t>(0, offset); j < std::min({length, columns, rows + offset}); j++) {
          T value = from[n * length + j];
          if (as_storage) {
            stored.as<T>()[number * rows + j - offset] = value;
          } else if (value != T{}) {
            entries.coordinate[0].push_back(j - offset);
            entries.coordinate[1].push_back(j);
            kept.push_back(value);
          }
        }
        number++;
      }
      entries.values = Array(values.type(), static_cast<std::int64_t>(kept.size()));
      std::copy(kept.begin(), kept.end(), entries.values.as<T>().begin());
    });
    if (!as_storage) return Contents(std::move(entries));
    std::vector<std::vector<Array>> arrays(3);
    Array ends(ElementType::Int32, 2);
    ends.set_index(1, list.count());
    arrays[0] = {std::move(ends), std::move(list)};
    return Contents(
        AnyTensor::from_arrays(dimensions_, diagonal_format(), std::move(arrays), std::move(stored), path_));
  }

  std::string path_;
  ZipReader zip_;
  std::vector<std::int64_t> dimensions_;
  std::optional<Array> table_;  // coords
};

}  // namespace

Contents read_npz(Bytes bytes, const ReadOptions& options) {
  return adapted(NpzReader(bytes).read(), options, bytes.path);
}

}  // namespace filigree::io

#include <algorithm>

#include <fmt/format.h>

#include "io/dense.h"
#include "io/npy.h"
#include "io/npz.h"
#include "io/output.h"
#include "io/zip.h"
#include "level/visit_element_type.h"
#include "support/diagnostic.h"
#include "tensor/named_format.h"

namespace filigree::io {
namespace {

class NpzWriter {
 public:
  NpzWriter(const std::string& path, const AnyTensor& tensor, bool shows_progress)
      : tensor_(tensor), file_(path, shows_progress), zip_(file_) {}

  void write() {
    if (!tensor_.fill().is_zero()) {
      add("fill_value", filled_once(), {});
      write_table(tensor_.coordinates());
    } else if (tensor_.order() != 2) {
      add_format("coo");
      Array yes(ElementType::Bool, 1);
      yes.set(0, Scalar::boolean(true));
      add("_is_array", yes, {});
      write_table(sorted_entries());
    } else if (!write_as_stored()) {
      write_matrix(sorted_entries());
    }
    Array shape(ElementType::Int64, tensor_.order());
    for (int d = 0; d < tensor_.order(); d++) shape.set_index(d, tensor_.dimensions()[d]);
    add("shape", shape, {shape.count()});
    zip_.finish();
    file_.commit();
  }

 private:
  void add(const std::string& name, const Array& values, const std::vector<std::int64_t>& shape) {
    std::string header = npy_header(values.type(), shape);
    zip_.add(name + ".npy", {header, bytes_of(values)});
  }
  void add(const std::string& name, const Array& values) { add(name, values, {values.count()}); }
  void add_format(const std::string& format) {
    std::string header = npy_text_header(format.size());
    zip_.add("format.npy", {header, format});
  }

  Array filled_once() const {
    Array one(tensor_.type(), 1);
    one.set(0, tensor_.fill());
    return one;
  }

  /// Zeros that the format has room for are none.
  Coordinates sorted_entries() const {
    if (dense_strides(tensor_.format(), tensor_.dimensions())) return other_than(tensor_, tensor_.fill());
    return tensor_.format().pads() ? Contents(tensor_).coordinates() : tensor_.coordinates();
  }

  /// In a format that SciPy has, too: its arrays as they are.
  bool write_as_stored() {
    const Format& format = tensor_.format();
    const std::vector<Level>& levels = format.levels();
    const std::vector<std::vector<Array>>& arrays = tensor_.level_arrays();
    if (format.symmetry() != Symmetry::None || levels.size() < 2) return false;
    auto is = [&](size_t k, const char* name) { return levels[k].format->name() == name; };
    bool is_plain = format.is_plain();
    auto has_all = [&](const Array& coordinates) { return coordinates.count() == tensor_.stored(); };
    if (is_plain && is(0, "dense") && is(1, "compressed") && has_all(arrays[1][1])) {
      add_format(levels[0].dimension() == 0 ? "csr" : "csc");
      add("indptr", arrays[1][0]);
      add("indices", arrays[1][1]);
      add("data", tensor_.values());
      return true;
    }
    if (is_plain && is(0, "compressed") && is(1, "singleton") && !levels[1].format->properties().padded &&
        has_all(arrays[0][1]) && has_all(arrays[1][0])) {
      add_format("coo");
      add(levels[0].dimension() == 0 ? "row" : "col", arrays[0][1]);
      add(levels[0].dimension() == 0 ? "col" : "row", arrays[1][0]);
      add("data", tensor_.values());
      return true;
    }
    return write_blocks() || write_diagonals();
  }

  bool write_blocks() {
    const relation::Digits* row = tensor_.format().levels()[0].coordinate.as<relation::Digits>();
    const relation::Digits* column = tensor_.format().levels()[1].coordinate.as<relation::Digits>();
    if (!row || !column || !(tensor_.format() == block_format({row->divisor, column->divisor}))) return false;
    // SciPy's blocks never reach beyond the matrix.
    if (tensor_.dimensions()[0] % row->divisor != 0 || tensor_.dimensions()[1] % column->divisor != 0) return false;
    const std::vector<Array>& arrays = tensor_.level_arrays()[1];
    add_format("bsr");
    add("indptr", arrays[0]);
    add("indices", arrays[1]);
    add("data", tensor_.values(), {arrays[1].count(), row->divisor, column->divisor});
    return true;
  }

  bool write_diagonals() {
    if (!(tensor_.format() == diagonal_format())) return false;
    const Array& offsets = tensor_.level_arrays()[0][1];
    std::int64_t rows = tensor_.dimensions()[0], columns = tensor_.dimensions()[1];
    // A wide matrix would have columns that no diagonal reaches; those are left out.
    std::int64_t length = 0;
    for (std::int64_t n = 0; n < offsets.count(); n++)
      length = std::max(length, std::min(columns, rows + offsets.index_at(n)));
    Array table(tensor_.type(), offsets.count() * length);
    visit_element_type(tensor_.type(), [&]<class T>(std::type_identity<T>) {
      for (std::int64_t n = 0; n < offsets.count(); n++) {
        std::int64_t offset = offsets.index_at(n);
        for (std::int64_t j = std::max<std::int64_t>(0, offset); j < std::min(columns, rows + offset); j++) {
          table.as<T>()[n * length + j] = tensor_.values().as<T>()[n * rows + j - offset];
        }
      }
    });
    add_format("dia");
    add("offsets", offsets);
    add("data", table, {offsets.count(), length});
    return true;
  }

  Array index_array(std::int64_t count, std::int64_t largest) const { return Array(index_type_for(largest), count); }

  /// A matrix in any other format: csr, or coo if most rows are empty.
  void write_matrix(const Coordinates& entries) {
    std::int64_t rows = entries.dimensions[0], count = entries.count();
    Array columns = index_array(count, entries.dimensions[1]);
    for (std::int64_t n = 0; n < count; n++) columns.set_index(n, entries.coordinate[1][static_cast<size_t>(n)]);
    if (rows > 4 * count + 1024) {
      Array row = index_array(count, rows);
      for (std::int64_t n = 0; n < count; n++) row.set_index(n, entries.coordinate[0][static_cast<size_t>(n)]);
      add_format("coo");
      add("row", row);
      add("col", columns);
    } else {
      Array pointers = index_array(rows + 1, count);
      std::int64_t n = 0;
      for (std::int64_t i = 0; i < rows; i++) {
        while (n < count && entries.coordinate[0][static_cast<size_t>(n)] == i) n++;
        pointers.set_index(i + 1, n);
      }
      add_format("csr");
      add("indptr", pointers);
      add("indices", columns);
    }
    add("data", entries.values);
  }

  /// coords: a row for each dimension.
  void write_table(const Coordinates& entries) {
    std::int64_t count = entries.count(), largest = 0;
    for (std::int64_t extent : entries.dimensions) largest = std::max(largest, extent);
    Array table = index_array(count * entries.order(), largest);
    for (int d = 0; d < entries.order(); d++) {
      for (std::int64_t n = 0; n < count; n++)
        table.set_index(d * count + n, entries.coordinate[static_cast<size_t>(d)][static_cast<size_t>(n)]);
    }
    add("coords", table, {entries.order(), count});
    add("data", entries.values);
  }

  const AnyTensor& tensor_;
  OutputFile file_;
  ZipWriter zip_;
};

}  // namespace

void write_npz(const std::string& path, const AnyTensor& tensor, const WriteOptions& options) {
  if (tensor.order() == 0) {
    throw UserError(
        fmt::format("Cannot write '{}': an .npz file holds a matrix or a tensor, but this is a scalar", path))
        .hint("use the extension .npy");
  }
  NpzWriter(path, tensor, options.progress).write();
}

}  // namespace filigree::io

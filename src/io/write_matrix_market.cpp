#include "io/components.h"
#include "io/matrix_market.h"
#include "io/output.h"
#include "support/diagnostic.h"

namespace filigree::io {
namespace {

const char* field_of(ElementType type) { return is_complex(type) ? "complex" : is_floating(type) ? "real" : "integer"; }

/// The C name of a type in a comment, where the field alone would be read back as another.
std::string type_comment(ElementType type) {
  if (type == ElementType::Float64 || type == ElementType::Int64 || type == ElementType::Complex128) return "";
  std::string name = type == ElementType::Complex64 ? "float complex" : type == ElementType::Bool ? "bool" : c_name(type);
  return "%%GraphBLAS type " + name + "\n";
}

/// All components, the first dimension fastest.
void append_array(OutputFile& file, const Coordinates& entries) {
  std::vector<std::int64_t> at(entries.dimensions.size(), 0);
  for (std::int64_t n = 0; n < entries.count(); n++) {
    std::int64_t number = 0;
    for (size_t dimension = 0; dimension < at.size(); dimension++) number = number * entries.dimensions[dimension] + at[dimension];
    append_value(file.text(), entries.values, number);
    file.text().push_back('\n');
    file.flush_if_full();
    for (size_t dimension = 0; dimension < at.size(); dimension++) {
      if (++at[dimension] < entries.dimensions[dimension]) break;
      at[dimension] = 0;
    }
  }
}

}  // namespace

void write_matrix_market(const std::string& path, const Tensor& tensor, bool as_tensor) {
  int order = tensor.order();
  if (!as_tensor && order != 1 && order != 2) {
    throw UserError(fmt::format("Cannot write '{}': a .mtx file holds a matrix or a vector, but the tensor has {} dimensions", path, order))
        .hint("use the extension .tns or .ttx");
  }
  Coordinates entries = components(tensor, path);
  // An array of no dimensions has no sizes to write, so a scalar is one entry.
  bool as_array = entries.is_dense && order > 0;
  bool as_column = !as_tensor && order == 1;
  if (as_column) {
    entries.dimensions.push_back(1);
    entries.coordinate.emplace_back(entries.count(), 0);
  }
  OutputFile file(path);
  fmt::format_to(fmt::appender(file.text()), "%%MatrixMarket {} {} {} general\n{}{}{}", entries.order() == 2 ? "matrix" : "tensor",
                 as_array ? "array" : "coordinate", field_of(tensor.type()), type_comment(tensor.type()),
                 as_column ? std::string(vector_mark) + "\n" : "", fmt::join(entries.dimensions, " "));
  if (as_array) {
    file.text().push_back('\n');
    append_array(file, entries);
  } else {
    fmt::format_to(fmt::appender(file.text()), "{}{}\n", order > 0 ? " " : "", entries.count());
    append_entries(file, entries);
  }
  file.commit();
}

}  // namespace filigree::io

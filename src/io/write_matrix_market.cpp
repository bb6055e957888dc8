#include "io/components.h"
#include "io/fill.h"
#include "io/matrix_market.h"
#include "io/output.h"
#include "support/diagnostic.h"
#include "support/text.h"

namespace filigree::io {
namespace {

const char* field_of(ElementType type) { return is_complex(type) ? "complex" : is_floating(type) ? "real" : "integer"; }

const char* symmetry_of(const Components& components) {
  switch (components.symmetry()) {
    case filigree::Symmetry::None: return "general";
    case filigree::Symmetry::Symmetric: return "symmetric";
    case filigree::Symmetry::Skew: return "skew-symmetric";
    case filigree::Symmetry::Hermitian: return "hermitian";
  }
  return "general";
}

/// The C name of a type in a comment, where the field alone would be read back as another.
std::string type_comment(ElementType type) {
  if (type == ElementType::Float64 || type == ElementType::Int64 || type == ElementType::Complex128) return "";
  std::string name = type == ElementType::Complex64 ? "float complex"
                     : type == ElementType::Bool    ? "bool"
                                                    : c_name(type);
  return "%%GraphBLAS type " + name + "\n";
}

/// All components, the first dimension fastest.
void append_array(OutputFile& file, const Components& components) {
  components.for_each_by_columns([&](const std::vector<std::int64_t>&, std::int64_t number) {
    append_value(file.text(), components.values(), number);
    file.text().push_back('\n');
    file.flush_if_full();
  });
}

}  // namespace

void write_matrix_market(const std::string& path, const AnyTensor& tensor, bool as_tensor,
                         const WriteOptions& options) {
  int order = tensor.order();
  if (!as_tensor && order != 1 && order != 2) {
    throw UserError(fmt::format("Cannot write '{}': a .mtx file holds a matrix or a vector, but the tensor has {}",
                                path, counted(order, "dimension")))
        .hint("use the extension .tns or .ttx");
  }
  Components components(tensor, path, {.has_symmetry = true, .has_fill = true});
  // An array of no dimensions has no sizes to write, so a scalar is one entry.
  bool as_array = components.is_array() && order > 0;
  bool as_column = !as_tensor && order == 1;
  std::vector<std::int64_t> sizes = components.dimensions();
  if (as_column) sizes.push_back(1);
  OutputFile file(path, options.progress);
  fmt::format_to(
      fmt::appender(file.text()), "%%MatrixMarket {} {} {} {}\n{}{}{}{}", sizes.size() == 2 ? "matrix" : "tensor",
      as_array ? "array" : "coordinate", field_of(tensor.type()), symmetry_of(components), type_comment(tensor.type()),
      as_column ? std::string(vector_mark) + "\n" : "",
      components.fill() ? fmt::format("%{} {}{}\n", filigree_mark, fill_word, fill_text(*components.fill())) : "",
      fmt::join(sizes, " "));
  if (as_array) {
    file.text().push_back('\n');
    append_array(file, components);
  } else {
    fmt::format_to(fmt::appender(file.text()), "{}{}\n", order > 0 ? " " : "", components.count());
    append_entries(file, components, {.more_ones = as_column ? 1 : 0});
  }
  file.commit();
}

}  // namespace filigree::io

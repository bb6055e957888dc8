#include <algorithm>

#include <fmt/format.h>

#include "io/components.h"
#include "io/edge_list.h"
#include "io/output.h"
#include "support/diagnostic.h"
#include "support/text.h"

namespace filigree::io {
namespace {

/// Would reading the edges alone give these dimensions and this type?
bool is_implied(const Components& components) {
  const std::vector<std::int64_t>& dimensions = components.dimensions();
  return components.type() == ElementType::Float64 && dimensions[0] == dimensions[1] &&
         std::max(components.largest()[0], components.largest()[1]) + 1 == dimensions[0];
}

}  // namespace

void write_edge_list(const std::string& path, const AnyTensor& tensor, char separator, const WriteOptions& options) {
  if (tensor.order() != 2 || is_complex(tensor.type())) {
    std::string what = tensor.order() != 2 ? "the tensor has " + counted(tensor.order(), "dimension")
                                           : "its values are complex";
    throw UserError(fmt::format("Cannot write '{}': an edge list holds a real matrix, but {}", path, what))
        .hint("use the extension .tns or .ttx");
  }
  Components components(tensor, path);
  LineStyle style{.base = options.base.value_or(0), .separator = separator, .has_value = !components.are_ones()};
  OutputFile file(path, options.progress);
  if (style.base != 0 || !is_implied(components)) {
    fmt::format_to(fmt::appender(file.text()), "# filigree base={} type={} dimensions={}\n", style.base,
                   to_string(tensor.type()), fmt::join(components.dimensions(), ","));
  }
  append_entries(file, components, style);
  file.commit();
}

}  // namespace filigree::io

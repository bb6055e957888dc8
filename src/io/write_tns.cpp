#include <algorithm>

#include "io/components.h"
#include "io/output.h"
#include "io/tns.h"

namespace filigree::io {
namespace {

/// Would reading the entries alone give these dimensions and this type?
bool is_implied(const Coordinates& entries) {
  if (entries.values.type() != ElementType::Float64) return false;
  if (entries.order() > 0 && entries.count() == 0) return false;
  for (int dimension = 0; dimension < entries.order(); dimension++) {
    const std::vector<std::int64_t>& coordinate = entries.coordinate[dimension];
    if (*std::max_element(coordinate.begin(), coordinate.end()) + 1 != entries.dimensions[dimension]) return false;
  }
  return true;
}

}  // namespace

void write_tns(const std::string& path, const Tensor& tensor) {
  Coordinates entries = components(tensor, path);
  OutputFile file(path);
  fmt::memory_buffer& text = file.text();
  if (!is_implied(entries)) {
    fmt::format_to(fmt::appender(text), "# {} type={} dimensions={}\n", tns_mark, to_string(tensor.type()), fmt::join(entries.dimensions, ","));
  }
  append_entries(file, entries);
  file.commit();
}

}  // namespace filigree::io

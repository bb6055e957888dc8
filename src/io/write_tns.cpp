#include "io/components.h"
#include "io/fill.h"
#include "io/output.h"
#include "io/tns.h"

namespace filigree::io {
namespace {

/// Would reading the entries alone give these dimensions and this type?
bool is_implied(const Components& components) {
  if (components.type() != ElementType::Float64 || components.fill()) return false;
  for (size_t d = 0; d < components.dimensions().size(); d++) {
    if (components.count() == 0 || components.largest()[d] + 1 != components.dimensions()[d]) return false;
  }
  return true;
}

}  // namespace

void write_tns(const std::string& path, const AnyTensor& tensor, const WriteOptions& options) {
  Components components(tensor, path, {.has_fill = true});
  OutputFile file(path, options.progress);
  if (!is_implied(components)) {
    fmt::format_to(fmt::appender(file.text()), "# {} type={} dimensions={}{}\n", tns_mark, to_string(tensor.type()),
                   fmt::join(components.dimensions(), ","),
                   components.fill() ? std::string(" ") + fill_word + fill_text(*components.fill()) : "");
  }
  append_entries(file, components);
  file.commit();
}

}  // namespace filigree::io

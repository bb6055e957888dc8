#include "operand_order.h"

#include <algorithm>

#include "input.h"
#include "io/files.h"
#include "io/files.h"
#include "support/text.h"
#include "tensor/format.h"

namespace filigree::tool {
namespace {

/// The file is read once more later, which is rare: only '...' asks.  A standard stream can be read only once.
bool is_one_of(const std::string& path, std::initializer_list<const char*> extensions) {
  std::string name = lower_case(path);
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return std::any_of(extensions.begin(), extensions.end(), [&](const char* extension) { return name.ends_with(extension); });
}

/// As little of it is read as tells.  What comes from standard input can be read only once, so not for this.
std::optional<int> order_of_file(const std::string& path) {
  if (is_standard_stream(path)) return std::nullopt;
  bool has_header = is_one_of(path, {".mtx", ".ttx"});
  if (!has_header && !is_one_of(path, {".tns"})) return read_contents(path).order();
  io::TextFile file = io::as_text(io::load_bytes(path, true));
  if (!has_header) return order_of_entries(file);
  io::MatrixMarketHeader header = io::read_matrix_market_header(file);
  return header.is_vector ? 1 : static_cast<int>(header.dimensions.size());
}

/// The one that the format is for, unless it is for several, as 'dense'.
std::optional<int> order_of_format(const std::string& text) {
  constexpr int most = 12;
  std::optional<int> order;
  for (int n = 0; n <= most; n++) {
    try {
      parse_format(text, n);
    } catch (const UserError&) {
      continue;
    }
    if (order) return std::nullopt;
    order = n;
  }
  return order;
}

}  // namespace

std::optional<int> operand_order(const std::string& name, const Settings& dimensions, const Settings& inputs, const Settings& formats) {
  if (const Setting* setting = find(dimensions, name)) return static_cast<int>(parse_sizes(*setting).size());
  if (const Setting* setting = find(inputs, name)) {
    Input input = parse_input(*setting, 0);
    if (const FileInput* file = std::get_if<FileInput>(&input)) return order_of_file(file->path);
    if (std::get_if<NumberInput>(&input)) return 0;
  }
  const Setting* setting = find(formats, name);
  return setting ? order_of_format(setting->value) : std::nullopt;
}

}  // namespace filigree::tool

#include "operand_order.h"

#include "input.h"
#include "io/files.h"
#include "tensor/format.h"

namespace filigree::tool {
namespace {

/// The file is read once more later, which is rare: only '...' asks.  A standard stream can be read only once.
std::optional<int> order_of_file(const std::string& path, std::optional<int> base) {
  if (is_standard_stream(path)) return std::nullopt;
  return read_contents(path, {.base = base}).order();
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

std::optional<int> operand_order(const std::string& name, const Settings& dimensions, const Settings& inputs,
                                 const Settings& formats, std::optional<int> base) {
  if (const Setting* setting = find(dimensions, name)) return static_cast<int>(parse_sizes(*setting).size());
  if (const Setting* setting = find(inputs, name)) {
    Input input = parse_input(*setting, 0);
    if (const FileInput* file = std::get_if<FileInput>(&input)) return order_of_file(file->path, base);
    if (std::get_if<NumberInput>(&input)) return 0;
  }
  const Setting* setting = find(formats, name);
  return setting ? order_of_format(setting->value) : std::nullopt;
}

}  // namespace filigree::tool

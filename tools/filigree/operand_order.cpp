#include "operand_order.h"

#include "input.h"
#include "io/input.h"
#include "io/matrix_market.h"
#include "tensor/format.h"

namespace filigree::tool {
namespace {

/// The first line of entries has a coordinate for each dimension, and a value.
std::optional<int> order_of_entries(const io::TextFile& file) {
  io::Cursor cursor{file.begin, file.end};
  while (!cursor.at_end()) {
    std::vector<std::string_view> found = io::words(cursor.next());
    if (!found.empty() && found[0][0] != '#') return static_cast<int>(found.size()) - 1;
  }
  return std::nullopt;
}

std::optional<int> order_of_file(const std::string& path) {
  io::TextFile file = io::load_text(path, true);
  bool has_header = path.find(".mtx") != std::string::npos || path.find(".ttx") != std::string::npos;
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

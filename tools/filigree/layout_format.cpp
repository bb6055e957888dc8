#include "layout_format.h"

#include <fmt/format.h>

#include "layouts/of_format.h"
#include "polyhedral/space.h"
#include "polyhedral/use_layout.h"
#include "support/text.h"

namespace filigree::tool {

Format parse_format_option(const std::string& text, int order, const std::string& what) {
  const std::string word = "layout ", trimmed = trim(text);
  if (!trimmed.starts_with(word)) return parse_format(text, order, what);
  bool is_text = trimmed.find('{') != std::string::npos;
  layouts::Layout layout = is_text ? layouts::parse_layout(trimmed, what)
                                   : layouts::read_layout(trim(trimmed.substr(word.size())));
  if (layout.order() != order)
    throw UserError(fmt::format("The layout '{}' is for tensors with {}, but this one has {}", layout.name,
                                counted(layout.order(), "dimension"), order));
  return polyhedral::use_layout(layout).format;
}

std::vector<std::string> remarks_on_layouts() {
  std::vector<std::string> remarks;
  for (const auto& [name, used] : polyhedral::used_layouts())
    remarks.insert(remarks.end(), used.remarks.begin(), used.remarks.end());
  return remarks;
}

std::string layouts_text(const front::DeclaredProgram& program) {
  std::string text;
  for (const front::DeclaredTensor& tensor : program.tensors) {
    if (tensor.use.order == 0) continue;
    text += fmt::format("{}# {}: {}\n", text.empty() ? "" : "\n", tensor.use.name, to_string(tensor.format));
    std::optional<layouts::Layout> layout = layouts::layout_of(tensor.format);
    text += layout ? to_string(*layout) : "# its relation is not stated\n";
  }
  return text;
}

std::string spaces_text(const front::DeclaredProgram& program) {
  std::string text;
  for (const notation::Statement& statement : program.statements) {
    if (program.statements.size() > 1) text += "# " + notation::to_string(statement) + "\n";
    for (const polyhedral::Space& space : polyhedral::spaces_of(statement)) text += polyhedral::to_string(space) + "\n";
  }
  return text;
}

}  // namespace filigree::tool

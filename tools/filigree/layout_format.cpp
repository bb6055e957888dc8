#include "layout_format.h"

#include <algorithm>

#include <fmt/format.h>

#include "io/adapt.h"
#include "io/arrays.h"
#include "layouts/given.h"
#include "layouts/of_format.h"
#include "polyhedral/space.h"
#include "polyhedral/use_layout.h"
#include "support/text.h"

namespace filigree::tool {

namespace {

/// The layout that the text of an option names; nothing if it is a format.
std::optional<polyhedral::UsedLayout> parse_layout_option(const std::string& text, int order, const std::string& what) {
  const std::string word = "layout ", trimmed = trim(text);
  if (!trimmed.starts_with(word)) return std::nullopt;
  bool is_text = trimmed.find('{') != std::string::npos;
  layouts::Layout layout = is_text ? layouts::parse_layout(trimmed, what)
                                   : layouts::read_layout(trim(trimmed.substr(word.size())));
  if (layout.order() != order)
    throw UserError(fmt::format("The layout '{}' is for tensors with {}, but this one has {}", layout.name,
                                counted(layout.order(), "dimension"), order));
  return polyhedral::use_layout(layout);
}

/// Is it an archive with arrays of the layout, and not a sparse matrix of SciPy's?
bool holds_arrays_of(const layouts::Layout& layout, const std::string& path) {
  std::vector<std::string> names = array_names(path);
  auto has = [&](const std::string& name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  if (has("format") || has("coords")) return false;
  return std::any_of(layout.arrays.begin(), layout.arrays.end(), [&](const auto& array) { return has(array.name); });
}

using Arrays = std::map<std::string, layouts::ShapedArray>;

layouts::ShapedArray shaped(NamedArray array) { return {std::move(array.shape), std::move(array.values)}; }

std::vector<std::int64_t> numbers_of(const Array& array) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t n = 0; n < array.count(); n++) numbers.push_back(array.get(n).cast(ElementType::Int64).as_int());
  return numbers;
}

/// An archive may also hold the dimensions, as SciPy's do.
Arrays read_archive(const layouts::Layout& layout, const std::string& path,
                    std::optional<std::vector<std::int64_t>>& dimensions) {
  Arrays arrays;
  for (auto& [name, array] : read_arrays(path)) {
    bool is_shape = name == "shape" && !layout.find_array(name) && is_integer(array.values.type());
    if (!is_shape) arrays.emplace(name, shaped(std::move(array)));
    else if (!dimensions) dimensions = numbers_of(array.values);
  }
  return arrays;
}

Arrays read_files(const ArraysInput& input) {
  Arrays arrays;
  for (const auto& [name, path] : input.files) {
    std::map<std::string, NamedArray> found = read_arrays(path);
    auto own = found.size() == 1 ? found.begin() : found.find(name);
    if (own == found.end()) throw UserError(fmt::format("The archive has no array '{}'", name)).at_line(path, 0);
    arrays.emplace(name, shaped(std::move(own->second)));
  }
  return arrays;
}

}  // namespace

Format parse_format_option(const std::string& text, int order, const std::string& what) {
  std::optional<polyhedral::UsedLayout> layout = parse_layout_option(text, order, what);
  return layout ? layout->format : parse_format(text, order, what);
}

std::shared_ptr<Contents> read_layout_arrays(const Input& input, const std::string& tensor, int order,
                                             const Setting* format,
                                             const std::optional<std::vector<std::int64_t>>& dimensions,
                                             std::optional<ElementType> type) {
  const auto* list = std::get_if<ArraysInput>(&input);
  const auto* file = std::get_if<FileInput>(&input);
  std::optional<polyhedral::UsedLayout> layout;
  if ((list || file) && format) layout = parse_layout_option(format->value, order, format->option + " " + tensor);
  if (list && !layout)
    throw UserError(fmt::format("'{}' is given by its arrays, but nothing says what they mean", tensor))
        .hint(fmt::format("say the layout they are of, as in -f '{}: layout FILE'", tensor));
  if (!layout || !(list || holds_arrays_of(layout->layout, file->path))) return nullptr;
  std::optional<std::vector<std::int64_t>> known = dimensions;
  Arrays arrays = list ? read_files(*list) : read_archive(layout->layout, file->path, known);
  layouts::Data data = layouts::given_data(layout->layout, std::move(arrays), known, tensor);
  ReadOptions options;
  options.type = type;
  options.tensor = tensor;
  Contents contents(polyhedral::make_tensor(*layout, data, tensor));
  return std::make_shared<Contents>(io::adapted(std::move(contents), options, list ? "" : file->path));
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

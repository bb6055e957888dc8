#include "layouts/given.h"

#include <fmt/format.h>

#include "layouts/bounds.h"
#include "support/text.h"

namespace filigree::layouts {
namespace {

using Arrays = std::map<std::string, ShapedArray>;

std::string text_of(const std::vector<std::int64_t>& shape) {
  std::vector<std::string> parts;
  for (std::int64_t extent : shape) parts.push_back(std::to_string(extent));
  return join(parts, " x ");
}

void check_names(const Layout& layout, const Arrays& arrays) {
  std::vector<std::string> known, missing;
  for (const ArrayShape& array : layout.arrays) known.push_back(array.name);
  for (const auto& [name, array] : arrays) {
    if (layout.find_array(name)) continue;
    UserError error(fmt::format("The layout '{}' has no array '{}'", layout.name, name));
    if (auto guess = did_you_mean(name, known)) throw std::move(error).hint(fmt::format("did you mean '{}'?", *guess));
    throw std::move(error).hint("arrays are: " + join(known, ", "));
  }
  for (const std::string& name : known) {
    if (!arrays.count(name)) missing.push_back(name);
  }
  if (missing.empty()) return;
  throw UserError(missing.size() == 1
                      ? fmt::format("The array '{}' of the layout '{}' is missing", missing[0], layout.name)
                      : fmt::format("Arrays of the layout '{}' are missing: {}", layout.name, join(missing, ", ")));
}

/// Does the extent grow by one with the size?
bool is_exact(const Expr& extent) {
  bool exact = true;
  for_each(extent, [&](const Expr& part) {
    exact = exact && part.kind() != Expr::Kind::Quotient && part.kind() != Expr::Kind::Remainder &&
            part.kind() != Expr::Kind::Multiply;
  });
  return exact;
}

std::optional<std::int64_t> told(const Layout& layout, const Arrays& arrays, const std::string& dimension) {
  for (const ArrayShape& array : layout.arrays) {
    const std::vector<std::int64_t>& shape = arrays.at(array.name).shape;
    for (size_t n = 0; n < array.extents.size() && shape.size() == array.extents.size(); n++) {
      std::vector<std::string> names = names_in(array.extents[n]);
      if (names.size() != 1 || names[0] != dimension || !is_exact(array.extents[n])) continue;
      std::optional<Expr> solution = solve_for(array.extents[n], dimension);
      if (solution) return value_of(*solution, {{"extent", shape[n]}});
    }
  }
  return std::nullopt;
}

std::vector<std::int64_t> dimensions_of(const Layout& layout, const Arrays& arrays, const std::string& what) {
  std::vector<std::int64_t> dimensions;
  for (const std::string& name : layout.dimensions) {
    std::optional<std::int64_t> value = told(layout, arrays, name);
    if (!value || *value < 0)
      throw UserError(fmt::format("The arrays of '{}' do not tell how large its dimension '{}' is", what, name))
          .hint("state the dimensions, too",
                fmt::format("state the dimensions, too, as in -d {}:{}", what, join(layout.dimensions, ",")));
    dimensions.push_back(*value);
  }
  return dimensions;
}

void check_shapes(const Layout& layout, const Arrays& arrays, const std::map<std::string, std::int64_t>& sizes) {
  for (const ArrayShape& array : layout.arrays) {
    const std::vector<std::int64_t>& shape = arrays.at(array.name).shape;
    if (shape.size() < 2) continue;
    std::vector<std::int64_t> needed;
    for (const Expr& extent : array.extents) needed.push_back(value_of(extent, sizes).value_or(0));
    if (shape != needed)
      throw UserError(fmt::format("The array '{}' of the layout '{}' is {}, but must be {}", array.name, layout.name,
                                  text_of(shape), text_of(needed)))
          .note(fmt::format("it is {}", to_string(Expr::read(array.name, array.extents))));
  }
}

}  // namespace

Data given_data(const Layout& layout, std::map<std::string, ShapedArray> arrays,
                const std::optional<std::vector<std::int64_t>>& dimensions, const std::string& what) {
  check_names(layout, arrays);
  Data data{dimensions ? *dimensions : dimensions_of(layout, arrays, what), {}};
  for (auto& [name, array] : arrays) {
    ElementType type = array.values.type();
    bool is_narrow = type != ElementType::Int32 && type != ElementType::Int64 && is_integer(type);
    bool converts = is_narrow && !layout.holds_values(name);
    data.arrays.emplace(name, converts ? array.values.converted(ElementType::Int64) : std::move(array.values));
  }
  check_shapes(layout, arrays, find_sizes(layout, data));
  return data;
}

}  // namespace filigree::layouts

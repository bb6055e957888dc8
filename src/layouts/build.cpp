#include "layouts/build.h"

#include <fmt/format.h>

#include "support/text.h"

namespace filigree::layouts::build {
namespace {

std::string checked(std::string name) {
  if (!is_identifier(name)) throw UserError(fmt::format("'{}' is no name for a part of a layout", name));
  return name;
}

std::vector<std::string> names_of(const std::vector<Value>& values, const char* what) {
  std::vector<std::string> names;
  for (const Value& value : values) {
    if (value.expr().kind() != Expr::Kind::Name || value.expr().primed())
      throw UserError(fmt::format("'{}' is no name, as {} has to be", to_string(value.expr()), what));
    names.push_back(checked(value.expr().text()));
  }
  return names;
}

}  // namespace

ArrayName::ArrayName(std::string name, const std::vector<Value>& extents) : shape_{checked(std::move(name)), {}} {
  for (const Value& extent : extents) shape_.extents.push_back(extent.expr());
}

Description::Description(std::string name, const std::vector<Value>& dimensions) {
  layout_.name = checked(std::move(name));
  layout_.dimensions = names_of(dimensions, "a dimension");
}

Description& Description::arrays(const std::vector<ArrayName>& arrays) {
  for (const ArrayName& array : arrays) layout_.arrays.push_back(array.shape());
  return *this;
}

Description& Description::relation(const std::vector<Value>& physical, const std::vector<Value>& logical,
                                   const Formula& condition, const Value& value) {
  if (value.expr().kind() != Expr::Kind::Read)
    throw UserError(fmt::format("The value of a point of '{}' is no element of an array", layout_.name))
        .hint("say where it is, as in vals(p)");
  Formula all;
  all.parts = condition.conjuncts();
  layout_.terms.push_back(
      {names_of(physical, "a physical variable"), names_of(logical, "a logical variable"), all, value.expr()});
  return *this;
}

Description& Description::where(const Formula& property) {
  layout_.properties.push_back(property);
  return *this;
}

Layout Description::layout() const {
  check(layout_);
  return layout_;
}

}  // namespace filigree::layouts::build

#include "names.h"

#include <fmt/format.h>

#include "support/text.h"

namespace filigree::tool {
namespace {

using notation::TensorUse;

const front::ProgramNames::Tensor& require_tensor(const front::ProgramNames& names, const Setting& setting) {
  const front::ProgramNames::Tensor* tensor = names.find(setting.name);
  if (names.has_index(setting.name) && !tensor) {
    throw UserError(fmt::format("{} {}:{} is for a tensor, but '{}' is an index variable of the expression",
                                setting.option, setting.name, setting.value, setting.name))
        .hint(
            "indices of tensors are sums of integers and index variables, not of scalars; -d says an index variable's "
            "extent");
  }
  if (!tensor) throw unknown_name(setting, "tensor", names.of_tensors());
  return *tensor;
}

/// An input for something that has its value from a statement.
UserError takes_no_input(const TensorUse& use, const Source& source) {
  if (use.is_operand) {
    return UserError(fmt::format("'{}' is assigned before it is read, so it takes no input", use.name))
        .at(source, use.span)
        .hint(fmt::format("leave out -i {0}:..., or the statement that assigns '{0}'", use.name));
  }
  return UserError(fmt::format("'{}' is assigned and not read, so it takes no input", use.name))
      .hint(fmt::format("-o {0}:FILE writes it; += and the like start from what is given", use.name));
}

}  // namespace

std::string quoted_list(const std::vector<std::string>& names) { return "'" + join(names, "', '") + "'"; }

UserError unknown_name(const Setting& setting, const std::string& kind, const std::vector<std::string>& known) {
  UserError error(
      fmt::format("{} {}:{} names no {} of the expression", setting.option, setting.name, setting.value, kind));
  if (auto guess = did_you_mean(setting.name, known))
    return std::move(error).hint(fmt::format("did you mean '{}'?", *guess));
  return std::move(error).hint(fmt::format("there {} {}", known.size() == 1 ? "is" : "are", quoted_list(known)));
}

std::set<std::string> given_names(const RunArguments& arguments) {
  std::set<std::string> names;
  for (const Setting& setting : arguments.inputs) names.insert(setting.name);
  return names;
}

std::set<std::string> declared_names(const RunArguments& arguments) {
  std::set<std::string> names;
  for (const Settings* settings :
       {&arguments.inputs, &arguments.formats, &arguments.types, &arguments.fills, &arguments.bases}) {
    for (const Setting& setting : *settings) names.insert(setting.name);
  }
  return names;
}

void check_names(const front::ProgramNames& names, const RunArguments& arguments, const Source& source) {
  for (const Settings* settings : {&arguments.formats, &arguments.types, &arguments.fills, &arguments.inputs,
                                   &arguments.outputs, &arguments.bases}) {
    for (const Setting& setting : *settings) require_tensor(names, setting);
  }
  for (const Setting& setting : arguments.inputs) {
    const front::ProgramNames::Tensor& tensor = *names.find(setting.name);
    if (!tensor.is_input) throw takes_no_input(tensor.use, source);
  }
  for (const Setting& setting : arguments.fills) {
    if (names.find(setting.name)->use.order == 0)
      throw UserError(
          fmt::format("--fill {}:{}: '{}' is a scalar, which has no fill", setting.name, setting.value, setting.name));
  }
}

}  // namespace filigree::tool

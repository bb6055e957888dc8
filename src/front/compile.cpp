#include "front/compile.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "front/declare.h"
#include "front/kernels.h"
#include "notation/default_format.h"
#include "notation/einsum.h"
#include "notation/extents.h"
#include "notation/parse.h"
#include "support/large_stack.h"
#include "support/text.h"

namespace filigree {
namespace {

using notation::Parsed;
using notation::Statement;
using notation::TensorUse;

std::set<std::string> names_of(const Declarations& declared) {
  std::set<std::string> names;
  for (const auto& [name, declaration] : declared) names.insert(name);
  return names;
}

/// Tensors as they are declared; results that are not get the type and format that suit what is assigned.
std::vector<Statement> resolved(const notation::ParsedProgram& program, const Declarations& declared) {
  front::ProgramNames names(program, {});
  front::StatedByName stated;
  for (const auto& [name, declaration] : declared) {
    const front::ProgramNames::Tensor* tensor = names.find(name);
    if (!tensor) {
      UserError error(fmt::format("There is no tensor '{}' in the text", name));
      auto guess = did_you_mean(name, names.of_tensors());
      if (guess) throw std::move(error).hint("did you mean '" + *guess + "'?");
      throw error;
    }
    front::Stated& said = stated[name];
    said.type = declaration.type;
    said.format = declaration.format.of_order(tensor->use.order);
  }
  return front::declare(program, names, stated, {.splits_updates = false}).statements;
}

}  // namespace

Kernel compile(const std::string& text, const Declarations& declared, const KernelOptions& options) {
  return on_large_stack([&] {
    notation::Parsed parsed = notation::parse(text, names_of(declared));
    return Kernel::compile(resolved({parsed.source, {parsed}}, declared)[0], options);
  });
}

Program compile_program(const std::string& text, const Declarations& declared, const ProgramOptions& options) {
  return on_large_stack(
      [&] { return Program::compile(resolved(notation::parse_program(text, names_of(declared)), declared), options); });
}

AnyTensor front::einsum(const std::string& subscripts, const std::vector<StatePtr>& operands, ElementType type) {
  std::vector<std::string> names;
  std::vector<std::optional<int>> orders;
  std::map<std::string, TensorVar> vars;
  std::map<TensorVar, std::vector<std::int64_t>> dimensions;
  Arguments arguments;
  notation::SizeHints hints;
  for (const StatePtr& operand : operands) {
    names.push_back(fmt::format("T{}", names.size() + 1));
    const AnyTensor& value = operand->value();
    orders.push_back(value.order());
    TensorVar var(names.back(), value.type(), value.format(), value.fill());
    vars.emplace(names.back(), var);
    dimensions[var] = value.dimensions();
    hints.entries[names.back()] = value.stored();
    arguments.emplace_back(names.back(), value);
  }
  Parsed parsed = notation::parse(notation::from_einsum(subscripts, names, "R", orders));
  for (const TensorUse& use : parsed.tensors) {
    auto known = vars.find(use.name);
    if (known == vars.end()) {
      vars.emplace(use.name, TensorVar(use.name, type, Format::dense(use.order)));
    } else if (known->second.order() != use.order) {
      throw UserError(fmt::format("Operand {} of einsum has {}, but '{}' has {} for it", use.name.substr(1),
                                  counted(known->second.order(), "dimension"), subscripts,
                                  counted(use.order, "label")));
    }
  }
  Statement statement = notation::resolve(parsed, vars);
  hints.extents = notation::infer_extents(statement, dimensions, {});
  const TensorVar& result = statement.lhs.tensor;
  vars.insert_or_assign(result.name(),
                        TensorVar(result.name(), type, notation::default_format(statement, hints).format));
  return kernel_for(notation::resolve(parsed, vars), evaluation_options()).run(arguments);
}

}  // namespace filigree

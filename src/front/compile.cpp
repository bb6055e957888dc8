#include "front/compile.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

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

void check_declared(const std::vector<Parsed>& statements, const Declarations& declared) {
  std::vector<std::string> names;
  for (const Parsed& parsed : statements) {
    for (const TensorUse& use : parsed.tensors) names.push_back(use.name);
  }
  for (const auto& [name, declaration] : declared) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    UserError error(fmt::format("There is no tensor '{}' in the text", name));
    if (auto guess = did_you_mean(name, names)) throw std::move(error).hint("did you mean '" + *guess + "'?");
    throw error;
  }
}

std::set<std::string> names_of(const Declarations& declared) {
  std::set<std::string> names;
  for (const auto& [name, declaration] : declared) names.insert(name);
  return names;
}

/// Tensors as they are declared; results that are not get the format that suits what is assigned.
std::vector<Statement> resolved(const std::vector<Parsed>& statements, const Declarations& declared) {
  check_declared(statements, declared);
  std::map<std::string, TensorVar> vars;
  std::vector<Statement> out;
  for (size_t n = 0; n < statements.size(); n++) {
    std::optional<std::string> undeclared;
    for (const TensorUse& use : statements[n].tensors) {
      if (vars.count(use.name)) continue;
      auto found = declared.find(use.name);
      if (found != declared.end()) {
        vars.emplace(use.name, TensorVar(use.name, found->second.type, found->second.format.of_order(use.order)));
        continue;
      }
      if (use.is_result && !use.is_operand) undeclared = use.name;
      vars.emplace(use.name, TensorVar(use.name, ElementType::Float64, Format::dense(use.order)));
    }
    Statement statement = notation::resolve(statements[n], vars);
    if (undeclared) {
      bool is_temporary = false;
      for (size_t later = n + 1; later < statements.size(); later++) {
        for (const TensorUse& use : statements[later].tensors)
          is_temporary = is_temporary || (use.name == *undeclared && use.is_operand);
      }
      ElementType type = statement.rhs.type();
      vars.insert_or_assign(*undeclared,
                            TensorVar(*undeclared, type, notation::default_format(statement, {}, is_temporary).format));
      statement = notation::resolve(statements[n], vars);
    }
    out.push_back(statement);
  }
  return out;
}

}  // namespace

Kernel compile(const std::string& text, const Declarations& declared, const KernelOptions& options) {
  return on_large_stack(
      [&] { return Kernel::compile(resolved({notation::parse(text, names_of(declared))}, declared)[0], options); });
}

Program compile_program(const std::string& text, const Declarations& declared, const ProgramOptions& options) {
  return on_large_stack([&] {
    return Program::compile(resolved(notation::parse_program(text, names_of(declared)).statements, declared), options);
  });
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

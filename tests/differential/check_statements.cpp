#include "tests/differential/check_statements.h"

#include <algorithm>

#include <fmt/format.h>

#include "tests/differential/check_kernel.h"

namespace filigree::differential {
namespace {

using notation::Statement;
using Names = std::set<std::string>;

/// One statement after the other.
reference::Operands evaluate_all(const std::vector<Statement>& statements, reference::Operands values,
                                 const notation::ProgramSizes& sizes) {
  for (size_t n = 0; n < statements.size(); n++) {
    const Statement& statement = statements[n];
    reference::Operands read;
    for (const notation::Access& access : notation::accesses(statement.rhs)) {
      if (const TensorVar* tensor = access.tensor.read()) read.emplace(tensor->name(), values.at(tensor->name()));
    }
    reference::Extents extents = notation::by_name(statement, sizes.extents[n]);
    const TensorVar& result = statement.lhs.tensor;
    reference::check_selected(statement, read, extents);
    reference::Box made = reference::evaluate(statement, read, extents);
    for (const auto& [name, box] : read) made.may_store_fill |= box.may_store_fill;
    values.insert_or_assign(result.name(), reference::stored_in(made, result.format()));
  }
  return values;
}

std::optional<std::string> check_run(const std::string& how, const Program& program,
                                     const std::optional<reference::Operands>& expected, const Arguments& operands,
                                     const Sizes& sizes, double tolerance) {
  std::map<std::string, AnyTensor> results;
  try {
    results = program.run(operands, sizes);
  } catch (const UserError& error) {
    return expected ? std::optional(fmt::format("{}: UserError: {}", how, error.what())) : std::nullopt;
  }
  if (!expected) return how + ": a result was made that its format cannot hold";
  for (const auto& [name, result] : results) {
    result.validate(name);
    if (auto difference = reference::compare(expected->at(name), result, tolerance))
      return fmt::format("{}, {}: {}", how, name, *difference);
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> assigned_names(const std::vector<Statement>& statements) {
  std::vector<std::string> names;
  for (const Statement& statement : statements) {
    if (std::find(names.begin(), names.end(), statement.lhs.tensor.name()) == names.end())
      names.push_back(statement.lhs.tensor.name());
  }
  return names;
}

std::optional<reference::Operands> expected_values(const std::vector<Statement>& statements,
                                                   const std::vector<std::string>& outputs, const Arguments& operands,
                                                   const Sizes& sizes) {
  Names given;
  reference::Operands boxes;
  notation::KnownSizes known{{}, sizes.dimensions, sizes.extents};
  for (const Argument& operand : operands) {
    given.insert(operand.name);
    boxes.emplace(operand.name, reference::box_of(*operand.tensor));
    known.inputs[operand.name] = operand.tensor->dimensions();
  }
  std::vector<Statement> used = notation::statements_of(
      notation::used_steps(notation::link(statements, given), Names(outputs.begin(), outputs.end())));
  notation::ProgramSizes found = notation::infer_sizes(used, known);
  try {
    return evaluate_all(used, boxes, found);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

std::optional<std::string> check_statements(const std::vector<Statement>& statements, const ProgramOptions& options,
                                            const Arguments& operands, const Sizes& sizes, double tolerance) {
  std::string how = "compile";
  try {
    ProgramOptions apart = options, all = options;
    apart.fuse = false;
    all.outputs = assigned_names(statements);
    for (const auto& [name, chosen] :
         {std::pair("fused", options), std::pair("apart", apart), std::pair("all results", all)}) {
      how = name;
      Program program = Program::compile(statements, chosen);
      std::optional<reference::Operands> expected = expected_values(statements, program.outputs(), operands, sizes);
      if (auto wrong = check_run(how, program, expected, operands, sizes, tolerance)) return wrong;
    }
  } catch (...) {
    return how + ": " + describe_exception();
  }
  return std::nullopt;
}

}  // namespace filigree::differential

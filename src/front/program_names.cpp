#include "front/program_names.h"

#include <algorithm>

#include "notation/syntax.h"

namespace filigree::front {
namespace {

using notation::Parsed;
using notation::ParsedProgram;
using notation::TensorUse;

bool needs_input(const ParsedProgram& program, const std::string& name, const std::set<std::string>& given) {
  for (const Parsed& statement : program.statements) {
    for (const TensorUse& use : statement.tensors) {
      if (use.name == name) return use.is_operand || (statement.tree->op && given.count(name));
    }
  }
  return false;
}

}  // namespace

ProgramNames::ProgramNames(const ParsedProgram& program, const std::set<std::string>& given) {
  for (const Parsed& statement : program.statements) {
    for (const std::string& name : statement.index_names) {
      if (!has_index(name)) indices.push_back(name);
    }
    for (const TensorUse& use : statement.tensors) {
      if (find(use.name)) add_use(use);
      else tensors.push_back({use, needs_input(program, use.name, given)});
    }
  }
}

const ProgramNames::Tensor* ProgramNames::find(const std::string& name) const {
  auto found = std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& t) { return t.use.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

bool ProgramNames::has_index(const std::string& name) const {
  return std::find(indices.begin(), indices.end(), name) != indices.end();
}

std::vector<std::string> ProgramNames::of_tensors() const {
  std::vector<std::string> names;
  for (const Tensor& tensor : tensors) names.push_back(tensor.use.name);
  return names;
}

void ProgramNames::add_use(const TensorUse& use) {
  auto known = std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& t) { return t.use.name == use.name; });
  known->use.is_result |= use.is_result;
  if (use.is_operand && !known->use.is_operand) known->use.read_span = use.read_span;
  known->use.is_operand |= use.is_operand;
  known->use.is_index |= use.is_index;
  known->use.is_gathered |= use.is_gathered;
}

}  // namespace filigree::front

// Statements and programs from text for tests: float64 tensors, dense unless a format is given.
#pragma once

#include <map>
#include <string>

#include "concrete/concretize.h"
#include "concrete/parse.h"
#include "notation/parse.h"

namespace filigree::concrete {

using Formats = std::map<std::string, std::string>;

inline std::map<std::string, TensorVar> tensors_of(const notation::Parsed& parsed, const Formats& formats,
                                                   ElementType type = ElementType::Float64) {
  std::map<std::string, TensorVar> tensors;
  for (const notation::TensorUse& use : parsed.tensors) {
    auto given = formats.find(use.name);
    Format format = given == formats.end() ? Format::dense(use.order) : parse_format(given->second, use.order);
    tensors.emplace(use.name, TensorVar(use.name, type, format));
  }
  return tensors;
}

inline notation::Statement statement(const std::string& text, const Formats& formats = {},
                                     ElementType type = ElementType::Float64) {
  notation::Parsed parsed = notation::parse(text);
  return notation::resolve(parsed, tensors_of(parsed, formats, type));
}

inline Program concretized(const std::string& text, const Formats& formats = {}) {
  return concretize(statement(text, formats));
}

/// The statement as text.
inline std::string loops(const std::string& text, const Formats& formats = {}) {
  return to_string(concretized(text, formats).statement);
}

/// A program written in concrete notation: results and operands are told from temporaries by name.
inline Program program(const std::string& text, const std::map<std::string, TensorVar>& tensors,
                       const std::string& result, const std::vector<std::string>& operands) {
  std::map<std::string, IndexVar> indices;
  Stmt stmt = parse(text, tensors, indices);
  Program out{stmt, {tensors.at(result)}, {}, {}};
  for (const std::string& name : operands) out.operands.push_back(tensors.at(name));
  for (const auto& [name, var] : indices) out.environment.extents.insert({var, OfDimension{tensors.at(result), 0}});
  return out;
}

}  // namespace filigree::concrete

// Statements from text for tests: every tensor is dense and float64 unless the test says otherwise.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "notation/parse.h"

namespace filigree::notation {

using Types = std::map<std::string, ElementType>;

inline std::map<std::string, TensorVar> tensors_of(const Parsed& parsed, const Types& types = {}) {
  std::map<std::string, TensorVar> tensors;
  for (const TensorUse& use : parsed.tensors) {
    auto type = types.find(use.name);
    tensors.emplace(use.name, TensorVar(use.name, type == types.end() ? ElementType::Float64 : type->second,
                                        Format::dense(use.order)));
  }
  return tensors;
}

inline Statement from_text(const std::string& text, const Types& types = {}) {
  Parsed parsed = parse(text);
  return resolve(parsed, tensors_of(parsed, types));
}

inline std::string printed(const std::string& text, const Types& types = {}) {
  return to_string(from_text(text, types));
}

/// What a person sees, or "no error".
inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.text(Wording::CommandLine);
  }
  return "no error";
}

}  // namespace filigree::notation

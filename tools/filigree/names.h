// The tensors and index variables of a program by name, and whether options name any of them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "arguments.h"
#include "notation/parse.h"

namespace filigree::tool {

/// What a program needs of each name.
class Names {
 public:
  Names(const notation::ParsedProgram& program, const RunArguments& arguments);

  struct Tensor {
    notation::TensorUse use;  // in the whole program
    bool is_input;            // it is read before it is assigned, or what the first `op=` starts from
  };
  const Tensor* find(const std::string& name) const;
  std::vector<std::string> of_tensors() const;

  std::vector<Tensor> tensors;  // in order of first appearance
  std::vector<std::string> indices;

 private:
  void add_use(const notation::TensorUse& use);
};

/// Names that options say are tensors: no function is meant by them.
std::set<std::string> declared_names(const RunArguments& arguments);
/// Throws UserError for an option that names no tensor, or one that it does not fit.
void check_names(const Names& names, const RunArguments& arguments, const Source& source);
UserError unknown_name(const Setting& setting, const std::string& kind, const std::vector<std::string>& known);
/// 'a', 'b'
std::string quoted_list(const std::vector<std::string>& names);

}  // namespace filigree::tool

// The tensors and index variables of a program by name, and which of the tensors it needs a value of.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "notation/parse.h"

namespace filigree::front {

class ProgramNames {
 public:
  /// `given`: tensors that have a value; what `op=` assigns first starts from that.
  ProgramNames(const notation::ParsedProgram& program, const std::set<std::string>& given);

  struct Tensor {
    notation::TensorUse use;  // in the whole program
    bool is_input;            // it is read before it is assigned, or what the first `op=` starts from
  };
  const Tensor* find(const std::string& name) const;
  bool has_index(const std::string& name) const;
  std::vector<std::string> of_tensors() const;

  std::vector<Tensor> tensors;  // in order of first appearance
  std::vector<std::string> indices;

 private:
  void add_use(const notation::TensorUse& use);
};

}  // namespace filigree::front

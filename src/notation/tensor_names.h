// Which names are tensors although they look like names of functions.
//
//   y(i) = cost(p(i))                    cost is like cos, and may be a mistake
//   y(i) = cost(p(i)) - cost(i)          it is a tensor: it is read at an index variable
//   cost(i) = c(i); y(i) = cost(p(i))    it is a tensor: it is assigned
#pragma once

#include <set>
#include <string>
#include <vector>

#include "notation/lex.h"

namespace filigree::notation {

class TensorNames {
 public:
  /// `declared` are tensors that somebody said something about beside the text.
  TensorNames(const std::vector<Token>& tokens, const std::set<std::string>& declared);

  bool is_declared(const std::string& name) const { return declared_.count(name) > 0; }
  /// Was it declared, or does a statement assign it?
  bool is_given(const std::string& name) const { return is_declared(name) || assigned_.count(name) > 0; }
  /// Is it given, or read somewhere with nothing but index variables and integers?
  bool contains(const std::string& name) const { return is_given(name) || plain_.count(name) > 0; }

 private:
  std::set<std::string> declared_, assigned_, plain_;
};

}  // namespace filigree::notation

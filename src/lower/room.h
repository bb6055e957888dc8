// Arrays that grow together: all indexed alike, with one capacity.
#pragma once

#include <vector>

#include "ir/ir.h"

namespace filigree::lower {

class Room {
 public:
  Room(std::string name, std::vector<ir::Var> arrays) 
      : name_(name), arrays_(std::move(arrays)), capacity_(name + "_capacity", ir::scalar(ElementType::Int64)) {}

  bool is_empty() const { return arrays_.empty(); }
  const std::vector<ir::Var>& arrays() const { return arrays_; }

  /// The first allocation, of `count` elements or a few.
  ir::Stmt open(const ir::Expr& count) const;
  /// Makes sure that elements below `count` are there.
  ir::Stmt reserve(const ir::Expr& count) const;

 private:
  std::string name_;
  std::vector<ir::Var> arrays_;
  ir::Var capacity_;
};

}  // namespace filigree::lower

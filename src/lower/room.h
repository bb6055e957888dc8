// Arrays that grow together: all indexed alike, with one capacity, and each with so many elements for every index.
#pragma once

#include <vector>

#include "ir/ir.h"

namespace filigree::lowering {

class Room {
 public:
  struct Growing {
    ir::Var array;
    int per = 1;
  };
  /// `first`: they begin with room for so many indices (policy::Memory); from there on by doubling.
  Room(std::string name, std::vector<Growing> arrays, std::int64_t first)
      : name_(name),
        arrays_(std::move(arrays)),
        first_(first),
        capacity_(name + "_capacity", ir::scalar(ElementType::Int64)) {}

  bool is_empty() const { return arrays_.empty(); }
  const std::vector<Growing>& arrays() const { return arrays_; }

  /// The first allocation, for indices below `count` or a few.
  ir::Stmt open(const ir::Expr& count) const;
  /// Makes sure that there are elements for indices below `count`.
  ir::Stmt reserve(const ir::Expr& count) const;

 private:
  std::string name_;
  std::vector<Growing> arrays_;
  std::int64_t first_;
  ir::Var capacity_;
};

}  // namespace filigree::lowering

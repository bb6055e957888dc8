// A temporary of order > 0: filled by the producer of a `where` in any order, then read in order.  Each way of filling
// one is a class, chosen by make_workspace:
//
//   inserted_workspace.h   components are inserted in any order: w[j] += ..., with a list of the j that are there
//                          of row blocks whose values go elsewhere, only the blocks are inserted
//   placed_workspace.h     the last level in two passes over the producer: counted, then placed
#pragma once

#include <memory>

#include "lower/scope.h"

namespace filigree::lowering {

class Lowerer;

class Workspace : public Writer {
 public:
  /// The coordinates that a level has.
  struct Range {
    ir::Expr extent, origin;
  };
  /// `ranges`: of each level.
  Workspace(const concrete::Access& lhs, const std::vector<Range>& ranges);

  const TensorVar& tensor() const { return lhs_.tensor; }
  const level::Instance& level(int l) const { return levels_[static_cast<size_t>(l)]; }
  const ir::Var& values() const { return values_; }
  /// Where its levels begin from here on, as they begin where a piece does.
  void set_origins(const std::vector<Range>& ranges);

  /// The producer, and what stands before it.
  virtual ir::Stmt fill(Lowerer& lowerer, const plan::Where& where, const Scope& scope) = 0;
  /// From here on its levels can be iterated.
  virtual ir::Stmt finalize() const { return {}; }
  /// Empty again.
  virtual ir::Stmt clear() const { return {}; }

  /// At the function's ends: memory is taken once and reused.
  virtual ir::Stmt prologue() const = 0;
  virtual ir::Stmt epilogue() const;

 protected:
  const level::Format& format(int l) const { return *lhs_.tensor.format().levels()[static_cast<size_t>(l)].format; }
  int order() const { return lhs_.tensor.order(); }
  /// Number of positions of level `l`, now.
  ir::Expr size(int l) const;
  /// Gives back what levels have.
  ir::Stmt free_levels() const;

  concrete::Access lhs_;
  std::vector<level::Instance> levels_;
  ir::Var values_;
};

/// The temporary that `assign` writes.
std::unique_ptr<Workspace> make_workspace(const plan::Plan& plan, const concrete::Assign& assign,
                                          const std::vector<Workspace::Range>& ranges);

}  // namespace filigree::lowering

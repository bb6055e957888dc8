// What is filled in two passes over the same loops (lower_passes.cpp), results and workspaces: the first counts, then
// room is made, the second stores.
#pragma once

#include "lower/placement.h"
#include "lower/scope.h"

namespace filigree::lowering {

class TwoPasses {
 public:
  virtual ~TwoPasses() = default;
  /// Stands for a write of the first pass.
  virtual ir::Stmt count(const Write& component) const = 0;
  virtual ir::Stmt between_passes() const = 0;
  /// After the second.
  virtual ir::Stmt finish_passes() const = 0;
  /// Null: the passes are in one piece.
  virtual Placement* placement() { return nullptr; }
};

}  // namespace filigree::lowering

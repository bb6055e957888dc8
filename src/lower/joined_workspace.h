// A workspace for the children of one node, which those of operands' nodes join as they stand (level::Join).
//
//   w(j) += B(i,j), rows of B in hash tables      no row yet: w is a copy of it, slots and all
//                                                 as many slots: values in equal slots are added up, and so on
//   A(i,j) = w(j), rows of A in hash tables       the row of A is a copy of w
#pragma once

#include "level/join.h"
#include "lower/room.h"
#include "lower/workspace.h"

namespace filigree::lowering {

class JoinedWorkspace : public Workspace {
 public:
  /// `joining`: the levels whose siblings join, which tell how wide coordinates are.
  JoinedWorkspace(const concrete::Access& lhs, const std::vector<Range>& ranges,
                  const std::vector<level::Instance>& joining, const policy::Memory& memory);

  ir::Stmt fill(Lowerer& lowerer, const plan::Where& where, const Scope& scope) override;
  ir::Stmt write(const Write& component) const override;
  ir::Stmt prologue() const override;
  ir::Stmt epilogue() const override;
  const JoinedWorkspace* joined() const override { return this; }

  /// `none`: it is certain that there are none yet.
  level::Join::Siblings siblings(bool none = false) const;
  /// The children of a node of an operand join.  `write`: code that does what the loop does with the one at a position.
  ir::Stmt join(const level::Instance& level, const level::Bounds& children,
                const std::function<ir::Stmt(const ir::Expr& position, const Writer& writer)>& write) const;

 private:
  /// What there is of each position.
  std::vector<Room::Growing> own_arrays(const std::vector<level::Instance>& joining);

  ir::Var size_, count_, aside_;
  mutable bool is_empty_ = true;  // nothing that joins was lowered since it was empty
  Room room_;
};

}  // namespace filigree::lowering

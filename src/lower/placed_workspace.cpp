#include "lower/placed_workspace.h"

#include "lower/insertion.h"
#include "lower/lowerer.h"

namespace filigree::lowering {

PlacedWorkspace::PlacedWorkspace(const plan::Placed& how, const concrete::Access& lhs, const std::vector<Range>& ranges)
    : Workspace(lhs, ranges),
      placement_(tensor(), levels_, order() == 1 ? ir::integer(1) : size(order() - 2), kept(),
                 ir::int64_var(tensor().name() + "_count"), how) {}

Placement::Kept PlacedWorkspace::kept() const {
  std::vector<Room::Growing> nodes;
  std::vector<level::ArrayDescription> arrays = format(order() - 1).arrays();
  for (size_t a = 0; a < arrays.size(); a++) {
    if (arrays[a].indexed_by == level::ArrayDescription::IndexedBy::Position)
      nodes.push_back({levels_.back().arrays[a], arrays[a].per});
  }
  return {nodes, values_, true};
}

ir::Stmt PlacedWorkspace::fill(Lowerer& lowerer, const plan::Where& where, const Scope& scope) {
  return lowerer.lower_two_passes(tensor(), *this, where.producer, scope);
}

ir::Stmt PlacedWorkspace::count(const Write& component) const {
  return placement_.count(coordinates_of(component.lhs, component.scope));
}

ir::Stmt PlacedWorkspace::write(const Write& component) const {
  level::Node node = placement_.place(coordinates_of(component.lhs, component.scope));
  // Every time it makes a component of its own.
  return ir::block({ir::block(node.setup), ir::store(values_, node.position, component.own)});
}

}  // namespace filigree::lowering

#include "lower/placement.h"

#include "lower/insertion.h"
#include "support/check.h"

namespace filigree::lowering {

Placement::Placement(const TensorVar& tensor, const std::vector<level::Instance>& levels, const ir::Expr& parents,
                     const Kept& kept, const ir::Var& size, const plan::Placed& how)
    : tensor_(tensor),
      levels_(levels),
      at_{*tensor.format().levels().back().format, levels.back(), parents},
      kept_(kept),
      size_(size),
      how_(how),
      placer_(std::make_unique<PlacerOfAll>(at_)) {
  internal_check(at_.format.scatter() != nullptr, "lower", "a level that cannot be filled in two passes",
                 at_.format.name());
}

PlacerInPieces& Placement::place_in_pieces(const ir::Var& pieces) {
  auto placer = std::make_unique<PlacerInPieces>(at_, pieces);
  PlacerInPieces& own = *placer;
  placer_ = std::move(placer);
  return own;
}

PlacerInOrder& Placement::place_in_order(const ir::Var& pieces) {
  auto placer = std::make_unique<PlacerInOrder>(at_, pieces);
  PlacerInOrder& own = *placer;
  placer_ = std::move(placer);
  return own;
}

ir::Expr Placement::parent_at(const std::vector<ir::Expr>& coordinates) const {
  int last = static_cast<int>(levels_.size()) - 1;
  if (last == 0) return ir::integer(0);
  return insert_path(tensor_, levels_, {0, last, ir::integer(0)}, coordinates, false).positions.back();
}

ir::Stmt Placement::count(const std::vector<ir::Expr>& coordinates) const {
  return placer_->count(parent_at(coordinates));
}

ir::Stmt Placement::make_room() const {
  std::vector<ir::Stmt> code = {placer_->allot(size_)};
  for (const Room::Growing& g : kept_.arrays)
    code.push_back(ir::Alloc{g.array, ir::multiply(size_, ir::integer(g.per))});
  if (kept_.has_values) code.push_back(ir::Alloc{kept_.values, size_});
  return ir::block(code);
}

level::Node Placement::place(const std::vector<ir::Expr>& coordinates) const {
  return placer_->place(parent_at(coordinates), coordinates.back());
}

ir::Stmt Placement::tidy() const {
  const level::Scatter& scatter = at_.scatter();
  return ir::block({how_.sorts ? scatter.sort(at_.level, at_.parents, kept_.values, placer_->loop()) : ir::Stmt(),
                    how_.merges ? scatter.merge(at_.level, at_.parents, kept_.values, size_) : ir::Stmt()});
}

}  // namespace filigree::lowering

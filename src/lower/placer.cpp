#include "lower/placer.h"

namespace filigree::lowering {
namespace {

/// Counts are positions in the end: as wide as the level keeps them.
ElementType counter_type(const PlacedLevel& at) {
  std::vector<level::ArrayDescription> arrays = at.format.arrays();
  for (size_t a = 0; a < arrays.size(); a++) {
    if (arrays[a].holds == level::ArrayDescription::Holds::Positions) return at.level.arrays[a].type().element;
  }
  return ElementType::Int64;
}

}  // namespace

// --- One after the other -----------------------------------------------------------------------------

ir::Stmt PlacerOfAll::init() const { return at_.scatter().init(at_.level, at_.parents); }

ir::Stmt PlacerOfAll::count(const ir::Expr& parent) const {
  return at_.scatter().count(at_.level, parent, std::nullopt);
}

ir::Stmt PlacerOfAll::allot(const ir::Var& size) const {
  return ir::block({at_.scatter().allot(at_.level, at_.parents),
                    ir::declare(size, at_.scatter().size(at_.level, at_.parents))});
}

level::Node PlacerOfAll::place(const ir::Expr& parent, const ir::Expr& coordinate) const {
  return at_.scatter().place(at_.level, parent, coordinate, std::nullopt);
}

// --- In pieces -----------------------------------------------------------------------------------------

PlacerInPieces::PlacerInPieces(const PlacedLevel& at, const ir::Var& pieces)
    : Placer(at), pieces_(pieces), counters_(at.level.name + "_counters", ir::array(counter_type(at))) {}

ir::Stmt PlacerInPieces::count(const ir::Expr& parent) const {
  return at_.scatter().count(at_.level, parent, level::Counters{counters_, first_});
}

ir::Stmt PlacerInPieces::allot(const ir::Var& size) const {
  return ir::block({at_.scatter().allot_pieces(at_.level, at_.parents, counters_, pieces_),
                    ir::declare(size, at_.scatter().size(at_.level, at_.parents))});
}

level::Node PlacerInPieces::place(const ir::Expr& parent, const ir::Expr& coordinate) const {
  return at_.scatter().place(at_.level, parent, coordinate, level::Counters{counters_, first_});
}

ir::Stmt PlacerInPieces::open() const { return ir::Alloc{counters_, ir::multiply(pieces_, at_.parents)}; }

ir::Stmt PlacerInPieces::begin_counting(const ir::Var& piece) const {
  ir::Var p = ir::int64_var("p");
  // Whoever counts also touches the memory first.
  return ir::block({begin_placing(piece),
                    ir::For{p, ir::integer(0), at_.parents, ir::store(counters_, ir::add(first_, p), ir::integer(0))}});
}

ir::Stmt PlacerInPieces::begin_placing(const ir::Var& piece) const {
  return ir::declare(first_, ir::multiply(piece, at_.parents));
}

// --- In order --------------------------------------------------------------------------------------------

ir::Stmt PlacerInOrder::allot(const ir::Var& size) const {
  return ir::block({at_.scatter().allocate_parents(at_.level, at_.parents), ir::declare(size, count_)});
}

level::Node PlacerInOrder::place(const ir::Expr& parent, const ir::Expr& coordinate) const {
  ir::Var position = ir::int64_var("p" + at_.level.name);
  level::Node node{position, coordinate};
  node.setup = {ir::declare(position, next_), ir::increment(next_),
                at_.scatter().begin_parents(at_.level, parent_, parent, position),
                at_.scatter().put(at_.level, position, coordinate)};
  return node;
}

ir::Stmt PlacerInOrder::begin(const ir::Var& piece, const ir::Expr& position, const ir::Expr& parent_before) const {
  return ir::block(
      {ir::declare(next_, position), ir::declare(parent_, ir::integer(0)),
       ir::if_then(ir::less(ir::integer(0), piece), ir::assign(parent_, ir::add(parent_before, ir::integer(1))))});
}

ir::Stmt PlacerInOrder::end(const ir::Var& piece) const {
  return ir::if_then(ir::equal(piece, ir::subtract(pieces_, ir::integer(1))),
                     at_.scatter().begin_parents(at_.level, parent_, at_.parents, next_));
}

}  // namespace filigree::lowering

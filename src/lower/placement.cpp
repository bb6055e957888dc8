#include "lower/placement.h"

#include "lower/insertion.h"
#include "support/check.h"

namespace filigree::lowering {
namespace {

const level::Format& last_format(const TensorVar& tensor) { return *tensor.format().levels().back().format; }

const level::Scatter& scatter_of(const level::Format& format) {
  internal_check(format.scatter() != nullptr, "lower", "a level that cannot be filled in two passes", format.name());
  return *format.scatter();
}

/// Counts are positions in the end: as wide as the level keeps them.
ElementType counter_type(const level::Format& format, const level::Instance& level) {
  std::vector<level::ArrayDescription> arrays = format.arrays();
  for (size_t a = 0; a < arrays.size(); a++) {
    if (arrays[a].holds == level::ArrayDescription::Holds::Positions) return level.arrays[a].type().element;
  }
  return ElementType::Int64;
}

}  // namespace

Placement::Placement(const TensorVar& tensor, const std::vector<level::Instance>& levels, const ir::Expr& parents,
                     const Kept& kept, const ir::Var& size, const plan::Placed& how)
    : tensor_(tensor),
      levels_(levels),
      scatter_(scatter_of(last_format(tensor))),
      level_(levels.back()),
      parents_(parents),
      kept_(kept),
      size_(size),
      how_(how),
      counters_(level_.name + "_counters", ir::array(counter_type(last_format(tensor), level_))),
      first_(ir::int64_var("first")),
      next_(ir::int64_var("next")),
      parent_(ir::int64_var("parent")) {}

std::optional<level::Counters> Placement::counters() const {
  return pieces_ ? std::optional(level::Counters{counters_, first_}) : std::nullopt;
}

ir::Stmt Placement::init() const { return pieces_ ? ir::Stmt() : scatter_.init(level_, parents_); }

ir::Expr Placement::parent_at(const std::vector<ir::Expr>& coordinates) const {
  int last = static_cast<int>(levels_.size()) - 1;
  if (last == 0) return ir::integer(0);
  return insert_path(tensor_, levels_, {0, last, ir::integer(0)}, coordinates, false).positions.back();
}

ir::Stmt Placement::count(const std::vector<ir::Expr>& coordinates) const {
  return scatter_.count(level_, parent_at(coordinates), counters());
}

ir::Stmt Placement::allot() const {
  if (is_in_order()) return ir::block({scatter_.allocate_parents(level_, parents_), ir::declare(size_, *count_)});
  ir::Stmt allotted = pieces_ ? scatter_.allot_pieces(level_, parents_, counters_, *pieces_)
                              : scatter_.allot(level_, parents_);
  return ir::block({allotted, ir::declare(size_, scatter_.size(level_, parents_))});
}

ir::Stmt Placement::make_room() const {
  std::vector<ir::Stmt> code = {allot()};
  for (const Room::Growing& g : kept_.arrays)
    code.push_back(ir::Alloc{g.array, ir::multiply(size_, ir::integer(g.per))});
  if (kept_.has_values) code.push_back(ir::Alloc{kept_.values, size_});
  return ir::block(code);
}

level::Node Placement::place(const std::vector<ir::Expr>& coordinates) const {
  ir::Expr parent = parent_at(coordinates);
  const ir::Expr& coordinate = coordinates.back();
  if (!is_in_order()) return scatter_.place(level_, parent, coordinate, counters());
  ir::Var position = ir::int64_var("p" + level_.name);
  level::Node node{position, coordinate};
  node.setup = {ir::declare(position, next_), ir::increment(next_),
                scatter_.begin_parents(level_, parent_, parent, position), scatter_.put(level_, position, coordinate)};
  return node;
}

ir::Stmt Placement::tidy() const {
  ir::LoopKind loop = pieces_ ? ir::LoopKind::Parallel : ir::LoopKind::Serial;
  return ir::block({how_.sorts ? scatter_.sort(level_, parents_, kept_.values, loop) : ir::Stmt(),
                    how_.merges ? scatter_.merge(level_, parents_, kept_.values, size_) : ir::Stmt()});
}

void Placement::cut_into(const ir::Var& pieces) { pieces_ = pieces; }

ir::Stmt Placement::begin_in_order(const ir::Var& piece, const ir::Expr& position,
                                   const ir::Expr& parent_before) const {
  return ir::block(
      {ir::declare(next_, position), ir::declare(parent_, ir::integer(0)),
       ir::if_then(ir::less(ir::integer(0), piece), ir::assign(parent_, ir::add(parent_before, ir::integer(1))))});
}

ir::Stmt Placement::end_in_order(const ir::Var& piece) const {
  return ir::if_then(ir::equal(piece, ir::subtract(*pieces_, ir::integer(1))),
                     scatter_.begin_parents(level_, parent_, parents_, next_));
}

ir::Stmt Placement::open_pieces() const { return ir::Alloc{counters_, ir::multiply(*pieces_, parents_)}; }
ir::Stmt Placement::close_pieces() const { return ir::Free{counters_}; }

ir::Stmt Placement::begin_counting(const ir::Var& piece) const {
  ir::Var p = ir::int64_var("p");
  // Whoever counts also touches the memory first.
  return ir::block({begin_placing(piece),
                    ir::For{p, ir::integer(0), parents_, ir::store(counters_, ir::add(first_, p), ir::integer(0))}});
}

ir::Stmt Placement::begin_placing(const ir::Var& piece) const {
  return ir::declare(first_, ir::multiply(piece, parents_));
}

}  // namespace filigree::lowering

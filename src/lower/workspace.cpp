#include "lower/workspace.h"

#include "support/check.h"

namespace filigree::lowering {
namespace {

std::vector<ir::Expr> coordinates_of(const Write& component) {
  std::vector<ir::Expr> coordinates;
  for (const IndexVar& var : concrete::level_vars(component.lhs))
    coordinates.push_back(component.scope.coordinates.at(var));
  return coordinates;
}

}  // namespace

Workspace::Workspace(const concrete::Access& lhs, const std::vector<Range>& ranges, std::optional<Scalar> start,
                     std::optional<plan::Placed> two_passes)
    : lhs_(lhs),
      start_(start),
      values_(lhs.tensor.name(), ir::array(lhs.tensor.type())),
      room_(lhs.tensor.name(), {{values_}}) {
  for (int l = 0; l < order(); l++) {
    bool placed = two_passes && l == order() - 1;
    internal_check(placed || format(l).insert() != nullptr, "lower", "a workspace level that cannot be inserted into",
                   format(l).name());
    std::string name = order() == 1 ? lhs.tensor.name() : lhs.tensor.name() + std::to_string(l + 1);
    level::Instance instance{
        name, {}, {}, {}, ranges[static_cast<size_t>(l)].extent, ranges[static_cast<size_t>(l)].origin};
    for (const level::ArrayDescription& array : format(l).arrays()) {
      using Holds = level::ArrayDescription::Holds;
      ElementType type = array.holds == Holds::Other       ? array.other_type
                         : array.holds == Holds::Positions ? ElementType::Int64
                                                           : ElementType::Int32;
      instance.arrays.emplace_back(name + "_" + array.name, ir::array(type));
    }
    for (int up = 0; up < l; up++) instance.above.push_back({&format(up), levels_[up].arrays});
    if (format(l).uses_table()) instance.table = ir::Var(name + "_table", ir::table());
    if (format(l).uses_count()) instance.count = ir::int64_var(name + "_count");
    levels_.push_back(instance);
  }
  if (two_passes) {
    placement_.emplace(format(order() - 1), levels_.back(), values_, size(order() - 2),
                       ir::int64_var(lhs.tensor.name() + "_count"), *two_passes);
  }
}

void Workspace::set_origins(const std::vector<Range>& ranges) {
  for (size_t l = 0; l < ranges.size(); l++) levels_[l].origin = ranges[l].origin;
}

ir::Expr Workspace::last_parent(const std::vector<ir::Expr>& coordinates) const {
  ir::Expr parent = ir::integer(0);
  for (int l = 0; l + 1 < order(); l++) {
    parent = format(l)
                 .insert()
                 ->insert(levels_[l], parent, coordinates[l], false, [](const ir::Expr&) { return ir::Stmt(); })
                 .position;
  }
  return parent;
}

ir::Stmt Workspace::count(const Write& component) const {
  return placement_->count(last_parent(coordinates_of(component)));
}

ir::Stmt Workspace::write(const Write& component) const {
  level::Node node = insert(coordinates_of(component));
  std::vector<ir::Stmt> code = node.setup;
  // What is placed makes a component of its own every time.
  ir::Expr value = placement_ ? component.own : component.value(ir::Load{values_, node.position});
  code.push_back(ir::store(values_, node.position, value));
  return ir::block(code);
}

ir::Stmt Workspace::between_passes() const {
  std::vector<ir::Stmt> code = {placement_->allot()};
  std::vector<level::ArrayDescription> arrays = format(order() - 1).arrays();
  for (size_t a = 0; a < arrays.size(); a++) {
    if (arrays[a].indexed_by == level::ArrayDescription::IndexedBy::Position)
      code.push_back(ir::Alloc{levels_.back().arrays[a], ir::multiply(placement_->size(), ir::integer(arrays[a].per))});
  }
  code.push_back(ir::Alloc{values_, placement_->size()});
  return ir::block(code);
}

ir::Stmt Workspace::finish_passes() const { return placement_->tidy(); }

ir::Expr Workspace::size(int l) const {
  ir::Expr parents = l == 0 ? ir::integer(1) : size(l - 1);
  std::optional<ir::Expr> size = format(l).insert()->size(levels_[l], parents);
  return size ? *size : ir::Expr(*levels_[l].count);
}

bool Workspace::is_sized() const {
  for (int l = 0; l < order(); l++) {
    if (!format(l).insert()->size(levels_[l], ir::integer(1))) return false;
  }
  return true;
}

/// A new node at `level`: if only levels of fixed size follow, all components below it come into being.
ir::Stmt Workspace::initialize_block(int level, const ir::Expr& position) const {
  ir::Expr block = ir::integer(1);
  for (int l = level + 1; l < order(); l++) {
    std::optional<ir::Expr> size = format(l).insert()->size(levels_[l], block);
    if (!size || format(l).uses_count()) return {};
    block = *size;
  }
  ir::Expr first = ir::multiply(position, block), end = ir::add(first, block);
  bool single = level == order() - 1;
  std::vector<ir::Stmt> code;
  if (!is_sized()) code.push_back(room_.reserve(end));
  Scalar value = start_.value_or(tensor().fill());
  if (single) {
    if (start_) code.push_back(ir::store(values_, position, ir::constant(value)));
  } else {
    ir::Var q = ir::int64_var("q");
    code.push_back(ir::For{q, first, end, ir::store(values_, q, ir::constant(value))});
  }
  return ir::block(code);
}

level::Node Workspace::insert_node(const ir::Expr& coordinate) const {
  return format(0).insert()->insert(levels_[0], ir::integer(0), coordinate, false,
                                    [](const ir::Expr&) { return ir::Stmt(); });
}

level::Node Workspace::insert(const std::vector<ir::Expr>& coordinates) const {
  if (placement_) return placement_->place(last_parent(coordinates), coordinates.back());
  level::Node leaf{ir::integer(0), ir::integer(0)};
  for (int l = 0; l < order(); l++) {
    bool known_new = written_once_ && l == order() - 1;
    level::Node node =
        format(l).insert()->insert(levels_[l], leaf.position, coordinates[l], known_new,
                                   [&](const ir::Expr& position) { return initialize_block(l, position); });
    leaf.position = node.position;
    leaf.setup.insert(leaf.setup.end(), node.setup.begin(), node.setup.end());
  }
  return leaf;
}

ir::Stmt Workspace::begin() const {
  for (int l = 0; l < order(); l++) {
    // Components come into being with the nodes of such a level.
    if (!format(l).arrays().empty() || format(l).uses_table() || format(l).uses_count()) return {};
  }
  ir::Var q = ir::int64_var("q");
  return ir::For{q, ir::integer(0), size(order() - 1),
                 ir::store(values_, q, ir::constant(start_.value_or(tensor().fill())))};
}

ir::Stmt Workspace::finalize() const {
  if (placement_) return {};
  std::vector<ir::Stmt> code;
  for (int l = 0; l < order(); l++) {
    code.push_back(format(l).insert()->finalize(levels_[l], l == 0 ? ir::integer(1) : size(l - 1)));
  }
  return ir::block(code);
}

ir::Stmt Workspace::clear() const {
  std::vector<ir::Stmt> code;
  for (int l = 0; l < order(); l++) code.push_back(format(l).insert()->clear(levels_[l]));
  return ir::block(code);
}

ir::Stmt Workspace::prologue() const {
  if (placement_) return placement_->init();
  std::vector<ir::Stmt> code;
  for (int l = 0; l < order(); l++) {
    std::vector<level::ArrayDescription> arrays = format(l).arrays();
    for (size_t a = 0; a < arrays.size(); a++) {
      code.push_back(ir::Alloc{levels_[l].arrays[a],
                               ir::add(ir::multiply(size(l), ir::integer(arrays[a].per)), ir::integer(arrays[a].extra)),
                               arrays[a].initially.has_value()});
    }
    if (levels_[l].table) code.push_back(ir::Declare{*levels_[l].table, std::nullopt});
    if (levels_[l].count) code.push_back(ir::declare(*levels_[l].count, ir::integer(0)));
    code.push_back(format(l).insert()->init(levels_[l]));
  }
  if (nodes_only_) return ir::block(code);
  code.push_back(is_sized() ? ir::Stmt(ir::Alloc{values_, size(order() - 1)}) : room_.open(ir::integer(0)));
  return ir::block(code);
}

ir::Stmt Workspace::epilogue() const {
  std::vector<ir::Stmt> code;
  for (const level::Instance& level : levels_) {
    for (const ir::Var& array : level.arrays) code.push_back(ir::Free{array});
    if (level.table) code.push_back(ir::Free{*level.table});
  }
  if (!nodes_only_) code.push_back(ir::Free{values_});
  return ir::block(code);
}

}  // namespace filigree::lowering

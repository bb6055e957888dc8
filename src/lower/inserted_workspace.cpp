#include "lower/inserted_workspace.h"

#include "lower/insertion.h"
#include "lower/lowerer.h"
#include "support/check.h"

namespace filigree::lowering {

InsertedWorkspace::InsertedWorkspace(const concrete::Assign& assign, const std::vector<Range>& ranges,
                                     const policy::Memory& memory)
    : Workspace(assign.lhs, ranges), room_(tensor().name(), {{values_}}, memory.first_capacity) {
  if (assign.op) start_ = identity(*assign.op, tensor().type());
  for (int l = 0; l < order(); l++)
    internal_check(format(l).insert() != nullptr, "lower", "a workspace level that cannot be inserted into",
                   format(l).name());
}

ir::Stmt InsertedWorkspace::fill(Lowerer& lowerer, const plan::Where& where, const Scope& scope) {
  written_once_ = where.once;
  ir::Stmt producer = lowerer.lower_side(where.producer, scope).code;
  return ir::block({where.whole ? ir::Stmt() : begin(), producer});
}

ir::Stmt InsertedWorkspace::write(const Write& component) const {
  level::Node node = insert(coordinates_of(component.lhs, component.scope));
  ir::Expr value = component.value(ir::Load{values_, node.position});
  return ir::block({ir::block(node.setup), ir::store(values_, node.position, value)});
}

bool InsertedWorkspace::is_sized() const {
  for (int l = 0; l < order(); l++) {
    if (!format(l).insert()->size(level(l), ir::integer(1))) return false;
  }
  return true;
}

/// A new node at `level`: if only levels of fixed size follow, all components below it come into being.
ir::Stmt InsertedWorkspace::initialize_block(int level, const ir::Expr& position) const {
  ir::Expr block = ir::integer(1);
  for (int l = level + 1; l < order(); l++) {
    std::optional<ir::Expr> size = format(l).insert()->size(this->level(l), block);
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

level::Node InsertedWorkspace::insert(const std::vector<ir::Expr>& coordinates) const {
  level::Node leaf{ir::integer(0), ir::integer(0)};
  for (int l = 0; l < order(); l++) {
    bool known_new = written_once_ && l == order() - 1;
    level::Node node =
        format(l).insert()->insert(level(l), leaf.position, coordinates[static_cast<size_t>(l)], known_new,
                                   [&](const ir::Expr& position) { return initialize_block(l, position); });
    leaf.position = node.position;
    leaf.setup.insert(leaf.setup.end(), node.setup.begin(), node.setup.end());
  }
  return leaf;
}

ir::Stmt InsertedWorkspace::begin() const {
  for (int l = 0; l < order(); l++) {
    // Components come into being with the nodes of such a level.
    if (!format(l).arrays().empty() || format(l).uses_table() || format(l).uses_count()) return {};
  }
  ir::Var q = ir::int64_var("q");
  return ir::For{q, ir::integer(0), size(order() - 1),
                 ir::store(values_, q, ir::constant(start_.value_or(tensor().fill())))};
}

ir::Stmt InsertedWorkspace::finalize() const {
  std::vector<ir::Stmt> code;
  for (int l = 0; l < order(); l++)
    code.push_back(format(l).insert()->finalize(level(l), l == 0 ? ir::integer(1) : size(l - 1)));
  return ir::block(code);
}

ir::Stmt InsertedWorkspace::clear() const {
  std::vector<ir::Stmt> code;
  for (int l = 0; l < order(); l++) code.push_back(format(l).insert()->clear(level(l)));
  return ir::block(code);
}

ir::Stmt InsertedWorkspace::open_levels() const {
  std::vector<ir::Stmt> code;
  for (int l = 0; l < order(); l++) {
    std::vector<level::ArrayDescription> arrays = format(l).arrays();
    for (size_t a = 0; a < arrays.size(); a++) {
      code.push_back(ir::Alloc{level(l).arrays[a],
                               ir::add(ir::multiply(size(l), ir::integer(arrays[a].per)), ir::integer(arrays[a].extra)),
                               arrays[a].initially.has_value()});
    }
    if (level(l).table) code.push_back(ir::Declare{*level(l).table, std::nullopt});
    if (level(l).count) code.push_back(ir::declare(*level(l).count, ir::integer(0)));
    code.push_back(format(l).insert()->init(level(l)));
  }
  return ir::block(code);
}

ir::Stmt InsertedWorkspace::prologue() const {
  return ir::block(
      {open_levels(), is_sized() ? ir::Stmt(ir::Alloc{values_, size(order() - 1)}) : room_.open(ir::integer(0))});
}

ir::Stmt NodeWorkspace::write(const Write& component) const {
  const ir::Expr& coordinate = component.scope.coordinates.at(concrete::level_vars(component.lhs)[0]);
  return ir::block(insert_node(format(0), level(0), ir::integer(0), coordinate, false).setup);
}

}  // namespace filigree::lowering

#include "lower/level_result.h"

#include <algorithm>

#include "lower/insertion.h"
#include "support/check.h"

namespace filigree::lowering {

using level::ArrayDescription;
using IndexedBy = ArrayDescription::IndexedBy;

LevelResult::LevelResult(const ResultOf& of)
    : lhs_(of.assign.lhs),
      parameter_(of.parameters.tensor(of.assign.lhs.tensor)),
      source_(array_source(of.mode)),
      vars_(concrete::level_vars(of.assign.lhs)),
      mode_(of.mode) {
  collect_parameters();
}

void LevelResult::collect_parameters() {
  int number = 0;
  auto add = [&](const ir::Var& var) {
    std::vector<ir::Parameter> own = source_->parameters(parameter_, number, var);
    parameters_.insert(parameters_.end(), own.begin(), own.end());
  };
  for (int l = 0; l < order(); l++) {
    std::vector<ArrayDescription> descriptions = format(l).arrays();
    for (size_t a = 0; a < descriptions.size(); a++, number++) {
      if (writes(descriptions[a])) add(instance(l).arrays[a]);
    }
  }
  if (writes_values()) add(parameter_.values);
}

// --- Levels ------------------------------------------------------------------------------------

bool LevelResult::writes(const ArrayDescription& array) const {
  return array.holds == ArrayDescription::Holds::Positions ? writes_positions() : writes_coordinates();
}

std::vector<Room::Growing> LevelResult::arrays(int level, IndexedBy indexed_by) const {
  std::vector<Room::Growing> out;
  std::vector<ArrayDescription> descriptions = format(level).arrays();
  for (size_t a = 0; a < descriptions.size(); a++) {
    if (descriptions[a].indexed_by == indexed_by && writes(descriptions[a]))
      out.push_back({instance(level).arrays[a], descriptions[a].per});
  }
  return out;
}

ir::Expr LevelResult::size(int level) const {
  std::optional<ir::Expr> size = format(level).insert()->size(instance(level), parent_count(level));
  internal_check(size.has_value(), "lower", "an insertable result level of unknown size", format(level).name());
  return *size;
}

ir::Expr LevelResult::element_count(int level, const ArrayDescription& array) const {
  ir::Expr nodes = array.indexed_by == IndexedBy::Parent     ? parent_count(level)
                   : array.indexed_by == IndexedBy::Position ? ir::multiply(size(level), ir::integer(array.per))
                                                             : ir::integer(0);
  return ir::add(nodes, ir::integer(array.extra));
}

ir::Expr LevelResult::block_size(int level, int end) const {
  ir::Expr size = ir::integer(1);
  for (int l = level + 1; l < end; l++) size = *format(l).insert()->size(instance(l), size);
  return size;
}

ir::Expr LevelResult::parent(int level, const Scope& scope) const {
  return level == 0 ? ir::integer(0) : scope.result_positions.at({tensor(), level - 1});
}

ir::Stmt LevelResult::extend(Scope& scope) const {
  std::vector<ir::Stmt> code;
  for (int l = 0; l < order(); l++) {
    if (scope.result_positions.count({tensor(), l})) continue;
    if (!scope.is_bound(vars_[l])) break;
    if (!is_inserted(l)) {
      std::optional<ir::Expr> own = own_position(l, scope);
      if (!own) break;
      scope.result_positions.insert({{tensor(), l}, *own});
      continue;
    }
    level::Node node = insert_node(format(l), instance(l), parent(l, scope), scope.coordinates.at(vars_[l]), true);
    code.insert(code.end(), node.setup.begin(), node.setup.end());
    ir::Expr position = node.position;
    if (!position.as<ir::VarRef>() && !position.as<ir::Literal>()) {
      ir::Var var = ir::int64_var("p" + instance(l).name);
      code.push_back(ir::declare(var, position));
      position = var;
    }
    scope.result_positions.insert({{tensor(), l}, position});
  }
  return ir::block(code);
}

// --- Memory -----------------------------------------------------------

ir::Stmt LevelResult::set_initially(int level, const ir::Expr& begin, const ir::Expr& end) const {
  ir::Var q = ir::int64_var("q");
  std::vector<ir::Stmt> code;
  std::vector<ArrayDescription> descriptions = format(level).arrays();
  for (size_t a = 0; a < descriptions.size(); a++) {
    const ir::Var& array = instance(level).arrays[a];
    if (descriptions[a].indexed_by != IndexedBy::Position || !descriptions[a].initially || !writes(descriptions[a]))
      continue;
    bool is_truth = array.type().element == ElementType::Bool;
    code.push_back(ir::store(
        array, q, is_truth ? ir::boolean(*descriptions[a].initially != 0) : ir::integer(*descriptions[a].initially)));
  }
  return code.empty() ? ir::Stmt() : ir::Stmt(ir::For{q, begin, end, ir::block(code)});
}

ir::Stmt LevelResult::allocate_inserted(int level, bool with_nodes) const {
  std::vector<ir::Stmt> code;
  std::vector<ArrayDescription> all = format(level).arrays();
  for (size_t a = 0; a < all.size(); a++) {
    if (all[a].indexed_by == IndexedBy::Nothing && writes(all[a]))
      code.push_back(ir::Alloc{instance(level).arrays[a], ir::integer(all[a].extra)});
  }
  code.push_back(format(level).insert()->init(instance(level)));
  if (!with_nodes || !has_node_arrays(level)) return ir::block(code);
  bool zero = true;
  for (size_t a = 0; a < all.size(); a++) {
    if (all[a].indexed_by != IndexedBy::Position || !writes(all[a])) continue;
    code.push_back(ir::Alloc{instance(level).arrays[a], ir::multiply(size(level), ir::integer(all[a].per)),
                             all[a].initially == 0});
    zero = zero && all[a].initially == 0;
  }
  if (!zero) code.push_back(set_initially(level, ir::integer(0), size(level)));
  return ir::block(code);
}

ir::Stmt LevelResult::allocate_inserted() const {
  std::vector<ir::Stmt> code;
  for (int l = 0; l < order(); l++) {
    if (is_inserted(l)) code.push_back(allocate_inserted(l, true));
  }
  return source_->begin_index(ir::block(code));
}

ir::Stmt LevelResult::open_values(bool overwritten) const {
  if (!writes_values()) return {};
  bool zero = tensor().fill().is_zero();
  std::vector<ir::Stmt> code = {source_->check(values(), value_count()),
                                source_->allocate(values(), value_count(), zero && !overwritten)};
  if (!overwritten) code.push_back(source_->begin_values(initialize_values(ir::integer(0), value_count()), zero));
  return ir::block(code);
}

ir::Stmt LevelResult::initialize_values(const ir::Expr& begin, const ir::Expr& end) const {
  ir::Var q = ir::int64_var("q");
  return ir::For{q, begin, end, ir::store(values(), q, ir::constant(tensor().fill()))};
}

ir::Stmt LevelResult::epilogue() const {
  std::vector<ir::Stmt> code;
  if (writes_values()) code.push_back(source_->check_all(values(), value_count()));
  for (const ir::Parameter& parameter : parameters_) {
    if (!parameter.count) continue;
    int number = 0;
    ir::Expr count = value_count();
    for (int l = 0; l < order(); l++) {
      for (const ArrayDescription& array : format(l).arrays()) {
        if (parameter.binding.index == number++) count = element_count(l, array);
      }
    }
    code.push_back(ir::declare(*parameter.count, count));
  }
  return ir::block(code);
}

// --- Components ------------------------------------------------------------------------------------

ir::Stmt LevelResult::store_value(const Write& component, const ir::Expr& position) const {
  if (!writes_values()) return {};
  return values_in(component.scope).update(position, component.value);
}

ir::Stmt LevelResult::insert(const Write& component, const ir::Stmt& store) const {
  std::vector<ir::Expr> positions;
  for (int l = 0; l < order(); l++) positions.push_back(component.scope.result_positions.at({tensor(), l}));
  return insert_all(component, component.scope, positions, store, order());
}

ir::Stmt LevelResult::insert_elsewhere(const Write& component, const Scope& scope, int certain_from) const {
  if (!writes_values()) return {};
  std::vector<ir::Expr> coordinates = coordinates_of(component.lhs, scope);
  InsertedPath path = insert_path(tensor(), parameter_.levels, {0, order(), ir::integer(0)}, coordinates, true);
  ir::Expr position = path.positions.back();
  ir::Var at = ir::int64_var("p" + parameter_.levels.back().name);
  path.positions.back() = at;
  return ir::block({ir::block(path.setup), ir::declare(at, position),
                    insert_all(component, scope, path.positions, store_value(component, at), certain_from)});
}

ir::Stmt LevelResult::insert_all(const Write& component, const Scope& scope, const std::vector<ir::Expr>& positions,
                                 const ir::Stmt& store, int certain_from) const {
  std::vector<IndexVar> vars = concrete::level_vars(component.lhs);
  std::vector<ir::Stmt> code = {store};
  ir::Expr fits = ir::boolean(true);
  bool pads = true;  // do levels without a place for it hold the fill at all other coordinates?
  for (int l = 0; l < order(); l++) {
    if (!is_inserted(l)) continue;
    const level::Insert& insert = *format(l).insert();
    const ir::Expr& coordinate = scope.coordinates.at(vars[l]);
    ir::Expr up = l == 0 ? ir::integer(0) : positions[l - 1];
    bool certain = insert.holds_all() || l >= certain_from;
    pads = pads && (certain || format(l).pads());
    if (!certain) fits = ir::both(fits, insert_node(format(l), instance(l), up, coordinate, true).found);
    if (has_node_arrays(l)) code.push_back(insert.mark(instance(l), positions[l], coordinate));
  }
  // Then what has no place is no loss if it equals the fill.
  ir::Expr value = component.value(ir::constant(tensor().fill()));
  ir::Expr is_lost = pads ? differs(ir::convert(value, tensor().type()), tensor().fill()) : ir::boolean(true);
  ir::Stmt refuse = ir::if_then(is_lost, ir::Return{ir::Status::DoesNotFit});
  return ir::is_true(fits) ? ir::block(code) : ir::if_then(fits, ir::block(code), refuse);
}

}  // namespace filigree::lowering

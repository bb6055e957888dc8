#include "lower/result.h"

#include <algorithm>

#include "support/check.h"

namespace filigree::lowering {
namespace {

using level::ArrayDescription;
using IndexedBy = ArrayDescription::IndexedBy;
using Holds = ArrayDescription::Holds;

}  // namespace

ResultAssembly::ResultAssembly(const concrete::Access& lhs, const TensorParameter& parameter, Mode mode,
                               const ir::Expr& expected, const FillingDetails& filling)
    : lhs_(lhs),
      parameter_(parameter),
      mode_(mode),
      expected_(expected),
      takes_two_passes_(filling.two_passes.has_value()),
      source_(filling.source),
      noted_(lhs.tensor.name() + "_noted", ir::array(ElementType::Bool)),
      accumulates_(filling.accumulates),
      cleared_in_loop_(filling.cleared_in_loop),
      vars_(concrete::level_vars(lhs)),
      append_(lhs.tensor.order()) {
  const std::optional<plan::Placed>& two_passes = filling.two_passes;
  const std::optional<IndexVar>& counted_within = filling.counted_within;
  std::vector<Room::Growing> with_child;  // arrays of levels above whose nodes come one with each of the next level's
  for (int l = 0; l < order(); l++) {
    if (!is_appended(l)) continue;
    internal_check(format(l).append() != nullptr, "lower",
                   "a result level that can neither be inserted into nor appended to", format(l).name());
    const std::string& name = parameter_.levels[l].name;
    std::vector<Room::Growing> nodes = arrays(l, IndexedBy::Position), parents;
    bool is_last = l == order() - 1;
    nodes.insert(nodes.begin(), with_child.begin(), with_child.end());
    with_child.clear();
    if (follows_child(l)) with_child.swap(nodes);
    if (is_last && writes_values()) nodes.push_back({parameter_.values});
    if (append_above(l)) parents = arrays(l, IndexedBy::Parent);
    append_[l] = AppendState{ir::int64_var("p" + name),
                             ir::int64_var(name + "_begin"),
                             ir::int64_var(name + "_before"),
                             ir::bool_var(name + "_stored"),
                             Room(name, nodes),
                             Room(name + "_parents", parents)};
  }
  for (int l = 0; l < order(); l++) {
    bool is_counted = is_shared(l) && !format(l).insert() && !format(l).properties().branchless;
    if (is_counted) shared_sizes_.insert({l, ir::int64_var(parameter_.levels[l].name + "_size")});
  }
  for (int l = 0; l < order(); l++) {
    if (has_arrays(l) && append_above(l))
      inserted_room_.emplace(l, Room(parameter_.levels[l].name, arrays(l, IndexedBy::Position)));
  }
  for (int l = 0; l < order(); l++) {
    // Loops over all coordinates need not come by each of its positions.
    bool partly = !is_appended(l) && !is_placed(l) && !is_shared(l) && !format(l).insert()->holds_all();
    if (partly && append_below(l)) append_[*append_below(l)]->complete = false;
  }
  if (last_append() && *last_append() < order() - 1 && writes_values())
    values_room_ = Room(lhs.tensor.name() + "_vals", {{parameter_.values}});
  if (two_passes) {
    const level::Instance& last = parameter_.levels.back();
    placement_.emplace(format(order() - 1), last, parameter_.values, parent_count(order() - 1),
                       ir::int64_var(last.name + "_size"), *two_passes);
  }
  for (int l = 0; l < order() && counted_within; l++) {
    if (!format(l).counts_entries()) continue;
    int own = static_cast<int>(std::find(vars_.begin(), vars_.end(), *counted_within) - vars_.begin());
    counted_ = EntryCounts{l, *counted_within, parameter_.levels[own].extent,
                           ir::Var(parameter_.levels[l].name + "_counts", ir::array(ElementType::Int64))};
  }
  collect_parameters();
  if (filling.in_pieces && !allocates()) read_given_positions();
}

void ResultAssembly::collect_parameters() {
  ir::Direction direction = allocates() ? ir::Direction::Out : ir::Direction::Update;
  int number = 0;
  auto add = [&](const ir::Var& var) {
    ir::Parameter parameter = Parameters::array(parameter_, number, var, direction);
    if (allocates()) parameter.count = ir::int64_var(var.name() + "_count");
    parameters_.push_back(parameter);
    if (allocates()) return std::optional<ir::Var>();
    ir::Var limit = ir::int64_var(var.name() + "_count");
    parameters_.push_back(
        {limit, {parameter_.number, ir::Binding::Part::Count, number}, ir::Direction::In, std::nullopt});
    return std::optional(limit);
  };
  for (int l = 0; l < order(); l++) {
    std::vector<ArrayDescription> descriptions = format(l).arrays();
    for (size_t a = 0; a < descriptions.size(); a++, number++) {
      if (!writes(descriptions[a])) continue;
      std::optional<ir::Var> limit = add(parameter_.levels[l].arrays[a]);
      if (is_shared(l) && limit) copy_limits_.push_back({parameter_.levels[l].arrays[a], *limit});
      if (!append_[l] || descriptions[a].indexed_by != IndexedBy::Position) continue;
      append_[l]->limit = limit;
      append_[l]->per = descriptions[a].per;
    }
  }
  if (writes_values()) values_limit_ = add(parameter_.values);
}

ir::Stmt ResultAssembly::check_limit(const std::optional<ir::Var>& limit, const ir::Expr& count) const {
  if (!limit) return {};
  return ir::if_then(ir::less(*limit, count), ir::Return{ir::Status::PatternMismatch});
}

bool ResultAssembly::writes(const ArrayDescription& array) const {
  return array.holds == Holds::Positions ? writes_positions() : writes_coordinates();
}

std::optional<int> ResultAssembly::last_append() const { return append_above(order()); }

std::optional<int> ResultAssembly::append_above(int level) const {
  for (int l = level - 1; l >= 0; l--) {
    if (is_appended(l)) return l;
  }
  return std::nullopt;
}

std::optional<int> ResultAssembly::append_below(int level) const {
  for (int l = level + 1; l < order(); l++) {
    if (is_appended(l)) return l;
  }
  return std::nullopt;
}

ir::Expr ResultAssembly::block_size(int level, int end) const {
  ir::Expr size = ir::integer(1);
  for (int l = level + 1; l < end; l++) size = *format(l).insert()->size(parameter_.levels[l], size);
  return size;
}

ir::Expr ResultAssembly::parent(int level, const Scope& scope) const {
  return level == 0 ? ir::integer(0) : scope.result_positions.at({tensor(), level - 1});
}

ir::Expr ResultAssembly::size(int level) const {
  if (is_appended(level)) return append_[level]->counter;
  if (is_placed(level)) return placement_->size();
  if (auto shared = shared_sizes_.find(level); shared != shared_sizes_.end()) return shared->second;
  if (is_shared(level) && format(level).properties().branchless) return parent_count(level);
  std::optional<ir::Expr> size = format(level).insert()->size(parameter_.levels[level], parent_count(level));
  internal_check(size.has_value(), "lower", "an insertable result level of unknown size", format(level).name());
  return *size;
}

std::vector<Room::Growing> ResultAssembly::arrays(int level, IndexedBy indexed_by) const {
  std::vector<Room::Growing> out;
  std::vector<ArrayDescription> descriptions = format(level).arrays();
  for (size_t a = 0; a < descriptions.size(); a++) {
    if (descriptions[a].indexed_by == indexed_by && writes(descriptions[a]))
      out.push_back({parameter_.levels[level].arrays[a], descriptions[a].per});
  }
  return out;
}

int ResultAssembly::parent_extra(int level) const {
  int extra = 0;
  for (const ArrayDescription& array : format(level).arrays()) {
    if (array.indexed_by == IndexedBy::Parent) extra = std::max(extra, array.extra);
  }
  return extra;
}

// --- Loops -------------------------------------------------------------------------------------

std::optional<int> ResultAssembly::append_level(const IndexVar& var, const Scope& scope) const {
  for (int l = 0; l < order(); l++) {
    if (scope.result_positions.count({tensor(), l})) continue;
    return is_appended(l) && vars_[l] == var ? std::optional(l) : std::nullopt;
  }
  return std::nullopt;
}

ir::Stmt ResultAssembly::before_loop(int level, const Scope& scope, const ir::Expr& iterations) const {
  const AppendState& state = *append_[level];
  return ir::block(
      {go_to_given(level, parent(level, scope)), ir::declare(state.begin, state.counter), reserve(level, iterations)});
}

ir::Stmt ResultAssembly::reserve(int level, const ir::Expr& iterations) const {
  if (!allocates() || follows_child(level)) return {};
  const AppendState& state = *append_[level];
  return state.nodes.reserve(ir::add(state.counter, iterations));
}

ir::Stmt ResultAssembly::before_body(int level, bool whole) const {
  if (level == order() - 1 || follows_child(level)) return {};
  std::optional<int> below = append_below(level);
  if (!below)
    return ir::block(
        {make_inserted(level), whole ? make_block(true) : ir::declare(append_[level]->stored, ir::boolean(false))});
  const AppendState& child = *append_[*below];
  std::vector<ir::Stmt> code = {make_inserted(level), ir::declare(child.before, made_so_far(*below))};
  if (*below > level + 1 && !child.parents.is_empty()) {
    // The nodes between are all there as soon as this one is: until they get edges, they have none.
    ir::Expr block = block_size(level, *below);
    ir::Expr first = ir::multiply(append_[level]->counter, block), end = ir::add(first, block);
    ir::Expr extra = ir::integer(parent_extra(*below));
    code.push_back(child.parents.reserve(ir::add(end, extra)));
    ir::Var q = ir::int64_var("q");
    std::vector<ir::Stmt> zero;
    for (const Room::Growing& g : child.parents.arrays())
      zero.push_back(ir::store(g.array, ir::add(q, extra), ir::integer(0)));
    code.push_back(ir::For{q, first, end, ir::block(zero)});
  }
  return ir::block(code);
}

ir::Stmt ResultAssembly::after_body(int level, const Scope& scope, bool whole) const {
  if (level == order() - 1 || follows_child(level)) return {};  // appended together with the value, or with the child
  std::optional<int> below = append_below(level);
  if (!below && whole) return append_node(level, scope);
  ir::Expr stored = below ? ir::less(append_[*below]->before, made_so_far(*below)) : ir::Expr(append_[level]->stored);
  return ir::if_then(stored, append_node(level, scope));
}

ir::Stmt ResultAssembly::append_node(int level, const Scope& scope) const {
  const AppendState& state = *append_[level];
  const level::Instance& instance = parameter_.levels[level];
  const ir::Expr& coordinate = scope.coordinates.at(vars_[level]);
  std::vector<ir::Stmt> code;
  if (level > 0 && follows_child(level - 1)) code.push_back(append_node(level - 1, scope));
  code.push_back(
      check_limit(state.limit, ir::multiply(ir::add(state.counter, ir::integer(1)), ir::integer(state.per))));
  if (writes_coordinates()) code.push_back(format(level).append()->coordinate(instance, state.counter, coordinate));
  code.push_back(ir::increment(state.counter));
  return ir::block(code);
}

ir::Stmt ResultAssembly::after_loop(int level, const Scope& scope) const {
  ir::Expr up = parent(level, scope);
  if (!writes_positions()) return check_given(level, up);
  const AppendState& state = *append_[level];
  ir::Stmt room = state.parents.is_empty() ? ir::Stmt()
                                           : state.parents.reserve(ir::add(up, ir::integer(1 + parent_extra(level))));
  return ir::block({is_arranged_first(level) ? ir::Stmt() : arrange(level), room,
                    format(level).append()->edges(parameter_.levels[level], up, state.begin, state.counter),
                    reach_parent(level, up)});
}

void ResultAssembly::misses_coordinates(const IndexVar& var) {
  for (int l = 0; l < order(); l++) {
    if (vars_[l] != var || is_appended(l)) continue;
    if (std::optional<int> below = append_below(l)) append_[*below]->complete = false;
  }
}

void ResultAssembly::may_skip(const Scope& scope) {
  for (int l = 0; l < order(); l++) {
    if (append_[l] && !scope.result_positions.count({tensor(), l})) append_[l]->complete = false;
  }
}

ir::Stmt ResultAssembly::extend(Scope& scope) const {
  std::vector<ir::Stmt> code;
  for (int l = 0; l < order(); l++) {
    if (scope.result_positions.count({tensor(), l})) continue;
    if (!scope.is_bound(vars_[l])) break;
    if (is_appended(l)) {
      scope.result_positions.insert({{tensor(), l}, append_[l]->counter});
      continue;
    }
    if (is_placed(l)) break;  // placed where the value is
    if (is_shared(l)) {
      scope.result_positions.insert(
          {{tensor(), l}, scope.positions.at(lattice::operand_at(source_->pattern.operand, l))});
      continue;
    }
    level::Node node = format(l).insert()->insert(parameter_.levels[l], parent(l, scope),
                                                  scope.coordinates.at(vars_[l]), true,
                                                  [](const ir::Expr&) { return ir::Stmt(); });
    for (const ir::Stmt& s : node.setup) code.push_back(s);
    ir::Expr position = node.position;
    if (!position.as<ir::VarRef>() && !position.as<ir::Literal>()) {
      ir::Var var = ir::int64_var("p" + parameter_.levels[l].name);
      code.push_back(ir::declare(var, position));
      position = var;
    }
    scope.result_positions.insert({{tensor(), l}, position});
  }
  return ir::block(code);
}

// --- Values ------------------------------------------------------------------------------------

ir::Stmt ResultAssembly::initialize_values(const ir::Expr& begin, const ir::Expr& end) const {
  ir::Var q = ir::int64_var("q");
  return ir::For{q, begin, end, ir::store(parameter_.values, q, ir::constant(tensor().fill()))};
}

/// The first store below the node being made: all its components come into being with the fill.
ir::Stmt ResultAssembly::open_block() const {
  const ir::Var& stored = append_[*last_append()]->stored;
  return ir::if_then(ir::negate(stored), ir::block({make_block(false), ir::assign(stored, ir::boolean(true))}));
}

ir::Stmt ResultAssembly::make_block(bool whole) const {
  if (!writes_values() || fills_after_index_) return {};
  int level = *last_append();
  ir::Expr block = block_size(level, order());
  ir::Expr first = ir::multiply(append_[level]->counter, block), end = ir::add(first, block);
  return ir::block({allocates() ? values_room_->reserve(end) : check_limit(values_limit_, end),
                    whole ? ir::Stmt() : initialize_values(first, end)});
}

}  // namespace filigree::lowering

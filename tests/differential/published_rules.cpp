#include "tests/differential/published_rules.h"

#include <algorithm>
#include <set>

#include "notation/parse.h"
#include "notation/parts.h"
#include "support/text.h"
#include "tests/differential/legal_orders.h"

namespace filigree::differential {

using notation::Access;
using schedule::Name;

namespace {

std::vector<std::string> names_of(const std::vector<IndexVar>& vars) {
  std::vector<std::string> names;
  for (const IndexVar& var : vars) names.push_back(var.name());
  return names;
}

/// Does a format take components in any order?
bool takes_random_inserts(const Format& format) {
  return std::all_of(format.levels().begin(), format.levels().end(),
                     [](const Level& level) { return level.format->insert() != nullptr; });
}

template <class T>
bool holds(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

PublishedRules::PublishedRules(const notation::Statement& statement, const concrete::Stmt& loops)
    : statement_(statement) {
  const concrete::Stmt* at = &loops;
  while (const concrete::Forall* forall = at->as<concrete::Forall>()) {
    order_.push_back(forall->var.name());
    at = &forall->body;
  }
  is_nest_ = at->as<concrete::Assign>() != nullptr;
  for (const IndexVar& var : notation::index_vars(statement)) variables_[var.name()] = {{var.name()}};
  // Blocks and diagonals have loops of their own.
  std::vector<Access> accesses = notation::accesses(statement.rhs);
  accesses.push_back(statement.lhs);
  for (const Access& access : accesses) is_nest_ = is_nest_ && access.tensor.format().is_plain();
  for (const std::string& name : order_) is_nest_ = is_nest_ && variables_.count(name) > 0;
}

std::optional<size_t> PublishedRules::place(const std::string& name) const {
  auto found = std::find(order_.begin(), order_.end(), name);
  return found == order_.end() ? std::nullopt : std::optional(static_cast<size_t>(found - order_.begin()));
}

std::optional<bool> PublishedRules::allow(const schedule::Command& command) const {
  if (!is_nest_) return std::nullopt;
  bool tags = std::holds_alternative<schedule::Parallelize>(command) ||
              std::holds_alternative<schedule::Vectorize>(command);
  std::optional<bool> allowed = std::visit([&](const auto& c) { return allows(c); }, command);
  // "Once a parallelize transformation is used, no other transformations may be applied."
  if (allowed && is_parallel_ && !tags) return false;
  return allowed;
}

// --- Preconditions --------------------------------------------------------------------------------------

std::optional<bool> PublishedRules::allows(const schedule::Split& command) const {
  if (!has(command.variable) || command.size < 1) return false;
  if (!command.tensor) return true;
  return !at(command.variable).positions && has_positions(at(command.variable), *command.tensor);
}

std::optional<bool> PublishedRules::allows(const schedule::Collapse& command) const {
  if (!has(command.outer) || !has(command.inner) || at(command.outer).positions) return false;
  std::optional<size_t> outer = place(command.outer.text), inner = place(command.inner.text);
  return outer && inner && *inner == *outer + 1;
}

/// The tensor is read, indexed by the variables, and these are some of its levels, one below the other.
bool PublishedRules::has_positions(const Variable& variable, const Name& tensor) const {
  for (const Access& access : notation::accesses(statement_.rhs)) {
    if (access.tensor.name() != tensor.text) continue;
    std::vector<std::string> levels = names_of(concrete::level_vars(access));
    if (std::search(levels.begin(), levels.end(), variable.roots.begin(), variable.roots.end()) != levels.end())
      return true;
  }
  return false;
}

std::optional<bool> PublishedRules::allows(const schedule::Pos& command) const {
  return has(command.variable) && !at(command.variable).positions &&
         has_positions(at(command.variable), command.tensor);
}

std::optional<bool> PublishedRules::allows(const schedule::Coord& command) const {
  return has(command.position) && at(command.position).positions.has_value();
}

/// Are the levels of every operand that have to be iterated reached through those above them?
bool PublishedRules::is_in_order(const std::vector<std::string>& order) const {
  return keeps_levels_in_order(order, statement_, [&](const std::string& name, const IndexVar& var) {
    return holds(variables_.at(name).roots, var.name());
  });
}

std::optional<bool> PublishedRules::allows(const schedule::Reorder& command) const {
  std::vector<size_t> places;
  for (const Name& name : command.order) {
    std::optional<size_t> at = place(name.text);
    if (!at || holds(places, *at)) return false;
    places.push_back(*at);
  }
  auto [first, last] = std::minmax_element(places.begin(), places.end());
  if (*last - *first + 1 != places.size()) return false;  // not one directly inside the other
  std::vector<std::string> order = order_;
  for (size_t n = 0; n < places.size(); n++) order[*first + n] = command.order[n].text;
  return is_in_order(order);
}

std::optional<bool> PublishedRules::allows(const schedule::Bound& command) const { return has(command.variable); }

std::optional<bool> PublishedRules::allows(const schedule::Unroll& command) const {
  return has(command.variable) && command.factor > 0;
}

/// Not where it indexes several sparse structures, unless it counts pieces; and the result takes components in any
/// order, or has the pattern of an operand that is multiplied.
bool PublishedRules::can_be_parallel(const Name& name) const {
  const Variable& variable = at(name);
  int sparse = 0;
  std::vector<Access> accesses = notation::accesses(statement_.rhs);
  for (const Access& access : accesses) {
    std::vector<std::string> levels = names_of(concrete::level_vars(access));
    for (size_t l = 0; l < levels.size(); l++)
      sparse += holds(variable.roots, levels[l]) && !level::is_always_found(*access.tensor.format().levels()[l].format);
  }
  bool meets = sparse > 1 && variable.roots.size() == 1 && !variable.counts_pieces && !variable.positions;
  const Access& result = statement_.lhs;
  bool has_pattern = std::any_of(accesses.begin(), accesses.end(), [&](const Access& access) {
    return access.indices == result.indices && access.tensor.format() == result.tensor.format();
  });
  return !meets && (takes_random_inserts(result.tensor.format()) || has_pattern);
}

bool PublishedRules::has_no_race(const Name& name, concrete::Races races) const {
  const std::vector<std::string>& roots = at(name).roots;
  std::vector<std::string> result = names_of(statement_.lhs.indices);
  bool any_reduced = false, all_reduced = true;
  for (const std::string& root : roots) {
    bool is_reduced = !holds(result, root);
    any_reduced = any_reduced || is_reduced;
    all_reduced = all_reduced && is_reduced;
  }
  if (races == concrete::Races::None) return !any_reduced;
  return races == concrete::Races::Atomics || races == concrete::Races::Ignore || all_reduced;
}

std::optional<bool> PublishedRules::allows(const schedule::Vectorize& command) const {
  return has(command.variable) && can_be_parallel(command.variable);
}

std::optional<bool> PublishedRules::allows(const schedule::Parallelize& command) const {
  return has(command.variable) && !has_threads_ && can_be_parallel(command.variable) &&
         has_no_race(command.variable, command.races);
}

/// A part of the expression, over loops that run over some of its indices; those over its others are around them.
std::optional<bool> PublishedRules::allows(const schedule::Precompute& command) const {
  if (command.format || command.type || command.variables.empty()) return std::nullopt;
  std::set<std::string> used;
  std::vector<std::string> parts = notation::part_texts(statement_.rhs);
  if (!holds(parts, command.expression.text)) return std::nullopt;  // nobody says which texts are parts, but these are
  for (const std::string& name : notation::parse("_ = " + command.expression.text).index_names) used.insert(name);
  std::vector<std::string> over;
  for (const Name& name : command.variables) {
    if (!has(name) || !place(name.text)) return false;
    for (const std::string& root : at(name).roots) {
      if (!used.count(root)) return false;
      over.push_back(root);
    }
  }
  size_t first = order_.size();
  for (const Name& name : command.variables) first = std::min(first, *place(name.text));
  for (size_t n = first; n < order_.size(); n++) {
    bool is_own = std::any_of(command.variables.begin(), command.variables.end(),
                              [&](const Name& name) { return name.text == order_[n]; });
    for (const std::string& root : variables_.at(order_[n]).roots) {
      if (!is_own && used.count(root)) return false;
    }
  }
  return true;
}

// --- What commands do -------------------------------------------------------------------------------------

void PublishedRules::replace(const std::vector<Name>& before,
                             const std::vector<std::pair<std::string, Variable>>& after) {
  std::optional<size_t> at = place(before.front().text);
  for (const Name& name : before) {
    variables_.erase(name.text);
    std::erase(order_, name.text);
  }
  for (size_t n = 0; n < after.size(); n++) {
    variables_[after[n].first] = after[n].second;
    if (at) order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(*at + n), after[n].first);
  }
}

void PublishedRules::follow(const schedule::Command& command) {
  if (!is_nest_) return;
  auto knows = [&](const std::vector<Name>& names) {
    bool all = std::all_of(names.begin(), names.end(), [&](const Name& name) { return has(name) && place(name.text); });
    is_nest_ = is_nest_ && all;  // it went another way than these rules
    return all;
  };
  if (const auto* split = std::get_if<schedule::Split>(&command); split && knows({split->variable})) {
    Variable parent = at(split->variable);
    if (split->tensor) parent.positions = split->tensor->text;
    Variable outer = parent, inner = parent;
    outer.counts_pieces = true;
    replace({split->variable}, {{split->outer.text, outer}, {split->inner.text, inner}});
  } else if (const auto* collapse = std::get_if<schedule::Collapse>(&command);
             collapse && knows({collapse->outer, collapse->inner})) {
    Variable both = at(collapse->outer);
    const Variable& inner = at(collapse->inner);
    for (const std::string& root : inner.roots) {
      if (!holds(both.roots, root)) both.roots.push_back(root);
    }
    both.positions = inner.positions;
    both.counts_pieces = false;
    replace({collapse->outer, collapse->inner}, {{collapse->variable.text, both}});
  } else if (const auto* pos = std::get_if<schedule::Pos>(&command); pos && knows({pos->variable})) {
    Variable positions = at(pos->variable);
    positions.positions = pos->tensor.text;
    replace({pos->variable}, {{pos->position.text, positions}});
  } else if (const auto* coord = std::get_if<schedule::Coord>(&command); coord && knows({coord->position})) {
    Variable back = at(coord->position);
    back.positions.reset();
    replace({coord->position}, {{coord->variable.text, back}});
  } else if (const auto* bound = std::get_if<schedule::Bound>(&command);
             bound && bound->renamed && knows({bound->variable})) {
    replace({bound->variable}, {{bound->renamed->text, at(bound->variable)}});
  } else if (const auto* reorder = std::get_if<schedule::Reorder>(&command); reorder && knows(reorder->order)) {
    std::vector<size_t> places;
    for (const Name& name : reorder->order) places.push_back(*place(name.text));
    std::sort(places.begin(), places.end());
    for (size_t n = 0; n < places.size(); n++) order_[places[n]] = reorder->order[n].text;
  }
  bool is_precompute = std::holds_alternative<schedule::Precompute>(command);
  bool is_other = std::holds_alternative<schedule::Cut>(command) || std::holds_alternative<schedule::Reformat>(command);
  if (is_precompute || is_other) is_nest_ = false;
  has_threads_ = has_threads_ || std::holds_alternative<schedule::Parallelize>(command);
  is_parallel_ = is_parallel_ || has_threads_ || std::holds_alternative<schedule::Vectorize>(command);
}

}  // namespace filigree::differential

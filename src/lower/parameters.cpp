#include "lower/parameters.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "concrete/derivations.h"
#include "lower/formula.h"
#include "support/check.h"

namespace filigree::lowering {
namespace {

using concrete::Access;
using concrete::Assign;
using concrete::Stmt;

/// Some access to each tensor of the statement: it tells which index variable runs over each dimension.
std::map<TensorVar, std::vector<IndexVar>> indices_of_tensors(const Stmt& stmt) {
  std::map<TensorVar, std::vector<IndexVar>> indices;
  concrete::for_each(stmt, [&](const Stmt& s) {
    if (const Assign* assign = s.as<Assign>()) {
      indices.insert({assign->lhs.tensor, assign->lhs.indices});
      for (const Access& access : notation::accesses(assign->rhs)) indices.insert({access.tensor, access.indices});
    }
  });
  return indices;
}

std::string level_name(const TensorVar& tensor, int level) { return tensor.name() + std::to_string(level + 1); }

ElementType element_of(const level::ArrayDescription& array, const ArrayTypes& types, size_t number) {
  return array.holds == level::ArrayDescription::Holds::Other ? array.other_type : types.at(number);
}

/// How often a statement reads an operand.
std::int64_t reads_of(const TensorVar& operand, const concrete::Stmt& statement, std::int64_t most) {
  std::int64_t reads = 0;
  concrete::for_each(statement, [&](const concrete::Stmt& s) {
    const concrete::Assign* assign = s.as<concrete::Assign>();
    if (!assign) return;
    for (const concrete::Access& access : notation::accesses(assign->rhs)) reads += access.tensor == operand;
  });
  return std::clamp<std::int64_t>(reads, 1, most);
}

}  // namespace

Parameters::Parameters(const plan::Plan& plan, const Options& options) {
  const concrete::Program& program = plan.program;
  std::vector<TensorVar> tensors = program.results;
  tensors.insert(tensors.end(), program.operands.begin(), program.operands.end());
  internal_check(options.array_types.size() == tensors.size(), "lower", "array types for the wrong number of tensors");

  std::map<TensorVar, std::vector<IndexVar>> indices = indices_of_tensors(program.statement);
  for (const auto& [window, shown] : program.environment.windows) {
    if (indices.count(window)) indices.insert({shown.tensor, shown.indices});
  }
  std::map<std::tuple<std::string, int, int>, ir::Expr>
      sizes;  // loops that copy have variables of their own, of the same names
  for (const auto& [var, extent] : program.environment.extents) {
    const concrete::OfDimension* source = std::get_if<concrete::OfDimension>(&extent);
    if (!source) continue;
    if (std::optional<std::int64_t> exact = concrete::exact_extent(program.environment, var)) {
      extents_.insert({var, ir::integer(*exact)});
      continue;
    }
    int number = static_cast<int>(std::find(tensors.begin(), tensors.end(), source->tensor) - tensors.begin());
    ir::Var size = ir::int64_var(var.name() + "_size");
    auto [known, is_new] = sizes.insert({{var.name(), number, source->dimension}, size});
    extents_.insert({var, known->second});
    if (!is_new) continue;
    inputs_.push_back(
        {size, {number, ir::Binding::Part::Dimension, source->dimension}, ir::Direction::In, std::nullopt});
  }
  derive_extents(program.environment);
  for (const auto& [tensor, vars] : indices) {
    if (tensor.condition()) tensors_.insert({tensor, make(tensor, vars, -1, {})});  // nobody passes it
  }
  for (size_t n = 0; n < tensors.size(); n++) {
    auto known = indices.find(tensors[n]);
    if (known == indices.end()) continue;  // an operand that was annihilated everywhere
    TensorParameter parameter = make(tensors[n], known->second, static_cast<int>(n), options.array_types[n]);
    tensors_.insert({tensors[n], parameter});
    for (const auto& [var, extent] : program.environment.extents) {
      const concrete::OfStorage* source = std::get_if<concrete::OfStorage>(&extent);
      if (!source || !(source->tensor == tensors[n]) || n < program.results.size())
        continue;  // a result's entries are not counted yet
      const level::Format& format = *tensors[n].format().levels()[source->level].format;
      setup_.push_back(
          ir::declare(extents_.at(var).as<ir::VarRef>()->var, *format.stored_extent(parameter.levels[source->level])));
    }
    if (n < program.results.size()) continue;  // results' arrays are added by whoever assembles them
    int number = 0;
    for (const level::Instance& level : parameter.levels) {
      for (const ir::Var& var : level.arrays) inputs_.push_back(array(parameter, number++, var, ir::Direction::In));
    }
    inputs_.push_back(array(parameter, number, parameter.values, ir::Direction::In));
    bool makes_room = plan.mode == Mode::Grow || plan.mode == Mode::Pattern;
    if (tensors[n].format().is_dense() || !makes_room) continue;
    ir::Var count = ir::int64_var(tensors[n].name() + "_count");
    inputs_.push_back({count, {parameter.number, ir::Binding::Part::Count, number}, ir::Direction::In, std::nullopt});
    std::int64_t reads = reads_of(tensors[n], program.statement, plan.memory.most_reads);
    stored_ = ir::add(stored_, ir::multiply(count, ir::integer(reads)));
  }
  for (const auto& [window, shown] : program.environment.windows) {
    auto known = indices.find(window);
    if (known != indices.end())
      tensors_.insert({window, make_window(window, known->second, tensors_.at(shown.tensor))});
  }
}

ir::Expr Parameters::origin(const IndexVar& var) const {
  auto known = origins_.find(var);
  return known == origins_.end() ? ir::integer(0) : known->second;
}

void Parameters::derive_extents(const concrete::Environment& environment) {
  FormulaCode code;
  code.extent = [&](const IndexVar& var) { return extents_.at(var); };
  for (const auto& [var, formula, is_room] : concrete::derived_extents(environment)) {
    // What is no more than a multiple is written down where it is used.
    using Kind = relation::Formula::Kind;
    bool is_short = formula.kind() == Kind::Number || formula.kind() == Kind::Extent ||
                    formula.kind() == Kind::Multiply;
    ir::Expr extent = code(formula);
    if (is_room || !is_short) {
      ir::Var size = ir::int64_var(var.name() + "_size");
      setup_.push_back(ir::declare(size, extent));
      extent = size;
    }
    extents_.insert({var, extent});
  }
  for (const auto& [var, extent] : environment.extents) {
    if (std::get_if<concrete::OfStorage>(&extent)) extents_.insert({var, ir::int64_var(var.name() + "_size")});
    const relation::RangeFormulas* range = std::get_if<relation::RangeFormulas>(&extent);
    if (range && !range->origin.is(0)) origins_.insert({var, code(range->origin)});
  }
}

TensorParameter Parameters::make(const TensorVar& tensor, const std::vector<IndexVar>& indices, int number,
                                 const ArrayTypes& types) const {
  TensorParameter parameter{number, {}, ir::Var(tensor.name() + "_vals", ir::array(tensor.type()))};
  size_t count = 0;
  for (int l = 0; l < tensor.order(); l++) {
    const Level& level = tensor.format().levels()[l];
    const IndexVar& var = indices[level.dimension()];
    level::Instance instance{level_name(tensor, l), {}, {}, {}, extents_.at(var), origin(var)};
    for (const level::ArrayDescription& array : level.format->arrays()) {
      instance.arrays.emplace_back(instance.name + "_" + array.name, ir::array(element_of(array, types, count++)));
    }
    for (int up = 0; up < l; up++) {
      instance.above.push_back({tensor.format().levels()[up].format.get(), parameter.levels[up].arrays});
      instance.extents_above.push_back(parameter.levels[up].extent);
    }
    parameter.levels.push_back(instance);
  }
  return parameter;
}

TensorParameter Parameters::make_window(const TensorVar& window, const std::vector<IndexVar>& indices,
                                        const TensorParameter& whole) const {
  TensorParameter parameter = whole;
  for (int l = 0; l < window.order(); l++) {
    level::Instance& level = parameter.levels[static_cast<size_t>(l)];
    level.extent = extents_.at(indices[window.format().levels()[l].dimension()]);
    for (int up = 0; up < l; up++)
      level.extents_above[static_cast<size_t>(up)] = parameter.levels[static_cast<size_t>(up)].extent;
  }
  return parameter;
}

ir::Parameter Parameters::array(const TensorParameter& tensor, int number, const ir::Var& var,
                                ir::Direction direction) {
  return {var, {tensor.number, ir::Binding::Part::Array, number}, direction, std::nullopt};
}

std::vector<ArrayTypes> uniform_array_types(const concrete::Program& program, ElementType positions,
                                            ElementType coordinates) {
  std::vector<ArrayTypes> all;
  auto add = [&](const TensorVar& tensor, bool is_result) {
    ArrayTypes types;
    for (const Level& level : tensor.format().levels()) {
      for (const level::ArrayDescription& array : level.format->arrays()) {
        bool holds_positions = array.holds == level::ArrayDescription::Holds::Positions;
        types.push_back(holds_positions ? (is_result ? ElementType::Int64 : positions) : coordinates);
      }
    }
    all.push_back(types);
  };
  for (const TensorVar& tensor : program.results) add(tensor, true);
  for (const TensorVar& tensor : program.operands) add(tensor, false);
  return all;
}

}  // namespace filigree::lowering

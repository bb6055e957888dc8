#include "lower/workspace.h"

#include <algorithm>

#include "lower/inserted_workspace.h"
#include "lower/placed_workspace.h"

namespace filigree::lowering {

Workspace::Workspace(const concrete::Access& lhs, const std::vector<Range>& ranges)
    : lhs_(lhs), values_(lhs.tensor.name(), ir::array(lhs.tensor.type())) {
  for (int l = 0; l < order(); l++) {
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
    for (int up = 0; up < l; up++) instance.above.push_back({&format(up), level(up).arrays});
    if (format(l).uses_table()) instance.table = ir::Var(name + "_table", ir::table());
    if (format(l).uses_count()) instance.count = ir::int64_var(name + "_count");
    levels_.push_back(instance);
  }
}

void Workspace::set_origins(const std::vector<Range>& ranges) {
  for (size_t l = 0; l < ranges.size(); l++) levels_[l].origin = ranges[l].origin;
}

ir::Expr Workspace::size(int l) const {
  ir::Expr parents = l == 0 ? ir::integer(1) : size(l - 1);
  std::optional<ir::Expr> size = format(l).insert()->size(level(l), parents);
  return size ? *size : ir::Expr(*level(l).count);
}

ir::Stmt Workspace::free_levels() const {
  std::vector<ir::Stmt> code;
  for (const level::Instance& level : levels_) {
    for (const ir::Var& array : level.arrays) code.push_back(ir::Free{array});
    if (level.table) code.push_back(ir::Free{*level.table});
  }
  return ir::block(code);
}

ir::Stmt Workspace::epilogue() const { return ir::block({free_levels(), ir::Free{values_}}); }

std::unique_ptr<Workspace> make_workspace(const plan::Plan& plan, const concrete::Assign& assign,
                                          const std::vector<Workspace::Range>& ranges) {
  const TensorVar& tensor = assign.lhs.tensor;
  const plan::Fillings& fillings = plan.fillings;
  if (const auto* placed = std::get_if<plan::Placed>(&fillings.at(tensor)))
    return std::make_unique<PlacedWorkspace>(*placed, assign.lhs, ranges);
  bool is_of_nodes = std::any_of(fillings.begin(), fillings.end(), [&](const auto& filling) {
    const auto* index_first = std::get_if<plan::IndexFirst>(&filling.second);
    return index_first && index_first->workspace == tensor;
  });
  if (is_of_nodes) return std::make_unique<NodeWorkspace>(assign, ranges, plan.memory);
  return std::make_unique<InsertedWorkspace>(assign, ranges, plan.memory);
}

}  // namespace filigree::lowering

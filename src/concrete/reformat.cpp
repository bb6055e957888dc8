// Operands whose levels are not their dimensions in the order of the loops: each loop runs through the levels that make up its
// dimension, or the operand is copied, once, into an order that can be followed.
#include <algorithm>

#include <fmt/format.h>

#include "concrete/concretizer.h"
#include "concrete/loop_order.h"
#include "concrete/products.h"
#include "concrete/visits.h"
#include "concrete/workspace.h"

namespace filigree::concrete {

Expr Concretizer::reformat(const Expr& rhs, const Vars& path, const Expr& whole) {
  if (const Access* access = rhs.as<Access>()) {
    bool tame = is_tame(access->tensor.format());
    if ((tame || can_be_found(whole, *access, path)) && follows(*access, path)) return rhs;
    if (std::optional<Access> composed = space_.composed(*access, path)) {
      remark_composed(*access, level_vars(*composed));
      return Expr(*composed, rhs.span());
    }
    const Reformat& r = reformatted(*access, dimensions_in_order(*access, path));
    std::vector<IndexVar> indices;
    for (int dimension : r.dimensions) indices.push_back(access->indices[dimension]);
    return Expr(Access{r.copy, indices}, rhs.span());
  }
  return notation::map_children(rhs, [&](const Expr& child) { return reformat(child, path, whole); });
}

void Concretizer::remark_composed(const Access& access, const Vars& order) {
  std::string text = fmt::format("'{}' is visited through its levels ({}) by loops over {}", access.tensor.name(), to_string(access.tensor.format()), names(order));
  std::vector<std::string>& remarks = environment_.remarks;
  if (std::find(remarks.begin(), remarks.end(), text) == remarks.end()) remarks.push_back(text);
}

const Reformat& Concretizer::reformatted(const Access& access, const std::vector<int>& dimensions) {
  const TensorVar& tensor = access.tensor;
  for (const Reformat& r : reformats_) {
    if (r.tensor == tensor && r.dimensions == dimensions) return r;
  }
  std::string suffix = tensor.order() == 2 ? "t" : "";
  if (tensor.order() != 2) for (int dimension : dimensions) suffix += std::to_string(dimension);
  std::vector<IndexVar> indices;
  for (int dimension : dimensions) indices.push_back(access.indices[dimension]);
  bool tame = is_tame(tensor.format());
  std::optional<Operator> op = has_duplicates(tensor.format()) ? std::optional(Operator::Add) : std::nullopt;
  std::string name = names_.make(tensor.name() + "_" + suffix);
  auto copied_into = [&](const TensorVar& copy) {
    return foralls(space_.walk(access), visit_stored(access, Assign{Access{copy, indices}, op, Expr(access), is_padded_copy()}), true);
  };
  // A matrix is sorted into rows by counting them.
  TensorVar copy(name, tensor.type(), counted_rows_format(), tensor.fill());
  Stmt producer = copied_into(copy);
  std::optional<TwoPasses> two_passes = tensor.order() == 2 ? in_two_passes(producer, copy, environment_) : std::nullopt;
  if (two_passes) {
    environment_.two_passes.insert({copy, *two_passes});
  } else {
    copy = TensorVar(name, tensor.type(), tame ? insertable_format(tensor.format().levels(), true) : workspace_format(tensor.order()), tensor.fill());
    producer = copied_into(copy);
  }
  environment_.remarks.push_back(fmt::format("'{}' is copied into '{}' ordered by {}: its levels ({}) cannot be walked in the order of the loops",
                                             tensor.name(), copy.name(), names(indices), to_string(tensor.format())));
  reformats_.push_back({tensor, dimensions, copy, producer});
  return reformats_.back();
}

}  // namespace filigree::concrete

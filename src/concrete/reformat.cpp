// Operands whose levels are not their dimensions in the order of the loops: each loop runs through the levels that make
// up its dimension, or the operand is copied, once, into an order that can be followed.
#include <algorithm>

#include <fmt/format.h>

#include "concrete/concretizer.h"
#include "concrete/loop_order.h"
#include "concrete/products.h"
#include "concrete/visits.h"
#include "concrete/workspace.h"
#include "notation/index_forms.h"

namespace filigree::concrete {

Expr Concretizer::reformat(const Expr& rhs, const Vars& path, const Expr& whole) {
  if (const Access* access = rhs.as<Access>()) {
    if (access->tensor.condition()) return Expr(ordered_condition(*access, path), rhs.span());
    bool tame = is_tame(access->tensor.format());
    if (notation::has_maps(*access)) {
      bool in_place = is_read_in_place(*access) && tame && follows(*access, path);
      if (in_place) return rhs;
      bool in_window = has_window(*access) && follows(*in_index_variables(*access), path);
      return Expr(in_window ? through_window(*access) : sliced(*access, path), rhs.span());
    }
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

Expr Concretizer::with_copies(const Expr& rhs, const Vars& path, std::map<TensorVar, Expr>& originals) {
  if (rhs.as<notation::Reduce>()) return rhs;
  const Access* access = rhs.as<Access>();
  if (!access)
    return notation::map_children(rhs, [&](const Expr& child) { return with_copies(child, path, originals); });
  if (follows(stand_in(*access), path)) return rhs;
  const TensorVar& tensor = access->tensor;
  TensorVar copy(tensor.name(), tensor.type(),
                 tensor.order() == 2 ? counted_rows_format() : workspace_format(tensor.order()), tensor.fill());
  std::vector<IndexVar> indices;
  for (int dimension : dimensions_in_order(*access, path)) indices.push_back(access->indices[dimension]);
  originals.insert({copy, rhs});
  return Expr(Access{copy, indices}, rhs.span());
}

Expr Concretizer::with_copies(const Expr& rhs, const Vars& path) {
  std::map<TensorVar, Expr> originals;
  return with_copies(rhs, path, originals);
}

Access Concretizer::through_window(const Access& access) {
  Access window = slices_.window(access);
  std::string text =
      fmt::format("what '{}' shows is read in place, through '{}'", notation::to_string(access), window.tensor.name());
  std::vector<std::string>& remarks = environment_.remarks;
  if (std::find(remarks.begin(), remarks.end(), text) == remarks.end()) remarks.push_back(text);
  return window;
}

Access Concretizer::ordered_condition(const Access& access, const Vars& path) {
  std::vector<int> dimensions = dimensions_in_order(access, path);
  auto known = ordered_conditions_.find({access.tensor, dimensions});
  if (known == ordered_conditions_.end()) {
    TensorVar ordered(names_.make("c"), *access.tensor.condition(), dimensions);
    known = ordered_conditions_.insert({{access.tensor, dimensions}, ordered}).first;
  }
  return {known->second, access.indices};
}

void Concretizer::remark_composed(const Access& access, const Vars& order) {
  std::string text = fmt::format("'{}' is visited through its levels ({}) by loops over {}", access.tensor.name(),
                                 to_string(access.tensor.format()), names(order));
  std::vector<std::string>& remarks = environment_.remarks;
  if (std::find(remarks.begin(), remarks.end(), text) == remarks.end()) remarks.push_back(text);
}

const Reformat& Concretizer::reformatted(const Access& access, const std::vector<int>& dimensions) {
  const TensorVar& tensor = access.tensor;
  for (const Reformat& r : reformats_) {
    if (r.tensor == tensor && r.dimensions == dimensions) return r;
  }
  std::string suffix = tensor.order() == 2 ? "t" : "";
  if (tensor.order() != 2)
    for (int dimension : dimensions) suffix += std::to_string(dimension);
  std::vector<IndexVar> indices;
  for (int dimension : dimensions) indices.push_back(access.indices[dimension]);
  bool tame = is_tame(tensor.format());
  std::optional<Operator> op = has_duplicates(tensor.format()) ? std::optional(Operator::Add) : std::nullopt;
  std::string name = names_.make(tensor.name() + "_" + suffix);
  auto copied_into = [&](const TensorVar& copy) {
    return foralls(space_.walk(access),
                   visit_stored(access, Assign{Access{copy, indices}, op, Expr(access), is_padded_copy()}), true);
  };
  auto [copy, producer] = make_copy(
      name, tensor, tame ? insertable_format(tensor.format().levels(), true) : workspace_format(tensor.order()),
      copied_into);
  environment_.remarks.push_back(
      fmt::format("'{}' is copied into '{}' ordered by {}: its levels ({}) cannot be walked in the order of the loops",
                  tensor.name(), copy.name(), names(indices), to_string(tensor.format())));
  reformats_.push_back({tensor, dimensions, copy, producer});
  return reformats_.back();
}

std::pair<TensorVar, Stmt> Concretizer::make_copy(const std::string& name, const TensorVar& tensor,
                                                  const Format& otherwise,
                                                  const std::function<Stmt(const TensorVar&)>& copied_into) {
  if (otherwise.order() == 2) {
    TensorVar rows(name, tensor.type(), counted_rows_format(), tensor.fill());
    Stmt producer = copied_into(rows);
    if (std::optional<TwoPasses> two_passes = in_two_passes(producer, rows, environment_)) {
      environment_.two_passes.insert({rows, *two_passes});
      return {rows, producer};
    }
  }
  bool one_component = otherwise.order() == 0;  // which need not be there
  TensorVar copy = one_component ? TensorVar::optional_scalar(name, tensor.type(), tensor.fill())
                                 : TensorVar(name, tensor.type(), otherwise, tensor.fill());
  return {copy, copied_into(copy)};
}

Access Concretizer::sliced(const Access& access, const Vars& path) {
  Vars vars = free_of(access.indices);
  auto rank = [&](const IndexVar& var) { return std::find(path.begin(), path.end(), var) - path.begin(); };
  std::stable_sort(vars.begin(), vars.end(), [&](const IndexVar& a, const IndexVar& b) { return rank(a) < rank(b); });
  for (const auto& [shown, part] : slice_copies_) {
    if (shown == access && part.indices == vars) return part;
  }
  const TensorVar& tensor = access.tensor;
  auto [stored, loops] = slices_.walk(access);
  if (tensor.format().symmetry() != Symmetry::None) {  // both halves first
    Access whole{tensor, {}};  // with variables of its own: what is required of the part's is not required here
    for (const IndexVar& index : access.indices) {
      whole.indices.emplace_back(names_.make("at"));
      environment_.extents.insert({whole.indices.back(), like(index)});
    }
    stored.tensor = reformatted(whole, dimensions_in_order(whole, whole.indices)).copy;
  }
  std::optional<Operator> op = has_duplicates(stored.tensor.format()) ? std::optional(Operator::Add) : std::nullopt;
  std::string name = names_.make(tensor.name() + "_part");
  auto copied_into = [&](const TensorVar& copy) {
    return foralls(space_.walk(stored),
                   foralls(loops, visit_stored(stored, Assign{Access{copy, vars}, op, Expr(stored)})), true);
  };
  auto [copy, producer] = make_copy(name, tensor, workspace_format(static_cast<int>(vars.size())), copied_into);
  Access part{copy, vars};
  environment_.remarks.push_back(fmt::format("what '{}' shows is copied into '{}' over {}", notation::to_string(access),
                                             copy.name(), names(vars)));
  slice_copies_.push_back({access, part});
  reformats_.insert(reformats_.begin(), {tensor, {}, copy, producer});  // copies of whole tensors are made before
  return part;
}

}  // namespace filigree::concrete

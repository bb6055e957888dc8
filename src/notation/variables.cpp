#include "notation/variables.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tensor/condition_format.h"

namespace filigree {

IndexVar::IndexVar(std::string name, IndexMap map)
    : data_(std::make_shared<const Data>(
          Data{std::move(name), Id<IndexVarTag>::fresh(), std::make_shared<const IndexMap>(std::move(map))})) {}

TensorVar::TensorVar(std::string name, ElementType type, Format format)
    : TensorVar(std::move(name), type, std::move(format), Scalar(type)) {}

TensorVar::TensorVar(std::string name, ElementType type, Format format, Scalar fill)
    : data_(std::make_shared<const Data>(
          Data{std::move(name), type, std::move(format), fill.cast(type), Id<TensorVarTag>::fresh()})) {}

TensorVar::TensorVar(std::string name, relation::Condition condition, const std::vector<int>& dimensions)
    : data_(
          std::make_shared<const Data>(Data{std::move(name), ElementType::Bool, condition_format(condition, dimensions),
                                            Scalar(ElementType::Bool), Id<TensorVarTag>::fresh(), condition})) {}

namespace {

/// One last coordinate for each of the others, at the position of these; where there may be none, a list that is empty
/// or has one.
Format selection_format(const Selection& selection) {
  size_t order = selection.source ? static_cast<size_t>(selection.source->order()) : selection.factors.size();
  std::vector<Level> levels = Format::dense(static_cast<int>(order) + 1).levels();
  levels.back().format = selection.padded ? level::compressed() : level::singleton();
  return Format(levels);
}

}  // namespace

TensorVar::TensorVar(std::string name, const Selection& selection)
    : data_(std::make_shared<const Data>(Data{std::move(name), ElementType::Bool, selection_format(selection),
                                              Scalar(ElementType::Bool), Id<TensorVarTag>::fresh(), std::nullopt, false,
                                              std::make_shared<const Selection>(selection)})) {}

const TensorVar* TensorVar::read() const {
  if (!selection()) return this;
  return selection()->source ? &*selection()->source : nullptr;
}

TensorVar TensorVar::optional_scalar(std::string name, ElementType type, Scalar fill) {
  return TensorVar(
      Data{std::move(name), type, Format(), fill.cast(type), Id<TensorVarTag>::fresh(), std::nullopt, true});
}

TensorVar TensorVar::standing_for(std::string name, ElementType type, Format format,
                                  std::shared_ptr<HeldTensor> tensor) {
  return TensorVar(Data{std::move(name), type, std::move(format), Scalar(type), Id<TensorVarTag>::fresh(), std::nullopt,
                        false, nullptr, std::move(tensor)});
}

IndexVar make_index(IndexMap map) {
  std::string name;
  for (const IndexMap::Term& term : map.terms) name += term.var.name();
  return IndexVar(name.empty() ? fmt::format("at{}", map.offset < 0 ? 0 : map.offset) : name + "_at", std::move(map));
}

std::vector<IndexVar> free_of(const std::vector<IndexVar>& vars) {
  std::vector<IndexVar> free;
  auto add = [&](const IndexVar& var) {
    if (!contains(free, var)) free.push_back(var);
  };
  for (const IndexVar& var : vars) {
    if (!var.map()) {
      add(var);
      continue;
    }
    for (const IndexMap::Term& term : var.map()->terms) add(term.var);
    if (!var.map()->gathered) continue;
    for (const IndexVar& inner : free_of(var.map()->gathered->indices)) add(inner);
  }
  return free;
}

std::string to_string(const IndexMap& map, const std::function<std::string(const IndexVar&)>& name) {
  if (!map.list.empty()) return fmt::format("{}({{{}}})", name(map.terms[0].var), fmt::join(map.list, ","));
  if (map.extent) {
    auto [var, stride] = map.terms[0];
    // The last index and one more: the next multiple of the stride may be outside of the dimension.
    std::int64_t end = *map.extent == 0 ? map.offset : map.offset + (*map.extent - 1) * stride + 1;
    std::string window = fmt::format("{}({},{}", name(var), map.offset, end);
    return window + (stride == 1 ? ")" : fmt::format(",{})", stride));
  }
  std::string sum;
  for (const auto& [var, factor] : map.terms) {
    std::int64_t times = factor < 0 ? -factor : factor;
    sum += factor < 0 ? "-" : sum.empty() ? "" : "+";
    sum += times == 1 ? name(var) : fmt::format("{}*{}", times, name(var));
  }
  if (map.gathered) {
    std::vector<std::string> inner;
    for (const IndexVar& index : map.gathered->indices)
      inner.push_back(index.map() ? to_string(*index.map(), name) : name(index));
    std::int64_t factor = map.gathered->factor, times = factor < 0 ? -factor : factor;
    sum += factor < 0 ? "-" : sum.empty() ? "" : "+";
    sum += fmt::format("{}{}({})", times == 1 ? "" : fmt::format("{}*", times), map.gathered->tensor.name(),
                       fmt::join(inner, ","));
  }
  if (sum.empty() && !map.gathered) return std::to_string(map.offset);
  if (map.offset != 0) sum += fmt::format("{:+}", map.offset);
  return map.modulus == 0 ? sum : fmt::format("{} mod {}", sum, map.modulus);
}

}  // namespace filigree

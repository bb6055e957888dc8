#include "notation/variables.h"

#include <algorithm>
#include <atomic>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tensor/condition_format.h"

namespace filigree {

namespace {

/// i, j, ..., n, i1, j1, ...
std::string usual_name(unsigned number) {
  constexpr unsigned letters = 6;
  std::string name(1, static_cast<char>('i' + number % letters));
  return number < letters ? name : name + std::to_string(number / letters);
}

}  // namespace

IndexVar::IndexVar() {
  static std::atomic<unsigned> count = 0;
  data_ = std::make_shared<const Data>(Data{usual_name(count++), Id<IndexVarTag>::fresh(), nullptr, false});
}

IndexVar::IndexVar(std::string name)
    : data_(std::make_shared<const Data>(Data{std::move(name), Id<IndexVarTag>::fresh(), nullptr})) {}

IndexVar::IndexVar(std::string name, IndexMap map)
    : data_(std::make_shared<const Data>(Data{std::move(name), Id<IndexVarTag>::fresh(), std::make_shared<const IndexMap>(std::move(map))})) {}

TensorVar::TensorVar(std::string name, ElementType type, Format format)
    : TensorVar(std::move(name), type, std::move(format), Scalar(type)) {}

TensorVar::TensorVar(std::string name, ElementType type, Format format, Scalar fill)
    : data_(std::make_shared<const Data>(
          Data{std::move(name), type, std::move(format), fill.cast(type), Id<TensorVarTag>::fresh()})) {}

TensorVar::TensorVar(std::string name, relation::Condition condition, const std::vector<int>& dimensions)
    : data_(std::make_shared<const Data>(Data{std::move(name), ElementType::Bool, condition_format(condition, dimensions), Scalar(ElementType::Bool), Id<TensorVarTag>::fresh(), condition})) {}

TensorVar TensorVar::optional_scalar(std::string name, ElementType type, Scalar fill) {
  return TensorVar(Data{std::move(name), type, Format(), fill.cast(type), Id<TensorVarTag>::fresh(), std::nullopt, true});
}

TensorVar TensorVar::standing_for(std::string name, ElementType type, Format format, std::shared_ptr<void> tensor) {
  return TensorVar(Data{std::move(name), type, std::move(format), Scalar(type), Id<TensorVarTag>::fresh(), std::nullopt, false, std::move(tensor)});
}

bool contains(const std::vector<IndexVar>& vars, const IndexVar& var) {
  return std::find(vars.begin(), vars.end(), var) != vars.end();
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
  if (sum.empty()) return std::to_string(map.offset);
  return map.offset == 0 ? sum : fmt::format("{}{:+}", sum, map.offset);
}

}  // namespace filigree

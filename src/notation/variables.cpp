#include "notation/variables.h"

#include <algorithm>

namespace filigree {

IndexVar::IndexVar(std::string name)
    : data_(std::make_shared<const Data>(Data{std::move(name), Id<IndexVarTag>::fresh()})) {}

TensorVar::TensorVar(std::string name, ElementType type, Format format)
    : TensorVar(std::move(name), type, std::move(format), Scalar(type)) {}

TensorVar::TensorVar(std::string name, ElementType type, Format format, Scalar fill)
    : data_(std::make_shared<const Data>(
          Data{std::move(name), type, std::move(format), fill.cast(type), Id<TensorVarTag>::fresh()})) {}

bool contains(const std::vector<IndexVar>& vars, const IndexVar& var) {
  return std::find(vars.begin(), vars.end(), var) != vars.end();
}

}  // namespace filigree

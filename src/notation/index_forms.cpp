#include "notation/index_forms.h"

#include <algorithm>

namespace filigree::notation {
namespace {

/// Dimensions in the order of the levels that hold them, as far as levels are dimensions.
std::vector<int> by_level(const TensorVar& tensor) {
  std::vector<int> dimensions;
  for (int d = 0; d < tensor.order(); d++) dimensions.push_back(d);
  if (!tensor.format().is_plain()) return dimensions;
  for (size_t l = 0; l < dimensions.size(); l++) dimensions[l] = tensor.format().levels()[l].dimension();
  return dimensions;
}

class Sharing {
 public:
  Access shared(const Access& access) {
    Access out = access;
    std::vector<IndexVar> used;
    for (int d : by_level(access.tensor)) {
      const IndexVar& index = access.indices[d];
      bool repeats = contains(used, index);
      if (index.map()) {
        out.indices[d] = canonical(access.tensor, d, *index.map());
      } else if (repeats) {
        out.indices[d] = canonical(access.tensor, d, IndexMap{{{index, 1}}});
      }
      used.push_back(index);
    }
    return out;
  }

  Expr shared(const Expr& expr) {
    const Access* access = expr.as<Access>();
    if (!access) return map_children(expr, [&](const Expr& child) { return shared(child); });
    Access done = shared(*access);
    return done == *access ? expr : Expr(done, expr.span());
  }

 private:
  IndexVar canonical(const TensorVar& tensor, int dimension, const IndexMap& map) {
    for (const Known& known : known_) {
      if (known.tensor == tensor && known.dimension == dimension && *known.index.map() == map) return known.index;
    }
    known_.push_back({tensor, dimension, make_index(map)});
    return known_.back().index;
  }

  struct Known {
    TensorVar tensor;
    int dimension;
    IndexVar index;
  };
  std::vector<Known> known_;
};

}  // namespace

Statement share_indices(const Statement& statement) {
  Sharing sharing;
  Statement out = statement;
  out.lhs = sharing.shared(statement.lhs);
  out.rhs = sharing.shared(statement.rhs);
  return out;
}

bool has_maps(const Access& access) {
  return std::any_of(access.indices.begin(), access.indices.end(),
                     [](const IndexVar& index) { return index.map() != nullptr; });
}

bool has_maps(const Statement& statement) {
  std::vector<Access> all = accesses(statement.rhs);
  return has_maps(statement.lhs) ||
         std::any_of(all.begin(), all.end(), [](const Access& access) { return has_maps(access); });
}

}  // namespace filigree::notation

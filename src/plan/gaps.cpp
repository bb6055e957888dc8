#include "plan/gaps.h"

#include <algorithm>

namespace filigree::plan {
namespace {

using concrete::Access;

Access written_access(const concrete::Stmt& stmt, const TensorVar& tensor) {
  std::optional<Access> found;
  concrete::for_each(stmt, [&](const concrete::Stmt& s) {
    const concrete::Assign* assign = s.as<concrete::Assign>();
    if (!found && assign && assign->lhs.tensor == tensor) found = assign->lhs;
  });
  return *found;
}

bool writes(const concrete::Stmt& stmt, const TensorVar& tensor) {
  std::vector<TensorVar> all = concrete::written(stmt);
  return std::find(all.begin(), all.end(), tensor) != all.end();
}

/// Looks for what leaves a parent out, in the loops around all that is written.
class Finder {
 public:
  /// `above`: of the levels above the one that is appended to; `own`: its own.
  Finder(const TensorVar& tensor, std::vector<IndexVar> above, const IndexVar& own)
      : tensor_(tensor), above_(std::move(above)), own_(own) {}

  struct Place {
    std::vector<IndexVar> bound = {};
    bool is_below = false;  // a parent: what is left out is left out below it
  };

  /// `kept`: variables that are known to be inside; `is_iteration`: of a loop that may be that over the level.
  bool may_miss(const Body& body, Place place, const std::vector<IndexVar>& kept, bool is_iteration) const {
    if (!writes(body.stmt.what(), tensor_)) return false;
    for (const concrete::Derivation& derivation : body.computed) {
      bool is_asked = derivation.guarded && !derivation.as<concrete::AtPoint>() && !contains(kept, derivation.var);
      // A loop over the level's nodes that is around ends each parent, whatever it leaves out.
      if (is_asked && !place.is_below && !contains(place.bound, own_)) return true;
      place.bound.push_back(derivation.var);
    }
    bool is_known = contains(place.bound, own_) && std::all_of(above_.begin(), above_.end(), [&](const IndexVar& var) {
                      return contains(place.bound, var);
                    });
    place.is_below = place.is_below || (is_iteration && is_known);
    return may_miss(body.stmt, place);
  }

 private:
  bool may_miss(const Stmt& stmt, const Place& place) const {
    if (!writes(stmt.what(), tensor_)) return false;
    auto misses = [&](const Stmt& inside) { return may_miss(inside, place); };
    return match(
        stmt, [&](const Loop& n) { return may_miss(n, place); },
        [&](const Pieces& n) {
          Place inside = place;
          inside.bound.push_back(n.cut.var);
          return may_miss(n.body, inside, {}, false);
        },
        [&](const Where& n) {
          return may_miss(n.producer, place, {}, false) || may_miss(n.consumer, place, {}, false);
        },
        [&](const Sequence& n) { return std::any_of(n.statements.begin(), n.statements.end(), misses); },
        [&](const Multi& n) { return std::any_of(n.statements.begin(), n.statements.end(), misses); },
        [](const Assign&) { return false; });
  }

  bool may_miss(const Loop& loop, const Place& place) const {
    if (contains(above_, loop.lattice.var) && !loop.lattice.has_universe()) return true;
    Place inside = place;
    inside.bound.push_back(loop.lattice.var);
    for (const Body& body : loop.bodies) {
      if (may_miss(body, inside, loop.keeps, true)) return true;
    }
    return loop.if_empty && may_miss(*loop.if_empty, place);
  }

  const TensorVar& tensor_;
  std::vector<IndexVar> above_;
  IndexVar own_;
};

}  // namespace

const bool* gaps_of(const Filling& filling) {
  return std::visit(
      [](const auto& how) -> const bool* {
        if constexpr (requires { how.gaps; }) return &how.gaps;
        return nullptr;
      },
      filling);
}

bool has_gaps(const Plan& plan, const TensorVar& tensor) {
  std::vector<IndexVar> vars = concrete::level_vars(written_access(plan.program.statement, tensor));
  size_t first = 0;
  while (!is_appended(Appended(), tensor, static_cast<int>(first))) {
    // Loops over all coordinates need not come by each position of the levels between.
    if (!tensor.format().levels()[first].format->insert()->holds_all()) return true;
    first++;
  }
  Finder finder(tensor, {vars.begin(), vars.begin() + static_cast<std::ptrdiff_t>(first)}, vars[first]);
  return finder.may_miss(plan.root, {}, {}, true);
}

void note_gaps(Plan& plan) {
  if (!writes_positions(plan.mode)) return;
  for (const TensorVar& tensor : plan.program.results) {
    auto filling = plan.fillings.find(tensor);
    if (filling == plan.fillings.end() || !gaps_of(filling->second) || !has_gaps(plan, tensor)) continue;
    std::visit(
        [](auto& how) {
          if constexpr (requires { how.gaps; }) how.gaps = true;
        },
        filling->second);
  }
}

}  // namespace filigree::plan

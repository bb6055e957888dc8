#include "default_format.h"

#include <algorithm>

#include "notation/conditions.h"
#include "notation/substitute.h"

namespace filigree::tool {
namespace {

using notation::Access;
using notation::Expr;

/// Above this many operands that may be absent, results are compressed rather than all cases tried.
constexpr size_t most_cases = 12;

bool is_full(const Level& level) { return level.format->properties().full; }

/// May the operand have nothing stored at some coordinates of `vars`?
bool may_be_absent(const Access& access, const std::vector<IndexVar>& vars) {
  const std::vector<Level>& levels = access.tensor.format().levels();
  return std::any_of(levels.begin(), levels.end(), [&](const Level& level) {
    std::vector<int> dimensions = level.coordinate.dimensions();
    return !is_full(level) && std::any_of(dimensions.begin(), dimensions.end(), [&](int d) { return contains(vars, access.indices[d]); });
  });
}

/// Where `outer` are fixed, may the operand skip coordinates of `var`?
bool may_skip(const Access& access, const IndexVar& var, const std::vector<IndexVar>& outer) {
  if (!access.tensor.format().is_plain()) return true;
  bool below = false;
  for (const Level& level : access.tensor.format().levels()) {
    const IndexVar& at = access.indices[level.dimension()];
    if (at == var && !is_full(level)) return true;
    if (below && !is_full(level) && contains(outer, at)) return true;  // a fixed coordinate that not every parent has
    below = below || at == var;
  }
  return false;
}

bool is_constant(const Expr& expr) {
  const notation::Literal* literal = expr.as<notation::Literal>();
  return literal && literal->structural;
}

/// Does the expression reach every coordinate of `var` wherever it reaches those of `outer`?  Tries every
/// combination of operands that `outer` may leave absent.
bool reaches_all(const Expr& expr, const IndexVar& var, const std::vector<IndexVar>& outer) {
  std::vector<Access> uncertain;
  for (const Access& access : notation::accesses(expr)) {
    if (may_be_absent(access, outer)) uncertain.push_back(access);
  }
  if (uncertain.size() > most_cases) return false;
  for (size_t absent = 0; absent < size_t{1} << uncertain.size(); absent++) {
    auto is_absent = [&](const Access& access) {
      for (size_t n = 0; n < uncertain.size(); n++) {
        if (uncertain[n] == access) return (absent >> n & 1) != 0;
      }
      return false;
    };
    if (is_constant(notation::substitute_fill(expr, is_absent))) continue;  // then `outer` is not reached
    auto is_skipped = [&](const Access& access) { return is_absent(access) || may_skip(access, var, outer); };
    if (is_constant(notation::substitute_fill(expr, is_skipped))) return false;
  }
  return true;
}

}  // namespace

Format default_result_format(const notation::Statement& statement) {
  std::vector<IndexVar> outer;
  std::vector<Level> levels;
  Expr rhs = notation::with_conditions(statement.rhs);
  for (const IndexVar& var : statement.lhs.indices) {
    bool dense = reaches_all(rhs, var, outer);
    levels.push_back({static_cast<int>(levels.size()), dense ? level::dense() : level::compressed()});
    outer.push_back(var);
  }
  return Format(std::move(levels));
}

}  // namespace filigree::tool

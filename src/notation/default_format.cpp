#include "notation/default_format.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "level/registry.h"
#include "notation/conditions.h"
#include "notation/substitute.h"
#include "support/text.h"

namespace filigree::notation {
namespace {

using Vars = std::vector<IndexVar>;

/// Above this many operands that may be absent, results are compressed rather than all cases tried.
constexpr size_t most_cases = 12;
/// A vector of so many components is small; of more, one with few for each entry of the operands.
constexpr std::int64_t small_vector = std::int64_t{1} << 20, components_per_entry = 4;

bool is_full(const Level& level) { return level.format->properties().full; }

bool is_constant(const Expr& expr) {
  const Literal* literal = expr.as<Literal>();
  return literal && literal->structural;
}

/// Where the right-hand side has something, as far as the formats of its operands tell.
///
/// k of p_at(j,k)*A(i,k) is one coordinate for each j, the one that is selected: what A leaves out there is left out of
/// the result at j.
class Reached {
 public:
  explicit Reached(const Statement& statement) : rhs_(with_conditions(statement.rhs)) {
    Vars left = free_of(statement.lhs.indices);
    for (const Access& access : accesses(rhs_)) {
      if (!access.tensor.selection() || contains(left, access.indices.back())) continue;
      selected_.emplace(access.indices.back(), free_of({access.indices.begin(), access.indices.end() - 1}));
    }
  }

  /// The operands that may leave coordinates of `vars` out, wherever the expression reaches those of `outer`; nothing
  /// if it then reaches all of them. Tries every combination of operands that `outer` may leave absent.
  std::optional<std::vector<Access>> skipped(const Vars& vars, const Vars& outer) const {
    std::vector<Access> uncertain, skipping;
    for (const Access& access : accesses(rhs_)) {
      if (may_be_absent(access, outer)) uncertain.push_back(access);
      if (may_skip(access, vars, outer)) skipping.push_back(access);
    }
    if (skipping.empty()) return std::nullopt;
    if (uncertain.size() > most_cases) return skipping;
    for (size_t absent = 0; absent < size_t{1} << uncertain.size(); absent++) {
      auto is_absent = [&](const Access& access) {
        for (size_t n = 0; n < uncertain.size(); n++) {
          if (uncertain[n] == access) return (absent >> n & 1) != 0;
        }
        return false;
      };
      if (is_constant(substitute_fill(rhs_, is_absent))) continue;  // then `outer` is not reached
      auto is_skipped = [&](const Access& access) { return is_absent(access) || may_skip(access, vars, outer); };
      if (is_constant(substitute_fill(rhs_, is_skipped))) return skipping;
    }
    return std::nullopt;
  }

 private:
  /// The variables that an index follows from.
  Vars sources(const IndexVar& index) const {
    Vars all;
    for (const IndexVar& var : free_of({index})) {
      auto selected = selected_.find(var);
      if (selected == selected_.end()) all.push_back(var);
      for (const IndexVar& of : selected == selected_.end() ? Vars{} : selected->second) {
        Vars followed = sources(of);
        all.insert(all.end(), followed.begin(), followed.end());
      }
    }
    return all;
  }

  bool mentions(const IndexVar& index, const Vars& vars) const {
    Vars used = sources(index);
    return std::any_of(used.begin(), used.end(), [&](const IndexVar& var) { return contains(vars, var); });
  }

  bool is_fixed(const IndexVar& index, const Vars& vars) const {
    Vars used = sources(index);
    return std::all_of(used.begin(), used.end(), [&](const IndexVar& var) { return contains(vars, var); });
  }

  /// Does it only say which coordinates others are read at?
  bool only_selects(const Access& access) const {
    return access.tensor.selection() && selected_.count(access.indices.back());
  }

  /// May the operand have nothing stored at some coordinates of `vars`?
  bool may_be_absent(const Access& access, const Vars& vars) const {
    if (only_selects(access)) return false;
    const std::vector<Level>& levels = access.tensor.format().levels();
    return std::any_of(levels.begin(), levels.end(), [&](const Level& level) {
      std::vector<int> dimensions = level.coordinate.dimensions();
      return !is_full(level) && std::any_of(dimensions.begin(), dimensions.end(), [&](int d) {
        return mentions(access.indices[static_cast<size_t>(d)], vars);
      });
    });
  }

  /// Where `outer` are fixed, may the operand skip coordinates of `vars`?
  bool may_skip(const Access& access, const Vars& vars, const Vars& outer) const {
    if (only_selects(access)) return false;
    bool uses = std::any_of(access.indices.begin(), access.indices.end(),
                            [&](const IndexVar& index) { return mentions(index, vars); });
    if (!access.tensor.format().is_plain()) return uses && access.tensor.may_be_absent();
    bool below = false;
    for (const Level& level : access.tensor.format().levels()) {
      const IndexVar& at = access.indices[static_cast<size_t>(level.dimension())];
      bool own = mentions(at, vars);
      if (own && !is_full(level)) return true;
      if (below && !is_full(level) && is_fixed(at, outer)) return true;  // a fixed coordinate that not every parent has
      below = below || own;
    }
    return false;
  }

  Expr rhs_;
  std::map<IndexVar, Vars> selected_;  // what each coordinate that is selected follows from
};

std::optional<std::int64_t> find_extent(const SizeHints& hints, const IndexVar& var) {
  auto found = hints.extents.find(var);
  return found == hints.extents.end() ? std::nullopt : std::optional(found->second);
}

std::string joined_names(const Vars& vars) {
  std::vector<std::string> names;
  for (const IndexVar& var : vars) names.push_back(var.name());
  return join(names, " and ");
}

std::string text_of(const IndexVar& index) {
  return index.map() ? filigree::to_string(*index.map(), [](const IndexVar& var) { return var.name(); }) : index.name();
}

/// How many coordinates of its dimension a left index reaches, if `outer` are fixed; nothing for all of them, or
/// nearly.  Extents that are not known are taken for large.
std::optional<std::string> left_out(const IndexVar& index, const Vars& outer, const SizeHints& hints) {
  if (!index.map()) return std::nullopt;
  const IndexMap& map = *index.map();
  std::optional<std::int64_t> dimension = find_extent(hints, index);
  std::int64_t step = 0;                   // coordinates are so far apart, at least
  std::optional<std::int64_t> values = 1;  // so many combinations of the variables, if that is known
  for (const IndexMap::Term& term : map.terms) {
    if (contains(outer, term.var)) continue;
    step = std::gcd(step, std::abs(term.factor));
    std::optional<std::int64_t> extent = map.extent ? map.extent : find_extent(hints, term.var);
    std::int64_t product = 0;
    bool is_counted = values && extent && (!dimension || *values <= *dimension) &&
                      !__builtin_mul_overflow(*values, *extent, &product);
    values = is_counted ? std::optional(product) : std::nullopt;
  }
  if (step == 0) {
    if (dimension && *dimension <= 1) return std::nullopt;
    Vars used = free_of({index});
    return used.empty() ? fmt::format("only coordinate {} is assigned", text_of(index))
                        : fmt::format("one coordinate follows from {}", joined_names(used));
  }
  bool is_half = step <= 2 && (!values || !dimension || *values >= *dimension - *dimension / 2);
  if (is_half) return std::nullopt;
  return values && dimension ? fmt::format("{} reaches {} of {} coordinates", text_of(index), *values, *dimension)
                             : fmt::format("{} reaches a part of the coordinates", text_of(index));
}

/// Is a vector of so many components small for what it is computed from?
bool is_small(const Statement& statement, const SizeHints& hints) {
  std::optional<std::int64_t> extent = find_extent(hints, statement.lhs.indices[0]);
  if (!extent) return false;
  std::int64_t entries = 0;
  for (const Access& access : accesses(statement.rhs)) {
    if (auto found = hints.entries.find(access.tensor.name()); found != hints.entries.end())
      entries = std::max(entries, found->second);
  }
  return *extent <= small_vector || *extent / components_per_entry <= entries;
}

/// Why a level cannot be dense; nothing if it can.  `outer` are the variables of the levels above.
std::optional<std::string> reason_against(const Reached& reached, const IndexVar& index, const Vars& outer,
                                          const SizeHints& hints) {
  if (std::optional<std::string> reason = left_out(index, outer, hints)) return reason;
  Vars vars;
  for (const IndexVar& var : free_of({index})) {
    if (!contains(outer, var)) vars.push_back(var);
  }
  std::optional<std::vector<Access>> skipping = reached.skipped(vars, outer);
  if (!skipping) return std::nullopt;
  const TensorVar& first = skipping->front().tensor;
  std::string who = first.condition() ? "the condition" : "'" + first.name() + "'";
  return fmt::format("{} skips some {}", who, joined_names(vars));
}

}  // namespace

DefaultFormat default_format(const Statement& statement, const SizeHints& hints, bool is_temporary) {
  Vars outer;
  std::vector<Level> levels;
  std::vector<std::string> reasons;
  Reached reached(statement);
  bool all_dense = !statement.prunes;
  for (const IndexVar& index : statement.lhs.indices) {
    std::optional<std::string> against = reason_against(reached, index, outer, hints);
    bool is_last = levels.size() + 1 == statement.lhs.indices.size();
    if (!against && is_last && statement.prunes) against = "prune leaves out what equals the fill";
    levels.push_back({static_cast<int>(levels.size()), against ? level::compressed() : level::dense()});
    reasons.push_back(against       ? *against
                      : index.map() ? fmt::format("{} reaches most coordinates", text_of(index))
                                    : fmt::format("every {} is reached", index.name()));
    all_dense = all_dense && !against;
    for (const IndexVar& var : free_of({index})) outer.push_back(var);
  }
  if (levels.empty()) return {};
  if (all_dense) return {Format(std::move(levels)), "every coordinate is reached"};
  if (is_temporary && levels.size() == 1 && is_small(statement, hints)) {
    levels[0] = {0, level::bitmap()};
    reasons.push_back("a vector that is looked up, and small enough for a place for each coordinate");
  }
  return {Format(std::move(levels)), join(reasons, "; ")};
}

}  // namespace filigree::notation

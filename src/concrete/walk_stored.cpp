// Operands that are visited as they are stored: loops over their levels, from which everything else follows.
#include <algorithm>

#include <fmt/format.h>

#include "concrete/concretizer.h"
#include "concrete/loop_order.h"
#include "concrete/products.h"
#include "level/join.h"
#include "notation/index_forms.h"
#include "notation/substitute.h"

namespace filigree::concrete {
namespace {

using notation::Apply;

/// Can every level be looked up?
bool can_be_located(const Format& format) {
  return format.is_plain() && std::all_of(format.levels().begin(), format.levels().end(),
                                          [](const Level& level) { return level.format->locate() != nullptr; });
}

Expr with_access(const Expr& expr, const Access& from, const Expr& to) {
  if (const Access* access = expr.as<Access>()) return *access == from ? to : expr;
  return notation::map_children(expr, [&](const Expr& child) { return with_access(child, from, to); });
}

}  // namespace

Stmt Concretizer::copy(const Access& lhs) {
  const Access& source = *statement_.rhs.as<Access>();
  environment_.remarks.push_back(
      fmt::format("'{}' is stored with padding: values that equal its fill are left out", source.tensor.name()));
  std::optional<Operator> op = has_duplicates(source.tensor.format()) ? std::optional(Operator::Add) : std::nullopt;
  return foralls(space_.walk(source), visit_stored(source, Assign{target(lhs), op, statement_.rhs, true}), true);
}

Stmt Concretizer::visit_stored(const Access& source, const Assign& assign) {
  Access stored = space_.view(source);
  Assign here{assign.lhs, assign.op, with_access(assign.rhs, source, Expr(stored)), assign.drops_fill};
  Symmetry symmetry = source.tensor.format().symmetry();
  if (symmetry == Symmetry::None) return here;
  const IndexVar &i = source.indices[0], &j = source.indices[1];
  std::function<Expr(const Expr&)> mirrored = [&](const Expr& e) -> Expr {
    const Access* access = e.as<Access>();
    if (!access) return notation::map_children(e, mirrored);
    if (!(*access == source)) return Expr(Access{access->tensor, swapped(access->indices, i, j)}, e.span());
    if (symmetry == Symmetry::Skew) return Apply{Operator::Negate, {Expr(stored)}};
    return symmetry == Symmetry::Hermitian && is_complex(e.type()) ? Expr(Apply{Operator::Conjugate, {Expr(stored)}})
                                                                   : Expr(stored);
  };
  Assign there{mirrored_target(assign.lhs, i, j), assign.op, mirrored(assign.rhs), assign.drops_fill, std::pair(i, j)};
  return Sequence{{here, there}};
}

Access Concretizer::mirrored_target(const Access& lhs, const IndexVar& i, const IndexVar& j) {
  if (!(lhs.tensor == space_.view(*result_)) || result_->format().is_plain())
    return {lhs.tensor, swapped(lhs.indices, i, j)};
  return space_.view(Access{*result_, swapped(statement_.lhs.indices, i, j)});
}

std::optional<Access> Concretizer::walked_operand(const Access& lhs, std::optional<Operator> op, const Expr& rhs,
                                                  const Vars& bound) {
  std::vector<Access> factors, divisors;
  if (!collect_factors(rhs, factors, divisors)) return std::nullopt;
  std::optional<Access> walked;
  for (const Access& access : factors) {
    if (access.tensor.condition())
      return std::nullopt;  // it is met in a loop over an index, which a walk need not have
    if (notation::has_maps(access) && !is_read_in_place(access)) return std::nullopt;
    if (is_tame(access.tensor.format()) && !repeats_coordinates(access.tensor.format())) continue;
    if (walked && can_be_located(access.tensor.format())) continue;
    if (walked && !can_be_located(walked->tensor.format())) return std::nullopt;
    walked = access;
  }
  if (!walked || notation::has_maps(*walked) || space_.is_composed(walked->tensor) ||
      is_appended_in_order(lhs, *walked))
    return std::nullopt;
  const Format& format = walked->tensor.format();
  // The mirror image of i+1 would be j+1, which is another index.
  if (format.symmetry() != Symmetry::None && notation::has_maps(statement_)) return std::nullopt;
  // Where an index follows from levels no loop runs over it, in which something could be found missing.
  for (const Access& access : factors) {
    bool found = can_be_located(access.tensor.format()) && format.is_plain() &&
                 without(access.indices, walked->indices).empty() && follows(access, level_vars(*walked));
    if (!(access == *walked) && !access.tensor.format().is_dense() && !found) return std::nullopt;
  }
  for (const Access& access : divisors) {
    // x/0 + y/0 is not (x + y)/0.
    if (!access.tensor.format().is_dense() || has_duplicates(format)) return std::nullopt;
  }
  // Only what is stored is visited: the rest has to be what the left side is without it, or 0 and to add nothing.
  std::optional<Scalar> fill = notation::fill_of(rhs);
  if (!op && fill && !(fill->cast(lhs.tensor.type()) == lhs.tensor.fill())) return std::nullopt;
  bool skips = walked->tensor.fill().is_zero() && (!op || identity(*op, rhs.type()) == Scalar(rhs.type()));
  if (!skips && (op || !rhs.as<Access>())) return std::nullopt;
  // What is stored in several parts is their sum in the operand's type: integers that wrap there wrap nowhere else.
  bool exact = !is_floating(walked->tensor.type()) && !is_complex(walked->tensor.type());
  bool wraps_alike = walked->tensor.type() == rhs.type() && rhs.type() == lhs.tensor.type();
  if (has_duplicates(format) && exact && !wraps_alike) return std::nullopt;
  bool accumulates = has_duplicates(format) || format.symmetry() != Symmetry::None;
  bool adds = (!op || *op == Operator::Add) && lhs.tensor.fill().is_zero() && walked->tensor.fill().is_zero();
  // A mirror image is stored elsewhere, which a result that is filled in order cannot do.
  bool anywhere = format.symmetry() == Symmetry::None || !(lhs.tensor == *result_) || lhs.tensor.format().is_dense();
  bool free = anywhere && std::none_of(walked->indices.begin(), walked->indices.end(),
                                       [&](const IndexVar& v) { return contains(bound, v); });
  return free && (!accumulates || adds) && !skips_matter(op, rhs) ? walked : std::nullopt;
}

namespace {

/// The operand of a term that is nothing else, or its opposite.
const Access* operand_of(const Expr& term) {
  const Apply* apply = term.as<Apply>();
  return apply && apply->op == Operator::Negate ? apply->operands[0].as<Access>() : term.as<Access>();
}

/// Can a loop go through its inner levels, whatever their order?
bool is_stored_apart(const Access& access) {
  const Format& format = access.tensor.format();
  return !access.tensor.condition() && !notation::has_maps(access) && format.is_plain() && !is_tame(format) &&
         !has_duplicates(format) && format.symmetry() == Symmetry::None && !repeats_an_index(access);
}

bool has_own_order(const level::Format& format) { return format.properties().full || format.arrange(); }

/// How many levels, from the outermost on, loops can go through in order: walking them, or looking up each coordinate
/// where the result has a place for each, so that this takes no more time than the result, or visits each in an order
/// of its own.
size_t outer_levels(const Access& operand, const Format& result) {
  const std::vector<Level>& levels = operand.tensor.format().levels();
  size_t count = tame_levels(operand.tensor.format());
  while (count + 1 < std::min(levels.size(), result.levels().size()) && levels[count].format->locate() &&
         levels[count].format->properties().unique && has_own_order(*result.levels()[count].format))
    count++;
  return count;
}

}  // namespace

std::optional<Stmt> Concretizer::added_as_stored(const Access& lhs, std::optional<Operator> op, const Expr& rhs,
                                                 const Vars& bound) {
  if (!can_accumulate_terms(lhs, op, rhs) || !bound.empty() || is_padded_copy() || !requests_.workspaces.empty())
    return std::nullopt;
  std::vector<Expr> terms = additive_terms(rhs);
  bool in_any_order = std::all_of(lhs.tensor.format().levels().begin(), lhs.tensor.format().levels().end(),
                                  [](const Level& level) { return level.format->insert() != nullptr; });
  size_t outer = lhs.indices.size();
  for (const Expr& term : terms) {
    const Access* access = operand_of(term);
    if (!access || !is_stored_apart(*access)) return std::nullopt;
    // Loops over its levels do not reach every component of A in A(i,j) = b(i) + c(j).
    if (!without(lhs.indices, access->indices).empty()) return std::nullopt;
    outer = std::min(outer, in_any_order ? tame_levels(access->tensor.format())
                                         : outer_levels(*access, lhs.tensor.format()));
  }
  auto first = [&](const Access& access) {
    Vars vars = level_vars(access);
    vars.resize(std::min(vars.size(), outer));
    return vars;
  };
  bool joins = lhs.indices.size() == 1 && level::join_of(*lhs.tensor.format().levels()[0].format);
  if (!lhs.tensor.format().is_plain() || (outer == 0 && !in_any_order && !joins)) return std::nullopt;
  Vars around = first(lhs);
  std::vector<Stmt> statements;
  for (const Expr& term : terms) {
    const Access& access = *operand_of(term);
    if (first(access) != around) return std::nullopt;
    Vars inside = without(level_vars(access), around);
    statements.push_back(foralls(inside, Assign{target(lhs), Operator::Add, term}, true));
    environment_.remarks.push_back(fmt::format("'{}' is added up as it is stored ({})", access.tensor.name(),
                                               to_string(access.tensor.format())));
  }
  return foralls(around, Sequence{statements});
}

bool Concretizer::is_appended_in_order(const Access& lhs, const Access& operand) {
  if (in_pieces_ || !(lhs.tensor == *result_) || !is_tame(operand.tensor.format())) return false;
  const std::vector<Level>& levels = lhs.tensor.format().levels();
  bool appends = std::any_of(levels.begin(), levels.end(), [](const Level& level) { return !level.format->insert(); });
  return appends && lhs.tensor.format().is_plain() && level_vars(lhs) == level_vars(operand);
}

Stmt Concretizer::walk_nest(const Access& lhs, std::optional<Operator> op, const Expr& rhs, const Access& walked,
                            const Vars& bound) {
  Vars walk = space_.walk(walked);
  Vars around = concat(bound, concat(walk, without(walked.indices, walk)));
  std::vector<Access> others;
  for (const Access& access : notation::accesses(rhs)) {
    if (!(access == walked)) others.push_back(access);
  }
  Vars rest = choose_order({around, without(nest_vars(lhs, rhs, bound), around), others, stand_in(lhs), {}, {}},
                           *requests_.policy);
  if (has_duplicates(walked.tensor.format()) && !op) op = Operator::Add;
  environment_.remarks.push_back(
      fmt::format("'{}' is visited as it is stored ({})", walked.tensor.name(), to_string(walked.tensor.format())));
  return foralls(walk, foralls(rest, visit_stored(walked, Assign{target(lhs), op, rhs})), true);
}

}  // namespace filigree::concrete

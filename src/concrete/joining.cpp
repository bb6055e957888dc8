#include "concrete/joining.h"

#include <algorithm>

#include "level/join.h"
#include "notation/index_forms.h"

namespace filigree::concrete {
namespace {

const level::Format& last_format(const TensorVar& tensor) { return *tensor.format().levels().back().format; }

/// Does the loop visit what it visits as a whole, one coordinate after the other?
bool is_whole(const Forall& forall, const Environment& environment) {
  auto cuts = [&](const Points& points) { return contains(points.loops, forall.var); };
  return forall.tag.is_plain() &&
         std::none_of(environment.piece_loops.begin(), environment.piece_loops.end(),
                      [&](const PieceLoop& cut) { return cut.var == forall.var || cuts(cut); }) &&
         std::none_of(environment.flat_loops.begin(), environment.flat_loops.end(),
                      [&](const FlatLoop& flat) { return flat.var == forall.var || cuts(flat); });
}

/// Only the last of the tensor's levels is that of the loop.
bool is_last_in(const Access& access, const IndexVar& var) {
  std::vector<IndexVar> vars = level_vars(access);
  return !vars.empty() && vars.back() == var && std::count(vars.begin(), vars.end(), var) == 1;
}

bool is_plain(const Assign& assign) { return !assign.drops_fill && !assign.prunes && !assign.unless_equal; }

/// What the assignment adds to its left side and nothing else, itself or its opposite.
const Access* added_operand(const Assign& assign) {
  const notation::Apply* apply = assign.rhs.as<notation::Apply>();
  bool negated = apply && apply->op == Operator::Negate;
  const Access* operand = (negated ? apply->operands[0] : assign.rhs).as<Access>();
  return is_plain(assign) && assign.op == Operator::Add ? operand : nullptr;
}

bool is_stored(const Access& operand) {
  return !operand.tensor.condition() && !operand.tensor.selection() && !notation::has_maps(operand) &&
         operand.tensor.fill().is_zero();
}

}  // namespace

std::optional<Access> joining(const Forall& forall, const level::Format& into, const Environment& environment) {
  const Assign* assign = forall.body.as<Assign>();
  if (!assign || !level::join_of(into) || !forall.as_stored || !is_whole(forall, environment)) return std::nullopt;
  const Access* operand = added_operand(*assign);
  bool fits = operand && is_stored(*operand) && is_last_in(*operand, forall.var) && is_last_in(assign->lhs, forall.var);
  return fits && last_format(operand->tensor) == into ? std::optional(*operand) : std::nullopt;
}

bool all_join(const Stmt& stmt, const level::Format& into, const Environment& environment) {
  if (const Forall* forall = stmt.as<Forall>()) return joining(*forall, into, environment).has_value();
  const Sequence* sequence = stmt.as<Sequence>();
  return sequence && std::all_of(sequence->statements.begin(), sequence->statements.end(),
                                 [&](const Stmt& s) { return all_join(s, into, environment); });
}

bool can_collect(const Forall& forall, const Environment& environment) {
  if (!is_whole(forall, environment) || forall.as_stored) return false;
  bool fits = true, any = false;
  for_each(forall.body, [&](const Stmt& s) {
    const Assign* assign = s.as<Assign>();
    if (!assign) return;
    for (const Access& access : notation::accesses(assign->rhs)) {
      bool is_made_here = false;
      for_each(forall.body, [&](const Stmt& other) {
        const Assign* writes = other.as<Assign>();
        is_made_here = is_made_here || (writes && writes->lhs.tensor == access.tensor);
      });
      if (is_made_here) continue;
      any = true;
      const Access* operand = added_operand(*assign);
      std::vector<IndexVar> vars = level_vars(access);
      auto own = std::find(vars.begin(), vars.end(), forall.var);
      fits = fits && operand && is_stored(*operand) && own != vars.end();
      if (!fits) return;
      const level::Format& format = *access.tensor.format().levels()[static_cast<size_t>(own - vars.begin())].format;
      fits = format.locate() && format.position_iteration() && format.properties().unique;
    }
  });
  return fits && any;
}

bool takes_siblings(const Forall& forall, const TensorVar& temporary, const Environment& environment) {
  const Assign* assign = forall.body.as<Assign>();
  const Access* source = assign ? assign->rhs.as<Access>() : nullptr;
  return source && source->tensor == temporary && temporary.order() == 1 && is_plain(*assign) && !assign->op &&
         assign->copies_levels && is_whole(forall, environment) && is_last_in(*source, forall.var) &&
         is_last_in(assign->lhs, forall.var) && last_format(assign->lhs.tensor) == last_format(temporary) &&
         assign->lhs.tensor.type() == temporary.type();
}

}  // namespace filigree::concrete

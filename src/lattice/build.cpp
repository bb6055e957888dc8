#include <algorithm>
#include <cmath>
#include <functional>

#include "lattice/lattice.h"
#include "lattice/presence.h"
#include "notation/notation.h"
#include "support/check.h"

namespace filigree::lattice {
namespace {

/// The level of `access` that the loop over `var` reaches next, if there is one.
std::optional<int> next_level(const Access& access, const IndexVar& var, const std::vector<IndexVar>& bound) {
  std::vector<IndexVar> vars = concrete::level_vars(access);
  for (size_t level = 0; level < vars.size(); level++) {
    if (vars[level] == var) return static_cast<int>(level);
    if (!contains(bound, vars[level])) return std::nullopt;
  }
  return std::nullopt;
}

void for_each_read(const Stmt& stmt, const std::function<void(const Access&)>& visit) {
  concrete::for_each(stmt, [&](const Stmt& s) {
    if (const concrete::Assign* assign = s.as<concrete::Assign>()) {
      for (const Access& access : notation::accesses(assign->rhs)) visit(access);
    }
  });
}

}  // namespace

bool Operand::operator<(const Operand& other) const {
  if (!(tensor == other.tensor)) return tensor < other.tensor;
  if (level != other.level) return level < other.level;
  return path < other.path;
}

Operand operand_at(const Access& access, int level) {
  std::vector<IndexVar> vars = concrete::level_vars(access);
  vars.resize(level + 1, vars.front());
  return {access.tensor, level, vars};
}

bool Lattice::groups(size_t k) const {
  return !as_stored && !operands[k].tensor.format().levels()[operands[k].level].format->properties().unique;
}

std::optional<SkippedPoints> skipped_points(const Stmt& stmt) {
  if (const concrete::Forall* forall = stmt.as<concrete::Forall>()) {
    std::optional<SkippedPoints> inside = forall->as_stored ? std::nullopt : skipped_points(forall->body);
    if (inside) inside->vars.push_back(forall->var);
    return inside;
  }
  const concrete::Assign* assign = stmt.as<concrete::Assign>();
  const notation::Literal* literal = assign ? assign->rhs.as<notation::Literal>() : nullptr;
  if (!literal || !literal->structural || !assign->op || assign->lhs.tensor.order() != 0 || assign->drops_fill ||
      assign->unless_equal)
    return std::nullopt;
  return reduces_at_once(*assign->op, literal->value, assign->lhs.tensor.type())
             ? std::optional(SkippedPoints{*assign, {}})
             : std::nullopt;
}

namespace {

/// May coordinates of these variables lie outside of what they stand for, or of a piece, so that not all of them count?
bool is_related(const std::vector<IndexVar>& vars, const concrete::Environment& environment) {
  for (const concrete::PieceLoop& cut : environment.piece_loops) {
    if (std::any_of(cut.loops.begin(), cut.loops.end(), [&](const IndexVar& var) { return contains(vars, var); }))
      return true;
  }
  return std::any_of(environment.derivations.begin(), environment.derivations.end(),
                     [&](const concrete::Derivation& derivation) {
                       std::vector<IndexVar> sources = derivation.sources();
                       return contains(vars, derivation.var) ||
                              std::any_of(sources.begin(), sources.end(),
                                          [&](const IndexVar& source) { return contains(vars, source); });
                     });
}

/// What a constant at every coordinate of whole dimensions reduces to, however many there are.
std::optional<Scalar> reduced(const concrete::Assign& assign) {
  if (!facts(*assign.op).idempotent) return std::nullopt;
  return assign.rhs.as<notation::Literal>()->value.cast(assign.lhs.tensor.type());
}

/// The statement with a constant for a scalar that is made by reducing constants, if dimensions are not empty; `vars`
/// gets these.
struct WithoutReductions {
  std::vector<IndexVar> vars = {};
  bool applies = false;

  std::optional<Stmt> operator()(const Stmt& stmt) {
    const concrete::Where* where = stmt.as<concrete::Where>();
    std::optional<SkippedPoints> constant = where ? skipped_points(where->producer) : std::nullopt;
    std::optional<Scalar> value = constant ? reduced(constant->assign) : std::nullopt;
    if (!value) return stmt;
    const TensorVar& scalar = constant->assign.lhs.tensor;
    TensorVar known(scalar.name(), scalar.type(), Format(), *value);
    std::function<notation::Expr(const notation::Expr&)> replaced = [&](const notation::Expr& expr) {
      const Access* access = expr.as<Access>();
      if (access) return access->tensor == scalar ? notation::Expr(Access{known, {}}, expr.span()) : expr;
      return notation::map_children(expr, replaced);
    };
    Stmt consumer = concrete::map_assigns(
        where->consumer, [&](const concrete::Assign& n) -> Stmt { return n.with(n.lhs, replaced(n.rhs)); });
    applies = true;
    for (const IndexVar& var : constant->vars) {
      if (!contains(vars, var)) vars.push_back(var);
    }
    std::optional<Stmt> left = without_absent(consumer, [&](const Access& access) { return access.tensor == known; });
    return left ? (*this)(*left) : std::nullopt;
  }
};

/// Takes what happens where no operand is present out of the points, if it comes to nothing, or can be made up for at
/// once, unless dimensions are empty.
void reduce_instead_of_visiting(Lattice& lattice, const concrete::Environment& environment) {
  bool is_asked_for = !lattice.tag.is_plain();  // as one loop
  if (!lattice.has_universe() || lattice.as_stored || lattice.points.size() < 2 || is_asked_for) return;
  WithoutReductions without;
  std::optional<Stmt> left = without(lattice.points.back().body);
  std::vector<IndexVar> whole = without.vars;
  whole.push_back(lattice.var);
  if (left) {
    std::optional<SkippedPoints> skipped = skipped_points(*left);
    if (!skipped) return;
    whole.insert(whole.end(), skipped->vars.begin(), skipped->vars.end());
  }
  if (!without.applies || is_related(whole, environment)) return;
  lattice.skipped = left;
  lattice.if_empty = lattice.points.back().body;
  lattice.may_be_empty = without.vars;
  lattice.points.pop_back();
}

/// Takes what happens where no operand is present out of the points, if it can be made up for at once.
void count_instead_of_visiting(Lattice& lattice, const concrete::Environment& environment) {
  if (!lattice.has_universe() || lattice.as_stored) return;
  std::optional<SkippedPoints> skipped = skipped_points(lattice.points.back().body);
  if (!skipped) return;
  skipped->vars.push_back(lattice.var);
  if (is_related(skipped->vars, environment)) return;
  lattice.skipped = lattice.points.back().body;
  lattice.points.pop_back();
}

/// The operands that have something at every coordinate of the loop: no point is reached without one that there is one
/// with (P3 section 4.2).  Below other levels there may be no parent, and then nothing.
Mask always_present(const Lattice& lattice, const concrete::Environment& environment) {
  Mask always = 0;
  for (size_t k = 0; k < lattice.operands.size(); k++) {
    const Operand& operand = lattice.operands[k];
    bool is_full = operand.tensor.format().levels()[static_cast<size_t>(operand.level)].format->properties().full;
    if (operand.level == 0 && is_full) always |= Mask{1} << k;
  }
  return is_related({lattice.var}, environment) ? 0 : always;
}

}  // namespace

Lattice build_lattice(const concrete::Forall& forall, const std::vector<IndexVar>& bound,
                      const concrete::Environment& environment) {
  const Stmt& body = forall.body;
  const IndexVar& var = forall.var;
  Lattice lattice{var, {}, {}, forall.as_stored, forall.tag};
  for_each_read(body, [&](const Access& access) {
    std::optional<int> level = next_level(access, var, bound);
    if (!level || level::is_always_found(*access.tensor.format().levels()[*level].format)) return;
    Operand operand = operand_at(access, *level);
    if (std::find(lattice.operands.begin(), lattice.operands.end(), operand) == lattice.operands.end()) {
      lattice.operands.push_back(operand);
    }
  });
  internal_check(lattice.operands.size() < 31, "lattice", "too many operands meet in one loop",
                 concrete::to_string(body));

  auto operand_of = [&](const Access& access) {
    std::optional<int> level = next_level(access, var, bound);
    if (!level) return -1;
    auto found = std::find(lattice.operands.begin(), lattice.operands.end(), operand_at(access, *level));
    return found == lattice.operands.end() ? -1 : static_cast<int>(found - lattice.operands.begin());
  };
  const Mask always = always_present(lattice, environment);
  const auto sets = presence_sets(body, operand_of);
  // Where a set with it stands beside one without it, that with it is what is there.
  auto is_reached = [&](Mask present) {
    for (Mask other : sets) {
      if (other != present && (other & ~always) == (present & ~always) && (present & ~other) == 0) return false;
    }
    return true;
  };
  for (Mask present : sets) {
    if (!is_reached(present)) continue;
    std::optional<Stmt> left = without_absent(body, [&](const Access& access) {
      int operand = operand_of(access);
      return operand >= 0 && !(present >> operand & 1);
    });
    if (left) lattice.points.push_back({present, *left});
  }
  count_instead_of_visiting(lattice, environment);
  reduce_instead_of_visiting(lattice, environment);
  return lattice;
}

Lattice with_universe(Lattice lattice) {
  internal_check(lattice.if_empty.has_value(), "lattice", "no work where no operand is present", lattice.var.name());
  lattice.points.push_back({0, *lattice.if_empty});
  lattice.if_empty.reset();
  lattice.skipped.reset();
  lattice.may_be_empty.clear();
  return lattice;
}

}  // namespace filigree::lattice

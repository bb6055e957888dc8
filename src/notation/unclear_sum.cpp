#include "notation/unclear_sum.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "notation/reductions.h"
#include "notation/use_names.h"
#include "support/text.h"

namespace filigree::notation {
namespace {

using Vars = std::vector<IndexVar>;

constexpr size_t longest_statement = 160;  // that a hint shows as a whole
constexpr int most_spellings = 5;

/// `expr` with one variable in the place of another.
Expr with_variable(const Expr& expr, const IndexVar& old, const IndexVar& by) {
  std::function<IndexVar(const IndexVar&)> renamed = [&](const IndexVar& var) {
    if (var == old) return by;
    if (!var.map() || !contains(free_of({var}), old)) return var;
    IndexMap map = *var.map();
    for (IndexMap::Term& term : map.terms) term.var = term.var == old ? by : term.var;
    if (map.gathered) {
      Gathered gathered = *map.gathered;
      std::transform(gathered.indices.begin(), gathered.indices.end(), gathered.indices.begin(), renamed);
      map.gathered = std::make_shared<const Gathered>(std::move(gathered));
    }
    return make_index(std::move(map));
  };
  auto all_renamed = [&](Vars vars) {
    std::transform(vars.begin(), vars.end(), vars.begin(), renamed);
    return vars;
  };
  return match(
      expr, [&](const Literal&) { return expr; },
      [&](const Access& access) { return Expr(Access{access.tensor, all_renamed(access.indices)}, expr.span()); },
      [&](const Coordinate& coordinate) { return Expr(Coordinate{renamed(coordinate.var)}, expr.span()); },
      [&](const Apply&) {
        return map_children(expr, [&](const Expr& child) { return with_variable(child, old, by); });
      },
      [&](const Reduce& reduce) {
        return Expr(Reduce{reduce.op, all_renamed(reduce.vars), with_variable(reduce.body, old, by), reduce.workspace},
                    expr.span());
      });
}

/// No variable is reduced twice around one use: in sum(j, max(sum(j, B(i,j)), c(j))) the inner one gets another name.
class Renamer {
 public:
  explicit Renamer(const Statement& statement) { use_names(names_, statement); }

  Expr operator()(const Expr& expr, const Vars& around = {}) {
    const Reduce* reduce = expr.as<Reduce>();
    if (!reduce) return map_children(expr, [&](const Expr& child) { return (*this)(child, around); });
    Expr body = reduce->body;
    Vars vars, inside = around;
    for (const IndexVar& var : reduce->vars) {
      vars.push_back(contains(around, var) ? IndexVar(names_.make(var.name())) : var);
      if (vars.back() != var) body = with_variable(body, var, vars.back());
      inside.push_back(vars.back());
    }
    return Expr(Reduce{reduce->op, vars, (*this)(body, inside), reduce->workspace}, expr.span());
  }

 private:
  FreshNames names_;
};

/// "'i'", "'i' and 'j'"
std::string quoted(const Vars& vars) {
  std::string text;
  for (size_t n = 0; n < vars.size(); n++)
    text += (n == 0 ? "'" : n + 1 == vars.size() ? " and '" : ", '") + vars[n].name() + "'";
  return text;
}

std::string name_of(const Expr& barrier) {
  const Reduce* reduce = barrier.as<Reduce>();
  return reduce ? reduction_name(reduce->op) : facts(barrier.as<Apply>()->op).symbol;
}

/// max(j, A(i,j)), which was probably meant as max_over(j, A(i,j)); nothing if it does not look like that.
std::optional<Expr> as_reduction(const Expr& expr, const Vars& summed) {
  const Apply* apply = expr.as<Apply>();
  if (!apply || (apply->op != Operator::Min && apply->op != Operator::Max)) return std::nullopt;
  std::vector<Expr> operands;
  std::function<void(const Expr&)> collect = [&](const Expr& part) {
    const Apply* inner = part.as<Apply>();
    if (!inner || inner->op != apply->op) return operands.push_back(part);
    for (const Expr& operand : inner->operands) collect(operand);
  };
  collect(expr);
  Vars over;
  size_t first = 0;
  for (; first < operands.size(); first++) {
    const Coordinate* coordinate = operands[first].as<Coordinate>();
    if (!coordinate || !contains(summed, coordinate->var) || contains(over, coordinate->var)) break;
    over.push_back(coordinate->var);
  }
  if (over.empty() || first == operands.size()) return std::nullopt;
  Expr body = operands[first];
  for (size_t n = first + 1; n < operands.size(); n++) body = Expr(Apply{apply->op, {body, operands[n]}}, expr.span());
  Vars used = free_vars(body);
  bool all_used = std::all_of(over.begin(), over.end(), [&](const IndexVar& var) { return contains(used, var); });
  return all_used ? std::optional(Expr(Reduce{apply->op, over, body}, expr.span())) : std::nullopt;
}

/// `expr` with each part that looks like a reduction as one.
Expr with_reductions(const Expr& expr, const Vars& summed) {
  if (std::optional<Expr> reduced = as_reduction(expr, summed)) return *reduced;
  return map_children(expr, [&](const Expr& child) { return with_reductions(child, summed); });
}

/// `expr` with another part in the place of one of its own.
Expr with_part(const Expr& expr, const Expr& old, const Expr& by) {
  if (expr.same_as(old)) return by;
  return map_children(expr, [&](const Expr& child) { return with_part(child, old, by); });
}

/// What a hint shows: the statement, or a long one's barrier alone, with sums that pass at most `limit` barriers.
class Spellings {
 public:
  Spellings(const Statement& statement, const Barrier& barrier)
      : statement_(statement), barrier_(barrier), expr_(statement.rhs), vars_(summed_vars(statement)) {
    whole_ = to_string(with_sums(statement, 0)).size() <= longest_statement;
    if (whole_) return;
    expr_ = barrier.expr;
    vars_ = barrier.summed;
  }

  int count() const { return place_sums(expr_, vars_).barriers + 1; }
  std::string number(int limit) const { return text(place_sums(expr_, vars_, limit).expr); }

  /// With max_over(j, A(i,j)) for max(j, A(i,j)), if the barrier is that.
  std::optional<std::string> reduction() const {
    std::optional<Expr> meant = as_reduction(barrier_.expr, barrier_.summed);
    if (!meant) return std::nullopt;
    const Reduce& reduce = *meant->as<Reduce>();
    std::string what = fmt::format("for the {} over {}, write ", reduce.op == Operator::Min ? "smallest" : "largest",
                                   quoted(reduce.vars));
    return what + with_sums_of_others(with_reductions(expr_, vars_));
  }

  /// With any(i, j, A(i,j)) for any(i, A(i,j)), if the barrier is such a reduction.
  std::optional<std::string> longer_reduction() const {
    const Reduce* reduce = barrier_.expr.as<Reduce>();
    if (!reduce) return std::nullopt;
    Vars over = reduce->vars;
    for (const IndexVar& var : barrier_.blocked) {
      if (!contains(over, var)) over.push_back(var);
    }
    std::string what = fmt::format("for '{}' over {}, write ", reduction_name(reduce->op), quoted(over));
    return what + with_sums_of_others(with_part(expr_, barrier_.expr,
                                                Expr(Reduce{reduce->op, over, reduce->body}, barrier_.expr.span())));
  }

 private:
  /// `reduced` with sums, outermost, over the variables that it leaves free.
  std::string with_sums_of_others(const Expr& reduced) const {
    Vars used = free_vars(reduced), left;
    std::copy_if(vars_.begin(), vars_.end(), std::back_inserter(left),
                 [&](const IndexVar& var) { return contains(used, var); });
    return text(place_sums(reduced, left, 0).expr);
  }

  std::string text(const Expr& right) const {
    Expr spelled = Renamer(statement_)(right);
    if (!whole_) return "here " + to_string(spelled);
    Statement statement = statement_;
    statement.rhs = spelled;
    return to_string(statement);
  }

  const Statement& statement_;
  const Barrier& barrier_;
  Expr expr_;
  Vars vars_;
  bool whole_ = true;
};

}  // namespace

Statement with_sums(const Statement& statement, int limit) {
  Statement summed = statement;
  summed.rhs = Renamer(statement)(place_sums(statement.rhs, summed_vars(statement), limit).expr);
  return summed;
}

UserError unclear_sum(const Statement& statement, const PlacedSums& placed) {
  const Barrier& barrier = *placed.first;
  UserError error(fmt::format("The sum over {} could be taken before '{}' or after it, and the two differ",
                              quoted(barrier.blocked), name_of(barrier.expr)));
  if (statement.source) std::move(error).at(statement.source, barrier.expr.span());
  Spellings spellings(statement, barrier);
  for (const std::optional<std::string>& reduction : {spellings.reduction(), spellings.longer_reduction()}) {
    if (reduction) std::move(error).hint(*reduction);
  }
  int count = spellings.count();
  std::move(error).hint("to sum last, write " + spellings.number(0));
  for (int n = 1; n + 1 < count && count <= most_spellings; n++)
    std::move(error).hint("in between, write " + spellings.number(n));
  std::move(error).hint("to sum first, write " + spellings.number(count - 1));
  if (count > most_spellings)
    std::move(error).note(fmt::format("sum(...) can also stand at {} in between", counted(count - 2, "place")));
  return error;
}

}  // namespace filigree::notation

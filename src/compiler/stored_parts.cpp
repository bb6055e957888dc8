#include "compiler/stored_parts.h"

#include <algorithm>
#include <optional>

#include "algebra/operator.h"
#include "notation/assignment.h"
#include "notation/extents.h"
#include "notation/parts.h"
#include "notation/substitute.h"
#include "notation/use_names.h"
#include "support/fresh_names.h"

namespace filigree::compiler {
namespace {

using notation::Access;
using notation::Expr;
using notation::Reduce;
using notation::Statement;
using Vars = std::vector<IndexVar>;

/// More operands with gaps than this would have too many cases.
constexpr size_t most_others = 8;

bool has_gaps(const Access& access) { return access.tensor.may_be_absent(); }

bool is_same(const Access& a, const Access& b) { return a.tensor == b.tensor && a.indices == b.indices; }

/// What `expr` is where `stored` holds its fill, if that follows from numbers alone.
std::optional<Scalar> number_of(const Expr& expr, const TensorVar& stored) {
  if (const notation::Literal* literal = expr.as<notation::Literal>()) return literal->value;
  if (const Access* access = expr.as<Access>())
    return access->tensor == stored ? std::optional(stored.fill()) : std::nullopt;
  const notation::Apply* apply = expr.as<notation::Apply>();
  if (!apply) return std::nullopt;
  std::vector<Scalar> operands;
  for (const Expr& operand : apply->operands) {
    std::optional<Scalar> number = number_of(operand, stored);
    if (!number) return std::nullopt;
    operands.push_back(*number);
  }
  return evaluate(apply->op, operands).cast(expr.type());
}

/// Is what numbers make of the part's fill the same as what is left where the part is absent?  Not of 0//w: absent, it
/// is 0, and 0//0 is no number.
bool is_absent_as_number(const Expr& expr, const TensorVar& stored) {
  bool is_same = true;
  notation::for_each(expr, [&](const Expr& part) {
    std::optional<Scalar> number = part.as<notation::Apply>() ? number_of(part, stored) : std::nullopt;
    if (!number) return;
    Expr left = notation::substitute_fill(part, [&](const Access& access) { return access.tensor == stored; });
    const notation::Literal* literal = left.as<notation::Literal>();
    is_same = is_same && (!literal || literal->value.cast(number->type()) == *number);
  });
  return is_same;
}

/// Wherever some of the other operands are absent: is the same left of `rest` whether or not `stored` is there, as far
/// as it matters what is stored?  Either nothing is left, or the same operands beside `stored`.
bool is_told_by_others(const Expr& rest, const TensorVar& stored) {
  std::vector<Access> others;
  for (const Access& access : notation::accesses(rest)) {
    bool is_known = std::any_of(others.begin(), others.end(), [&](const Access& one) { return is_same(one, access); });
    if (access.tensor != stored && has_gaps(access) && !is_known) others.push_back(access);
  }
  if (others.size() > most_others || !is_absent_as_number(rest, stored)) return false;
  auto count_without = [&](size_t absent, bool is_stored) {
    Expr left = notation::substitute_fill(rest, [&](const Access& access) {
      if (access.tensor == stored) return !is_stored;
      auto at = std::find_if(others.begin(), others.end(), [&](const Access& one) { return is_same(one, access); });
      return at != others.end() && (absent >> (at - others.begin()) & 1);
    });
    std::vector<Access> all = notation::accesses(left);
    return std::pair(all.size(), std::count_if(all.begin(), all.end(),
                                               [&](const Access& access) { return access.tensor == stored; }));
  };
  for (size_t absent = 0; absent < size_t{1} << others.size(); absent++) {
    auto [all, own] = count_without(absent, true);
    if (own == 0) continue;
    bool has_others = all > static_cast<size_t>(own);
    if (!has_others || count_without(absent, false).first + static_cast<size_t>(own) != all) return false;
  }
  return true;
}

/// The part, and then what is left.
std::optional<std::pair<Statement, Statement>> divided(const Statement& statement, const Expr& part,
                                                       const std::string& name) {
  Vars indices = notation::free_vars(part);
  Statement first{
      {TensorVar(name, part.type(), Format::dense(static_cast<int>(indices.size()))), indices}, std::nullopt, part};
  first.lhs.tensor = with_places(name, first, true);
  auto rest_with = [&](const Access& made) {
    return notation::with_part(statement.rhs, part, [&](const Expr&) { return Expr(made); });
  };
  std::optional<Expr> rest = rest_with(first.lhs);
  if (!rest) return std::nullopt;
  if (is_everywhere(part) || is_told_by_others(*rest, first.lhs.tensor)) {
    first.lhs.tensor = with_places(name, first, false);
    rest = rest_with(first.lhs);
  }
  Statement last = statement;
  last.rhs = *rest;
  if (!notation::keeps_extents(part, statement) || !notation::keeps_extents(*rest, statement)) return std::nullopt;
  return std::pair(first, last);
}

bool may_be_stored(const Expr& part, const Statement& statement) {
  if (part.same_as(statement.rhs) || !is_plain(part)) return false;
  Vars indices = notation::free_vars(part);
  if (indices.empty()) return false;
  return part.as<Reduce>() || (is_costly(part) && indices.size() < notation::index_vars(statement).size());
}

}  // namespace

bool is_plain(const Expr& expr) {
  std::vector<IndexVar> all = notation::free_vars(expr);
  return std::none_of(all.begin(), all.end(), [](const IndexVar& var) { return var.map() != nullptr; });
}

bool is_everywhere(const Expr& expr) {
  std::vector<Access> all = notation::accesses(expr);
  return std::none_of(all.begin(), all.end(), has_gaps);
}

TensorVar with_places(const std::string& name, const Statement& made, bool has_flags) {
  std::vector<Level> levels;
  size_t order = made.lhs.indices.size();
  for (size_t d = 0; d < order; d++)
    levels.push_back({static_cast<int>(d), has_flags && d + 1 == order ? level::bitmap() : level::dense()});
  return {name, made.rhs.type(), Format(levels), notation::result_fill(made)};
}

bool is_costly(const Expr& expr) {
  const notation::Apply* apply = expr.as<notation::Apply>();
  if (!apply) return false;
  switch (apply->op) {
    case Operator::Exp:
    case Operator::Log:
    case Operator::Sin:
    case Operator::Cos:
    case Operator::Tanh:
    case Operator::Power: return true;
    default: return is_user_function(apply->op);
  }
}

std::vector<std::vector<Statement>> stored_parts(const std::vector<Statement>& statements) {
  FreshNames names;
  for (const Statement& statement : statements) notation::use_names(names, statement);
  std::string name = names.make("w");
  std::vector<std::vector<Statement>> out;
  for (size_t n = 0; n < statements.size(); n++) {
    std::vector<std::string> seen;  // a part that occurs twice is the same part
    notation::for_each(statements[n].rhs, [&](const Expr& part) {
      if (!may_be_stored(part, statements[n])) return;
      std::string text = notation::to_string(part);
      if (std::find(seen.begin(), seen.end(), text) != seen.end()) return;
      seen.push_back(text);
      std::optional<std::pair<Statement, Statement>> two = divided(statements[n], part, name);
      if (!two) return;
      std::vector<Statement> all = statements;
      all[n] = two->second;
      all.insert(all.begin() + static_cast<std::ptrdiff_t>(n), two->first);
      out.push_back(std::move(all));
    });
  }
  return out;
}

}  // namespace filigree::compiler

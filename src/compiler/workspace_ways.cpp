#include "compiler/workspace_ways.h"

#include <algorithm>

#include <fmt/format.h>

#include "algebra/operator.h"
#include "notation/assignment.h"
#include "notation/parts.h"
#include "notation/use_names.h"
#include "support/fresh_names.h"

namespace filigree::compiler {
namespace {

using notation::Apply;
using notation::Expr;
using notation::Reduce;
using Vars = std::vector<IndexVar>;

bool is_plain(const Expr& expr) {
  std::vector<IndexVar> all = notation::free_vars(expr);
  return std::none_of(all.begin(), all.end(), [](const IndexVar& var) { return var.map() != nullptr; });
}

/// A call that takes as long as many products.
bool is_costly(const Expr& expr) {
  const Apply* apply = expr.as<Apply>();
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

class Finder {
 public:
  explicit Finder(const notation::Statement& statement)
      : fills_all_(statement.lhs.tensor.format().stores_all()) {
    all_ = notation::index_vars(statement);
    notation::use_names(names_, statement);
    factors_apart(statement.rhs);
    smaller_parts(statement.rhs, true);
  }

  std::vector<std::string> found;

 private:
  void add(const Expr& part, const IndexVar& var) {
    if (!is_plain(part)) return;
    std::vector<notation::Access> all = notation::accesses(part);
    // What is there everywhere needs no flags, and nor does what becomes part of something that is.
    bool is_full =
        fills_all_ || std::all_of(all.begin(), all.end(), [](const notation::Access& access) {
          return access.tensor.format().stores_all();
        });
    std::string key = notation::to_string(part) + " over " + var.name();
    if (std::find(seen_.begin(), seen_.end(), key) != seen_.end()) return;
    seen_.push_back(key);
    found.push_back(fmt::format("precompute({0}, {1}, {1}, {2}{3})", notation::to_string(part), var.name(),
                                names_.make("w"), is_full ? ", dense" : ""));
  }

  /// Of a reduction of a product: the factors that have to do with what is reduced.
  void factors_apart(const Expr& expr) {
    const Reduce* reduce = expr.as<Reduce>();
    const Apply* times = reduce ? reduce->body.as<Apply>() : nullptr;
    if (!times || !facts(times->op).associative || !facts(times->op).commutative ||
        !distributes_over(times->op, reduce->op, expr.type()))
      return;
    std::vector<Expr> inside;
    size_t apart = 0;
    for (const Expr& factor : notation::chain_operands(reduce->body, times->op)) {
      Vars used = notation::free_vars(factor);
      bool is_reduced = std::any_of(reduce->vars.begin(), reduce->vars.end(),
                                    [&](const IndexVar& var) { return contains(used, var); });
      if (is_reduced) inside.push_back(factor);
      apart += !is_reduced && !used.empty();
    }
    if (inside.size() < 2 || apart == 0) return;
    Expr part = notation::make_chain(times->op, inside);
    for (const IndexVar& var : notation::free_vars(part)) {
      if (!contains(reduce->vars, var)) add(part, var);
    }
  }

  void smaller_parts(const Expr& expr, bool is_whole) {
    Vars used = notation::free_vars(expr);
    bool is_smaller = !is_whole && used.size() == 1 && all_.size() > 1;
    if (is_smaller && (is_costly(expr) || expr.as<Reduce>())) return add(expr, used[0]);
    const Reduce* reduce = expr.as<Reduce>();
    if (reduce) return smaller_parts(reduce->body, false);
    if (const Apply* apply = expr.as<Apply>()) {
      for (const Expr& operand : apply->operands) smaller_parts(operand, false);
    }
  }

  bool fills_all_;
  Vars all_;
  FreshNames names_;
  std::vector<std::string> seen_;
};

}  // namespace

std::vector<std::string> workspace_schedules(const notation::Statement& statement) {
  return Finder(statement).found;
}

}  // namespace filigree::compiler

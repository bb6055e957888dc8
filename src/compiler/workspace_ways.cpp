#include "compiler/workspace_ways.h"

#include <algorithm>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "compiler/stored_parts.h"
#include "notation/assignment.h"
#include "notation/parts.h"
#include "notation/substitute.h"
#include "notation/use_names.h"
#include "support/fresh_names.h"

namespace filigree::compiler {
namespace {

using notation::Apply;
using notation::Expr;
using notation::Reduce;
using Vars = std::vector<IndexVar>;

bool has_access(const Expr& expr, const std::function<bool(const notation::Access&)>& is_meant) {
  std::vector<notation::Access> all = notation::accesses(expr);
  return std::any_of(all.begin(), all.end(), is_meant);
}

/// Is the access combined with other operands by more than sums?  Where these are absent, too, it can matter that it
/// is: (nothing + nothing)/nothing is nothing, and (0 + nothing)/nothing is no number.
bool meets_operands(const Expr& expr, const std::function<bool(const notation::Access&)>& is_meant) {
  const Apply* apply = expr.as<Apply>();
  bool adds = apply && (apply->op == Operator::Add || apply->op == Operator::Subtract || apply->op == Operator::Negate);
  bool meets = false;
  notation::map_children(expr, [&](const Expr& child) {
    const notation::Literal* number = child.as<notation::Literal>();
    if (has_access(child, is_meant)) meets = meets || meets_operands(child, is_meant);
    else if (apply && !adds) meets = meets || !number || number->value.is_zero() || !number->value.is_finite();
    return child;
  });
  return meets;
}

class Finder {
 public:
  explicit Finder(const notation::Statement& statement)
      : whole_(statement.rhs), fills_all_(statement.lhs.tensor.format().stores_all()) {
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
    // What is there everywhere needs no flags, and nor does what becomes part of something that is, if nothing else
    // depends on whether it is there.
    bool is_full = (fills_all_ && !decides_others(part)) ||
                   std::all_of(all.begin(), all.end(),
                               [](const notation::Access& access) { return access.tensor.format().stores_all(); });
    std::string key = notation::to_string(part) + " over " + var.name();
    if (std::find(seen_.begin(), seen_.end(), key) != seen_.end()) return;
    seen_.push_back(key);
    found.push_back(fmt::format("precompute({0}, {1}, {1}, {2}{3})", notation::to_string(part), var.name(),
                                names_.make("w"), is_full ? ", dense" : ""));
  }

  /// Where the part is absent, is anything left out that is not part of it?  0/0 is no number, nothing/0 is nothing.
  bool decides_others(const Expr& part) const {
    std::optional<Scalar> fill = notation::fill_of(part);
    if (!fill) return false;
    Vars indices = notation::free_vars(part);
    TensorVar stored("part", part.type(), Format::sparse(static_cast<int>(indices.size())), *fill);
    std::optional<Expr> rest =
        notation::with_part(whole_, part, [&](const Expr&) { return Expr(notation::Access{stored, indices}); });
    if (!rest) return true;
    auto is_stored = [&](const notation::Access& access) { return access.tensor == stored; };
    Expr left = notation::substitute_fill(*rest, is_stored);
    return notation::accesses(left).size() + 1 != notation::accesses(*rest).size() || meets_operands(*rest, is_stored);
  }

  /// A product under reductions by one operator, wherever these stand.
  struct Product {
    Operator reducer;
    std::optional<Operator> times = {};
    std::vector<Expr> factors = {};
    Vars reduced = {};
  };

  static void collect(const Expr& expr, Product& out) {
    const Reduce* reduce = expr.as<Reduce>();
    if (reduce && reduce->op == out.reducer) {
      out.reduced.insert(out.reduced.end(), reduce->vars.begin(), reduce->vars.end());
      return collect(reduce->body, out);
    }
    const Apply* times = expr.as<Apply>();
    bool multiplies = times && facts(times->op).associative && facts(times->op).commutative &&
                      distributes_over(times->op, out.reducer, expr.type()) &&
                      out.times.value_or(times->op) == times->op;
    if (!multiplies) return out.factors.push_back(expr);
    out.times = times->op;
    for (const Expr& factor : notation::chain_operands(expr, times->op)) collect(factor, out);
  }

  /// Of a reduction of a product: the factors that have to do with what is reduced.
  void factors_apart(const Expr& expr) {
    const Reduce* reduce = expr.as<Reduce>();
    if (!reduce) return;
    Product product{reduce->op};
    collect(expr, product);
    if (!product.times) return;
    if (product.factors.size() > 2) {
      for (const IndexVar& var : product.reduced) factors_with(var, product.factors, *product.times);
    }
    std::vector<Expr> inside;
    size_t apart = 0;
    for (const Expr& factor : product.factors) {
      Vars used = notation::free_vars(factor);
      bool is_reduced = std::any_of(product.reduced.begin(), product.reduced.end(),
                                    [&](const IndexVar& var) { return contains(used, var); });
      if (is_reduced) inside.push_back(factor);
      apart += !is_reduced && !used.empty();
    }
    if (inside.size() < 2 || apart == 0) return;
    Expr part = notation::make_chain(*product.times, inside);
    for (const IndexVar& var : notation::free_vars(part)) {
      if (!contains(product.reduced, var)) add(part, var);
    }
  }

  /// Those that have a variable which is reduced, if one other variable is left of them.
  void factors_with(const IndexVar& var, const std::vector<Expr>& all, Operator times) {
    std::vector<Expr> inside;
    Vars left;
    for (const Expr& factor : all) {
      Vars used = notation::free_vars(factor);
      if (!contains(used, var)) continue;
      inside.push_back(factor);
      for (const IndexVar& other : used) {
        if (other != var && !contains(left, other)) left.push_back(other);
      }
    }
    if (inside.size() > 1 && inside.size() < all.size() && left.size() == 1)
      add(notation::make_chain(times, inside), left[0]);
  }

  void smaller_parts(const Expr& expr, bool is_whole) {
    Vars used = notation::free_vars(expr);
    const Reduce* reduce = expr.as<Reduce>();
    if (reduce && !is_whole) factors_apart(expr);
    bool is_smaller = !is_whole && used.size() == 1 && all_.size() > 1;
    if (is_smaller && (is_costly(expr) || reduce)) return add(expr, used[0]);
    if (reduce) return smaller_parts(reduce->body, false);
    if (const Apply* apply = expr.as<Apply>()) {
      for (const Expr& operand : apply->operands) smaller_parts(operand, false);
    }
  }

  Expr whole_;
  bool fills_all_;
  Vars all_;
  FreshNames names_;
  std::vector<std::string> seen_;
};

}  // namespace

std::vector<std::string> workspace_schedules(const notation::Statement& statement) { return Finder(statement).found; }

}  // namespace filigree::compiler

#include "notation/distinct_names.h"

#include <map>

#include <fmt/format.h>

#include "notation/use_names.h"

namespace filigree::notation {
namespace {

std::string describe(const TensorVar& tensor) {
  std::string fill = tensor.fill().is_zero() ? "" : ", fill " + to_string(tensor.fill());
  return fmt::format("{} {}{}", to_string(tensor.type()), tensor.order() == 0 ? "scalar" : to_string(tensor.format()), fill);
}

class TensorNames {
 public:
  /// What text assigns has a new value, and may have another type and format than the one before.
  void assign(const Statement& statement) {
    const TensorVar& tensor = statement.lhs.tensor;
    if (statement.source) known_.insert_or_assign(tensor.name(), tensor);
    else add(tensor, statement, statement.lhs_span);
  }

  void add(const TensorVar& tensor, const Statement& statement, Span span) {
    if (tensor.selection()) {  // each statement makes its own
      if (tensor.read()) add(*tensor.read(), statement, span);
      return;
    }
    auto [known, is_new] = known_.try_emplace(tensor.name(), tensor);
    if (is_new || known->second == tensor) return;
    // In text the name is all there is, and stands for the same tensor everywhere; what became of it may have another fill.
    bool same_kind = known->second.type() == tensor.type() && known->second.format() == tensor.format();
    if (statement.source && same_kind) return;
    UserError error(fmt::format("Two different tensors are named '{}'", tensor.name()));
    if (std::string one = describe(known->second), other = describe(tensor); one != other) std::move(error).note(fmt::format("one is {}, the other {}", one, other));
    std::move(error).hint("use the same TensorVar wherever the same tensor is meant, and give other tensors other names");
    if (statement.source) std::move(error).at(statement.source, span);
    throw error;
  }

 private:
  std::map<std::string, TensorVar> known_;
};

/// A statement with other index variables.
class Renaming {
 public:
  explicit Renaming(const Statement& statement) {
    FreshNames names;
    use_names(names, statement);
    std::map<std::string, IndexVar> first;
    for (const IndexVar& var : index_vars(statement)) {
      auto [known, is_new] = first.try_emplace(var.name(), var);
      if (!is_new && !(known->second == var)) renamed_.insert({var, IndexVar(names.make(var.name()))});
    }
  }

  bool is_empty() const { return renamed_.empty(); }

  IndexVar operator()(const IndexVar& var) const {
    if (!var.map()) {
      auto found = renamed_.find(var);
      return found == renamed_.end() ? var : found->second;
    }
    IndexMap map = *var.map();
    for (IndexMap::Term& term : map.terms) term.var = (*this)(term.var);
    return map == *var.map() ? var : make_index(map);
  }

  Access operator()(const Access& access) const { return {access.tensor, all(access.indices)}; }

  Expr operator()(const Expr& expr) const {
    return match(
        expr, [&](const Literal&) { return expr; }, [&](const Access& access) { return Expr((*this)(access), expr.span()); },
        [&](const Coordinate& coordinate) { return Expr(Coordinate{(*this)(coordinate.var)}, expr.span()); },
        [&](const Apply&) { return map_children(expr, [&](const Expr& child) { return (*this)(child); }); },
        [&](const Reduce& reduce) { return Expr(Reduce{reduce.op, all(reduce.vars), (*this)(reduce.body), reduce.workspace}, expr.span()); });
  }

 private:
  std::vector<IndexVar> all(const std::vector<IndexVar>& vars) const {
    std::vector<IndexVar> out;
    for (const IndexVar& var : vars) out.push_back((*this)(var));
    return out;
  }

  std::map<IndexVar, IndexVar> renamed_;
};

}  // namespace

void check_tensor_names(const std::vector<Statement>& statements) {
  TensorNames names;
  for (const Statement& statement : statements) {
    // The old value, if the right side reads it, is the one that was assigned before.
    if (!statement.source) names.assign(statement);
    for_each(statement.rhs, [&](const Expr& expr) {
      if (const Access* access = expr.as<Access>()) names.add(access->tensor, statement, expr.span());
    });
    if (statement.source) names.assign(statement);
  }
}

Statement with_distinct_index_names(const Statement& statement) {
  Renaming renaming(statement);
  if (renaming.is_empty()) return statement;
  Statement out = statement;
  out.lhs = renaming(statement.lhs);
  out.rhs = renaming(statement.rhs);
  out.extents.clear();
  for (const auto& [var, extent] : statement.extents) out.extents.insert({renaming(var), extent});
  return out;
}

}  // namespace filigree::notation

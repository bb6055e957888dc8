#include "notation/canonical_names.h"

#include <algorithm>

#include "support/fresh_names.h"

namespace filigree::notation {
namespace {

class Renamer {
 public:
  explicit Renamer(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
      names_.use(statement.lhs.tensor.name());
      for (const Access& access : accesses(statement.rhs)) {
        names_.use(access.tensor.name());
        if (access.tensor.read()) names_.use(access.tensor.read()->name());
      }
      for (const IndexVar& var : index_vars(statement)) {
        if (var.is_named()) names_.use(var.name());
      }
    }
  }

  Statement operator()(const Statement& statement) {
    Statement out = statement;
    out.lhs.indices = renamed(statement.lhs.indices);
    out.rhs = renamed(statement.rhs);
    out.extents.clear();
    for (const auto& [var, extent] : statement.extents) out.extents.insert({renamed(var), extent});
    return out;
  }

  const std::map<std::string, std::string>& written() const { return written_; }

 private:
  IndexVar renamed(const IndexVar& var) {
    auto known = vars_.find(var);
    if (known != vars_.end()) return known->second;
    return vars_.emplace(var, changed(var)).first->second;
  }

  IndexVar changed(const IndexVar& var) {
    if (const IndexMap* map = var.map()) {
      IndexMap other = *map;
      for (IndexMap::Term& term : other.terms) term.var = renamed(term.var);
      return other == *map ? var : make_index(other);
    }
    if (var.is_named()) return var;
    IndexVar out = IndexVar::hidden(names_.letter('i', 'n'));
    if (var.is_numbered()) written_[var.name()] = out.name();
    return out;
  }

  std::vector<IndexVar> renamed(const std::vector<IndexVar>& vars) {
    std::vector<IndexVar> out;
    for (const IndexVar& var : vars) out.push_back(renamed(var));
    return out;
  }

  Expr renamed(const Expr& expr) {
    if (const Access* access = expr.as<Access>())
      return Expr(Access{access->tensor, renamed(access->indices)}, expr.span());
    if (const Coordinate* coordinate = expr.as<Coordinate>())
      return Expr(Coordinate{renamed(coordinate->var)}, expr.span());
    if (const Reduce* reduce = expr.as<Reduce>()) {
      std::vector<IndexVar> vars = renamed(reduce->vars);  // first, so that names follow the text
      return Expr(Reduce{reduce->op, vars, renamed(reduce->body), reduce->workspace}, expr.span());
    }
    return map_children(expr, [&](const Expr& child) { return renamed(child); });
  }

  FreshNames names_;
  std::map<IndexVar, IndexVar> vars_;
  std::map<std::string, std::string> written_;
};

bool has_numbered(const Statement& statement) {
  std::vector<IndexVar> vars = index_vars(statement);
  return std::any_of(vars.begin(), vars.end(), [](const IndexVar& var) { return var.is_numbered(); });
}

}  // namespace

CanonicalNames with_canonical_names(const std::vector<Statement>& statements) {
  if (std::none_of(statements.begin(), statements.end(), has_numbered)) return {statements, {}};
  Renamer renamer(statements);
  CanonicalNames out;
  for (const Statement& statement : statements) out.statements.push_back(renamer(statement));
  out.names = renamer.written();
  return out;
}

}  // namespace filigree::notation

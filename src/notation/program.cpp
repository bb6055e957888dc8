#include "notation/program.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "notation/assignment.h"
#include "support/text.h"

namespace filigree::notation {
namespace {

class Linker {
 public:
  explicit Linker(const std::set<std::string>& given) : given_(given) {}

  Statement operator()(const Statement& statement) {
    const std::string& name = statement.lhs.tensor.name();
    bool has_value = made_.count(name) || given_.count(name) || read_.count(name);
    Statement linked = has_value ? with_old_value(statement) : statement;
    linked.rhs = as_made(linked.rhs, linked);
    for (const Access& access : accesses(linked.rhs)) read_.insert(access.tensor.name());
    made_.insert_or_assign(name, made_by(linked));
    return linked;
  }

 private:
  Expr as_made(const Expr& expr, const Statement& statement) const {
    const Access* access = expr.as<Access>();
    if (!access) return map_children(expr, [&](const Expr& child) { return as_made(child, statement); });
    auto made = made_.find(access->tensor.name());
    if (made == made_.end()) return expr;
    check_same(made->second, access->tensor, expr, statement);
    return Expr(Access{made->second, access->indices}, expr.span());
  }

  static void check_same(const TensorVar& made, const TensorVar& read, const Expr& expr, const Statement& statement) {
    // The left side stands for the old value in `op=`, whatever that was declared as.
    bool same = made.type() == read.type() && made.format() == read.format();
    if (same || read == statement.lhs.tensor) return;
    auto describe = [](const TensorVar& tensor) { return fmt::format("{} {}", to_string(tensor.format()), to_string(tensor.type())); };
    UserError error(fmt::format("'{}' is read as {}, but a statement before assigns it as {}", read.name(), describe(read), describe(made)));
    if (statement.source) throw std::move(error).at(statement.source, expr.span());
    throw error;
  }

  const std::set<std::string>& given_;
  std::set<std::string> read_;             // so that it has a value
  std::map<std::string, TensorVar> made_;  // as the last statement left it
};

}  // namespace

TensorVar made_by(const Statement& statement) {
  Statement assigned = as_assignment(statement);
  const TensorVar& left = assigned.lhs.tensor;
  return TensorVar(left.name(), left.type(), left.format(), result_fill(assigned));
}

std::vector<Statement> link(const std::vector<Statement>& statements, const std::set<std::string>& given) {
  Linker link(given);
  std::vector<Statement> linked;
  for (const Statement& statement : statements) linked.push_back(link(statement));
  return linked;
}

const Expr* find_access(const Expr& expr, const std::string& tensor) {
  return match(
      expr, [](const Literal&) -> const Expr* { return nullptr; }, [](const Coordinate&) -> const Expr* { return nullptr; },
      [&](const Access& access) { return access.tensor.name() == tensor ? &expr : nullptr; },
      [&](const Apply& apply) -> const Expr* {
        for (const Expr& operand : apply.operands) {
          if (const Expr* found = find_access(operand, tensor)) return found;
        }
        return nullptr;
      },
      [&](const Reduce& reduce) { return find_access(reduce.body, tensor); });
}

bool reads(const Statement& statement, const std::string& tensor) { return find_access(statement.rhs, tensor) != nullptr; }
bool assigns(const Statement& statement, const std::string& tensor) { return statement.lhs.tensor.name() == tensor; }

std::vector<TensorVar> inputs(const std::vector<Statement>& statements) {
  std::vector<TensorVar> needed;
  std::set<std::string> known;
  for (const Statement& statement : statements) {
    for (const Access& access : accesses(statement.rhs)) {
      if (known.insert(access.tensor.name()).second) needed.push_back(access.tensor);
    }
    known.insert(statement.lhs.tensor.name());
  }
  return needed;
}

std::vector<std::string> unread_results(const std::vector<Statement>& statements) {
  std::vector<std::string> unread;
  for (size_t n = 0; n < statements.size(); n++) {
    const std::string& name = statements[n].lhs.tensor.name();
    bool is_used = std::any_of(statements.begin() + static_cast<std::ptrdiff_t>(n) + 1, statements.end(),
                               [&](const Statement& later) { return reads(later, name) || assigns(later, name); });
    if (!is_used) unread.push_back(name);
  }
  return unread;
}

std::vector<Step> used_steps(const std::vector<Statement>& statements, const std::set<std::string>& outputs) {
  std::set<std::string> wanted = outputs;
  std::vector<Step> used;
  for (size_t n = statements.size(); n-- > 0;) {
    if (!wanted.erase(statements[n].lhs.tensor.name())) continue;
    for (const Access& access : accesses(statements[n].rhs)) wanted.insert(access.tensor.name());
    used.insert(used.begin(), Step{statements[n], {n}});
  }
  return used;
}

std::string to_string(const std::vector<Statement>& statements) {
  std::vector<std::string> texts;
  for (const Statement& statement : statements) texts.push_back(to_string(statement));
  return join(texts, "; ");
}

}  // namespace filigree::notation

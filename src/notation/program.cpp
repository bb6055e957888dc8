#include "notation/program.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "notation/assignment.h"
#include "notation/part_update.h"
#include "notation/use_names.h"
#include "support/text.h"

namespace filigree::notation {
namespace {

class Linker {
 public:
  Linker(const std::vector<Statement>& statements, const std::set<std::string>& given) : given_(given) {
    for (const Statement& statement : statements) use_names(names_, statement);
  }

  std::vector<Statement> operator()(const Statement& statement) {
    const std::string& name = statement.lhs.tensor.name();
    bool has_value = made_.count(name) || given_.count(name) || read_.count(name) || reads_result(statement);
    std::vector<Statement> linked = has_value ? with_old_values(statement, names_) : std::vector{statement};
    for (Statement& one : linked) {
      one.rhs = as_made(one.rhs, one);
      for (const Access& access : accesses(one.rhs)) {
        if (const TensorVar* tensor = access.tensor.read()) read_.insert(tensor->name());
      }
      made_.insert_or_assign(one.lhs.tensor.name(), made_by(one));
    }
    return linked;
  }

 private:
  Expr as_made(const Expr& expr, const Statement& statement) const {
    const Access* access = expr.as<Access>();
    if (!access) return map_children(expr, [&](const Expr& child) { return as_made(child, statement); });
    const TensorVar* read = access->tensor.read();
    auto made = read ? made_.find(read->name()) : made_.end();
    if (made == made_.end()) return expr;
    check_same(made->second, *read, expr, statement);
    return Expr(
        Access{access->tensor.selection() ? selecting(access->tensor, made->second) : made->second, access->indices},
        expr.span());
  }

  /// The same selection, made from another tensor of that name.
  TensorVar selecting(const TensorVar& tensor, const TensorVar& source) const {
    Selection selection = *tensor.selection();
    selection.source = source;
    for (const TensorVar& known : selections_) {
      if (known.name() == tensor.name() && *known.selection() == selection) return known;
    }
    selections_.push_back(TensorVar(tensor.name(), selection));
    return selections_.back();
  }

  static void check_same(const TensorVar& made, const TensorVar& read, const Expr& expr, const Statement& statement) {
    // The left side stands for the old value in `op=`, whatever that was declared as.
    bool same = made.type() == read.type() && made.format() == read.format();
    if (same || read == statement.lhs.tensor) return;
    auto describe = [](const TensorVar& tensor) {
      return fmt::format("{} {}", to_string(tensor.format()), to_string(tensor.type()));
    };
    UserError error(fmt::format("'{}' is read as {}, but a statement before assigns it as {}", read.name(),
                                describe(read), describe(made)));
    if (statement.source) throw std::move(error).at(statement.source, expr.span());
    throw error;
  }

  const std::set<std::string>& given_;
  FreshNames names_;
  std::set<std::string> read_;             // so that it has a value
  std::map<std::string, TensorVar> made_;  // as the last statement left it
  mutable std::vector<TensorVar> selections_;
};

}  // namespace

TensorVar made_by(const Statement& statement) {
  Statement assigned = as_assignment(statement);
  const TensorVar& left = assigned.lhs.tensor;
  return TensorVar(left.name(), left.type(), left.format(), result_fill(assigned));
}

std::vector<Step> link(const std::vector<Statement>& statements, const std::set<std::string>& given) {
  Linker link(statements, given);
  std::vector<Step> linked;
  for (size_t n = 0; n < statements.size(); n++) {
    for (Statement& statement : link(statements[n])) linked.push_back({std::move(statement), {n}});
  }
  return linked;
}

std::vector<Statement> statements_of(const std::vector<Step>& steps) {
  std::vector<Statement> statements;
  for (const Step& step : steps) statements.push_back(step.statement);
  return statements;
}

const Expr* find_access(const Expr& expr, const std::string& tensor) {
  return match(
      expr, [](const Literal&) -> const Expr* { return nullptr; },
      [](const Coordinate&) -> const Expr* { return nullptr; },
      [&](const Access& access) {
        return access.tensor.read() && access.tensor.read()->name() == tensor ? &expr : nullptr;
      },
      [&](const Apply& apply) -> const Expr* {
        for (const Expr& operand : apply.operands) {
          if (const Expr* found = find_access(operand, tensor)) return found;
        }
        return nullptr;
      },
      [&](const Reduce& reduce) { return find_access(reduce.body, tensor); });
}

bool reads(const Statement& statement, const std::string& tensor) {
  return find_access(statement.rhs, tensor) != nullptr;
}
bool assigns(const Statement& statement, const std::string& tensor) { return statement.lhs.tensor.name() == tensor; }

std::vector<TensorVar> inputs(const std::vector<Statement>& statements) {
  std::vector<TensorVar> needed;
  std::set<std::string> known;
  for (const Statement& statement : statements) {
    for (const Access& access : accesses(statement.rhs)) {
      const TensorVar* tensor = access.tensor.read();
      if (tensor && known.insert(tensor->name()).second) needed.push_back(*tensor);
    }
    known.insert(statement.lhs.tensor.name());
  }
  return needed;
}

std::vector<std::string> unread_results(const std::vector<Statement>& statements) {
  std::vector<std::string> unread;
  std::set<std::string> used_later;
  for (size_t n = statements.size(); n-- > 0;) {
    if (used_later.insert(statements[n].lhs.tensor.name()).second) unread.push_back(statements[n].lhs.tensor.name());
    for (const Access& access : accesses(statements[n].rhs)) {
      if (const TensorVar* tensor = access.tensor.read()) used_later.insert(tensor->name());
    }
  }
  std::reverse(unread.begin(), unread.end());
  return unread;
}

std::vector<Step> used_steps(const std::vector<Step>& linked, const std::set<std::string>& outputs) {
  std::set<std::string> wanted = outputs;
  std::vector<Step> used;
  for (size_t n = linked.size(); n-- > 0;) {
    const Statement& statement = linked[n].statement;
    if (!wanted.erase(statement.lhs.tensor.name())) continue;
    for (const Access& access : accesses(statement.rhs)) {
      if (const TensorVar* tensor = access.tensor.read()) wanted.insert(tensor->name());
    }
    used.push_back(linked[n]);
  }
  std::reverse(used.begin(), used.end());
  return used;
}

std::string to_string(const std::vector<Statement>& statements) {
  std::vector<std::string> texts;
  for (const Statement& statement : statements) texts.push_back(to_string(statement));
  return join(texts, "; ");
}

}  // namespace filigree::notation

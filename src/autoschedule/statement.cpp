#include "autoschedule/statement.h"

#include <algorithm>

namespace filigree::autoschedule {

char letter(Protocol protocol) {
  switch (protocol) {
    case Protocol::Step: return 's';
    case Protocol::Locate: return 'l';
    case Protocol::Append: return 'a';
    case Protocol::Insert: return 'i';
  }
  return '?';
}

bool Access::uses(const std::string& index) const {
  return std::any_of(modes.begin(), modes.end(), [&](const Mode& mode) { return mode.index == index; });
}

bool operator==(const Expr& a, const Expr& b) { return a.held_ == b.held_ || a.kind() == b.kind(); }
bool operator==(const Stmt& a, const Stmt& b) { return a.held_ == b.held_ || a.kind() == b.kind(); }

namespace {

void collect(const Expr& expr, std::vector<Access>& out) {
  match(
      expr, [&](const Number&) {}, [&](const Access& access) { out.push_back(access); },
      [&](const Apply& apply) {
        for (const Expr& operand : apply.operands) collect(operand, out);
      });
}

void collect(const Stmt& stmt, std::vector<std::string>& workspaces) {
  match(
      stmt, [&](const Forall& n) { collect(n.body, workspaces); },
      [&](const Where& n) {
        workspaces.push_back(result(n.producer));
        collect(n.consumer, workspaces);
        collect(n.producer, workspaces);
      },
      [&](const Assign&) {});
}

}  // namespace

std::vector<Access> accesses(const Expr& expr) {
  std::vector<Access> out;
  collect(expr, out);
  return out;
}

const Assign& target(const Stmt& stmt) {
  if (const Forall* forall = stmt.as<Forall>()) return target(forall->body);
  if (const Where* where = stmt.as<Where>()) return target(where->consumer);
  return *stmt.as<Assign>();
}

const std::string& result(const Stmt& stmt) { return target(stmt).lhs.tensor; }

std::set<std::string> indices_of(const Expr& expr) {
  std::set<std::string> out;
  for (const Access& access : accesses(expr)) {
    for (const Mode& mode : access.modes) out.insert(mode.index);
  }
  return out;
}

std::set<std::string> indices_of(const Stmt& stmt) {
  return match(
      stmt, [&](const Forall& n) { return indices_of(n.body); },
      [&](const Where& n) {
        std::set<std::string> both = indices_of(n.consumer);
        both.merge(indices_of(n.producer));
        return both;
      },
      [&](const Assign& n) {
        std::set<std::string> out = indices_of(n.rhs);
        for (const Mode& mode : n.lhs.modes) out.insert(mode.index);
        return out;
      });
}

int depth(const Stmt& stmt) {
  return match(
      stmt, [&](const Forall& n) { return 1 + depth(n.body); },
      [&](const Where& n) { return std::max(depth(n.consumer), depth(n.producer)); }, [&](const Assign&) { return 0; });
}

std::vector<std::string> workspaces(const Stmt& stmt) {
  std::vector<std::string> out;
  collect(stmt, out);
  return out;
}

Stmt foralls(const std::vector<std::string>& indices, Stmt body) {
  for (size_t n = indices.size(); n-- > 0;) body = Forall{indices[n], body};
  return body;
}

}  // namespace filigree::autoschedule

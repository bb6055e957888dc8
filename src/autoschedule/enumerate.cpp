#include "autoschedule/enumerate.h"

#include <algorithm>
#include <set>

#include "autoschedule/canonical.h"
#include "autoschedule/group.h"
#include "autoschedule/place.h"
#include "support/fresh_names.h"

namespace filigree::autoschedule {
namespace {

Expr renamed(const Expr& expr, const std::map<std::string, std::string>& names) {
  return match(
      expr, [&](const Number&) { return expr; },
      [&](const Access& n) -> Expr {
        auto found = names.find(n.tensor);
        return found == names.end() ? expr : Expr(Access{found->second, n.modes});
      },
      [&](const Apply& n) -> Expr {
        Apply out{n.op, {}};
        for (const Expr& operand : n.operands) out.operands.push_back(renamed(operand, names));
        return out;
      });
}

Stmt renamed(const Stmt& stmt, const std::map<std::string, std::string>& names) {
  return match(
      stmt, [&](const Forall& n) -> Stmt { return Forall{n.index, renamed(n.body, names)}; },
      [&](const Where& n) -> Stmt { return Where{renamed(n.consumer, names), renamed(n.producer, names)}; },
      [&](const Assign& n) -> Stmt {
        auto found = names.find(n.lhs.tensor);
        return Assign{{found == names.end() ? n.lhs.tensor : found->second, n.lhs.modes}, n.op, renamed(n.rhs, names)};
      });
}

/// Temporaries get names that people can read.
Stmt with_names(const Stmt& stmt, FreshNames fresh) {
  std::map<std::string, std::string> names;
  for (const std::string& workspace : workspaces(stmt)) names[workspace] = fresh.make("w");
  return renamed(stmt, names);
}

Stmt with_write_protocols(const Stmt& stmt, std::vector<std::string> loops) {
  return match(
      stmt,
      [&](const Forall& n) -> Stmt {
        loops.push_back(n.index);
        return Forall{n.index, with_write_protocols(n.body, loops)};
      },
      [&](const Where& n) -> Stmt {
        return Where{with_write_protocols(n.consumer, loops), with_write_protocols(n.producer, {})};
      },
      [&](const Assign& n) -> Stmt {
        Access lhs = n.lhs;
        std::set<std::string> first;  // the loops that all of these are over append
        for (const std::string& loop : loops) {
          if (!lhs.uses(loop)) break;
          first.insert(loop);
        }
        for (Mode& mode : lhs.modes) mode.protocol = first.count(mode.index) ? Protocol::Append : Protocol::Insert;
        return Assign{lhs, n.op, n.rhs};
      });
}

bool is_sparse(const Access& access, const Tensors& tensors) {
  auto found = tensors.find(access.tensor);
  return found != tensors.end() && found->second.sparse;
}

void visit_assigns(const Stmt& stmt, std::vector<std::string>& loops,
                   const std::function<void(const Assign&, const std::vector<std::string>&)>& visit) {
  match(
      stmt,
      [&](const Forall& n) {
        loops.push_back(n.index);
        visit_assigns(n.body, loops, visit);
        loops.pop_back();
      },
      [&](const Where& n) {
        visit_assigns(n.consumer, loops, visit);
        visit_assigns(n.producer, loops, visit);
      },
      [&](const Assign& n) { visit(n, loops); });
}

/// Rewrites the protocols of accesses, in the order of Choices::by_access.
class Protocolizer {
 public:
  Protocolizer(const Choices& choices, std::uint64_t steps) : choices_(choices), steps_(steps) {}

  Stmt operator()(const Stmt& stmt) {
    return match(
        stmt, [&](const Forall& n) -> Stmt { return Forall{n.index, (*this)(n.body)}; },
        [&](const Where& n) -> Stmt {
          Stmt consumer = (*this)(n.consumer);
          return Where{consumer, (*this)(n.producer)};
        },
        [&](const Assign& n) -> Stmt { return Assign{n.lhs, n.op, expr(n.rhs)}; });
  }

 private:
  Expr expr(const Expr& e) {
    return match(
        e, [&](const Number&) { return e; },
        [&](const Access& n) -> Expr {
          Access out = n;
          const std::vector<int>& numbers = choices_.by_access[next_++];
          for (size_t d = 0; d < out.modes.size(); d++) {
            bool steps = !numbers.empty() && (steps_ >> numbers[d] & 1);
            out.modes[d].protocol = steps ? Protocol::Step : Protocol::Locate;
          }
          return out;
        },
        [&](const Apply& n) -> Expr {
          Apply out{n.op, {}};
          for (const Expr& operand : n.operands) out.operands.push_back(expr(operand));
          return out;
        });
  }

  const Choices& choices_;
  std::uint64_t steps_;
  size_t next_ = 0;
};

}  // namespace

void for_each_assign(const Stmt& stmt,
                     const std::function<void(const Assign&, const std::vector<std::string>&)>& visit) {
  std::vector<std::string> loops;
  visit_assigns(stmt, loops, visit);
}

Stmt with_write_protocols(const Stmt& stmt) { return with_write_protocols(stmt, {}); }

std::optional<std::vector<Stmt>> enumerate(const Problem& problem, const EnumerationLimits& limits) {
  std::optional<std::vector<Grouping>> all = groupings(problem, limits.groupings);
  if (!all) return std::nullopt;
  // The least depth first: placements that are deeper are never made again.
  int least = static_cast<int>(problem.indices.size());
  std::vector<Placement> placed;
  for (const Grouping& grouping : *all) {
    std::vector<Placement> found;
    if (!placements(grouping, problem.indices, least, limits.placements, found)) return std::nullopt;
    for (Placement& placement : found) {
      int deep = depth(placement);
      if (deep > least) continue;
      if (deep < least) placed.clear();
      least = deep;
      placed.push_back(std::move(placement));
    }
    if (placed.size() > limits.placements) return std::nullopt;
  }
  double count = 0;
  for (const Placement& placement : placed) count += order_count(placement);
  if (count > static_cast<double>(limits.statements)) return std::nullopt;
  FreshNames fresh;
  for (const auto& [name, known] : problem.tensors) fresh.use(name);
  for (const std::string& index : problem.indices) fresh.use(index);
  std::vector<Stmt> out;
  std::set<std::string> seen;
  for (const Placement& placement : placed) {
    for (const Stmt& stmt : orders(placement)) {
      if (seen.insert(canonical_text(stmt)).second) out.push_back(with_write_protocols(with_names(stmt, fresh)));
    }
  }
  return out;
}

Choices choices(const Stmt& stmt, const Tensors& tensors) {
  Choices out;
  for_each_assign(stmt, [&](const Assign& assign, const auto&) {
    for (const Access& access : accesses(assign.rhs)) {
      out.by_access.emplace_back();
      if (!is_sparse(access, tensors)) continue;
      for (size_t d = 0; d < access.modes.size(); d++) out.by_access.back().push_back(out.count++);
    }
  });
  return out;
}

Stmt with_protocols(const Stmt& stmt, const Choices& choices, std::uint64_t steps) {
  return Protocolizer(choices, steps)(stmt);
}

}  // namespace filigree::autoschedule

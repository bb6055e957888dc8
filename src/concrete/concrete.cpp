#include "concrete/concrete.h"

#include <algorithm>
#include <set>

namespace filigree::concrete {

const StmtKind& Stmt::kind() const { return node_->kind; }
bool operator==(const Stmt& a, const Stmt& b) { return a.node_ == b.node_ || a.kind() == b.kind(); }

std::vector<IndexVar> Derivation::sources() const {
  auto of_sum = [](const relation::Sum& sum) {
    std::vector<IndexVar> out;
    for (const auto& term : sum.terms) out.push_back(term.var);
    return out;
  };
  return match_variant(
      from, of_sum, [](const relation::DigitsOf<IndexVar>& digits) { return std::vector{digits.whole}; },
      [&](const relation::Entry& entry) { return of_sum(entry.number); },
      [](const AtPoint& at) { return std::vector{at.point}; });
}

void for_each(const Stmt& stmt, const std::function<void(const Stmt&)>& visit) {
  visit(stmt);
  match(
      stmt, [&](const Forall& n) { for_each(n.body, visit); },
      [&](const Where& n) { for_each(n.consumer, visit), for_each(n.producer, visit); },
      [&](const Sequence& n) {
        for (const Stmt& s : n.statements) for_each(s, visit);
      },
      [&](const Multi& n) {
        for (const Stmt& s : n.statements) for_each(s, visit);
      },
      [&](const Assign&) {});
}

namespace {

/// The statements changed, or nothing if none was.
std::optional<std::vector<Stmt>> changed(const std::vector<Stmt>& statements,
                                         const std::function<Stmt(const Stmt&)>& change) {
  std::vector<Stmt> out;
  bool any = false;
  for (const Stmt& s : statements) {
    out.push_back(change(s));
    any |= !out.back().same_as(s);
  }
  return any ? std::optional(out) : std::nullopt;
}

}  // namespace

Stmt map_children(const Stmt& stmt, const std::function<Stmt(const Stmt&)>& change) {
  return match(
      stmt,
      [&](const Forall& n) {
        Stmt body = change(n.body);
        return body.same_as(n.body) ? stmt : Stmt(n.with(body));
      },
      [&](const Where& n) {
        Stmt consumer = change(n.consumer), producer = change(n.producer);
        return consumer.same_as(n.consumer) && producer.same_as(n.producer) ? stmt : Stmt(Where{consumer, producer});
      },
      [&](const Sequence& n) {
        auto out = changed(n.statements, change);
        return out ? Stmt(Sequence{*out}) : stmt;
      },
      [&](const Multi& n) {
        auto out = changed(n.statements, change);
        return out ? Stmt(Multi{*out}) : stmt;
      },
      [&](const Assign&) { return stmt; });
}

Stmt map_assigns(const Stmt& stmt, const std::function<Stmt(const Assign&)>& change) {
  if (const Assign* assign = stmt.as<Assign>()) return change(*assign);
  return map_children(stmt, [&](const Stmt& child) { return map_assigns(child, change); });
}

std::vector<TensorVar> written(const Stmt& stmt) {
  std::vector<TensorVar> out;
  for_each(stmt, [&](const Stmt& s) {
    const Assign* assign = s.as<Assign>();
    if (assign && std::find(out.begin(), out.end(), assign->lhs.tensor) == out.end()) out.push_back(assign->lhs.tensor);
  });
  return out;
}

namespace {

/// What the loops of a producer fill together with the temporary, for others than its consumer.
std::vector<TensorVar> filled_on_the_way(const Where& where) {
  bool shares = false;
  std::set<TensorVar> read;
  for_each(where.producer, [&](const Stmt& s) { shares |= s.as<Multi>() != nullptr; });
  for_each(where.consumer, [&](const Stmt& s) {
    const Assign* assign = s.as<Assign>();
    for (const Access& access : assign ? notation::accesses(assign->rhs) : std::vector<Access>())
      read.insert(access.tensor);
  });
  std::vector<TensorVar> filled = shares ? targets(where.producer) : std::vector<TensorVar>();
  std::erase_if(filled, [&](const TensorVar& tensor) { return read.count(tensor) > 0; });
  return filled;
}

}  // namespace

std::vector<TensorVar> targets(const Stmt& stmt) {
  std::vector<TensorVar> out;
  auto add = [&](const std::vector<TensorVar>& more) {
    for (const TensorVar& tensor : more) {
      if (std::find(out.begin(), out.end(), tensor) == out.end()) out.push_back(tensor);
    }
  };
  match(
      stmt, [&](const Forall& n) { add(targets(n.body)); },
      [&](const Where& n) {
        add(targets(n.consumer));
        add(filled_on_the_way(n));
      },
      [&](const Sequence& n) {
        for (const Stmt& s : n.statements) add(targets(s));
      },
      [&](const Multi& n) {
        for (const Stmt& s : n.statements) add(targets(s));
      },
      [&](const Assign& n) { add({n.lhs.tensor}); });
  return out;
}

bool changes_nothing(const Assign& assign, const Expr& rhs) {
  const notation::Literal* literal = rhs.as<notation::Literal>();
  if (!literal || !literal->structural) return false;
  Scalar value = literal->value.cast(assign.lhs.tensor.type());
  if (!assign.op) return value == assign.lhs.tensor.fill();
  std::optional<Scalar> neutral = identity(*assign.op, assign.lhs.tensor.type());
  return neutral && *neutral == value;
}

std::vector<IndexVar> level_vars(const Access& access) {
  std::vector<IndexVar> vars;
  for (const Level& level : access.tensor.format().levels()) vars.push_back(access.indices[level.dimension()]);
  return vars;
}

std::vector<Forall> tagged_loops(const Stmt& stmt) {
  std::vector<Forall> found;
  for_each(stmt, [&](const Stmt& s) {
    const Forall* forall = s.as<Forall>();
    if (!forall || forall->tag.is_plain()) return;
    bool is_known =
        std::any_of(found.begin(), found.end(), [&](const Forall& other) { return other.var == forall->var; });
    if (!is_known) found.push_back(*forall);
  });
  return found;
}

Stmt with_tags(const Stmt& stmt, const IndexVar& var, const std::function<LoopTag(const LoopTag&)>& change) {
  Stmt inside = map_children(stmt, [&](const Stmt& child) { return with_tags(child, var, change); });
  const Forall* forall = inside.as<Forall>();
  return forall && forall->var == var ? Stmt(Forall{var, forall->body, forall->as_stored, change(forall->tag)})
                                      : inside;
}

Stmt foralls(const std::vector<IndexVar>& vars, Stmt body, bool as_stored) {
  for (auto var = vars.rbegin(); var != vars.rend(); ++var) body = Forall{*var, body, as_stored};
  return body;
}

}  // namespace filigree::concrete

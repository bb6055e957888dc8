#include "autoschedule/problem.h"

#include <algorithm>

#include <fmt/format.h>

#include "algebra/linear.h"
#include "notation/assignment.h"
#include "notation/substitute.h"
#include "support/fresh_names.h"

namespace filigree::autoschedule {

Grouping leaf(Assign assign) { return {std::move(assign)}; }

Grouping where(Grouping consumer, Grouping producer, bool distributes, std::vector<std::string> kept) {
  return {std::nullopt, std::make_shared<const Grouping>(std::move(consumer)),
          std::make_shared<const Grouping>(std::move(producer)), distributes, std::move(kept)};
}

const Assign& target(const Grouping& grouping) {
  return grouping.assign ? *grouping.assign : target(*grouping.consumer);
}

std::string to_string(const Grouping& grouping) {
  if (grouping.assign) return to_string(Stmt(*grouping.assign));
  return "where(" + to_string(*grouping.consumer) + ", " + to_string(*grouping.producer) + ")";
}

bool moves_out(Operator op, size_t position, Operator reducer, ElementType type) {
  if (op == Operator::Divide) return false;  // where it is 0, x/0 + y/0 is not (x + y)/0
  if (reducer == Operator::Add) return is_linear_in(op, static_cast<int>(position));
  return facts(op).commutative && distributes_over(op, reducer, type);
}

namespace {

/// Thrown inside of this file only.
struct Refused {
  std::string reason;
};

class Translator {
 public:
  explicit Translator(const notation::Statement& statement)
      : statement_(statement), problem_{{}, {}, {}, {}, statement, {}} {}

  Problem operator()() {
    if (statement_.rhs.as<notation::Access>()) throw Refused{"it is a copy"};
    if (statement_.op || notation::accumulation(statement_)) throw Refused{"components are written several times"};
    if (statement_.prunes) throw Refused{"values of the result decide what is stored"};
    for (const notation::Access& access : notation::accesses(statement_.rhs)) names_.use(access.tensor.name());
    const notation::Access& lhs = statement_.lhs;
    names_.use(lhs.tensor.name());
    for (const IndexVar& var : lhs.indices) {
      if (var.map()) throw Refused{"an index on the left is no index variable"};
      if (!scope_.count(var)) bind(var);
    }
    Access target = access_of(lhs, Protocol::Insert);
    Scalar fill = notation::result_fill(statement_);
    problem_.tensors[lhs.tensor.name()].fill = fill;
    const notation::Reduce* whole = statement_.rhs.as<notation::Reduce>();
    bool accumulates = whole && !whole->vars.empty() && can_reduce(whole->op) &&
                       statement_.rhs.type() == lhs.tensor.type() &&
                       identity(whole->op, lhs.tensor.type()) == std::optional(fill);
    problem_.body = accumulates ? reduction(*whole, target) : pointwise(target, std::nullopt, statement_.rhs);
    check_skipped(problem_.body, with_workspaces(problem_.body, problem_.tensors));
    name_dimensions();
    return problem_;
  }

 private:
  /// What fills a temporary, and the indices around it.
  struct Producer {
    Grouping body;
    std::vector<std::string> kept;
  };

  void bind(const IndexVar& var) {
    scope_[var] = names_.make(var.name());
    problem_.indices.push_back(scope_[var]);
    auto [first, is_new] = first_names_.try_emplace(var, scope_[var]);
    problem_.variables.emplace(scope_[var], is_new ? var : IndexVar::hidden(scope_[var]));
    if (!is_new) tie(first->second, scope_[var]);
  }

  Grouping reduction(const notation::Reduce& reduce, const Access& target) {
    std::map<IndexVar, std::string> around = scope_;
    for (const IndexVar& var : reduce.vars) bind(var);
    Grouping out = pointwise(target, reduce.op, reduce.body);
    scope_ = around;
    return out;
  }

  /// target op= expr, with producers for what is reduced inside of it.
  Grouping pointwise(const Access& target, std::optional<Operator> op, const notation::Expr& expr) {
    std::vector<Producer> producers;
    Expr rhs = translated(expr, op, producers);
    Grouping out = leaf({target, op, rhs});
    for (Producer& producer : producers)
      out = where(std::move(out), std::move(producer.body), false, std::move(producer.kept));
    return out;
  }

  /// `reducer`: of the reduction that this may as well be part of.
  Expr translated(const notation::Expr& expr, std::optional<Operator> reducer, std::vector<Producer>& producers) {
    return match(
        expr, [&](const notation::Literal& n) -> Expr { return Number{n.value}; },
        [&](const notation::Access& n) -> Expr { return access_of(n, Protocol::Step); },
        [&](const notation::Coordinate&) -> Expr { throw Refused{"an index variable is used as a value"}; },
        [&](const notation::Apply& n) -> Expr {
          Apply out{n.op, {}};
          for (size_t k = 0; k < n.operands.size(); k++) {
            // Beside what is absent it would leave nothing, so that regrouping would change what is stored.
            const notation::Literal* number = n.operands[k].as<notation::Literal>();
            if (number && annihilated(n.op, static_cast<int>(k), number->value, expr.type()))
              throw Refused{"a number decides the result alone"};
            bool same_type = n.operands[k].type() == expr.type();
            bool inside = reducer && same_type && moves_out(n.op, k, *reducer, expr.type());
            out.operands.push_back(translated(n.operands[k], inside ? reducer : std::nullopt, producers));
          }
          return out;
        },
        [&](const notation::Reduce& n) -> Expr {
          if (reducer == n.op && expr.type() == n.body.type()) {
            for (const IndexVar& var : n.vars) bind(var);
            return translated(n.body, reducer, producers);
          }
          if (n.vars.empty()) return translated(n.body, std::nullopt, producers);
          if (!can_reduce(n.op) || expr.type() != n.body.type())
            throw Refused{"a reduction changes the type of what it reduces"};
          std::string name = names_.make("t");
          std::vector<std::string> kept;
          for (const IndexVar& var : notation::free_vars(expr)) {
            if (scope_.count(var)) kept.push_back(scope_.at(var));
          }
          producers.push_back({reduction(n, Access{name, {}}), kept});
          return Access{name, {}};
        });
  }

  Access access_of(const notation::Access& access, Protocol protocol) {
    const TensorVar& tensor = access.tensor;
    if (tensor.condition() || tensor.selection())
      throw Refused{fmt::format("'{}' stands for a condition or a selection", tensor.name())};
    if (!tensor.format().is_plain() || tensor.format().symmetry() != Symmetry::None)
      throw Refused{fmt::format("levels of '{}' are not its dimensions", tensor.name())};
    problem_.tensors[tensor.name()] = {tensor.type(), tensor.fill(), tensor.may_be_absent()};
    Access out{tensor.name(), {}};
    for (size_t d = 0; d < access.indices.size(); d++) {
      const IndexVar& var = access.indices[d];
      if (var.map()) throw Refused{fmt::format("an index of '{}' is no index variable", tensor.name())};
      auto bound = scope_.find(var);
      if (bound == scope_.end()) throw Refused{fmt::format("'{}' is bound by no reduction", var.name())};
      out.modes.push_back({protocol, bound->second});
      tie(bound->second, fmt::format("{}.{}", tensor.name(), d));
    }
    return out;
  }

  /// A reduction takes no notice of what is not stored.
  static void check_skipped(const Grouping& grouping, const Tensors& tensors) {
    if (!grouping.assign) return check_skipped(*grouping.consumer, tensors), check_skipped(*grouping.producer, tensors);
    if (grouping.assign->op && skipped_terms_count(grouping.assign->rhs, *grouping.assign->op, tensors))
      throw Refused{"what is not stored counts in a reduction"};
  }

  /// Union of what has one size.
  const std::string& root(const std::string& of) {
    std::string& parent = parents_.try_emplace(of, of).first->second;
    if (parent == of) return parent;
    return root(parent);
  }
  void tie(const std::string& index, const std::string& dimension) {
    std::string a = root(index), b = root(dimension);
    if (a != b) parents_[b] = a;
  }
  void name_dimensions() {
    std::map<std::string, std::string> names;
    for (const std::string& index : problem_.indices)
      problem_.dimensions[index] = names.try_emplace(root(index), index).first->second;
  }

  const notation::Statement& statement_;
  Problem problem_;
  FreshNames names_;
  std::map<IndexVar, std::string> scope_, first_names_;
  std::map<std::string, std::string> parents_;
};

}  // namespace

std::variant<Problem, NotScheduled> problem_of(const notation::Statement& statement) {
  notation::Statement plain = notation::with_old_tensor(notation::as_assignment(statement)).statement;
  try {
    return Translator(plain)();
  } catch (const Refused& refused) {
    return NotScheduled{refused.reason};
  }
}

ElementType type_of(const Expr& expr, const Tensors& tensors) {
  return match(
      expr, [&](const Number& n) { return n.value.type(); },
      [&](const Access& n) {
        auto found = tensors.find(n.tensor);
        return found == tensors.end() ? ElementType::Float64 : found->second.type;
      },
      [&](const Apply& n) {
        std::vector<ElementType> types;
        for (const Expr& operand : n.operands) types.push_back(type_of(operand, tensors));
        if (facts(n.op).arity == static_cast<int>(types.size())) return result_type(n.op, types);
        ElementType type = types[0];
        for (size_t k = 1; k < types.size(); k++) type = result_type(n.op, {type, types[k]});
        return type;
      });
}

notation::Expr applied(Operator op, const std::vector<notation::Expr>& operands) {
  if (static_cast<int>(operands.size()) <= facts(op).arity && !facts(op).associative)
    return notation::Expr(notation::Apply{op, operands});
  notation::Expr chain = operands[0];
  for (size_t k = 1; k < operands.size(); k++) {
    notation::Expr next(notation::Apply{op, {chain, operands[k]}});
    const notation::Literal *one = chain.as<notation::Literal>(), *other = operands[k].as<notation::Literal>();
    if (one && other) {
      std::vector<ElementType> types{chain.type(), operands[k].type()};
      Scalar value =
          evaluate(op, {one->value.cast(operand_type(op, 0, types)), other->value.cast(operand_type(op, 1, types))});
      chain = notation::Expr(notation::Literal{value.cast(next.type())});
    } else {
      chain = next;
    }
  }
  return chain;
}

notation::Expr to_notation(const Expr& expr, const Tensors& tensors, std::vector<TensorVar>& by_access) {
  return match(
      expr, [&](const Number& n) { return notation::Expr(notation::Literal{n.value}); },
      [&](const Access& n) {
        auto found = tensors.find(n.tensor);
        TensorFacts known = found == tensors.end() ? TensorFacts{} : found->second;
        by_access.push_back(known.sparse && known.fill ? TensorVar::optional_scalar(n.tensor, known.type, *known.fill)
                                                       : TensorVar(n.tensor, known.type, Format()));
        return notation::Expr(notation::Access{by_access.back(), {}});
      },
      [&](const Apply& n) {
        std::vector<notation::Expr> operands;
        for (const Expr& operand : n.operands) operands.push_back(to_notation(operand, tensors, by_access));
        return applied(n.op, operands);
      });
}

bool skipped_terms_count(const Expr& expr, Operator reducer, const Tensors& tensors) {
  std::vector<TensorVar> by_access;
  notation::Expr whole = to_notation(expr, tensors, by_access);
  std::optional<Scalar> fill = notation::fill_of(whole), start = identity(reducer, whole.type());
  return fill && !(start && *start == *fill);
}

namespace {

TensorFacts facts_of(const Assign& assign, const Tensors& tensors) {
  std::vector<TensorVar> by_access;
  notation::Expr rhs = to_notation(assign.rhs, tensors, by_access);
  bool has_gaps =
      std::any_of(by_access.begin(), by_access.end(), [](const TensorVar& tensor) { return tensor.may_be_absent(); });
  if (assign.op) return {rhs.type(), identity(*assign.op, rhs.type()), has_gaps};
  std::optional<Scalar> fill = has_gaps ? notation::fill_of(rhs) : std::nullopt;
  return {rhs.type(), fill, fill.has_value()};
}

}  // namespace

Tensors with_workspaces(const Stmt& stmt, Tensors tensors) {
  return match(
      stmt, [&](const Forall& n) { return with_workspaces(n.body, tensors); },
      [&](const Where& n) {
        tensors = with_workspaces(n.producer, tensors);
        const Assign& filled = target(n.producer);
        tensors[filled.lhs.tensor] = facts_of(filled, tensors);
        return with_workspaces(n.consumer, tensors);
      },
      [&](const Assign&) { return tensors; });
}

Tensors with_workspaces(const Grouping& grouping, Tensors tensors) {
  if (grouping.assign) return tensors;
  tensors = with_workspaces(*grouping.producer, std::move(tensors));
  const Assign& filled = target(*grouping.producer);
  tensors[filled.lhs.tensor] = facts_of(filled, tensors);
  return with_workspaces(*grouping.consumer, std::move(tensors));
}

}  // namespace filigree::autoschedule

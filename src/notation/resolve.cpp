// Names -> variables: the syntax tree becomes a Statement.
#include <algorithm>

#include "notation/bind_reductions.h"
#include "notation/check.h"
#include "notation/index_forms.h"
#include "notation/literals.h"
#include "notation/parse.h"
#include "notation/select_indices.h"
#include "notation/syntax.h"
#include "support/check.h"

namespace filigree::notation {
namespace {

class Resolver {
 public:
  Resolver(const Parsed& parsed, const std::map<std::string, TensorVar>& tensors) : tensors_(tensors) {
    for (const std::string& name : parsed.index_names) indices_.emplace(name, IndexVar(name));
  }
  Resolver(const std::map<std::string, TensorVar>& tensors, const std::map<std::string, IndexVar>& indices)
      : tensors_(tensors), indices_(indices) {}

  Access access(const SyntaxNode& node) const {
    auto found = tensors_.find(node.tensor.name);
    internal_check(found != tensors_.end(), "resolve", "a tensor without a variable", node.tensor.name);
    internal_check(found->second.order() == static_cast<int>(node.indices.size()), "resolve",
                   "a variable of another order", node.tensor.name);
    return Access{found->second, indices(node)};
  }

  /// Operands stand before operators in the list, so one pass builds the tree without recursion.
  Expr expression(const std::vector<SyntaxNode>& nodes) const {
    std::vector<Expr> built;
    for (const SyntaxNode& node : nodes) {
      switch (node.kind) {
        case SyntaxNode::Kind::Number: built.emplace_back(Literal{node.value}, node.span); break;
        case SyntaxNode::Kind::Access: {
          bool is_value = node.bare && indices_.count(node.tensor.name);
          built.push_back(is_value ? Expr(Coordinate{indices_.at(node.tensor.name)}, node.span)
                                   : Expr(access(node), node.span));
          break;
        }
        case SyntaxNode::Kind::Apply: {
          std::vector<Expr> operands;
          for (int operand : node.operands) operands.push_back(built[operand]);
          built.emplace_back(Apply{node.op, std::move(operands)}, node.span);
          break;
        }
        case SyntaxNode::Kind::Reduce:
          built.emplace_back(Reduce{node.op, variables(node.vars), built[node.operands[0]]}, node.span);
          break;
      }
    }
    return built.back();
  }

 private:
  std::vector<IndexVar> variables(const std::vector<NameUse>& uses) const {
    std::vector<IndexVar> vars;
    for (const NameUse& use : uses) vars.push_back(indices_.at(use.name));
    return vars;
  }

  std::vector<IndexVar> indices(const SyntaxNode& node) const {
    std::vector<IndexVar> vars;
    for (const IndexUse& use : node.indices) vars.push_back(index(use, node.padded, node.wrapped));
    return vars;
  }

  IndexVar index(const IndexUse& use, bool padded, bool wrapped) const {
    IndexMap map{{}, use.offset, use.list, use.extent, padded};
    for (const IndexUse::Term& term : use.terms) map.terms.push_back({indices_.at(term.var.name), term.factor});
    if (use.is_variable() && !padded) return map.terms[0].var;
    map.modulus = use.modulus;
    map.wrapped = use.modulus != 0 || (wrapped && (!use.terms.empty() || !use.gathered.empty()));
    for (const GatherUse& gathered : use.gathered) {
      auto tensor = tensors_.find(gathered.tensor.name);
      internal_check(tensor != tensors_.end(), "resolve", "a tensor without a variable", gathered.tensor.name);
      Gathered read{tensor->second, {}, gathered.factor};
      for (const IndexUse& inner : gathered.indices) read.indices.push_back(index(inner, false, false));
      map.gathered = std::make_shared<const Gathered>(std::move(read));
    }
    return make_index(std::move(map));
  }

  const std::map<std::string, TensorVar>& tensors_;
  std::map<std::string, IndexVar> indices_;
};

Expr as_truth(const Expr& expr) {
  if (expr.type() == ElementType::Bool) return expr;
  if (const Literal* literal = expr.as<Literal>())
    return Expr(Literal{Scalar::boolean(literal->value.as_bool())}, expr.span());
  return Expr(Apply{Operator::NotEqual, {expr, Expr(Literal{Scalar(expr.type())}, expr.span())}}, expr.span());
}

/// Logical reductions are of truth values: any(k, e) is any(k, e != 0).
Expr with_truth_reduced(const Expr& expr) {
  Expr done = map_children(expr, with_truth_reduced);
  const Reduce* reduce = done.as<Reduce>();
  if (!reduce || facts(reduce->op).typing != Typing::Logic || reduce->body.type() == ElementType::Bool) return done;
  return Expr(Reduce{reduce->op, reduce->vars, as_truth(reduce->body), reduce->workspace}, expr.span());
}

/// 0 <= j, which is always true
Expr is_there(const IndexVar& var, Span span) {
  Expr zero(Literal{Scalar(ElementType::Int64)}, span);
  return Expr(Apply{Operator::LessEqual, {zero, Expr(Coordinate{var}, span)}}, span);
}

/// sum(j, x(i)) is x(i)*sum(j, 0 <= j), or sum(j, x(i)*(0 <= j)) where that product would have another type.
Expr with_repetitions_counted(const Reduce& reduce, const Expr& expr) {
  std::vector<IndexVar> used = free_vars(reduce.body), occurring;
  std::copy_if(reduce.vars.begin(), reduce.vars.end(), std::back_inserter(occurring),
               [&](const IndexVar& var) { return contains(used, var); });
  if (occurring.size() == reduce.vars.size()) return expr;
  ElementType type = reduced_type(Operator::Add, reduce.body.type());
  bool keeps_type = promote(type, ElementType::Int64) == type;
  Expr body = reduce.body;
  for (const IndexVar& var : reduce.vars) {
    if (!keeps_type && !contains(occurring, var))
      body = Expr(Apply{Operator::Multiply, {body, is_there(var, expr.span())}}, expr.span());
  }
  std::vector<IndexVar> vars = keeps_type ? occurring : reduce.vars;
  Expr product = vars.empty() ? body : Expr(Reduce{Operator::Add, vars, body}, expr.span());
  for (const IndexVar& var : reduce.vars) {
    if (!keeps_type || contains(occurring, var)) continue;
    Expr extent(Reduce{Operator::Add, {var}, is_there(var, expr.span())}, expr.span());
    product = Expr(Apply{Operator::Multiply, {product, extent}}, expr.span());
  }
  return product;
}

/// sum(j, 1) is how many coordinates j has, sum(0 <= j); one number for several variables, 3, is 3*sum(i, 0 <=
/// i)*sum(j, 0 <= j).
Expr with_extents_counted(const Expr& expr) {
  Expr done = map_children(expr, with_extents_counted);
  const Reduce* reduce = done.as<Reduce>();
  if (!reduce || reduce->op != Operator::Add) return done;
  const Literal* number = reduce->body.as<Literal>();
  if (!number) return with_repetitions_counted(*reduce, done);
  Expr product = reduce->body;
  for (const IndexVar& var : reduce->vars) {
    Expr extent(Reduce{Operator::Add, {var}, is_there(var, expr.span())}, expr.span());
    bool starts = product == reduce->body && number->value == Scalar::of(ElementType::Int64, std::int64_t{1});
    product = starts ? extent : Expr(Apply{Operator::Multiply, {product, extent}}, expr.span());
  }
  return product;
}

Statement with_sums_bound(const Statement& statement) {
  Statement bound = share_indices(bind_reductions(statement));
  bound.rhs = with_extents_counted(bound.rhs);
  return bound;
}

/// Literals come after reductions, which have types of their own (a sum of bools is int64).
Statement with_types(Statement bound) {
  bound.rhs = with_truth_reduced(type_literals(bound.rhs, bound.source));
  if (bound.op && facts(*bound.op).typing == Typing::Logic) bound.rhs = as_truth(bound.rhs);
  return bound;
}

Statement unbound(const Parsed& parsed, const std::map<std::string, TensorVar>& tensors) {
  Resolver resolver(parsed, tensors);
  const SyntaxTree& tree = *parsed.tree;
  Expr rhs = resolver.expression(tree.nodes);
  return Statement{
      resolver.access(tree.lhs), tree.op, rhs, tree.lhs.span, parsed.source, tree.op_span, {}, tree.prunes};
}

}  // namespace

Statement complete(const Statement& statement) {
  // Sums come first, so that a message about their places shows what was written.
  // Selections have literals of the types of what they select.
  Statement completed = share_indices(with_selections(with_types(with_sums_bound(statement))));
  check(completed);
  return completed;
}

Statement resolve(const Parsed& parsed, const std::map<std::string, TensorVar>& tensors) {
  return complete(unbound(parsed, tensors));
}

Statement resolve_with_indices(const Parsed& parsed, const std::map<std::string, TensorVar>& tensors) {
  return with_types(with_sums_bound(unbound(parsed, tensors)));
}

Statement resolve_as_written(const Parsed& parsed, const std::map<std::string, TensorVar>& tensors,
                             const std::map<std::string, IndexVar>& indices) {
  Resolver resolver(tensors, indices);
  const SyntaxTree& tree = *parsed.tree;
  Expr rhs = type_literals(resolver.expression(tree.nodes), parsed.source);
  return Statement{
      resolver.access(tree.lhs), tree.op, rhs, tree.lhs.span, parsed.source, tree.op_span, {}, tree.prunes};
}

}  // namespace filigree::notation

// precompute(expression, {variables}, {inner}, [workspace], [format], [type]): a part of the statement is computed on
// its own, into a workspace that the rest reads.
//
// Requires: 1. `expression` is a part of the statement: a subexpression, or some of the operands of a product or
// sum  2. `variables` are indices of it, which nothing inside of it reduces over; `inner` are as many, the same or new
// ones  3. `workspace` is a new name  4. `format` can be filled in any order and has that many dimensions; where the
// result is not dense, it does not pad  5. `type` is as wide as the expression's, or wider
// 6. what else indexes the expression is known around the loops over `variables`, which concrete/asked_workspaces.cpp
// checks. Before: A(i,j) = sum(k, l, B(i,k,l)*C(k,j)*D(l,j)), with precompute(B(i,k,l)*D(l,j), j, jw, w). After: A(i,j)
// = sum(k, C(k,j)*w(j)), where w(jw) = sum(l, B(i,k,l)*D(l,jw)).  What is reduced outside, and used only inside, is
// reduced inside.
#include <algorithm>

#include <fmt/format.h>

#include "concrete/merge_reductions.h"
#include "concrete/vars.h"
#include "concrete/workspace.h"
#include "notation/parts.h"
#include "schedule/commands.h"
#include "schedule/precompute.h"
#include "support/text.h"

namespace filigree::schedule {
namespace {

using concrete::Vars;
using notation::Access;
using notation::Apply;
using notation::Expr;
using notation::Reduce;
using notation::Statement;

std::vector<std::string> quoted(std::vector<std::string> names) {
  for (std::string& name : names) name = "'" + name + "'";
  return names;
}

// --- The expression as a person writes it --------------------------------------------------------

/// The reduction that goes into the workspace of this number.
std::optional<Expr> marked(const Expr& expr, size_t number) {
  std::optional<Expr> found;
  notation::for_each(expr, [&](const Expr& e) {
    const Reduce* reduce = e.as<Reduce>();
    if (reduce && reduce->workspace == number) found = e;
  });
  return found;
}

KnownNames known_names(const Steered& steered) {
  KnownNames known;
  for (const IndexVar& var : notation::index_vars(steered.statement)) known.indices.insert({var.name(), var});
  for (const Access& access : notation::accesses(steered.statement.rhs))
    known.tensors.insert({access.tensor.name(), access.tensor});
  for (const concrete::WorkspaceRequest& request : steered.requests.workspaces) {
    known.tensors.insert({request.name, TensorVar(request.name, ElementType::Float64,
                                                  Format::dense(static_cast<int>(request.variables.size())))});
  }
  return known;
}

/// The expression, with what is in a workspace already marked as that.
Expr read_expression(const Precompute& command, const Steered& steered) {
  Expr expr = read_part(command, known_names(steered));
  // What is in a workspace already is written as the workspace.
  std::function<Expr(const Expr&)> with_marks = [&](const Expr& e) -> Expr {
    const Access* access = e.as<Access>();
    if (!access) return notation::map_children(e, with_marks);
    for (size_t n = 0; n < steered.requests.workspaces.size(); n++) {
      const concrete::WorkspaceRequest& request = steered.requests.workspaces[n];
      if (request.name == access->tensor.name() && request.variables == access->indices)
        return marked(steered.statement.rhs, n).value_or(e);
    }
    return e;
  };
  return with_marks(expr);
}

// --- The part of the statement ---------------------------------------------------------------------

/// The same, to be computed into the workspace of this number.
Expr mark(const Expr& expr, size_t number) {
  if (const Reduce* reduce = expr.as<Reduce>(); reduce && !reduce->workspace)
    return Expr(Reduce{reduce->op, reduce->vars, reduce->body, number}, expr.span());
  Operator op = expr.type() == ElementType::Bool ? Operator::Or : Operator::Add;  // of nothing: it changes no type
  return Expr(Reduce{op, {}, expr, number}, expr.span());
}

/// Variables that a reduction reduces over and only the marked part of its body uses are reduced there, before it is
/// combined with the rest.
Expr reduce_inside(const Expr& expr, const Reduce& reduce, size_t number, const Vars& kept) {
  const Apply* apply = reduce.body.as<Apply>();
  Operator with = apply ? apply->op : Operator::Multiply;
  std::vector<Expr> factors = notation::chain_operands(reduce.body, with);
  auto part = std::find_if(factors.begin(), factors.end(), [&](const Expr& factor) {
    return factor.as<Reduce>() && factor.as<Reduce>()->workspace == number;
  });
  if (part == factors.end()) return expr;
  Reduce inner = *part->as<Reduce>();
  Vars elsewhere = kept;
  for (const Expr& factor : factors) {
    if (!factor.same_as(*part)) concrete::append_new(elsewhere, notation::free_vars(factor));
  }
  Vars moved;
  for (const IndexVar& var : reduce.vars) {
    if (contains(notation::free_vars(*part), var) && !contains(elsewhere, var)) moved.push_back(var);
  }
  bool is_alone = factors.size() == 1;
  bool allowed = (is_alone || distributes_over(with, reduce.op, expr.type())) &&
                 (inner.vars.empty() || inner.op == reduce.op) && facts(reduce.op).associative &&
                 facts(reduce.op).commutative;
  if (moved.empty() || !allowed) return expr;
  Expr inside(Reduce{reduce.op, concrete::concat(inner.vars, moved), inner.body, number}, part->span());
  Vars left = concrete::without(reduce.vars, moved);
  bool same_type = inside.type() == part->type();
  *part = inside;
  Expr body = notation::make_chain(with, factors);
  Expr changed = left.empty() && !reduce.workspace ? body
                                                   : Expr(Reduce{reduce.op, left, body, reduce.workspace}, expr.span());
  return same_type && changed.type() == expr.type() ? changed : expr;
}

Expr with_reductions_inside(const Expr& expr, size_t number, const Vars& kept) {
  const Reduce* own = expr.as<Reduce>();
  if (own && own->workspace == number) return expr;
  Expr done =
      notation::map_children(expr, [&](const Expr& child) { return with_reductions_inside(child, number, kept); });
  const Reduce* reduce = done.as<Reduce>();
  return reduce ? reduce_inside(done, *reduce, number, kept) : done;
}

/// The expression with the part marked, if it has it.
std::optional<Expr> with_mark(const Expr& expr, const Expr& part, size_t number, const Vars& variables) {
  auto change = [&](const Expr& found) { return mark(found, number); };
  std::optional<Expr> changed = notation::with_part(expr, part, change);
  const Reduce* reduce = part.as<Reduce>();
  if (!changed && reduce)
    changed = notation::with_part(expr, reduce->body, change);  // a part of what is reduced in one go
  if (!changed) return std::nullopt;
  Expr inside = with_reductions_inside(*changed, number, variables);
  const Reduce* found = marked(inside, number)->as<Reduce>();
  bool reduces_all = !reduce || std::all_of(reduce->vars.begin(), reduce->vars.end(),
                                            [&](const IndexVar& var) { return contains(found->vars, var); });
  return reduces_all ? std::optional(inside) : std::nullopt;
}

/// For messages: what goes into workspaces as the workspaces.
Expr with_names(const Expr& expr, const std::vector<concrete::WorkspaceRequest>& requests) {
  const Reduce* reduce = expr.as<Reduce>();
  if (!reduce || !reduce->workspace)
    return notation::map_children(expr, [&](const Expr& child) { return with_names(child, requests); });
  const concrete::WorkspaceRequest& request = requests[*reduce->workspace];
  return Access{TensorVar(request.name, expr.type(), Format::dense(static_cast<int>(request.variables.size()))),
                request.variables};
}

/// The statement's right side with the part marked.
Expr mark_part(const Precompute& command, const Steered& steered, const Vars& variables) {
  Expr part = read_expression(command, steered);
  // B*C*D is sum(l, sum(k, B*C)*D) by the rule of summation, and nobody thinks of it so.
  Expr merged = concrete::merge_reductions(steered.statement.rhs);
  for (const Expr& expr : {merged, steered.statement.rhs}) {
    if (std::optional<Expr> changed = with_mark(expr, part, steered.requests.workspaces.size(), variables))
      return *changed;
  }
  fail(command,
       UserError(fmt::format("'{}' is not a part of the statement", command.expression.text))
           .hint("parts are: " +
                 join(quoted(notation::part_texts(with_names(merged, steered.requests.workspaces))), ", ") +
                 "; and some of the operands of a product or sum, in any order"),
       command.expression.span);
}

// --- The workspace -----------------------------------------------------------------------------------

IndexVar find_variable(const Precompute& command, const Name& name, const Steered& steered) {
  KnownNames known = known_names(steered);
  auto found = known.indices.find(name.text);
  if (found != known.indices.end()) return found->second;
  std::vector<std::string> all;
  for (const auto& [each, var] : known.indices) all.push_back(each);
  fail(command,
       UserError(fmt::format("'{}' is no index variable of the statement", name.text))
           .hint("there are: " + join(all, ", ") + ", and what commands before this one make of them"),
       name.span);
}

/// The workspace's own variables: `variables` where they have the same name.
Vars inner_variables(const Precompute& command, const Vars& variables, const Steered& steered) {
  KnownNames known = known_names(steered);
  for (const concrete::WorkspaceRequest& request : steered.requests.workspaces) {
    for (const IndexVar& var : request.inner) known.indices.insert({var.name(), var});
  }
  if (command.inner.size() != variables.size()) {
    fail(command,
         UserError(fmt::format("The workspace has {}, and {} given", counted(variables.size(), "index", "indices"),
                               counted(command.inner.size(), "inner variable is", "inner variables are")))
             .hint("give one for each, the same or a new one"),
         command.inner.empty() ? command.place.span : command.inner.front().span);
  }
  Vars inner;
  for (size_t n = 0; n < variables.size(); n++) {
    const Name& name = command.inner[n];
    bool is_same = name.text == variables[n].name();
    bool is_new =
        !known.indices.count(name.text) && !known.tensors.count(name.text) && name.text != command.workspace->text &&
        std::none_of(inner.begin(), inner.end(), [&](const IndexVar& other) { return other.name() == name.text; });
    if (!is_same && !is_new)
      fail(command,
           UserError(fmt::format("'{}' is a name of something else already", name.text))
               .hint(fmt::format("choose another name, or '{}' itself", variables[n].name())),
           name.span);
    inner.push_back(is_same ? variables[n] : IndexVar(name.text));
  }
  return inner;
}

void check_workspace_name(const Precompute& command, const Steered& steered) {
  KnownNames known = known_names(steered);
  if (!known.tensors.count(command.workspace->text) && !known.indices.count(command.workspace->text) &&
      command.workspace->text != steered.statement.lhs.tensor.name())
    return;
  fail(command,
       UserError(fmt::format("'{}' is a name of something else already", command.workspace->text))
           .hint("choose another name for the workspace"),
       command.workspace->span);
}

void check_variables(const Precompute& command, const Expr& part, const concrete::WorkspaceRequest& request) {
  Vars free = notation::free_vars(part);
  for (size_t n = 0; n < request.variables.size(); n++) {
    const IndexVar& var = request.variables[n];
    const Name& name = command.variables[n];
    if (std::find(request.variables.begin(), request.variables.begin() + static_cast<std::ptrdiff_t>(n), var) !=
        request.variables.begin() + static_cast<std::ptrdiff_t>(n)) {
      fail(command, UserError(fmt::format("'{}' is named twice", name.text)).hint("name each variable once"),
           name.span);
    }
    if (!contains(free, var)) {
      fail(command,
           UserError(fmt::format("'{}' is no index of '{}'", name.text, notation::to_string(part)))
               .hint("its indices are: " + concrete::names(free)),
           name.span);
    }
    if (request.inner[n] == var) continue;
    for (const Access& access : notation::accesses(part)) {
      bool is_inside = std::any_of(access.indices.begin(), access.indices.end(), [&](const IndexVar& index) {
        return index.map() && contains(free_of({index}), var);
      });
      if (!is_inside) continue;
      fail(command,
           UserError(fmt::format("'{}' is a part of an index of '{}', and cannot have another name there", name.text,
                                 notation::to_string(access)))
               .hint(fmt::format("let the inner variable be '{}' too", name.text)),
           command.inner[n].span);
    }
  }
}

/// Has the part a value at every coordinate of these variables, wherever it stands?
bool is_everywhere(const Expr& part, const Vars& variables) {
  std::vector<Access> all = notation::accesses(part);
  Vars used = notation::free_vars(part);
  auto is_full = [](const Access& access) { return access.tensor.format().stores_all(); };
  return std::all_of(all.begin(), all.end(), is_full) &&
         std::all_of(used.begin(), used.end(), [&](const IndexVar& var) { return contains(variables, var); });
}

}  // namespace

void request(const Precompute& command, Steered& steered) {
  concrete::WorkspaceRequest request{command.workspace->text, {}, {}, {}, command.type, command.place.source,
                                     command.place.span};
  check_workspace_name(command, steered);
  for (const Name& name : command.variables) request.variables.push_back(find_variable(command, name, steered));
  request.inner = inner_variables(command, request.variables, steered);
  Expr rhs = mark_part(command, steered, request.variables);
  Expr part = *marked(rhs, steered.requests.workspaces.size());
  check_variables(command, part, request);
  bool everywhere = is_everywhere(part, request.variables);
  if (command.format) request.format = workspace_format(command, steered.statement.lhs.tensor, everywhere);
  else if (everywhere) request.format = Format::dense(static_cast<int>(request.variables.size()));
  const Access* copied = steered.statement.rhs.as<Access>();
  const TensorVar& result = steered.statement.lhs.tensor;
  if (copied && copied->tensor.format().pads() && !result.format().is_dense()) {
    fail(command,
         UserError(fmt::format("A copy of '{}' leaves out what {} only pads with, which a workspace would not know",
                               copied->tensor.name(), to_string(copied->tensor.format())))
             .hint("there is nothing to compute in a copy: leave the command out"),
         command.place.span);
  }
  check_type(command, part);
  steered.statement.rhs = rhs;
  steered.requests.workspaces.push_back(request);
}

void apply(const Precompute&, Nest&) {}  // the loops are there from the start, and the workspace's have names

}  // namespace filigree::schedule

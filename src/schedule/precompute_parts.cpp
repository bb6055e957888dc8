// precompute(expression, {variables}, {inner}, ...) over what other commands made of variables: pieces of a loop, and
// points of several loops that are numbered through.
//
// Requires: 1. the loops over `variables` stand one directly inside the other, and `expression` is a part of what is
// computed inside of them  2. it needs no variable whose loop is further in  3. a variable that stands for several
// loops, or for positions, can be one loop over its points (Nest::as_numbered_loop)  4. names are new; format and type
// are as for variables of the statement.
//
//   Before: split(j, j0, j1, 4), precompute(B(i,j)*c(j), j1, jw, t)
//           forall(i, forall(j0, forall(j, a(i) += B(i,j)*c(j))))
//   After:  forall(i, forall(j0, where(forall(j, a(i) += t(j)), forall(jw, t(jw) = B(i,jw)*c(jw)))))
//
// The loop that fills the workspace runs over a copy of the variables, which is in the same pieces.  Code keeps of the
// workspace only what one piece can hold, and numbers it from the beginning of the piece (lower/lower_where.cpp).
#include <algorithm>

#include <fmt/format.h>

#include "concrete/derivations.h"
#include "concrete/vars.h"
#include "concrete/workspace.h"
#include "notation/parts.h"
#include "notation/substitute.h"
#include "schedule/precompute.h"
#include "support/fresh_names.h"
#include "support/text.h"

namespace filigree::schedule {
namespace {

using concrete::Access;
using concrete::Assign;
using concrete::Expr;
using concrete::Forall;
using concrete::Stmt;
using concrete::Vars;
using Twins = std::map<IndexVar, IndexVar>;

class PartWorkspace {
 public:
  PartWorkspace(const Precompute& command, Nest& nest) : command_(command), nest_(nest) {}

  void insert() {
    check_names();
    find_loops();
    Expr part = read_part(command_, names());
    check_type(command_, part);
    check_variables(part);
    make_workspace(part);
    make_twins();
    Stmt changed = change(nest_.program().statement, {}, part);
    if (replaced_ == 0) refuse_part();
    nest_.program().statement = changed;
    nest_.program().environment.remarks.push_back(
        fmt::format("'{}' is computed into the workspace '{}' over {}, as the schedule asks", notation::to_string(part),
                    workspace_->name(), concrete::names(variables_)));
  }

 private:
  [[noreturn]] void refuse(UserError error, Span span) const {
    nest_.fail(std::move(error), command_.place, span, variables_);
  }

  /// The names of the workspace and of its own variables.
  void check_names() {
    const concrete::Program& program = nest_.program();
    std::vector<TensorVar> tensors = program.operands;
    for (const TensorVar& tensor : concrete::written(program.statement)) tensors.push_back(tensor);
    FreshNames taken;
    for (const TensorVar& tensor : tensors) taken.use(tensor.name());
    for (const auto& [var, extent] : program.environment.extents) taken.use(var.name());
    name_ = command_.workspace ? command_.workspace->text : taken.make("w");
    bool is_taken =
        std::any_of(tensors.begin(), tensors.end(), [&](const TensorVar& tensor) { return tensor.name() == name_; });
    if (is_taken)
      refuse(UserError(fmt::format("'{}' is a name of something else already", name_))
                 .hint("choose another name for the workspace"),
             command_.workspace->span);
    if (command_.inner.size() != command_.variables.size())
      refuse(UserError(fmt::format("The workspace has {}, and {} given",
                                   counted(command_.variables.size(), "index", "indices"),
                                   counted(command_.inner.size(), "inner variable is", "inner variables are")))
                 .hint("give one for each, the same or a new one"),
             command_.place.span);
  }

  /// One loop for each variable, and the order in which they stand around each other.
  void find_loops() {
    for (const Name& name : command_.variables) {
      Space space = nest_.space(name, command_.place);
      std::optional<IndexVar> loop = nest_.as_numbered_loop(name, command_.place);
      if (!loop) {
        variables_ = space.loops;
        refuse(UserError(fmt::format("'{}' cannot be one loop whose points number the components of '{}': other "
                                     "operands have entries of their own there, or its loops run in an order or a way "
                                     "of their own",
                                     name.text, name_))
                   .hint("precompute first, and say how loops run later; or store the other operands dense"),
               name.span);
      }
      if (space.positions && has_padding(space.positions->tensor.format())) {
        variables_ = {*loop};
        refuse(UserError(fmt::format("'{}' is stored as {}, and some of its positions only pad it",
                                     space.positions->tensor.name(), to_string(space.positions->tensor.format())))
                   .hint("precompute over coordinates"),
               name.span);
      }
      if (contains(variables_, *loop))
        refuse(UserError(fmt::format("'{}' is named twice", name.text)).hint("name each variable once"), name.span);
      variables_.push_back(*loop);
    }
    for (const IndexVar& var : variables_) {
      loops_ = loops_over(var, nest_.program().statement);
      bool all = !loops_.empty() && std::all_of(loops_.begin(), loops_.end(),
                                                [&](const Stmt& loop) { return chain_from(loop).has_value(); });
      if (all) return;
    }
    refuse(
        UserError(fmt::format("The loops over {} are not one directly inside the other", concrete::names(variables_)))
            .hint("reorder the loops first"),
        command_.variables.front().span);
  }

  static bool has_padding(const Format& format) {
    return std::any_of(format.levels().begin(), format.levels().end(),
                       [](const Level& level) { return level.format->properties().padded; });
  }

  /// The loops over all variables, from this one in.
  std::optional<std::vector<Forall>> chain_from(const Stmt& outermost) const {
    std::vector<Forall> chain;
    const Forall* at = outermost.as<Forall>();
    for (size_t n = 0; n < variables_.size(); n++) {
      if (!at || !contains(variables_, at->var)) return std::nullopt;
      chain.push_back(*at);
      at = at->body.as<Forall>();
    }
    return chain;
  }

  /// What the expression can name: what is read inside of the loops.
  KnownNames names() const {
    KnownNames known;
    auto note = [&](const IndexVar& var) { known.indices.insert({var.name(), var}); };
    for (const Stmt& loop : loops_) {
      concrete::for_each(loop, [&](const Stmt& stmt) {
        const Assign* assign = stmt.as<Assign>();
        if (!assign) return;
        notation::for_each(assign->rhs, [&](const Expr& expr) {
          if (const notation::Coordinate* coordinate = expr.as<notation::Coordinate>()) note(coordinate->var);
          const Access* access = expr.as<Access>();
          if (!access) return;
          known.tensors.insert({access->tensor.name(), access->tensor});
          for (const IndexVar& var : access->indices) note(var);
        });
      });
    }
    return known;
  }

  /// What a loop over the variable runs through: itself, or what it is in place of.
  Vars points_of(const IndexVar& var) const {
    const concrete::FlatLoop* flat = concrete::flat_loop(nest_.program().environment, var);
    Vars points = flat ? flat->loops : Vars{};
    points.push_back(var);
    return points;
  }

  /// What operands are read with: variables of the statement, and levels that follow from these.
  static Vars indices_of(const Expr& part) {
    Vars all = notation::free_vars(part);
    for (const Access& access : notation::accesses(part)) {
      for (const IndexVar& index : access.indices) {
        if (!index.map()) concrete::append_new(all, {index});
      }
    }
    return all;
  }

  void check_variables(const Expr& part) const {
    Vars free = notation::free_vars(part), used = indices_of(part);
    for (size_t n = 0; n < variables_.size(); n++) {
      Vars points = points_of(variables_[n]);
      bool is_index =
          std::any_of(points.begin(), points.end(), [&](const IndexVar& var) { return contains(free, var); });
      if (!is_index)
        refuse(UserError(fmt::format("'{}' is no index of '{}'", command_.variables[n].text, notation::to_string(part)))
                   .hint("its indices are: " + concrete::names(free)),
               command_.variables[n].span);
      std::vector<Access> accesses = notation::accesses(part);
      bool is_part = std::any_of(accesses.begin(), accesses.end(), [&](const Access& access) {
        return std::any_of(access.indices.begin(), access.indices.end(), [&](const IndexVar& index) {
          Vars sources = index.map() ? free_of({index}) : Vars{};
          return std::any_of(sources.begin(), sources.end(),
                             [&](const IndexVar& var) { return contains(points, var); });
        });
      });
      for (const concrete::Derivation& derivation : nest_.program().environment.derivations) {
        std::vector<IndexVar> sources = derivation.sources();
        is_part = is_part || (!derivation.as<concrete::AtPoint>() && contains(used, derivation.var) &&
                              std::any_of(sources.begin(), sources.end(),
                                          [&](const IndexVar& source) { return contains(points, source); }));
      }
      if (is_part)
        refuse(UserError(fmt::format("An index of '{}' follows from '{}', and cannot have another name there",
                                     notation::to_string(part), command_.variables[n].text))
                   .hint("precompute over a variable that is an index by itself"),
               command_.variables[n].span);
    }
  }

  void make_workspace(const Expr& part) {
    const TensorVar& result = nest_.program().results.front();
    Vars order;
    std::vector<Forall> chain = *chain_from(loops_.front());
    for (const Forall& loop : chain) order.push_back(loop.var);
    if (!command_.format) variables_ = in_order(order);
    int rank = static_cast<int>(variables_.size());
    bool are_numbered = std::all_of(variables_.begin(), variables_.end(), [&](const IndexVar& var) {
      return concrete::flat_loop(nest_.program().environment, var) != nullptr;
    });
    // Every point of one loop in place of several is visited; of others, those where there is something.
    Format format = command_.format ? workspace_format(command_, result)
                    : are_numbered  ? Format::dense(rank)
                                    : concrete::workspace_format(rank);
    ElementType type = command_.type.value_or(part.type());
    Scalar fill = notation::fill_of(part).value_or(Scalar(part.type())).cast(type);
    workspace_ = TensorVar(name_, type, format, fill);
    if (!format.is_dense() && concrete::level_vars(Access{*workspace_, variables_}) != order)
      refuse(UserError(fmt::format("'{}' is stored by {}, and read by loops over {}", name_,
                                   concrete::names(concrete::level_vars(Access{*workspace_, variables_})),
                                   concrete::names(order)))
                 .hint("give its variables in the order of the loops, or leave its format out"),
             command_.format->span);
  }

  Vars in_order(const Vars& order) {
    std::vector<Name> names, inner;
    for (const IndexVar& var : order) {
      size_t n = static_cast<size_t>(std::find(variables_.begin(), variables_.end(), var) - variables_.begin());
      names.push_back(command_.variables[n]);
      inner.push_back(command_.inner[n]);
    }
    command_.variables = names;
    command_.inner = inner;
    return order;
  }

  /// The variables of the loops that fill the workspace.
  void make_twins() {
    for (size_t n = 0; n < variables_.size(); n++) {
      const IndexVar& var = variables_[n];
      bool has_name = command_.inner[n] != command_.variables[n];
      IndexVar own = has_name ? nest_.define_loop(command_.inner[n], command_.place) : IndexVar(var.name());
      inner_.push_back(own);
      for (const IndexVar& point : points_of(var)) twins_.insert({point, point == var ? own : IndexVar(point.name())});
    }
    nest_.copy_points(twins_);
  }

  IndexVar twin(const IndexVar& var) const {
    auto found = twins_.find(var);
    return found == twins_.end() ? var : found->second;
  }

  Expr renamed(const Expr& expr) const {
    if (const Access* access = expr.as<Access>()) {
      Access changed = *access;
      for (IndexVar& var : changed.indices) var = twin(var);
      return Expr(changed, expr.span());
    }
    if (const notation::Coordinate* coordinate = expr.as<notation::Coordinate>())
      return Expr(notation::Coordinate{twin(coordinate->var)}, expr.span());
    return notation::map_children(expr, [&](const Expr& child) { return renamed(child); });
  }

  Stmt change(const Stmt& stmt, Vars around, const Expr& part) {
    bool is_meant = std::any_of(loops_.begin(), loops_.end(), [&](const Stmt& loop) { return loop.same_as(stmt); });
    if (is_meant) return with_workspace(stmt, around, part);
    if (const Forall* forall = stmt.as<Forall>()) around.push_back(forall->var);
    return concrete::map_children(stmt, [&](const Stmt& child) { return change(child, around, part); });
  }

  Stmt with_workspace(const Stmt& stmt, Vars around, const Expr& part) {
    std::vector<Forall> chain = *chain_from(stmt);
    for (const Forall& loop : chain) around.push_back(loop.var);
    size_t before = replaced_;
    Stmt body = concrete::map_assigns(chain.back().body, [&](const Assign& assign) -> Stmt {
      std::optional<Expr> rhs = notation::with_part(assign.rhs, part, [&](const Expr&) {
        return Expr(Access{*workspace_, variables_});
      });
      if (!rhs) return assign;
      check_copy(assign);
      check_leads(assign);
      replaced_++;
      return assign.with(assign.lhs, *rhs);
    });
    if (replaced_ == before) return stmt;
    check_bound(part, around);
    check_size(around);
    bool as_stored = std::any_of(chain.begin(), chain.end(), [](const Forall& loop) { return loop.as_stored; });
    // What is stored several times adds up.
    Assign fill{Access{*workspace_, inner_}, as_stored ? std::optional(Operator::Add) : std::nullopt, renamed(part)};
    Stmt producer = fill;
    for (auto loop = chain.rbegin(); loop != chain.rend(); ++loop) {
      body = loop->with(body);
      producer = Forall{twin(loop->var), producer, loop->as_stored};
    }
    return concrete::Where{body, producer};
  }

  void check_copy(const Assign& assign) const {
    if (!assign.drops_fill && !assign.copies_levels && !assign.unless_equal) return;
    refuse(UserError(fmt::format("'{}' is copied as it is stored, and a workspace would not know what only pads it",
                                 assign.lhs.tensor.name()))
               .hint("there is nothing to compute in a copy: leave the command out"),
           command_.place.span);
  }

  /// Points that are positions of an operand are all there is to do: it may be read by one of both sides only.
  void check_leads(const Assign& assign) const {
    for (const IndexVar& var : variables_) {
      const concrete::FlatLoop* flat = concrete::flat_loop(nest_.program().environment, var);
      if (!flat || !flat->positions) continue;
      Expr left =
          notation::substitute_fill(assign.rhs, [&](const Access& access) { return access == *flat->positions; });
      if (concrete::changes_nothing(assign, left)) continue;
      refuse(UserError(fmt::format("There is something to compute where '{}' stores nothing, and its positions number "
                                   "the components of '{}'",
                                   flat->positions->tensor.name(), name_))
                 .hint("precompute over coordinates"),
             command_.place.span);
    }
  }

  /// Positions below what is bound outside are as many as there happen to be.
  void check_size(const Vars& around) const {
    const concrete::Environment& environment = nest_.program().environment;
    for (size_t n = 0; n < variables_.size(); n++) {
      const concrete::FlatLoop* flat = concrete::flat_loop(environment, variables_[n]);
      bool is_whole = !flat || !flat->positions ||
                      concrete::level_vars(*flat->positions).front() == flat->loops.front();
      if (is_whole || concrete::most_points(environment, around, variables_[n])) continue;
      refuse(UserError(fmt::format("Nothing says how many positions '{}' has, so how large '{}' is",
                                   command_.variables[n].text, name_))
                 .hint(fmt::format("split it into pieces of some size, and precompute over what is inside of these")),
             command_.variables[n].span);
    }
  }

  void check_bound(const Expr& part, const Vars& around) const {
    Vars bound = concrete::with_computed(nest_.program().environment, around);
    for (const IndexVar& var : indices_of(part)) {
      if (contains(bound, var)) continue;
      refuse(UserError(fmt::format("'{}' cannot be over {}: '{}' needs '{}', and its loop is further in", name_,
                                   concrete::names(variables_), notation::to_string(part), var.name()))
                 .hint(fmt::format("let '{}' be over '{}' as well, or reorder its loop to the outside", name_,
                                   nest_.name_of(var))),
             command_.place.span);
    }
  }

  [[noreturn]] void refuse_part() const {
    std::vector<std::string> parts;
    for (const Stmt& loop : loops_) {
      concrete::for_each(loop, [&](const Stmt& stmt) {
        const Assign* assign = stmt.as<Assign>();
        for (const std::string& text : assign ? notation::part_texts(assign->rhs) : std::vector<std::string>())
          parts.push_back("'" + text + "'");
      });
    }
    refuse(
        UserError(fmt::format("'{}' is not a part of what is computed inside of the loop over '{}'",
                              command_.expression.text, command_.variables.front().text))
            .hint("parts are: " + join(parts, ", ") + "; and some of the operands of a product or sum, in any order"),
        command_.expression.span);
  }

  Precompute command_;
  Nest& nest_;
  std::string name_;
  Vars variables_, inner_;   // the loops that read the workspace, and those that fill it
  std::vector<Stmt> loops_;  // the outermost of those that read it
  Twins twins_;              // from what the former run through to what the latter do
  std::optional<TensorVar> workspace_;
  size_t replaced_ = 0;
};

}  // namespace

std::vector<bool> over_parts(const Schedule& schedule) {
  std::set<std::string> made;
  std::vector<bool> out;
  for (const Command& command : schedule) {
    Mentioned names = std::visit([](const auto& c) { return mentioned(c); }, command);
    const auto* precompute = std::get_if<Precompute>(&command);
    out.push_back(precompute && std::any_of(names.variables.begin(), names.variables.end(),
                                            [&](const Name& name) { return made.count(name.text) > 0; }));
    for (const Name& name : names.made) {
      if (std::find(names.variables.begin(), names.variables.end(), name) == names.variables.end())
        made.insert(name.text);
    }
  }
  return out;
}

void precompute_parts(const Precompute& command, Nest& nest) { PartWorkspace(command, nest).insert(); }

}  // namespace filigree::schedule

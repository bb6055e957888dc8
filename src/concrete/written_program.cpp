// Written loops with tensors for their names: a program that later stages take.
#include "concrete/written_scopes.h"

#include <algorithm>

#include <fmt/format.h>

#include "concrete/concretize.h"
#include "concrete/derivations.h"
#include "concrete/level_space.h"
#include "concrete/loop_order.h"
#include "concrete/products.h"
#include "concrete/vars.h"
#include "concrete/workspace.h"
#include "notation/assignment.h"
#include "notation/conditions.h"
#include "notation/substitute.h"
#include "notation/use_names.h"
#include "support/check.h"

namespace filigree::concrete {
namespace {

/// Written loops with tensors for their names.
class Builder {
 public:
  Builder(const WrittenScopes& scopes, const notation::Statement& statement, const std::map<std::string, Format>& formats)
      : scopes_(scopes), statement_(statement), formats_(formats), result_(make_result()) {
    notation::use_names(names_, statement);
    for (const Access& access : notation::accesses(statement.rhs)) tensors_.insert({access.tensor.name(), access.tensor});
    for (const IndexVar& var : notation::index_vars(statement)) by_name_.insert({var.name(), var});
    relate_levels();
    for (const WrittenLoop& loop : scopes.loops) {
      names_.use(loop.name);
      vars_.push_back(variable(loop.name));
    }
    for (const WrittenWorkspace& workspace : scopes.workspaces) names_.use(workspace.name);
  }

  Program operator()() {
    for (const WrittenAssign& assign : scopes_.assigns) {
      for (const notation::SyntaxNode* access : accesses(assign)) view_levels(assign, *access);
    }
    check_relations();
    Stmt body = build(scopes_.root);
    note_extents();
    Program program{body, {space_.view(result_)}, {}, environment_};
    for (const Access& access : notation::accesses(statement_.rhs)) {
      const TensorVar& view = space_.view(access.tensor);
      if (std::find(program.operands.begin(), program.operands.end(), view) == program.operands.end())
        program.operands.push_back(view);
    }
    if (!(result_.format() == statement_.lhs.tensor.format())) program.made = result_.format();
    return program;
  }

 private:
  TensorVar make_result() const {
    const TensorVar& declared = statement_.lhs.tensor;
    const std::vector<Level>& levels = declared.format().levels();
    bool arranges = statement_.prunes && std::any_of(levels.begin(), levels.end(), [&](const Level& level) {
                      return level.format->arrange() && &level != &levels.back();
                    });
    bool direct = can_be_assembled(declared.format()) && !arranges;
    return {declared.name(), declared.type(), direct ? declared.format() : assembled_instead(declared.format()),
            notation::result_fill(statement_)};
  }

  /// The variables of levels, from those of dimensions.
  void relate_levels() {
    for (const WrittenRelation& relation : scopes_.relations) {
      if (!scopes_.level_of(relation.var)) continue;
      IndexVar first = variable(relation.terms[0].second);
      by_name_.insert_or_assign(
          relation.var,
          relation.divides() ? space_.part(first, relation::Digits{0, relation.divisor, relation.modulus})
                             : space_.difference(first, variable(relation.terms[1].second)));
    }
  }

  bool is_over_levels(const notation::SyntaxNode& access) const {
    std::vector<std::string> names = index_names(access);
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return scopes_.level_of(name); });
  }

  /// Loops go through the levels of a tensor: from now on it is seen like that.
  void view_levels(const WrittenAssign& assign, const notation::SyntaxNode& access) {
    const std::string& name = access.tensor.name;
    if (is_value(assign, access) || !is_over_levels(access)) return;
    auto operand = tensors_.find(name);
    if (operand == tensors_.end() && name != result_.name()) return;  // a workspace has the indices it is given
    const TensorVar& tensor = name == result_.name() ? result_ : operand->second;
    Span span = scopes_.in_text(*assign.syntax, access.span);
    std::vector<std::string> names = index_names(access), dimensions = scopes_.dimensions_of(names);
    UserError error(fmt::format("'{}' is stored as {}, and these are not its levels", name, to_string(tensor.format())));
    if (static_cast<int>(names.size()) != tensor.format().level_count() ||
        static_cast<int>(dimensions.size()) != tensor.order())
      refuse(std::move(error), span);
    Access whole{tensor, {}};
    for (const std::string& dimension : dimensions) whole.indices.push_back(variable(dimension));
    Access seen = space_.view(whole);
    for (size_t k = 0; k < names.size(); k++) {
      if (seen.indices[k] != variable(names[k])) refuse(std::move(error), span);
    }
    views_.insert({name, seen.tensor});
  }

  IndexVar variable(const std::string& name) { return by_name_.insert({name, IndexVar(name)}).first->second; }

  /// Relations are those that follow from formats.
  void check_relations() const {
    for (const WrittenRelation& relation : scopes_.relations) {
      const std::vector<Derivation>& known = environment_.derivations;
      bool holds = std::any_of(known.begin(), known.end(), [&](const Derivation& d) { return says(relation, d); });
      if (!holds)
        refuse(UserError(fmt::format("No format says how '{}' follows from others like this", relation.var))
                   .hint("relations are for variables of levels, as --print concrete shows them; leave others out"),
               relation.span);
    }
  }

  bool says(const WrittenRelation& written, const Derivation& derivation) const {
    auto is = [&](const IndexVar& var, const std::string& name) {
      auto known = by_name_.find(name);
      return known != by_name_.end() && known->second == var;
    };
    if (!is(derivation.var, written.var)) return false;
    if (const auto* digits = derivation.as<relation::DigitsOf<IndexVar>>())
      return written.divides() && digits->divisor == written.divisor && digits->modulus == written.modulus &&
             is(digits->whole, written.terms[0].second);
    const relation::Sum* sum = derivation.as<relation::Sum>();
    if (!sum || written.divides() || sum->offset != written.offset || sum->terms.size() != written.terms.size())
      return false;
    for (size_t n = 0; n < sum->terms.size(); n++) {
      if (sum->terms[n].factor != written.terms[n].first || !is(sum->terms[n].var, written.terms[n].second))
        return false;
    }
    return true;
  }

  [[noreturn]] void refuse(UserError error, Span span) const { scopes_.refuse(std::move(error), span); }

  Stmt build(const Syntax& syntax) {
    switch (syntax.kind) {
      case Syntax::Kind::Forall: {
        if (!syntax.tag.is_plain())
          refuse(UserError("Written loops do not say how they run")
                     .hint("a schedule does, such as parallelize(i, cpu, none)",
                           "a schedule does, as in -s 'parallelize(i, cpu, none)'"),
                 syntax.span);
        size_t loop = scopes_.loop_numbers.at(&syntax);
        Stmt body = build(syntax.parts[0]);
        return Forall{vars_[loop], body, as_stored_.count(loop) > 0};
      }
      case Syntax::Kind::Where: {
        Stmt producer = build(syntax.parts[1]);  // first: it makes what the consumer reads
        return Where{build(syntax.parts[0]), producer};
      }
      case Syntax::Kind::Sequence: return Sequence{all(syntax.parts)};
      case Syntax::Kind::Multi: return Multi{all(syntax.parts)};
      case Syntax::Kind::Assign: return assign(scopes_.assigns[scopes_.assign_numbers.at(&syntax)]);
    }
    throw InternalError("concrete", "a statement of no kind", syntax.text);
  }

  std::vector<Stmt> all(const std::vector<Syntax>& parts) {
    std::vector<Stmt> out;
    for (const Syntax& part : parts) out.push_back(build(part));
    return out;
  }

  Stmt assign(const WrittenAssign& written) {
    std::map<std::string, IndexVar> indices;
    for (const auto& [name, loop] : written.loop_of) indices.insert({name, vars_[loop]});
    std::map<std::string, TensorVar> tensors = tensors_;
    for (const auto& [name, view] : views_) tensors.insert_or_assign(name, view);
    for (const auto& [name, number] : written.workspaces) tensors.insert_or_assign(name, workspaces_.at(name));
    const notation::Parsed& parsed = *written.syntax->parsed;
    for (const notation::TensorUse& use : parsed.tensors) {
      if (use.name == written.target || written.loop_of.count(use.name) || tensors.count(use.name)) continue;
      refuse(UserError(fmt::format("Nothing that is computed needs '{}'", use.name))
                 .hint("the workspace it goes into is not read"),
             written.syntax->span);
    }
    bool to_result = written.target == result_.name();
    int order = static_cast<int>(parsed.tree->lhs.indices.size());
    tensors.insert_or_assign(written.target,
                             TensorVar(written.target, ElementType::Float64, Format::dense(order)));  // for its indices
    notation::Statement s = notation::resolve_as_written(parsed, tensors, indices);
    if (s.op == Operator::Subtract) {
      s.op = Operator::Add;
      s.rhs = Expr(notation::Apply{Operator::Negate, {s.rhs}}, s.rhs.span());
    }
    s.rhs = notation::with_conditions(s.rhs);
    if (is_written_once(written, s)) s.op = std::nullopt;
    const TensorVar& target = to_result ? result_ : workspace(written, s);
    check_values(written, s, target);
    auto view = views_.find(written.target);
    Access lhs{view == views_.end() ? target : view->second, s.lhs.indices};
    return Assign{.lhs = to_result && view == views_.end() ? space_.view(lhs) : lhs,
                  .op = s.op,
                  .rhs = walkable(s.rhs, s.rhs, written, s),
                  .drops_fill = to_result && leaves_padding(),
                  .prunes = to_result && statement_.prunes && can_leave_out()};
  }

  /// Not if the format stores every component that it has a place for.
  bool can_leave_out() const {
    const std::vector<Level>& levels = result_.format().levels();
    return !std::all_of(levels.begin(), levels.end(),
                        [](const Level& level) { return level.format->pads() || level.format->is_implied(); });
  }

  /// The type of what all of an assignment's loops come to together.
  ElementType accumulated_type(const WrittenAssign& written, const notation::Statement& s) const {
    Vars vars = reduced(written, s);
    return s.op && !vars.empty() ? Expr(notation::Reduce{*s.op, vars, s.rhs}).type() : s.rhs.type();
  }

  /// The loops over whose iterations an assignment accumulates.
  Vars reduced(const WrittenAssign& written, const notation::Statement& s) const {
    Vars own;
    for (size_t n = written.own; n < written.around.size(); n++) own.push_back(vars_[written.around[n]]);
    return without(own, with_computed(environment_, s.lhs.indices));
  }

  /// Does each component come once?  Then nothing accumulates.
  bool is_written_once(const WrittenAssign& written, const notation::Statement& s) const {
    const std::vector<size_t>& writers =
        written.target == result_.name() ? scopes_.result_assigns : workspace_of(written.target).assigns;
    std::vector<Access> reads = notation::accesses(s.rhs);
    return writers.size() == 1 && reduced(written, s).empty() &&
           std::none_of(reads.begin(), reads.end(),
                        [](const Access& access) { return has_duplicates(access.tensor.format()); });
  }

  /// Does the statement copy an operand out of a format that pads?  Padding stays behind.
  bool leaves_padding() const {
    const Access* source = statement_.rhs.as<Access>();
    return source && source->tensor.order() > 0 && source->tensor.format().pads() &&
           without(statement_.lhs.indices, source->indices).empty() && !result_.format().is_dense();
  }

  const TensorVar& workspace(const WrittenAssign& written, const notation::Statement& s) {
    auto known = workspaces_.find(written.target);
    if (known != workspaces_.end()) return known->second;
    const std::string& name = written.target;
    ElementType type = accumulated_type(written, s);
    int order = static_cast<int>(s.lhs.indices.size());
    std::optional<Scalar> absent = notation::fill_of(s.rhs);
    Scalar fill = s.op ? identity(*s.op, type).value_or(Scalar(type)) : absent.value_or(Scalar(type)).cast(type);
    auto given = formats_.find(name);
    if (given != formats_.end() && given->second.order() != order)
      throw UserError(fmt::format("The format of '{}' has {} dimensions, but '{}' has {} indices", name,
                                  given->second.order(), name, order));
    TensorVar made = given != formats_.end() && order > 0
                         ? TensorVar(name, type, insertable_format(given->second.levels(), absent.has_value()), fill)
                     : order == 0 && absent               ? TensorVar::optional_scalar(name, type, fill)
                     : absent                             ? TensorVar(name, type, workspace_format(order), fill)
                                                          : TensorVar(name, type, Format::dense(order), fill);
    return workspaces_.insert({name, made}).first->second;
  }

  /// Loops visit what is stored: they compute what the statement says if what they skip changes nothing.
  void check_values(const WrittenAssign& written, const notation::Statement& s, const TensorVar& target) {
    const std::vector<size_t>& writers =
        target == result_ ? scopes_.result_assigns : workspace_of(written.target).assigns;
    bool adds = s.op || writers.size() > 1;
    if (!adds) return;
    Operator op = s.op.value_or(Operator::Add);
    ElementType type = accumulated_type(written, s);
    Span span = written.syntax->span;
    bool fits = writers.size() > 1 ? result_type(op, {type, target.type()}) == target.type() : type == target.type();
    if (!fits)
      refuse(UserError(fmt::format("'{}' is {}, but what is accumulated in it is {}", target.name(),
                                   to_string(target.type()), to_string(type)))
                 .hint(fmt::format("accumulate in a workspace, which takes the type: where({} = t, ... t += ...)",
                                   written.syntax->text.substr(0, static_cast<size_t>(
                                                                      written.syntax->parsed->tree->lhs.span.end)))),
             span);
    Scalar start = identity(op, type).value_or(Scalar(type));
    std::optional<Scalar> skipped = notation::fill_of(s.rhs);
    if (skipped && !(skipped->cast(type) == start))
      refuse(UserError(fmt::format("Loops skip what is not stored, which is {} here: accumulating would leave it out",
                                   to_string(*skipped)))
                 .hint("store operands in formats that have every component, or give them another fill"),
             span);
    if (target == result_ && !(target.fill().cast(type) == start))
      refuse(UserError(fmt::format("'{}' holds {} where nothing is written, and '{}' would have to start from {}",
                                   target.name(), to_string(target.fill()), target.name(), to_string(start)))
                 .hint("accumulate in a workspace, and assign it"),
             span);
  }

  const WrittenWorkspace& workspace_of(const std::string& name) const {
    return *std::find_if(scopes_.workspaces.begin(), scopes_.workspaces.end(),
                         [&](const WrittenWorkspace& workspace) { return workspace.name == name; });
  }

  Vars path(const WrittenAssign& written) const {
    Vars out;
    for (size_t loop : written.around) out.push_back(vars_[loop]);
    return scopes_.relations.empty() ? out : with_computed(environment_, out);
  }

  /// `rhs`, a part of the `whole`, with every operand as the loops walk it.
  Expr walkable(const Expr& rhs, const Expr& whole, const WrittenAssign& written, const notation::Statement& s) {
    const Access* access = rhs.as<Access>();
    if (!access) {
      return notation::map_children(rhs, [&](const Expr& child) { return walkable(child, whole, written, s); });
    }
    const Format& format = access->tensor.format();
    Vars loops = path(written);
    if (const relation::Condition* condition = access->tensor.condition()) {
      TensorVar ordered(names_.make("c"), *condition, dimensions_in_order(*access, loops));
      return Expr(Access{ordered, access->indices}, rhs.span());
    }
    for (size_t d = 0; d < access->indices.size(); d++) {
      if (tensors_.count(access->tensor.name()) && !views_.count(access->tensor.name()))
        environment_.extents.insert({access->indices[d], OfDimension{access->tensor, static_cast<int>(d)}});
    }
    if ((is_tame(format) || can_be_found(whole, *access, loops)) && follows(*access, loops)) return rhs;
    if (std::optional<Access> composed = space_.composed(*access, loops)) return Expr(*composed, rhs.span());
    if (std::vector<size_t> walk = walked_as_stored(*access, written, s); !walk.empty()) {
      as_stored_.insert(walk.begin(), walk.end());
      return rhs;
    }
    std::string text = notation::to_string(*access);
    UserError error(fmt::format("'{}' ({}) cannot be walked by loops over {}", text, to_string(format), names(loops)));
    refuse(std::move(error).hint(hint_for(*access, loops)), scopes_.in_text(*written.syntax, rhs.span()));
  }

  static std::string hint_for(const Access& access, const Vars& loops) {
    if (!access.tensor.format().is_plain() || !is_tame(access.tensor.format()))
      return "copy it into another format first, in a statement of its own";
    Vars stored = level_vars(access);
    std::string order = fmt::format("its levels are {}: loops in this order walk it", names(stored));
    return without(stored, loops).empty() ? order : order + ", with all of these around the statement";
  }

  /// Loops over an operand's inner levels may visit it as it is stored, in whatever order that is, if nothing else is
  /// walked there.  Their numbers; none if they may not.
  std::vector<size_t> walked_as_stored(const Access& access, const WrittenAssign& written,
                                       const notation::Statement& s) const {
    const Format& format = access.tensor.format();
    std::vector<Access> factors, divisors;
    if (!tensors_.count(access.tensor.name()) || !format.is_plain() || format.pads() ||
        format.symmetry() != Symmetry::None || (!s.op && has_duplicates(format)) ||
        !collect_factors(s.rhs, factors, divisors) || !follows(access, path(written)))
      return {};
    divisors.insert(divisors.end(), factors.begin(), factors.end());
    Vars inner = level_vars(access), loops;
    inner.erase(inner.begin(), inner.begin() + static_cast<std::ptrdiff_t>(tame_levels(format)));
    for (const Access& other : divisors) {
      if (!(other == access) && !is_looked_up(other, inner)) return {};
    }
    for (size_t n = written.own; n < written.around.size(); n++) loops.push_back(vars_[written.around[n]]);
    auto found = std::search(loops.begin(), loops.end(), inner.begin(), inner.end());
    if (found == loops.end()) return {};
    auto first = written.around.begin() + static_cast<std::ptrdiff_t>(written.own) + (found - loops.begin());
    return {first, first + static_cast<std::ptrdiff_t>(inner.size())};
  }

  /// Can the access be looked up in loops over these?
  static bool is_looked_up(const Access& access, const Vars& loops) {
    if (!access.tensor.format().is_plain()) return false;
    const std::vector<Level>& levels = access.tensor.format().levels();
    return std::all_of(levels.begin(), levels.end(), [&](const Level& level) {
      bool is_met = contains(loops, access.indices[static_cast<size_t>(level.dimension())]);
      return !is_met || level.format->locate() != nullptr;
    });
  }

  void note_extents() {
    auto note = [&](const Access& access) {
      for (size_t d = 0; d < access.indices.size(); d++)
        environment_.extents.insert(
            {access.indices[d], OfDimension{space_.view(access.tensor), static_cast<int>(d)}});
    };
    std::map<IndexVar, Extent> walked;
    walked.swap(environment_.extents);
    for (auto& [var, extent] : walked) {
      if (!std::holds_alternative<OfDimension>(extent)) environment_.extents.insert({var, extent});
    }
    for (const Access& access : notation::accesses(statement_.rhs)) note(access);
    note({result_, statement_.lhs.indices});
    for (const auto& [var, extent] : statement_.extents)
      environment_.extents.insert({var, relation::from_zero(extent)});
    for (size_t n = 0; n < vars_.size(); n++) {
      if (environment_.extents.count(vars_[n])) continue;
      auto own = walked.find(vars_[n]);
      std::optional<IndexVar> same = alike(n);
      if (same) environment_.extents.insert({vars_[n], like(*same)});
      else if (own != walked.end()) environment_.extents.insert(*own);
      else
        refuse(UserError(fmt::format("Nothing tells how many coordinates '{}' has", scopes_.loops[n].name))
                   .hint("a loop runs over the index of an operand or of the result"),
               scopes_.loops[n].span);
    }
  }

  /// A variable of the statement with as many coordinates.
  std::optional<IndexVar> alike(size_t loop) const {
    for (size_t n = 0; n < vars_.size(); n++) {
      if (scopes_.loops[n].group == scopes_.loops[loop].group && vars_[n] != vars_[loop] &&
          contains(notation::index_vars(statement_), vars_[n]))
        return vars_[n];
    }
    return std::nullopt;
  }

  const WrittenScopes& scopes_;
  const notation::Statement& statement_;
  const std::map<std::string, Format>& formats_;
  TensorVar result_;
  Environment environment_;
  FreshNames names_;
  LevelSpace space_{environment_, names_};
  std::map<std::string, TensorVar> tensors_, workspaces_, views_;
  std::map<std::string, IndexVar> by_name_;
  std::vector<IndexVar> vars_;  // by loop
  std::set<size_t> as_stored_;  // loops
};

}  // namespace

Program written_program(const WrittenScopes& scopes, const notation::Statement& statement,
                        const std::map<std::string, Format>& formats) {
  return Builder(scopes, statement, formats)();
}

}  // namespace filigree::concrete

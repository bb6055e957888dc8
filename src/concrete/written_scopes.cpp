#include "concrete/written_scopes.h"

#include <algorithm>

#include <fmt/format.h>

#include "support/fresh_names.h"

namespace filigree::concrete {

using notation::SyntaxNode;

std::vector<const SyntaxNode*> accesses(const WrittenAssign& assign) {
  const notation::SyntaxTree& tree = *assign.syntax->parsed->tree;
  std::vector<const SyntaxNode*> out = {&tree.lhs};
  for (const SyntaxNode& node : tree.nodes) {
    if (node.kind == SyntaxNode::Kind::Access) out.push_back(&node);
  }
  return out;
}

std::vector<std::string> index_names(const SyntaxNode& access) {
  std::vector<std::string> out;
  for (const notation::IndexUse& index : access.indices) out.push_back(index.terms[0].var.name);
  return out;
}

const WrittenRelation* WrittenScopes::level_of(const std::string& var) const {
  auto found = std::find_if(relations.begin(), relations.end(), [&](const WrittenRelation& relation) {
    return relation.var == var && (relation.divides() || relation.subtracts());
  });
  return found == relations.end() ? nullptr : &*found;
}

std::set<std::string> WrittenScopes::with_related(std::set<std::string> names) const {
  for (bool more = true; more;) {
    more = false;
    for (const WrittenRelation& relation : relations) {
      bool follows = std::all_of(relation.terms.begin(), relation.terms.end(),
                                 [&](const auto& term) { return names.count(term.second) > 0; });
      more |= follows && names.insert(relation.var).second;
    }
  }
  return names;
}

std::vector<std::string> WrittenScopes::dimensions_of(const std::vector<std::string>& names) const {
  std::vector<std::string> out;
  auto add = [&](const std::string& name) {
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  };
  for (const std::string& name : names) {
    const WrittenRelation* level = level_of(name);
    if (!level) add(name);
    else if (level->divides()) add(level->terms[0].second);
  }
  for (const std::string& name : names) {
    const WrittenRelation* level = level_of(name);
    if (!level || level->divides()) continue;
    for (const auto& [factor, dimension] : level->terms) add(dimension);
  }
  return out;
}

bool is_value(const WrittenAssign& assign, const SyntaxNode& access) {
  return access.bare && assign.loop_of.count(access.tensor.name) > 0;
}

namespace {

/// What is known where a statement stands.
struct Scope {
  std::vector<size_t> loops;
  std::map<std::string, size_t> by_name;
  std::map<std::string, size_t> workspaces;
  size_t own = 0;             // loops inside of the producer that the statement is in
  bool in_producer = false;
  std::set<std::string> first;  // tensors that are written earlier in a sequence
};

class Finder {
 public:
  explicit Finder(WrittenScopes& scopes) : out_(scopes) {}

  void run() {
    collect_written(out_.root, false);
    if (results_.size() > 1) {
      auto second = std::next(results_.begin());
      refuse(UserError(fmt::format("Both '{}' and '{}' are results: loops that are written have one",
                                   results_.begin()->first, second->first))
                 .hint("a workspace is filled by the producer of a where; write one list of loops for each result"),
             second->second);
    }
    out_.result = results_.begin()->first;
    visit(out_.root, {});
    check_reads();
    check_loops();
  }

 private:
  [[noreturn]] void refuse(UserError error, Span span) const { out_.refuse(std::move(error), span); }

  /// Names of results and workspaces, before anything is read.
  void collect_written(const Syntax& syntax, bool in_producer) {
    if (syntax.kind == Syntax::Kind::Assign) {
      const notation::NameUse& target = syntax.parsed->tree->lhs.tensor;
      (in_producer ? produced_ : results_).insert({target.name, out_.in_text(syntax, target.span)});
      return;
    }
    for (size_t n = 0; n < syntax.parts.size(); n++)
      collect_written(syntax.parts[n], in_producer || (syntax.kind == Syntax::Kind::Where && n == 1));
  }

  void visit(const Syntax& syntax, Scope scope) {
    switch (syntax.kind) {
      case Syntax::Kind::Forall: {
        bind(syntax, scope);
        return visit(syntax.parts[0], scope);
      }
      case Syntax::Kind::Where: {
        Scope producer = scope;
        producer.own = scope.loops.size();
        producer.in_producer = true;
        producer.first.clear();
        size_t before = out_.workspaces.size();
        visit(syntax.parts[1], producer);
        for (size_t n = before; n < out_.workspaces.size(); n++) {
          if (!finished_.count(n)) scope.workspaces[out_.workspaces[n].name] = n;
          finished_.insert(n);
        }
        return visit(syntax.parts[0], scope);
      }
      case Syntax::Kind::Sequence:
      case Syntax::Kind::Multi: {
        for (const Syntax& part : syntax.parts) {
          std::set<std::string> names = targets(part);
          for (const std::string& name : names) {
            if (syntax.kind == Syntax::Kind::Multi && scope.first.count(name))
              refuse(UserError(fmt::format("Two statements of a multi write '{}'", name))
                         .hint("a sequence adds one after the other to the same tensor"),
                     part.span);
          }
          visit(part, scope);
          scope.first.insert(names.begin(), names.end());
        }
        return;
      }
      case Syntax::Kind::Assign: return note(syntax, scope);
    }
  }

  static std::set<std::string> targets(const Syntax& syntax) {
    if (syntax.kind == Syntax::Kind::Assign) return {syntax.parsed->tree->lhs.tensor.name};
    if (syntax.kind == Syntax::Kind::Where) return targets(syntax.parts[0]);
    std::set<std::string> all;
    for (const Syntax& part : syntax.parts) all.merge(targets(part));
    return all;
  }

  void bind(const Syntax& loop, Scope& scope) {
    if (scope.by_name.count(loop.var))
      refuse(UserError(fmt::format("'{}' is bound twice: a loop over it is around this one", loop.var))
                 .hint("give the inner loop a variable of its own"),
             loop.span);
    if (produced_.count(loop.var) || results_.count(loop.var))
      refuse(UserError(fmt::format("'{}' is a tensor, and cannot be an index variable too", loop.var)), loop.span);
    if (scope.loops.size() >= static_cast<size_t>(notation::max_order))
      refuse(UserError(fmt::format("There are more than {} loops, one inside of the other", notation::max_order)),
             loop.span);
    size_t number = out_.loops.size();
    out_.loops.push_back({loop.var, loop.span});
    out_.loop_numbers[&loop] = number;
    scope.loops.push_back(number);
    scope.by_name[loop.var] = number;
  }

  void note(const Syntax& syntax, const Scope& scope) {
    const notation::SyntaxTree& tree = *syntax.parsed->tree;
    size_t number = out_.assigns.size();
    out_.assign_numbers[&syntax] = number;
    out_.assigns.push_back(
        {&syntax, tree.lhs.tensor.name, scope.loops, scope.own, with_related(scope.by_name), scope.workspaces});
    const WrittenAssign& assign = out_.assigns.back();
    for (const SyntaxNode& node : tree.nodes) {
      if (node.kind == SyntaxNode::Kind::Reduce)
        refuse(UserError("Loops hold no reductions")
                   .hint("a reduction is a loop that accumulates: where(... t ..., forall(k, t += ...))"),
               out_.in_text(syntax, node.span));
    }
    for (const SyntaxNode* access : accesses(assign)) check_indices(assign, *access);
    if (syntax.unless_equal || syntax.drops_fill)
      refuse(UserError(fmt::format("'{}' is for copies that Filigree makes itself",
                                   syntax.unless_equal ? "unless" : "if stored"))
                 .hint("copy operands into formats without padding and symmetry first"),
             syntax.span);
    check_accumulation(assign, scope);
    add_target(assign, number, scope);
  }

  /// Variables that follow from loops are numbered like loops.
  std::map<std::string, size_t> with_related(const std::map<std::string, size_t>& loops) {
    std::map<std::string, size_t> out = loops;
    std::set<std::string> names;
    for (const auto& [name, number] : loops) names.insert(name);
    for (const std::string& name : out_.with_related(names)) {
      if (out.count(name)) continue;
      auto known = related_.find(name);
      if (known == related_.end()) {
        known = related_.insert({name, out_.loops.size()}).first;
        out_.loops.push_back({name, out_.root.span});
      }
      out[name] = known->second;
    }
    return out;
  }

  void add_target(const WrittenAssign& assign, size_t number, const Scope& scope) {
    const std::string& name = assign.target;
    Span span = out_.in_text(*assign.syntax, assign.syntax->parsed->tree->lhs.tensor.span);
    if (!scope.in_producer) return out_.result_assigns.push_back(number);
    if (results_.count(name))
      refuse(UserError(fmt::format("The producer of a where writes '{}', which is the result", name))
                 .hint("what a producer fills is a workspace, which the consumer reads"),
             span);
    auto known = std::find_if(out_.workspaces.begin(), out_.workspaces.end(),
                              [&](const WrittenWorkspace& w) { return w.name == name; });
    if (known == out_.workspaces.end()) {
      out_.workspaces.push_back({name, {number}});
      return;
    }
    bool is_same = !finished_.count(static_cast<size_t>(known - out_.workspaces.begin())) &&
                   out_.assigns[known->assigns[0]].own == assign.own;
    if (!is_same)
      refuse(UserError(fmt::format("'{}' is filled by another producer, too", name))
                 .hint("give each workspace a name of its own"),
             span);
    known->assigns.push_back(number);
  }

  void check_indices(const WrittenAssign& assign, const SyntaxNode& access) {
    const Syntax& syntax = *assign.syntax;
    const std::string& name = access.tensor.name;
    if (is_value(assign, access)) return;
    Span span = out_.in_text(syntax, access.span);
    std::set<std::string> seen;
    for (const notation::IndexUse& index : access.indices) {
      Span place = out_.in_text(syntax, index.span);
      if (!index.is_variable())
        refuse(UserError("An index of written loops is a variable of one of them")
                   .hint("write the statement in index notation, which has other indices too"),
               place);
      const std::string& var = index.terms[0].var.name;
      if (!assign.loop_of.count(var))
        refuse(UserError(fmt::format("'{}' is not bound: no loop around it runs over '{}'", var, var))
                   .hint(fmt::format("put forall({}, ...) around the statement", var)),
               place);
      if (!seen.insert(var).second)
        refuse(UserError(fmt::format("'{}' has the index '{}' twice", name, var))
                   .hint("write the statement in index notation, which reads diagonals"),
               place);
    }
    if (access.padded || access.wrapped)
      refuse(UserError(fmt::format("'{}' cannot be padded or wrapped in written loops", name)), span);
    auto [known, is_new] = orders_.insert({name, {access.indices.size(), span}});
    if (is_new || known->second.first == access.indices.size()) return;
    refuse(UserError(fmt::format("'{}' has {} here and {} in another place", name, indices(access.indices.size()),
                                 indices(known->second.first))),
           span);
  }

  static std::string indices(size_t count) {
    return count == 0 ? "no indices" : count == 1 ? "1 index" : fmt::format("{} indices", count);
  }

  /// What a loop over another variable writes again must be added to what is there.
  void check_accumulation(const WrittenAssign& assign, const Scope& scope) {
    const notation::SyntaxTree& tree = *assign.syntax->parsed->tree;
    Span span = out_.in_text(*assign.syntax, tree.lhs.span);
    const std::string& name = assign.target;
    std::vector<std::string> indices = index_names(tree.lhs);
    std::set<std::string> written(indices.begin(), indices.end()), told = out_.with_related(written);
    bool is_first = !scope.first.count(name);
    if (tree.op) {
      Operator op = tree.op == Operator::Subtract ? Operator::Add : *tree.op;
      if (!can_reduce(op) || !facts(op).reduction)
        refuse(UserError(fmt::format("Loops cannot accumulate by '{}'", facts(*tree.op).symbol))
                   .hint("they can by +=, -=, *=, min=, max=, and=, or="),
               span);
      if (!is_first && op != Operator::Add)
        refuse(UserError("Statements of a sequence are added up: all but the first are +="), span);
    } else if (!is_first) {
      refuse(UserError(fmt::format("'{}' is written before: this would replace it", name))
                 .hint("write += to add to it"),
             span);
    }
    for (size_t n = 0; n < assign.around.size(); n++) {
      const std::string& loop = out_.loops[assign.around[n]].name;
      bool is_written = written.count(loop) > 0;
      if (n < assign.own && is_written && out_.relations.empty())
        refuse(UserError(fmt::format("The loop over '{}' is around the where that fills '{}', so that it has only one "
                                     "component there",
                                     loop, name))
                   .hint("leave the index out"),
               span);
      if (n >= assign.own && !told.count(loop) && !tree.op)
        refuse(UserError(fmt::format("'{}' is written again in each iteration of the loop over '{}'", name, loop))
                   .hint("write += to accumulate, or give it the index"),
               span);
    }
  }

  void check_reads() const {
    for (const WrittenAssign& assign : out_.assigns) {
      std::vector<const SyntaxNode*> all = accesses(assign);
      for (size_t n = 1; n < all.size(); n++) {
        const std::string& name = all[n]->tensor.name;
        if (is_value(assign, *all[n]) || assign.workspaces.count(name)) continue;
        Span span = out_.in_text(*assign.syntax, all[n]->span);
        if (name == out_.result)
          refuse(UserError(fmt::format("'{}' is the result, and loops cannot read it", name))
                     .hint("+= adds to what is there; a workspace holds what is read again"),
                 span);
        if (produced_.count(name))
          refuse(UserError(fmt::format("'{}' is read before it is written", name))
                     .hint("the first part of a where reads what the second part fills"),
                 span);
      }
    }
  }

  /// A loop over what nothing uses has no end.
  void check_loops() const {
    std::set<size_t> used;
    for (const WrittenAssign& assign : out_.assigns) {
      for (const SyntaxNode* access : accesses(assign)) {
        if (is_value(assign, *access)) used.insert(assign.loop_of.at(access->tensor.name));
        for (const std::string& name : index_names(*access)) used.insert(assign.loop_of.at(name));
      }
    }
    for (const auto& [syntax, loop] : out_.loop_numbers) {
      if (!used.count(loop) && out_.relations.empty())
        refuse(UserError(fmt::format("Nothing tells how many coordinates '{}' has", syntax->var))
                   .hint("a loop runs over the index of an operand or of the result"),
               syntax->span);
    }
  }

  WrittenScopes& out_;
  std::map<std::string, Span> results_, produced_;
  std::map<std::string, std::pair<size_t, Span>> orders_;
  std::map<std::string, size_t> related_;
  std::set<size_t> finished_;  // workspaces whose producer is behind us
};

}  // namespace

void find_scopes(WrittenScopes& scopes) { Finder(scopes).run(); }

// --- Names -------------------------------------------------------------------------------------------

namespace {

/// Loops and dimensions that have the same number of coordinates.
class Classes {
 public:
  explicit Classes(const WrittenScopes& scopes) {
    for (size_t loop = 0; loop < scopes.loops.size(); loop++) parents_.push_back(loop);
    for (const WrittenAssign& assign : scopes.assigns) {
      for (const SyntaxNode* access : accesses(assign)) {
        for (size_t d = 0; d < access->indices.size(); d++) {
          size_t loop = assign.loop_of.at(access->indices[d].terms[0].var.name);
          auto [known, is_new] = dimensions_.insert({{access->tensor.name, d}, loop});
          parents_[find(loop)] = find(known->second);
        }
      }
    }
  }

  size_t find(size_t loop) {
    while (parents_[loop] != loop) loop = parents_[loop] = parents_[parents_[loop]];
    return loop;
  }

 private:
  std::vector<size_t> parents_;
  std::map<std::pair<std::string, size_t>, size_t> dimensions_;
};

}  // namespace

void name_loops(WrittenScopes& scopes) {
  if (!scopes.relations.empty()) {  // which hold for the names as they are
    std::map<std::string, size_t> groups;
    for (WrittenLoop& loop : scopes.loops) loop.group = groups.insert({loop.name, groups.size()}).first->second;
    return;
  }
  FreshNames names;
  for (const WrittenLoop& loop : scopes.loops) names.use(loop.name);
  for (const WrittenAssign& assign : scopes.assigns) {
    for (const notation::TensorUse& use : assign.syntax->parsed->tensors) names.use(use.name);
  }
  Classes classes(scopes);
  std::map<std::pair<std::string, size_t>, std::string> named;
  std::set<std::string> taken;
  for (size_t n = 0; n < scopes.loops.size(); n++) {
    WrittenLoop& loop = scopes.loops[n];
    std::string written = loop.name;
    loop.group = classes.find(n);
    auto known = named.find({written, loop.group});
    if (known == named.end()) {
      std::string name = taken.insert(written).second ? written : names.make(written);
      known = named.insert({{written, loop.group}, name}).first;
    }
    loop.name = known->second;
  }
}

}  // namespace filigree::concrete

// bound(variable, exact|min|max|divisible, number): what is known about the number of coordinates of `variable`.
// bound(variable, name, number, kind): the same, and the variable is called `name` from here on.
//
// Requires: 1. `variable` is over a dimension, or over several that were collapsed, or is in positions of an operand,
// or counts pieces of these, or is a piece whose size a split says  2. the bounds given for it can hold together. Every
// run checks that they hold for its operands. Before and after: the same loops; Environment::bounds has one more.  A
// number of coordinates that is known is a constant in the code, and pieces that divide it evenly need no test for the
// end.
#include <algorithm>

#include <fmt/format.h>

#include "concrete/derivations.h"
#include "schedule/commands.h"

namespace filigree::schedule {
namespace {

using Kind = Bound::Kind;

// A dimension begins at 0: the least that is said of where it ends is the least number of coordinates.
const std::vector<Arguments::Word> kinds = {{"exact", int(Kind::Exact)},    {"min", int(Kind::Min)},
                                            {"max", int(Kind::Max)},        {"divisible", int(Kind::Divisible)},
                                            {"MaxExact", int(Kind::Exact)}, {"MaxConstraint", int(Kind::Max)},
                                            {"MinExact", int(Kind::Min)},   {"MinConstraint", int(Kind::Min)}};

const char* word_for(Kind kind) {
  return std::find_if(kinds.begin(), kinds.end(), [&](const Arguments::Word& word) { return word.value == int(kind); })
      ->text;
}

/// Is there a number of coordinates that keeps to both?
bool can_hold_together(const concrete::ExtentBound& a, const concrete::ExtentBound& b) {
  if (a.kind == Kind::Exact) return concrete::holds(b, a.amount);
  if (b.kind == Kind::Exact) return concrete::holds(a, b.amount);
  if (a.kind == Kind::Min && b.kind == Kind::Max) return a.amount <= b.amount;
  if (a.kind == Kind::Max && b.kind == Kind::Min) return b.amount <= a.amount;
  return true;  // 0 is a multiple of everything
}

/// A variable for the points of several loops, or for positions, which are as many as the operand stores below a node.
IndexVar points_as_variable(const Name& name, const Space& space, const Place& place, Nest& nest) {
  concrete::Environment& environment = nest.program().environment;
  for (const concrete::FlatLoop& flat : environment.flat_loops) {
    if (flat.loops == space.loops && flat.positions == space.positions) return flat.var;
  }
  environment.flat_loops.push_back({{space.loops, space.positions}, IndexVar(name.text), place.source, place.span});
  environment.extents.insert({environment.flat_loops.back().var, concrete::OfPieces{}});
  return environment.flat_loops.back().var;
}

/// Code for the loop over this part of the points relies on the size of the pieces around it.
void rely_on_pieces(const concrete::PieceLoop& numbering, const IndexVar& part, concrete::Environment& environment) {
  concrete::PieceLoop* around = nullptr;
  for (concrete::PieceLoop& cut : environment.piece_loops) {
    if (cut.given == concrete::PieceLoop::Given::Inside || !concrete::is_same_numbering(cut, numbering)) continue;
    if (cut.var == part) break;
    around = &cut;
  }
  if (around) around->is_bounded = true;
}

/// What the command is about: a dimension, positions, or pieces of these.  Nothing if splits say how many iterations
/// there are, and that the bound holds.
std::optional<IndexVar> bounded(const Bound& command, Nest& nest) {
  const concrete::Environment& environment = nest.program().environment;
  const Space space = nest.space(command.variable, command.place);
  auto is_operand = [&](const concrete::Access& access) {
    const std::vector<TensorVar>& operands = nest.program().operands;
    return std::find(operands.begin(), operands.end(), access.tensor) != operands.end();
  };
  auto are_dimensions = [&](const std::vector<IndexVar>& loops) {
    return std::all_of(loops.begin(), loops.end(), [&](const IndexVar& loop) {
      return std::holds_alternative<concrete::OfDimension>(environment.extents.at(loop));
    });
  };
  bool are_points = !space.positions && space.loops.size() > 1 && are_dimensions(space.loops);
  if ((are_points || (space.positions && is_operand(*space.positions))) &&
      !concrete::parts_with(environment, space.loops))
    return points_as_variable(command.variable, space, command.place, nest);
  IndexVar var = nest.one_loop(command.variable, command.place, "bound them one by one, before they are collapsed");
  auto refuse = [&](const std::string& what, const std::string& hint) {
    nest.fail(UserError(what).hint(hint), command.place, command.variable.span, {var});
  };
  std::optional<concrete::PointParts> parts = concrete::parts_with(environment, {var});
  IndexVar counted = var, dimension = var;
  if (parts) {
    const std::string& name = command.variable.text;
    const concrete::PieceLoop& numbering = parts->numbering;
    auto part = std::find_if(parts->parts.begin(), parts->parts.end(),
                             [&](const concrete::PointPart& p) { return p.loops.front() == var; });
    size_t number = static_cast<size_t>(part - parts->parts.begin());
    using relation::Formula;
    Formula extent = concrete::part_extent(environment, *parts, number, Formula::extent(concrete::all_points()));
    if (std::optional<std::int64_t> known = extent.known()) {
      concrete::ExtentBound bound{IndexVar(name), command.kind, command.amount};
      if (!concrete::holds(bound, *known))
        refuse(fmt::format("It cannot be that {}: as it is split, it has {}", concrete::to_string(bound), *known),
               "leave the bound out, or split by another number");
      if (command.kind == Kind::Exact) rely_on_pieces(numbering, part->var, nest.program().environment);
      return std::nullopt;
    }
    if (numbering.positions && (!is_operand(*numbering.positions) || numbering.counts_parents))
      refuse(fmt::format("'{}' counts pieces of what '{}' stores, which has no fixed size", name,
                         numbering.positions->tensor.name()),
             "bound a variable that is in coordinates");
    if (!concrete::part_extent(environment, *parts, number, Formula::number(1)).known())
      refuse(fmt::format("'{}' counts pieces for threads, of which there may be any number", name),
             "bound the variable before it is cut");
    counted = part->var;
    dimension = numbering.loops.front();
    if (part + 1 == parts->parts.end() || !concrete::cuts_of(environment, part->var).empty())
      refuse(fmt::format("'{}' is a piece of another variable, whose size follows from the number of pieces", name),
             "bound the variable before it is split");
    if (numbering.positions || (numbering.loops.size() > 1 && are_dimensions(numbering.loops))) return counted;
  } else if (const std::optional<concrete::Access>& positions = space.positions) {
    refuse(fmt::format("'{}' is in positions of '{}', and what is stored has no fixed size", command.variable.text,
                       positions->tensor.name()),
           "bound the variable before it is in positions");
  }
  if (!are_dimensions(parts ? parts->numbering.loops : std::vector<IndexVar>{dimension})) {
    refuse(fmt::format("'{}' does not run over a dimension of a tensor: how far it goes follows from others",
                       command.variable.text),
           "bound a variable that is an index by itself");
  }
  return counted;
}

void add(const concrete::ExtentBound& bound, const Bound& command, Nest& nest) {
  for (const concrete::ExtentBound& other : nest.program().environment.bounds) {
    if (other.var != bound.var || can_hold_together(other, bound)) continue;
    nest.fail(UserError(fmt::format("It cannot be that {}: before, it was said that {}", concrete::to_string(bound),
                                    concrete::to_string(other)))
                  .hint("leave one of them out"),
              command.place, command.place.span, {bound.var});
  }
  nest.program().environment.bounds.push_back(bound);
}

}  // namespace

Command read_bound(Arguments& arguments) {
  Name variable = arguments.name("a variable");
  if (std::optional<int> kind = arguments.word_if(kinds)) {
    std::int64_t amount = arguments.size();
    return Bound{variable, static_cast<Kind>(*kind), amount, {}, arguments.place()};
  }
  bool has_name = arguments.left() > 2;
  std::optional<Name> renamed;
  if (has_name) renamed = arguments.name("another name for the variable");
  if (!has_name && !arguments.is_number()) arguments.word("a kind of bound", kinds);
  std::int64_t amount = arguments.size();
  Kind kind = static_cast<Kind>(arguments.word("a kind of bound", kinds));
  return Bound{variable, kind, amount, renamed, arguments.place()};
}

std::string to_string(const Bound& command) {
  if (!command.renamed)
    return fmt::format("bound({}, {}, {})", command.variable.text, word_for(command.kind), command.amount);
  return fmt::format("bound({}, {}, {}, {})", command.variable.text, command.renamed->text, command.amount,
                     word_for(command.kind));
}

Mentioned mentioned(const Bound& command) {
  Mentioned names{{}, {command.variable}, {}};
  if (command.renamed) names.made.push_back(*command.renamed);
  return names;
}

void apply(const Bound& command, Nest& nest) {
  if (std::optional<IndexVar> var = bounded(command, nest))
    add({*var, command.kind, command.amount, command.place.source, command.place.span}, command, nest);
  if (!command.renamed) return;
  nest.define(*command.renamed, nest.space(command.variable, command.place), command.place);
  nest.retire(command.variable, fmt::format("is called '{}' since 'bound'", command.renamed->text));
}

}  // namespace filigree::schedule

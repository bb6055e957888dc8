// reorder(i, j, ...): the loops over these variables in this order, where they stand now; other loops between them
// stay.
//
// Requires: 1. two variables at least, each once  2. their loops stand one directly inside the other, with nothing but
// loops between them  3. pieces come before what is cut into them, unless all of them are of the same points: these are
// visited in any order  4. operands are visited once, in an order in which their levels can be walked  5. what is
// accumulated may be so in any order  6. where a reduction counts what is absent, it does so for one component after
// the other. Before: forall(i, forall(j, s)).  After: forall(j, forall(i, s)). Of variables of the statement itself,
// concretize already takes the order if it can, so that operands are used in place that another order would copy.
#include <algorithm>

#include <fmt/format.h>

#include "concrete/loop_order.h"
#include "concrete/derivations.h"
#include "schedule/commands.h"
#include "support/text.h"

namespace filigree::schedule {
namespace {

using concrete::Access;
using concrete::Assign;
using concrete::Forall;
using concrete::Stmt;

struct Ordering {
  const Place& place;
  Nest& nest;
  std::vector<IndexVar> wanted;       // all loops, as they are to be
  std::map<IndexVar, Name> named_by;  // by which name of the command

  [[noreturn]] void fail(UserError error, const IndexVar& var) const {
    auto named = named_by.find(var);
    nest.fail(std::move(error), place, named == named_by.end() ? place.span : named->second.span, {var});
  }
  /// `outer` cannot be around `inner`, as these loops are called in `after`.
  [[noreturn]] void refuse(const Nest& after, const IndexVar& outer, const IndexVar& inner,
                           const std::string& why) const {
    std::string first = after.name_of(inner), second = after.name_of(outer);
    if (first == second) first = inner.name(), second = outer.name();  // collapsed
    auto is_named = [&](const std::string& name) {
      return std::find_if(named_by.begin(), named_by.end(),
                          [&](const auto& named) { return named.second.text == name; });
    };
    auto named = is_named(second) == named_by.end() ? is_named(first) : is_named(second);
    nest.fail(UserError(fmt::format("The loop over '{}' cannot come before the loop over '{}': {}", second, first, why))
                  .hint(fmt::format("put '{}' first", first)),
              place, named == named_by.end() ? place.span : named->second.span,
              named == named_by.end() ? std::vector<IndexVar>{outer} : std::vector<IndexVar>{named->first});
  }
};

Ordering read_order(const Reorder& command, Nest& nest) {
  Ordering ordering{command.place, nest, {}, {}};
  for (const Name& name : command.order) {
    for (const IndexVar& var : nest.space(name, command.place).loops) {
      if (!ordering.named_by.insert({var, name}).second)
        nest.fail(UserError(fmt::format("'{}' is named twice", name.text)).hint("name each variable once"),
                  command.place, name.span, {var});
      ordering.wanted.push_back(var);
    }
  }
  return ordering;
}

/// The loops that must be around the loop over the pieces of a cut, so that its pieces are known.
std::vector<IndexVar> needed_by(const concrete::PieceLoop& cut, const concrete::Environment& environment) {
  std::vector<IndexVar> needed;
  for (const concrete::PieceLoop& other : environment.piece_loops) {
    if (contains(cut.loops, other.var)) {  // pieces of pieces
      for (const IndexVar& var : needed_by(other, environment)) needed.push_back(var);
    }
    bool same_loops = std::any_of(other.loops.begin(), other.loops.end(),
                                  [&](const IndexVar& var) { return contains(cut.loops, var); });
    bool is_earlier = &other < &cut && !cut.by_number && !other.by_number;
    if (same_loops && is_earlier) needed.push_back(other.var);
  }
  if (!cut.positions) return needed;
  for (const IndexVar& above : concrete::level_vars(*cut.positions)) {
    if (above == cut.loops.front()) break;
    needed.push_back(above);
  }
  return needed;
}

/// The variable, or the loops that it follows from.
std::vector<IndexVar> loops_for(const IndexVar& var, const std::vector<IndexVar>& loops,
                                const concrete::Environment& environment) {
  if (contains(loops, var)) return {var};
  for (const concrete::Derivation& derivation : environment.derivations) {
    std::vector<IndexVar> sources = derivation.sources();
    bool are_loops =
        std::all_of(sources.begin(), sources.end(), [&](const IndexVar& source) { return contains(loops, source); });
    if (derivation.var == var && are_loops) return sources;
  }
  return {};
}

/// Pieces come before what is inside of them, and after what they are pieces of.  `loops` are around each other in
/// `after`.
void check_cuts(const Ordering& ordering, const Nest& after, const std::vector<IndexVar>& loops) {
  auto place_of = [&](const IndexVar& var) { return std::find(loops.begin(), loops.end(), var) - loops.begin(); };
  auto check = [&](const IndexVar& first, const IndexVar& second, const std::string& why) {
    if (!contains(loops, first) || !contains(loops, second) || place_of(first) < place_of(second)) return;
    ordering.refuse(after, second, first, why);
  };
  const concrete::Environment& environment = after.program().environment;
  auto check_needed = [&](const concrete::PieceLoop& cut, const IndexVar& var) {
    for (const IndexVar& above : needed_by(cut, environment)) {
      for (const IndexVar& loop : loops_for(above, loops, environment))
        check(loop, var, "that says what its pieces are");
    }
  };
  for (const concrete::PieceLoop& cut : environment.piece_loops) {
    for (const IndexVar& below : cut.loops) check(cut.var, below, "it visits a piece at a time");
    for (size_t n = 1; n < cut.loops.size(); n++) check(cut.loops[n - 1], cut.loops[n], "they were cut as one");
    if (!cut.by_number) check_needed(cut, cut.var);
  }
  for (const concrete::FlatLoop& flat : environment.flat_loops) {
    for (const concrete::PieceLoop& cut : environment.piece_loops) {
      if (cut.loops == flat.loops) check(cut.var, flat.var, "it visits a piece at a time");
    }
    check_needed({flat, flat.var, concrete::PieceLoop::Given::Size, 1}, flat.var);
  }
  for (const concrete::PointParts& parts : concrete::all_parts(environment)) {
    for (size_t n = 0; parts.numbering.by_number && n < parts.parts.size(); n++) {
      if (n != parts.visiting && concrete::counts_points(environment, parts, n))
        check_needed(parts.numbering, parts.parts[n].loops.front());
    }
  }
}

void check_all_cuts(const Ordering& ordering, const Nest& after, const Stmt& stmt, std::vector<IndexVar> loops) {
  if (const Forall* forall = stmt.as<Forall>()) loops.push_back(forall->var);
  if (stmt.as<Assign>()) return check_cuts(ordering, after, loops);
  concrete::map_children(stmt, [&](const Stmt& child) {
    check_all_cuts(ordering, after, child, loops);
    return child;
  });
}

/// Every operand below is still reached from its first level down.
void check_operands(const Ordering& ordering, const Stmt& stmt, std::vector<IndexVar> bound,
                    const concrete::Environment& environment) {
  if (const Forall* forall = stmt.as<Forall>()) {
    bound.push_back(forall->var);
    bound = concrete::with_derived(environment, bound);
    concrete::for_each(forall->body,
                       [&](const Stmt& below) {  // what a loop runs over is not known before, even if it follows
                         if (const Forall* loop = below.as<Forall>()) std::erase(bound, loop->var);
                       });
    return check_operands(ordering, forall->body, bound, environment);
  }
  if (const Assign* assign = stmt.as<Assign>()) {
    for (const Access& access : notation::accesses(assign->rhs)) {
      if (concrete::follows(access, bound)) continue;
      std::vector<std::string> levels;
      for (const IndexVar& var : concrete::level_vars(access)) levels.push_back(var.name());
      ordering.fail(UserError(fmt::format("'{}' cannot be walked in this order: its levels are {}, and what is stored "
                                          "below can only be found from above",
                                          access.tensor.name(), join(levels, ", ")))
                        .hint(fmt::format("store '{}' in the order of the loops, or keep {}", access.tensor.name(),
                                          join(levels, " before "))),
                    ordering.wanted.front());
    }
    return;
  }
  concrete::map_children(stmt, [&](const Stmt& child) {
    check_operands(ordering, child, bound, environment);
    return child;
  });
}

/// Loops over one of the variables that have all others inside; if there are none, the one that has most.
std::vector<Stmt> nests_of(const std::vector<IndexVar>& vars, const Stmt& stmt) {
  std::vector<Stmt> found;
  size_t most = 0;
  for (const IndexVar& var : vars) {
    for (const Stmt& loop : loops_over(var, stmt)) {
      size_t inside = 0;
      for (const IndexVar& other : vars) inside += !loops_over(other, loop).empty();
      if (inside > most) most = inside, found.clear();
      if (inside == most) found.push_back(loop);
    }
  }
  return most < vars.size() ? std::vector<Stmt>{found.front()} : found;
}

/// Is one of the loops somewhere inside of another?
bool are_nested(const std::vector<IndexVar>& wanted, const Stmt& stmt, bool is_inside = false) {
  const Forall* forall = stmt.as<Forall>();
  bool is_wanted = forall && contains(wanted, forall->var);
  if (is_inside && is_wanted) return true;
  bool nested = false;
  concrete::map_children(stmt, [&](const Stmt& child) {
    nested = nested || are_nested(wanted, child, is_inside || is_wanted);
    return child;
  });
  return nested;
}

/// Are the loops in this order wherever they are around each other?  Loops may be in the parts of a `where`, in the
/// right order but not directly inside of each other.
bool is_kept(const std::vector<IndexVar>& wanted, const Stmt& stmt, std::ptrdiff_t behind = -1) {
  if (const Forall* forall = stmt.as<Forall>()) {
    auto found = std::find(wanted.begin(), wanted.end(), forall->var);
    std::ptrdiff_t at = found == wanted.end() ? behind : found - wanted.begin();
    return at >= behind && is_kept(wanted, forall->body, at);
  }
  bool kept = true;
  concrete::map_children(stmt, [&](const Stmt& child) {
    kept = kept && is_kept(wanted, child, behind);
    return child;
  });
  return kept;
}

/// What is assigned below must not depend on the order in which loops reach it.
void check_assigns(const Ordering& ordering, const Stmt& stmt) {
  concrete::for_each(stmt, [&](const Stmt& s) {
    const Assign* assign = s.as<Assign>();
    std::vector<IndexVar> indices =
        assign ? concrete::with_derived(ordering.nest.program().environment, assign->lhs.indices)
               : std::vector<IndexVar>();
    auto is_index = [&](const IndexVar& var) { return contains(indices, var); };
    if (assign && counts_absent_points(*assign) &&
        std::any_of(ordering.wanted.begin(), ordering.wanted.end(), is_index) &&
        !std::all_of(ordering.wanted.begin(), ordering.wanted.end(), is_index)) {
      ordering.fail(UserError(fmt::format("A component of '{}' is reduced in one go: where nothing is stored it has "
                                          "the fill {}, which is not what '{}' starts from",
                                          assign->lhs.tensor.name(), to_string(assign->lhs.tensor.fill()),
                                          facts(*assign->op).symbol))
                        .hint("leave the loops in their order"),
                    ordering.wanted.front());
    }
    if (!assign || !assign->op || (facts(*assign->op).associative && facts(*assign->op).commutative)) return;
    ordering.fail(
        UserError(fmt::format("'{}' accumulates with an operator whose order matters", assign->lhs.tensor.name()))
            .hint("leave the loops in their order"),
        ordering.wanted.front());
  });
}

/// One nest with its loops as they are to be.
Stmt in_order(const Ordering& ordering, const Stmt& outermost) {
  std::vector<const Forall*> loops;
  for (const Forall* forall = outermost.as<Forall>(); forall; forall = forall->body.as<Forall>())
    loops.push_back(forall);
  auto is_wanted = [&](const Forall* loop) { return contains(ordering.wanted, loop->var); };
  while (!is_wanted(loops.back())) loops.pop_back();
  for (const IndexVar& var : ordering.wanted) {
    bool is_there = std::any_of(loops.begin(), loops.end(), [&](const Forall* loop) { return loop->var == var; });
    if (is_there) continue;
    ordering.fail(UserError(fmt::format("The loop over '{}' is not directly inside the loop over '{}'",
                                        ordering.named_by.at(var).text, ordering.named_by.at(loops.front()->var).text))
                      .hint("only loops with nothing but loops between them change places"),
                  var);
  }
  for (const Forall* loop : loops) {
    if (loop->as_stored)
      ordering.fail(UserError("These loops visit an operand as it is stored, entry by entry, and have no other order")
                        .hint("store the operand so that its coordinates are in order"),
                    is_wanted(loop) ? loop->var : ordering.wanted.front());
  }
  std::vector<IndexVar> order;
  auto next = ordering.wanted.begin();
  for (const Forall* loop : loops) order.push_back(is_wanted(loop) ? *next++ : loop->var);
  auto loop_over = [&](const IndexVar& var) {
    return **std::find_if(loops.begin(), loops.end(), [&](const Forall* loop) { return loop->var == var; });
  };
  check_assigns(ordering, loops.back()->body);
  Stmt nest = loops.back()->body;
  for (auto var = order.rbegin(); var != order.rend(); ++var) nest = loop_over(*var).with(nest);
  return nest;
}

void put_in_order(const Ordering& ordering) {
  Stmt& statement = ordering.nest.program().statement;
  if (are_nested(ordering.wanted, statement) && is_kept(ordering.wanted, statement)) return;
  std::vector<Stmt> nests = nests_of(ordering.wanted, statement);
  std::function<Stmt(const Stmt&)> replace = [&](const Stmt& stmt) -> Stmt {
    bool is_meant = std::any_of(nests.begin(), nests.end(), [&](const Stmt& nest) { return nest.same_as(stmt); });
    if (is_meant && !(are_nested(ordering.wanted, stmt) && is_kept(ordering.wanted, stmt)))
      return in_order(ordering, stmt);
    return concrete::map_children(stmt, replace);
  };
  Nest after = ordering.nest;  // messages show the loops as they were
  after.program().statement = replace(statement);
  after.settle_parts([&](const IndexVar& outer, const IndexVar& inner, const std::string& why) {
    ordering.refuse(after, outer, inner, why);
  });
  check_all_cuts(ordering, after, after.program().statement, {});
  check_operands(ordering, after.program().statement, {}, after.program().environment);
  ordering.nest = after;
}

}  // namespace

Command read_reorder(Arguments& arguments) {
  Reorder command{arguments.names("a variable"), arguments.place()};  // as it stands, or all in braces
  if (command.order.size() < 2) command.order.push_back(arguments.name("another variable"));
  while (arguments.left() > 0) command.order.push_back(arguments.name("a variable"));
  return command;
}

std::string to_string(const Reorder& command) {
  std::vector<std::string> names;
  for (const Name& name : command.order) names.push_back(name.text);
  return fmt::format("reorder({})", join(names, ", "));
}

Mentioned mentioned(const Reorder& command) { return {{}, command.order, {}}; }

void request(const Reorder& command, Steered& steered) {
  std::vector<IndexVar> own = notation::index_vars(steered.statement), order;
  for (const Name& name : command.order) {
    auto found = std::find_if(own.begin(), own.end(), [&](const IndexVar& var) { return var.name() == name.text; });
    if (found != own.end()) order.push_back(*found);
  }
  if (order.size() == command.order.size()) steered.requests.orders.push_back(order);
}

void apply(const Reorder& command, Nest& nest) { put_in_order(read_order(command, nest)); }

void move_inside(const IndexVar& var, const std::vector<IndexVar>& others, const Place& place, Nest& nest) {
  Ordering ordering{place, nest, others, {}};
  ordering.wanted.push_back(var);
  for (const IndexVar& loop : ordering.wanted) ordering.named_by.insert({loop, Name{loop.name(), place.span}});
  put_in_order(ordering);
}

}  // namespace filigree::schedule

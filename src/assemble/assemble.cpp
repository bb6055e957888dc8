#include "assemble/assemble.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "concrete/derivations.h"
#include "concrete/joining.h"
#include "concrete/shared_pattern.h"
#include "concrete/visits.h"
#include "concrete/workspace.h"
#include "support/check.h"
#include "support/fresh_names.h"
#include "support/text.h"

namespace filigree::assemble {
namespace {

using concrete::Access;
using concrete::Assign;
using concrete::Expr;
using concrete::Forall;
using concrete::Multi;
using concrete::Program;
using concrete::Sequence;
using concrete::Stmt;
using concrete::Where;

using Vars = std::vector<IndexVar>;

bool writes(const Stmt& stmt, const TensorVar& tensor) {
  std::vector<TensorVar> all = concrete::written(stmt);
  return std::find(all.begin(), all.end(), tensor) != all.end();
}

/// The left sides of all assignments to `tensor`, each once.  There are several where a half of a matrix stands for
/// both.
std::vector<Access> accesses_written(const Stmt& stmt, const TensorVar& tensor) {
  std::vector<Access> all;
  concrete::for_each(stmt, [&](const Stmt& s) {
    const Assign* assign = s.as<Assign>();
    if (assign && assign->lhs.tensor == tensor && std::find(all.begin(), all.end(), assign->lhs) == all.end())
      all.push_back(assign->lhs);
  });
  return all;
}

/// Is what equals the fill left out of `tensor`?
bool is_pruned(const Stmt& stmt, const TensorVar& tensor) {
  bool pruned = false;
  concrete::for_each(stmt, [&](const Stmt& s) {
    const Assign* assign = s.as<Assign>();
    pruned = pruned || (assign && assign->lhs.tensor == tensor && assign->prunes);
  });
  return pruned;
}

/// What was written to `from` goes to `to`, which has its levels from `level` on.
Stmt redirected(const Stmt& stmt, const TensorVar& from, const TensorVar& to, size_t level) {
  return concrete::map_assigns(stmt, [&](const Assign& n) -> Stmt {
    if (n.lhs.tensor != from) return n;
    Vars vars = concrete::level_vars(n.lhs);
    vars.erase(vars.begin(), vars.begin() + static_cast<std::ptrdiff_t>(level));
    Assign changed = n.with(Access{to, vars}, n.rhs);
    changed.prunes = false;  // what is drained may be
    return changed;
  });
}

class Assembler {
 public:
  Assembler(const Program& program, bool two_passes) : program_(program), may_take_two_passes_(two_passes) {
    concrete::for_each(program.statement, [&](const Stmt& s) {
      if (const Assign* assign = s.as<Assign>()) {
        names_.use(assign->lhs.tensor.name());
        for (const Access& access : notation::accesses(assign->rhs)) names_.use(access.tensor.name());
      }
    });
  }

  Program run() {
    Program out = program_;
    for (const TensorVar& result : out.results) {
      if (out.results.size() > 1)
        continue;  // those that share loops can be filled in any order (concrete/share_loops.h)
      if (std::optional<concrete::SharedPattern> shared = concrete::shared_pattern(out, result)) {
        out.environment.shared_patterns.insert({result, *shared});
        out.statement = as_stored(out.statement, *shared);
        remarks_.push_back(
            fmt::format("'{}' has the pattern of '{}': its index is copied, and values are written in place",
                        result.name(), shared->operand.tensor.name()));
        continue;
      }
      std::vector<Access> written = accesses_written(out.statement, result);
      if (!written.empty() && counts_entries(result)) {
        if (asks_for(How::Append))
          refuse(result, "added to at the end", "its entries have slots, which are counted first", "insert");
        out.statement = count_entries(out.statement, written[0]);
        continue;
      }
      if (asks_for(How::Insert) && may_take_two_passes_ && !written.empty()) {
        insert(out.statement, result);
        continue;
      }
      if (written.size() == 1) out.statement = place(out.statement, written[0], 0);
      if (written.size() > 1) out.statement = finish(out.statement, written[0], 0);  // no loop follows them all
    }
    concrete::for_each(out.statement, [&](const Stmt& s) {
      if (const Assign* assign = s.as<Assign>()) writers_[assign->lhs.tensor]++;
    });
    out.statement = accumulate_in_scalars(out.statement, {});
    out.environment.two_passes.insert(two_passes_.begin(), two_passes_.end());
    out.environment.remarks.insert(out.environment.remarks.end(), remarks_.begin(), remarks_.end());
    return out;
  }

 private:
  using How = concrete::AssemblyRequest::How;

  bool asks_for(How how) const { return program_.environment.assembly && program_.environment.assembly->how == how; }

  /// The result cannot be filled as the schedule asks; `instead` is what it can ask for.
  [[noreturn]] void refuse(const TensorVar& result, const std::string& what, const std::string& why,
                           const char* instead) const {
    const concrete::AssemblyRequest& request = *program_.environment.assembly;
    UserError error(fmt::format("'{}' cannot be {}: {}", result.name(), what, why));
    std::move(error).note(concrete::describe_loops(program_.statement, {}));
    std::move(error).hint(
        fmt::format("assemble({}, {}) works here; without the command, what is best is done", result.name(), instead));
    if (request.source) std::move(error).at(request.source, request.span);
    throw error;
  }

  /// The loops run twice: they count the nodes of the result, and then put each in its place.
  void insert(const Stmt& stmt, const TensorVar& result) {
    const Where* where = stmt.as<Where>();
    if (where && !writes(where->producer, result)) return insert(where->consumer, result);
    std::optional<concrete::TwoPasses> how;
    if (stmt.as<Forall>() && may_prune(stmt, result)) how = concrete::in_two_passes(stmt, result, program_.environment);
    if (!how) {
      bool has_counts = concrete::can_take_two_passes(result.format());
      refuse(result, "counted first and then put in place",
             has_counts ? "the loops write a component several times, or not as the last thing they do"
                        : fmt::format("it is stored as {}, and only nodes of a last level can be counted, below levels "
                                      "with a place for every coordinate",
                                      to_string(result.format())),
             "append");
    }
    // Nodes that may stand in any order stay as they come: what computes values into a given index visits them like
    // that.
    bool in_any_order = result.format().levels().back().format->properties().ordered == level::Ordered::No;
    if (in_any_order && !program_.environment.piece_loops.empty()) {
      refuse(
          result, "counted first and then put in place",
          "its nodes stand as they come, and pieces of loops come by them in another order than values are computed in",
          "append");
    }
    if (in_any_order && !how->merges) how->sorts = false;
    two_passes_.insert({result, *how});
    remarks_.push_back(fmt::format(
        "'{}' is filled in two passes, as the schedule asks: nodes are counted, then each is put in its place",
        result.name()));
  }

  /// Loops over the operand's levels visit every node by itself, also those that have a coordinate in common: each has
  /// its own place in the result.
  Stmt as_stored(const Stmt& stmt, const concrete::SharedPattern& shared) {
    Vars vars = concrete::level_vars(shared.operand);
    for (size_t l = 0; l < static_cast<size_t>(shared.levels); l++) {
      if (!shared.operand.tensor.format().levels()[l].format->properties().unique) told_apart_.insert(vars[l]);
    }
    std::function<Stmt(const Stmt&)> change = [&](const Stmt& s) -> Stmt {
      const Forall* forall = s.as<Forall>();
      if (forall && told_apart_.count(forall->var)) return Forall{forall->var, change(forall->body), true, forall->tag};
      return concrete::map_children(s, change);
    };
    return told_apart_.empty() ? stmt : change(stmt);
  }

  static bool counts_entries(const TensorVar& tensor) {
    const std::vector<Level>& levels = tensor.format().levels();
    return std::any_of(levels.begin(), levels.end(), [](const Level& level) { return level.format->counts_entries(); });
  }

  Vars without_slots(const Access& access) const {
    Vars vars = concrete::level_vars(access);
    std::erase_if(vars, [&](const IndexVar& var) { return concrete::is_slot(program_.environment, var); });
    return vars;
  }

  /// The variable within which the result's entries are counted.
  IndexVar counted_within(const Access& lhs) const {
    for (const IndexVar& var : lhs.indices) {
      auto extent = program_.environment.extents.find(var);
      if (extent == program_.environment.extents.end()) continue;
      if (const auto* slots = std::get_if<concrete::OfStorage>(&extent->second)) return slots->within;
    }
    throw InternalError("assemble", "a level that counts entries of nothing", lhs.tensor.name());
  }

  /// Entries get slots in the order in which they come, in loops that run twice.  So each must come once and after
  /// those in slots before its own, if need be from a workspace.
  Stmt count_entries(const Stmt& stmt, const Access& lhs) {
    const Where* where = stmt.as<Where>();
    if (where && !writes(where->producer, lhs.tensor))
      return Where{count_entries(where->consumer, lhs), where->producer};
    // As if they were appended to levels in the order of the others.
    Vars vars = without_slots(lhs);
    TensorVar entries(lhs.tensor.name(), lhs.tensor.type(), Format::sparse(static_cast<int>(vars.size())),
                      lhs.tensor.fill());
    Access entry{entries, vars};
    Stmt appending = concrete::map_assigns(stmt, [&](const Assign& n) -> Stmt {
      return n.lhs.tensor == lhs.tensor ? Stmt(n.with(Access{entries, without_slots(n.lhs)}, n.rhs)) : Stmt(n);
    });
    remarks_.push_back(
        fmt::format("'{}' is filled in two passes: entries are counted, then each gets a slot", lhs.tensor.name()));
    if (concrete::writes_in_order_within(appending, counted_within(lhs), program_.environment) &&
        may_prune(appending, entries))
      return stmt;
    bool single = accesses_written(appending, entries).size() == 1;
    Stmt placed = single ? place(appending, entry, 0) : finish(appending, entry, 0);
    return concrete::map_assigns(
        placed, [&](const Assign& n) -> Stmt { return n.lhs.tensor == entries ? Stmt(n.with(lhs, n.rhs)) : Stmt(n); });
  }

  /// Are nodes of the level arranged before anything hangs from them?  Then all of them come from a workspace.
  static bool is_arranged_first(const Access& lhs, int level) {
    return lhs.tensor.format().levels()[static_cast<size_t>(level)].format->arrange() && level + 1 < lhs.tensor.order();
  }

  /// Has the level fewer places than coordinates, and does each append its own children?  Then only coordinates that
  /// have some may be visited.
  static bool shares_children(const Access& lhs, int level) {
    const std::vector<Level>& levels = lhs.tensor.format().levels();
    auto own = levels.begin() + level;
    bool appends = std::any_of(own + 1, levels.end(), [](const Level& l) { return !l.format->insert(); });
    return own->format->insert() && !own->format->insert()->holds_all() && appends;
  }

  /// The next level that a loop runs over: what the levels above imply has none, and is reached together with them.
  static int after_implied(const Access& lhs, int level) {
    const std::vector<Level>& levels = lhs.tensor.format().levels();
    while (level < lhs.tensor.order() && levels[static_cast<size_t>(level)].format->is_implied()) level++;
    return level;
  }

  /// Walks the loops that are the result's leading levels; the first `passed` are behind us.
  Stmt place(const Stmt& stmt, const Access& lhs, int passed) {
    int level = after_implied(lhs, passed);
    Vars vars = concrete::level_vars(lhs);
    return match(
        stmt,
        [&](const Forall& n) -> Stmt {
          if (cuts_next_level(n, lhs, level) || runs_once(n, vars, level)) return n.with(place(n.body, lhs, level));
          bool in_place = level < static_cast<int>(vars.size()) && n.var == vars[level] &&
                          concrete::visits_in_order(n) && !shares_children(lhs, level) &&
                          (!is_arranged_first(lhs, level) || concrete::can_collect(n, program_.environment));
          return in_place ? Stmt(n.with(place(n.body, lhs, level + 1))) : finish(stmt, lhs, level);
        },
        [&](const Where& n) -> Stmt {
          return Where{place(n.consumer, lhs, level), n.producer};
        },
        [&](const Sequence& n) { return place_among<Sequence>(stmt, n.statements, lhs, level); },
        [&](const Multi& n) { return place_among<Multi>(stmt, n.statements, lhs, level); },
        [&](const Assign&) {
          // No loop runs over an index that follows from others, as the second of A(i,i).
          const std::vector<Level>& levels = lhs.tensor.format().levels();
          bool loopless = false;
          for (size_t l = static_cast<size_t>(level); l < vars.size(); l++)
            loopless |= !levels[l].format->insert() && !levels[l].format->is_implied();
          return loopless || is_pruned_too_early(stmt, lhs.tensor) ? finish(stmt, lhs, level) : stmt;
        });
  }

  /// Whether a component equals the fill can be told where it is written, if nothing comes to it afterwards.
  bool may_prune(const Stmt& stmt, const TensorVar& tensor) const {
    return !is_pruned(stmt, tensor) ||
           (!is_pruned_too_early(stmt, tensor) && concrete::writes_once(stmt, program_.environment));
  }

  /// Does an assignment leave something out though it accumulates?
  static bool is_pruned_too_early(const Stmt& stmt, const TensorVar& tensor) {
    bool early = false;
    concrete::for_each(stmt, [&](const Stmt& s) {
      const Assign* assign = s.as<Assign>();
      early = early || (assign && assign->lhs.tensor == tensor && assign->prunes && assign->op);
    });
    return early;
  }

  /// Does the loop run over what follows from the levels that are behind us, as a selection does from its other
  /// indices?  It must not be left out either: the levels that end with it would not be ended.
  bool runs_once(const Forall& forall, const Vars& vars, int level) const {
    // A loop over pieces runs through all of them, and what it cuts has nothing to do in most.
    for (const concrete::PieceLoop& cut : program_.environment.piece_loops) {
      if (cut.var == forall.var || contains(cut.loops, forall.var)) return false;
    }
    Vars behind(vars.begin(), vars.begin() + level);
    bool follows = level > 0 && !contains(vars, forall.var) &&
                   contains(concrete::with_derived(program_.environment, behind), forall.var);
    return follows && forall.body.as<Forall>() && concrete::visits_once(forall) && concrete::always_visits(forall);
  }

  /// Pieces of the loop over the result's next level, one after the other, with no other loop between them: that level
  /// as a whole.  Not if they are visited in another order.
  bool cuts_next_level(const Forall& forall, const Access& lhs, int level) const {
    Vars vars = concrete::level_vars(lhs);
    for (const concrete::PieceLoop& cut : program_.environment.piece_loops) {
      if (cut.var != forall.var || cut.by_number || level >= static_cast<int>(vars.size()) ||
          cut.loops != Vars{vars[static_cast<size_t>(level)]})
        continue;
      const Forall* below = forall.body.as<Forall>();
      if (!below || !concrete::divides_points(cut)) return false;
      return below->var == cut.loops[0]
                 ? concrete::visits_in_order(*below) && !is_arranged_first(lhs, level) && !shares_children(lhs, level)
                 : cuts_next_level(*below, lhs, level);
    }
    return false;
  }

  template <class Node>
  Stmt place_among(const Stmt& stmt, std::vector<Stmt> statements, const Access& lhs, int level) {
    auto writes_it = [&](const Stmt& s) { return writes(s, lhs.tensor); };
    if (std::count_if(statements.begin(), statements.end(), writes_it) > 1) return finish(stmt, lhs, level);
    for (Stmt& s : statements) {
      if (writes_it(s)) s = place(s, lhs, level);
    }
    return Node{statements};
  }

  /// The loops of `stmt` no longer follow the result: its levels from `level` on need another way.
  Stmt finish(const Stmt& stmt, const Access& lhs, int level) {
    const std::vector<Level>& levels = lhs.tensor.format().levels();
    std::vector<Level> rest(levels.begin() + level, levels.end());
    bool may_prune = this->may_prune(stmt, lhs.tensor);
    if (rest.empty() && is_parallel(stmt) && may_prune) return stmt;  // a scalar outside would be every iteration's
    bool insertable =
        std::all_of(rest.begin(), rest.end(), [](const Level& l) { return level::takes_any_order(*l.format); });
    if (insertable && !rest.empty() && may_prune) return stmt;
    // A loop is what can be run twice; temporaries inside would be computed twice.
    if (may_take_two_passes_ && !asks_for(How::Append) && level == 0 && stmt.as<Forall>() && may_prune &&
        !has_temporaries(stmt)) {
      if (std::optional<concrete::TwoPasses> how = concrete::in_two_passes(stmt, lhs.tensor, program_.environment)) {
        two_passes_.insert({lhs.tensor, *how});
        remarks_.push_back(fmt::format("'{}' is filled in two passes: nodes are counted, then each is put in its place",
                                       lhs.tensor.name()));
        return stmt;
      }
    }
    Vars vars = concrete::level_vars(lhs);
    Vars drained(vars.begin() + level, vars.end());
    bool joins = rest.size() == 1 && !is_pruned(stmt, lhs.tensor) &&
                 concrete::all_join(stmt, *rest[0].format, program_.environment);
    Format format = joins                         ? Format({{0, rest[0].format}})
                    : holds_blocks(rest, drained) ? concrete::numbered_blocks(rest)
                                                  : concrete::insertable_format(rest, false);
    TensorVar workspace(names_.make(rest.empty() ? "t" : "w"), lhs.tensor.type(), format, lhs.tensor.fill());
    Access access{workspace, drained};
    if (!rest.empty()) {
      std::vector<std::string> names;
      for (const IndexVar& var : drained) names.push_back(var.name());
      remarks_.push_back(
          fmt::format("'{}' is assembled through the workspace '{}' over {}: its coordinates there are not produced in "
                      "order and once",
                      lhs.tensor.name(), workspace.name(), join(names, ", ")));
    }
    Vars loops;  // what the levels above imply needs none
    for (size_t l = 0; l < rest.size(); l++) {
      if (!rest[l].format->is_implied()) loops.push_back(drained[l]);
    }
    Assign copy{lhs, std::nullopt, Expr(access)};
    copy.copies_levels = true;
    copy.prunes = is_pruned(stmt, lhs.tensor);
    Stmt drain = concrete::foralls(loops, copy);
    return Where{drain, redirected(stmt, lhs.tensor, workspace, static_cast<size_t>(level))};
  }

  static bool has_temporaries(const Stmt& stmt) {
    bool has = false;
    concrete::for_each(stmt, [&](const Stmt& s) { has = has || s.as<Where>(); });
    return has;
  }

  /// Is it a loop whose iterations run at the same time?  Not if they are lanes that add up what they have.
  bool is_parallel(const Stmt& stmt) const {
    const Forall* forall = stmt.as<Forall>();
    if (!forall || !forall->tag.gpu) return forall && forall->tag.parallel;
    std::vector<Forall> loops = concrete::tagged_loops(program_.statement);
    bool has_others = std::any_of(loops.begin(), loops.end(), [](const Forall& loop) {
      return loop.tag.gpu && *loop.tag.gpu != concrete::GpuUnit::Thread;
    });
    return !(has_others && *forall->tag.gpu == concrete::GpuUnit::Thread &&
             forall->tag.races == concrete::Races::Temporary);
  }

  /// Is a loop inside divided among threads?  They have no scalar from outside in common.
  static bool has_threads(const Stmt& stmt) {
    std::vector<Forall> loops = concrete::tagged_loops(stmt);
    return std::any_of(loops.begin(), loops.end(), [](const Forall& loop) { return loop.tag.parallel; });
  }

  /// One sparse level, and below it nothing but dense ones of a size known now?
  bool holds_blocks(const std::vector<Level>& levels, const Vars& vars) const {
    if (levels.size() < 2 || levels[0].format->insert()) return false;
    for (size_t l = 1; l < levels.size(); l++) {
      bool fixed = concrete::constant_extent(program_.environment, vars[l]).has_value();
      if (!fixed || !level::is_always_found(*levels[l].format) || !levels[l].format->insert()) return false;
    }
    return true;
  }

  /// Where loops below all variables of a left side accumulate into it, they do so in a scalar.
  Stmt accumulate_in_scalars(const Stmt& stmt, const Vars& bound) {
    if (const Forall* forall = stmt.as<Forall>()) {
      std::optional<Access> lhs = is_parallel(stmt) || has_threads(forall->body) ? std::nullopt
                                                                                 : accumulated_below(*forall, bound);
      if (lhs) return through_scalar(stmt, *lhs, bound);
      std::vector<Assign> shared = accumulated_together(*forall, bound);
      if (!shared.empty()) return through_scalars(stmt, shared, bound);
      Vars inner = bound;
      inner.push_back(forall->var);
      if (!concrete::visits_once(*forall) && !told_apart_.count(forall->var)) repeating_.insert(forall->var);
      Stmt body = accumulate_in_scalars(forall->body, inner);
      repeating_.erase(forall->var);  // another loop over it may visit every coordinate once
      return body.same_as(forall->body) ? stmt : Stmt(forall->with(body));
    }
    if (const Where* where = stmt.as<Where>()) {
      for (const TensorVar& temporary : concrete::targets(where->producer)) loops_around_[temporary] = bound.size();
    }
    return concrete::map_children(stmt, [&](const Stmt& child) { return accumulate_in_scalars(child, bound); });
  }

  /// The single tensor of order > 0, or scalar result, that the loop accumulates into, if all its variables are bound
  /// outside.
  std::optional<Access> accumulated_below(const Forall& forall, const Vars& bound) {
    std::optional<Access> target;
    int writers = 0;
    find_target(forall.body, target, writers);
    if (writers != 1 || is_scalar_temporary(target->tensor)) return std::nullopt;
    Vars known = concrete::with_computed(program_.environment, bound);  // it is written here, before loops further in
    bool all_bound = std::all_of(target->indices.begin(), target->indices.end(),
                                 [&](const IndexVar& v) { return contains(known, v); });
    return all_bound ? target : std::nullopt;
  }

  /// Of the results that loops fill together, those whose variables are all bound outside.
  std::vector<Assign> accumulated_together(const Forall& forall, const Vars& bound) const {
    const Stmt* inside = &forall.body;
    while (const Forall* loop = inside->as<Forall>()) inside = &loop->body;
    std::vector<Assign> found;
    const Multi* multi = inside->as<Multi>();
    for (const Stmt& s : multi ? multi->statements : std::vector<Stmt>()) {
      const Assign* assign = s.as<Assign>();
      bool accumulates = assign && assign->op && !is_scalar_temporary(assign->lhs.tensor);
      if (accumulates && std::all_of(assign->lhs.indices.begin(), assign->lhs.indices.end(),
                                     [&](const IndexVar& v) { return contains(bound, v); }))
        found.push_back(*assign);
    }
    return found;
  }

  bool is_scalar_temporary(const TensorVar& tensor) const {
    bool is_result = std::find(program_.results.begin(), program_.results.end(), tensor) != program_.results.end();
    return tensor.order() == 0 && !is_result;
  }

  /// The assignments a statement is there for: temporaries of inner `where`s are its own business.
  static void find_target(const Stmt& stmt, std::optional<Access>& target, int& writers) {
    match(
        stmt, [&](const Forall& n) { find_target(n.body, target, writers); },
        [&](const Where& n) { find_target(n.consumer, target, writers); },
        [&](const Sequence& n) {
          for (const Stmt& s : n.statements) find_target(s, target, writers);
        },
        [&](const Multi& n) {
          for (const Stmt& s : n.statements) find_target(s, target, writers);
        },
        [&](const Assign& n) {
          target = n.lhs;
          writers++;
        });
  }

  Stmt through_scalar(const Stmt& loops, const Access& lhs, const Vars& bound) {
    std::optional<Operator> op;
    concrete::for_each(loops, [&](const Stmt& s) {
      const Assign* assign = s.as<Assign>();
      if (assign && assign->lhs.tensor == lhs.tensor) op = assign->op;
    });
    if (!op) return loops;  // nothing is accumulated: every iteration overwrites
    TensorVar scalar(names_.make("t"), lhs.tensor.type(), Format(), lhs.tensor.fill());
    Vars told = concrete::with_derived(program_.environment, lhs.indices);
    bool once = writers_[lhs.tensor] == 1 &&
                std::all_of(bound.begin() + loops_around_[lhs.tensor], bound.end(),
                            [&](const IndexVar& var) { return contains(told, var) && !repeating_.count(var); });
    Access access{scalar, {}};
    return Where{Assign{lhs, once ? std::nullopt : op, Expr(access)},
                 redirected(loops, lhs.tensor, scalar, lhs.indices.size())};
  }

  /// One scalar for each; what the loops also fill may have scalars further inside.
  Stmt through_scalars(const Stmt& loops, const std::vector<Assign>& shared, const Vars& bound) {
    Stmt producer = loops;
    std::vector<Stmt> consumers;
    for (const Assign& assign : shared) {
      const Access& lhs = assign.lhs;
      TensorVar scalar(names_.make("t"), lhs.tensor.type(), Format(), lhs.tensor.fill());
      bool once = std::all_of(bound.begin(), bound.end(), [&](const IndexVar& var) {
        return contains(lhs.indices, var) && !repeating_.count(var);
      });
      consumers.push_back(Assign{lhs, once ? std::nullopt : assign.op, Expr(Access{scalar, {}})});
      producer = redirected(producer, lhs.tensor, scalar, lhs.indices.size());
    }
    Stmt consumer = consumers.size() == 1 ? consumers[0] : Stmt(Multi{consumers});
    return Where{consumer, accumulate_in_scalars(producer, bound)};
  }

  const Program& program_;
  bool may_take_two_passes_;
  std::map<TensorVar, concrete::TwoPasses> two_passes_;
  std::vector<std::string> remarks_;
  FreshNames names_;
  std::set<IndexVar> told_apart_;  // loops in which a coordinate may come again, but nothing is written twice
  std::set<IndexVar> repeating_;   // loops around that may reach a coordinate more than once
  std::map<TensorVar, size_t> loops_around_;  // of each temporary's scope; none for results
  std::map<TensorVar, int> writers_;          // assignments to each tensor, in the whole statement
};

}  // namespace

Program assemble(const Program& program, bool two_passes) { return Assembler(program, two_passes).run(); }

}  // namespace filigree::assemble

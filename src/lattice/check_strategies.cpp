// Whether all loops of a program can run as they are asked to.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "concrete/derivations.h"
#include "concrete/parts.h"
#include "concrete/visits.h"
#include "concrete/workspace.h"
#include "lattice/presence.h"
#include "lattice/requested.h"
#include "support/text.h"

namespace filigree::lattice {
namespace {

using level::Ordered;

bool has(Mask mask, size_t k) { return mask >> k & 1; }

/// Walks all loops of a program as lowering meets them.
class Checker {
 public:
  Checker(const concrete::Program& program, const policy::Policy& policy)
      : program_(program),
        lookups_(policy.lookups()),
        grids_(policy.grids()),
        met_(program.environment.protocols.size(), false) {}

  std::vector<std::string> run() {
    enter(program_.statement, {});
    for (size_t n = 0; n < met_.size(); n++) {
      if (!met_[n]) refuse_without_loop(program_.environment.protocols[n]);
    }
    return std::move(remarks_);
  }

 private:
  /// With what follows from variables that are known there.
  void enter(const Stmt& stmt, std::vector<IndexVar> bound) {
    for (const concrete::Derivation& derivation : concrete::derived(program_.environment, bound, stmt))
      bound.push_back(derivation.var);
    walk(stmt, bound);
  }

  void walk(const Stmt& stmt, std::vector<IndexVar> bound) {
    match(
        stmt,
        [&](const concrete::Forall& n) {
          check_targets(n, bound.empty());
          check_flat_loop(n);
          check(build_lattice(n, bound, program_.environment), bound);
          bound.push_back(n.var);
          enter(n.body, bound);
        },
        [&](const concrete::Where& n) { enter(n.producer, bound), enter(n.consumer, bound); },
        [&](const concrete::Sequence& n) {
          for (const Stmt& s : n.statements) walk(s, bound);
        },
        [&](const concrete::Multi& n) {
          for (const Stmt& s : n.statements) walk(s, bound);
        },
        [](const concrete::Assign&) {});
  }

  /// Loops that are cut by positions of an operand must have nothing to do where it has none.
  void check_cuts(const Lattice& lattice, const Strategy& strategy) const {
    for (const concrete::PieceLoop& cut : program_.environment.piece_loops) {
      if (!cut.positions || !contains(cut.loops, lattice.var)) continue;
      std::vector<IndexVar> vars = concrete::level_vars(*cut.positions);
      int level = static_cast<int>(std::find(vars.begin(), vars.end(), lattice.var) - vars.begin());
      auto own = std::find(lattice.operands.begin(), lattice.operands.end(), operand_at(*cut.positions, level));
      bool leads = !lattice.skipped, walks = true;
      if (own != lattice.operands.end()) {
        int k = static_cast<int>(own - lattice.operands.begin());
        for (const Point& point : lattice.points) leads = leads && has(point.present, k);
        walks =
            has(strategy.with(Protocol::Step) | strategy.with(Protocol::SeqIter) | strategy.with(Protocol::Gallop), k);
      }
      if (leads && walks) continue;
      std::string why = leads ? "it is looked up there where other operands have something"
                              : "there is something to compute where it stores nothing";
      UserError error(fmt::format("The loop over '{}' cannot be cut by positions of '{}': {}", lattice.var.name(),
                                  cut.positions->tensor.name(), why));
      std::move(error).note(concrete::describe_loops(program_.statement, {lattice.var}));
      std::move(error).hint(leads ? "take positions of the operand that leads, or split the variable itself"
                                  : "cut it by coordinates: split the variable itself");
      if (cut.source) std::move(error).at(cut.source, cut.span);
      throw error;
    }
  }

  /// One loop in place of several reaches what it runs through; anything else has a place for every coordinate.
  void check_flat_loop(const concrete::Forall& forall) const {
    const concrete::FlatLoop* flat = concrete::flat_loop(program_.environment, forall.var);
    if (!flat) return;
    auto refuse = [&](const std::string& why, const std::string& hint) {
      UserError error(fmt::format("'{}' cannot be one loop: {}", forall.var.name(), why));
      std::move(error).note(concrete::describe_loops(program_.statement, {forall.var})).hint(hint);
      if (flat->source) std::move(error).at(flat->source, flat->span);
      throw error;
    };
    auto leads = [&](const Access& access) { return flat->positions && access == *flat->positions; };
    concrete::for_each(forall.body, [&](const Stmt& stmt) {
      const concrete::Assign* assign = stmt.as<concrete::Assign>();
      for (const Access& access : assign ? notation::accesses(assign->rhs) : std::vector<Access>()) {
        std::vector<IndexVar> vars = concrete::level_vars(access);
        for (size_t level = 0; level < vars.size(); level++) {
          const level::Format& format = *access.tensor.format().levels()[level].format;
          if (leads(access) || !contains(flat->loops, vars[level]) || level::is_always_found(format)) continue;
          refuse(fmt::format("'{}' has entries of its own along '{}'", access.tensor.name(), vars[level].name()),
                 flat->positions ? "store it with a place for every coordinate, or leave the loops apart"
                                 : "take positions of the operand that is stored, as in pos(f, p, A)");
        }
      }
    });
    // What is kept for the points of the loop is there where the operand stores something.
    auto is_of_points = [&](const Access& access) { return leads(access) || contains(access.indices, flat->var); };
    bool fills_points = true;
    concrete::for_each(forall.body, [&](const Stmt& stmt) {
      const concrete::Assign* assign = stmt.as<concrete::Assign>();
      fills_points = fills_points && (!assign || contains(assign->lhs.indices, flat->var));
    });
    if (flat->positions && !fills_points && without_absent(forall.body, is_of_points)) {
      refuse(fmt::format("there is something to compute where '{}' stores nothing", flat->positions->tensor.name()),
             "leave the loops apart, or collapse coordinates");
    }
  }

  /// Is there a place for each component, of which no two iterations write the same?
  bool is_array_filled_apart(const TensorVar& temporary, const concrete::Forall& forall) const {
    bool apart = temporary.order() > 0 && temporary.format().is_dense();
    concrete::for_each(forall.body, [&](const Stmt& stmt) {
      const concrete::Assign* assign = stmt.as<concrete::Assign>();
      if (assign && assign->lhs.tensor == temporary)
        apart = apart && concrete::writes_apart(forall, *assign, program_.environment);
    });
    return apart;
  }

  /// Threads share results and arrays, but no other workspaces.
  void check_targets(const concrete::Forall& forall, bool is_outermost) const {
    if (forall.tag.gpu) check_workspaces(forall);
    if (!forall.tag.parallel) return;
    for (const TensorVar& target : concrete::targets(forall)) {
      bool is_result = std::find(program_.results.begin(), program_.results.end(), target) != program_.results.end(),
           twice = program_.environment.two_passes.count(target) > 0;
      if (!twice && (is_result || is_array_filled_apart(target, forall))) continue;
      std::string why = twice ? fmt::format("it runs twice, as '{}' is not filled in order", target.name())
                              : fmt::format("it fills '{}', a temporary that they would share", target.name());
      UserError error(fmt::format("The loop over '{}' cannot be divided among threads: {}", forall.var.name(), why));
      std::move(error).note(concrete::describe_loops(program_.statement, {forall.var}));
      std::string other_result = "store the result so that its components can be written in any order, such as dense";
      if (twice)
        std::move(error).hint("leave it to one thread, or set the number of threads and leave this command out",
                              "leave it to one thread, or run with --threads and without this command");
      else if (!is_outermost)
        std::move(error).hint("parallelize a loop that is around all of it, such as the outermost one");
      else std::move(error).hint(other_result, other_result + "; --print assemble shows the temporary");
      const concrete::LoopTag::Asked& asked = forall.tag.parallel_by;
      if (asked.source) std::move(error).at(asked.source, asked.span);
      throw error;
    }
  }

  /// Is it made and used up by each iteration of a loop for threads, and small?  Then each thread has its own.
  bool is_of_one_thread(const TensorVar& tensor) const {
    bool is_inside = false, is_small = true;
    std::vector<IndexVar> loops;
    concrete::for_each(program_.statement, [&](const Stmt& stmt) {
      const concrete::Forall* forall = stmt.as<concrete::Forall>();
      if (!forall) return;
      loops.push_back(forall->var);
      if (forall->tag.gpu != concrete::GpuUnit::Thread) return;
      std::vector<TensorVar> written = concrete::written(forall->body), shared = concrete::targets(forall->body);
      is_inside = is_inside || (std::find(written.begin(), written.end(), tensor) != written.end() &&
                                std::find(shared.begin(), shared.end(), tensor) == shared.end());
    });
    for (const Access& access : concrete::temporaries(program_)) {
      if (!(access.tensor == tensor)) continue;
      std::int64_t size = 1;
      for (const IndexVar& var : access.indices) {
        std::optional<std::int64_t> most = concrete::most_points(program_.environment, loops, var);
        is_small = is_small && most && *most <= grids_.most_of_one_thread / size;
        if (is_small) size *= *most;
      }
    }
    return is_inside && is_small && tensor.format().is_dense();
  }

  /// Threads of a GPU have scalars and small arrays of their own, but no other tensors.
  void check_workspaces(const concrete::Forall& forall) const {
    for (const TensorVar& tensor : concrete::written(forall)) {
      bool is_result = std::find(program_.results.begin(), program_.results.end(), tensor) != program_.results.end();
      if (is_result || tensor.order() == 0 || is_of_one_thread(tensor)) continue;
      UserError error(fmt::format("The loop over '{}' cannot run on a GPU: '{}', a temporary, is written inside of it",
                                  forall.var.name(), tensor.name()));
      std::move(error).note(concrete::describe_loops(program_.statement, {forall.var}));
      if (tensor.format().is_dense())
        std::move(error).note(
            fmt::format("a thread has room for a temporary of its own that is known to have at most {} components",
                        grids_.most_of_one_thread));
      std::move(error).hint("leave out the command that makes the temporary, or store the result dense",
                            "leave out the command that makes the temporary, or store the result dense; --print "
                            "assemble shows the temporary");
      if (forall.tag.parallel_by.source)
        std::move(error).at(forall.tag.parallel_by.source, forall.tag.parallel_by.span);
      throw error;
    }
  }

  /// Only a loop that knows its iterations beforehand, with no cursor beside it, can be divided among threads or run as
  /// vectors.
  void check_tags(const Lattice& lattice, const Strategy& strategy) const {
    bool is_cut = std::any_of(program_.environment.piece_loops.begin(), program_.environment.piece_loops.end(),
                              [&](const concrete::PieceLoop& cut) { return cut.var == lattice.var; });
    const concrete::LoopTag& tag = lattice.tag;
    if (tag.is_plain() || is_cut) return;
    Mask steppers = strategy.with(Protocol::Step),
         cursors = strategy.with(Protocol::SeqIter) | strategy.with(Protocol::Gallop);
    bool one_loop = strategy.over_universe ? steppers == 0
                                           : std::popcount(steppers) == 1 &&
                                                 !lattice.groups(static_cast<size_t>(std::countr_zero(steppers)));
    auto refuse = [&](const char* what, const std::string& hint, const concrete::LoopTag::Asked& asked) {
      UserError error(fmt::format("The loop over '{}' cannot be {}: it goes through several operands side by side",
                                  lattice.var.name(), what));
      std::move(error).note(concrete::describe_loops(program_.statement, {lattice.var})).hint(hint);
      if (asked.source) std::move(error).at(asked.source, asked.span);
      throw error;
    };
    bool is_plain = one_loop && cursors == 0 && !lattice.skipped;
    auto is_single = [&] {
      const Operand& operand = lattice.operands[static_cast<size_t>(std::countr_zero(steppers))];
      return operand.tensor.format().levels()[static_cast<size_t>(operand.level)].format->properties().branchless;
    };
    if (tag.parallel && is_plain && !strategy.over_universe && is_single()) {
      UserError error(fmt::format("The loop over '{}' cannot be divided among threads: it has one iteration each time",
                                  lattice.var.name()));
      std::move(error).note(concrete::describe_loops(program_.statement, {lattice.var}));
      if (tag.parallel_by.source) std::move(error).at(tag.parallel_by.source, tag.parallel_by.span);
      throw std::move(error).hint("parallelize a loop around it");
    }
    if (tag.parallel && !is_plain) {
      refuse("divided among threads",
             fmt::format("split it, as in split({0}, {0}0, {0}1, 64), and parallelize the loop over the pieces",
                         lattice.var.name()),
             tag.parallel_by);
    }
    if (tag.gpu && !is_plain) {
      refuse("divided among units of a GPU",
             fmt::format("split it, as in split({0}, {0}0, {0}1, 64), and parallelize the loop over the pieces",
                         lattice.var.name()),
             tag.parallel_by);
    }
    if (tag.vector && !(one_loop && cursors == 0))
      refuse("run as vectors", "vectorize a loop over one operand that is stored, or over a dense dimension",
             tag.vector_by);
    if (tag.unrolled > 0 && !one_loop)
      refuse("unrolled", "unroll a loop over one operand that is stored, or over a dense dimension", tag.unrolled_by);
  }

  void check(const Lattice& lattice, const std::vector<IndexVar>& bound) {
    const std::vector<ProtocolRequest>& requests = program_.environment.protocols;
    Strategy strategy = choose_strategy(lattice, requests);
    if (!bound.empty()) remember_unchanged(lattice, bound.back(), program_.operands, strategy);
    check_cuts(lattice, strategy);
    check_tags(lattice, strategy);
    for (size_t k = 0; k < lattice.operands.size(); k++) {
      for (size_t n = 0; n < requests.size(); n++) {
        if (!is_about(requests[n], lattice.operands[k], lattice.var)) continue;
        met_[n] = true;
        remark(fmt::format("in the loop over '{}', {} is reached by '{}', as the schedule asks", lattice.var.name(),
                           level_name(lattice.operands[k]), concrete::to_string(requests[n].protocol)));
      }
    }
    for (size_t p = 0; p < lattice.points.size(); p++) {
      if (strategy.by_length[p]) remark_on_lengths(lattice, strategy, lattice.points[p]);
    }
    remark_on_order(lattice, strategy);
  }

  void remark_on_lengths(const Lattice& lattice, const Strategy& strategy, const Point& point) {
    std::vector<std::string> names;
    for (size_t k = 0; k < lattice.operands.size(); k++) {
      if (has(point.present & strategy.with(Protocol::Step), k))
        names.push_back("'" + lattice.operands[k].tensor.name() + "'");
    }
    std::string last = names.back(),
                where = lattice.points.size() == 1 ? "" : "where no other operand has coordinates left, ";
    names.pop_back();
    std::string kept;
    for (size_t k = 0; k < lattice.operands.size(); k++) {
      if (!has(strategy.remembered, k)) continue;
      kept = fmt::format("; '{}', which stays the same meanwhile, is looked up in a map once the other has had as many",
                         lattice.operands[k].tensor.name());
    }
    remark(
        fmt::format("in the loop over '{}', {}{} and {} are merged, but where one has more than {} times the "
                    "coordinates of another it is galloped through{}: decided at run time",
                    lattice.var.name(), where, join(names, ", "), last, lookups_.gallop_ratio, kept));
  }

  /// Operands out of order are found where others are.
  void remark_on_order(const Lattice& lattice, const Strategy& strategy) {
    for (size_t k = 0; k < lattice.operands.size(); k++) {
      const Operand& operand = lattice.operands[k];
      level::Properties properties = operand.tensor.format().levels()[operand.level].format->properties();
      bool follows = has(strategy.used & ~strategy.with(Protocol::Step), k) && !has(strategy.with(Protocol::Locate), k);
      if (!follows || properties.ordered == Ordered::Increasing) continue;
      std::string searched =
          has(strategy.by_distance, k)
              ? fmt::format(", or 'binary' if it is more than {} times as long as the operand that leads",
                            lookups_.search_ratio)
              : "";
      remark(fmt::format("in the loop over '{}', {} is found by '{}'{}: its coordinates do not increase",
                         lattice.var.name(), level_name(operand), concrete::to_string(strategy.protocols[k]),
                         searched));
    }
  }

  void remark(const std::string& text) {
    if (std::find(remarks_.begin(), remarks_.end(), text) == remarks_.end()) remarks_.push_back(text);
  }

  /// No lattice has the operand: its level is always found, or its loops never run.
  void refuse_without_loop(const ProtocolRequest& request) const {
    std::optional<Operand> operand = operand_of(request);
    if (!operand)
      throw at_request(UserError(fmt::format("'{}' is not read in a loop over '{}'", request.tensor, request.variable)),
                       request);
    if (request.protocol == Protocol::Locate) return;
    UserError error(fmt::format(
        "{} cannot be reached by '{}' in the loop over '{}': every coordinate is found where it is looked up",
        capitalized(level_name(*operand)), concrete::to_string(request.protocol), request.variable));
    throw at_request(std::move(error).hint("valid there: locate"), request);
  }

  std::optional<Operand> operand_of(const ProtocolRequest& request) const {
    std::optional<Operand> found;
    concrete::for_each(program_.statement, [&](const Stmt& stmt) {
      const concrete::Assign* assign = stmt.as<concrete::Assign>();
      if (!assign) return;
      for (const Access& access : notation::accesses(assign->rhs)) {
        std::vector<IndexVar> vars = concrete::level_vars(access);
        for (size_t level = 0; level < vars.size(); level++) {
          Operand operand = operand_at(access, static_cast<int>(level));
          if (is_about(request, operand, vars[level])) found = operand;
        }
      }
    });
    return found;
  }

  const concrete::Program& program_;
  policy::Lookups lookups_;
  policy::Grids grids_;
  std::vector<bool> met_;
  std::vector<std::string> remarks_;
};

}  // namespace

std::vector<std::string> check_strategies(const concrete::Program& program, const policy::Policy& policy) {
  return Checker(program, policy).run();
}

}  // namespace filigree::lattice

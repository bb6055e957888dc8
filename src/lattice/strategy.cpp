#include "lattice/strategy.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "concrete/relations.h"
#include "lattice/presence.h"
#include "support/text.h"

namespace filigree::lattice {
namespace {

using level::Ordered;

bool has(Mask mask, size_t k) { return mask >> k & 1; }

std::string level_name(const Operand& operand) {
  return fmt::format("level {} of '{}' ({})", operand.level + 1, operand.tensor.name(), operand.tensor.format().levels()[operand.level].format->name());
}

std::string capitalized(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

/// Why a choice cannot be made: about which operand, and the reason.
struct Problem {
  size_t operand;
  std::string reason;
};

/// Makes the choice for one lattice.
class Chooser {
 public:
  using Requested = std::vector<std::optional<Protocol>>;  // by operand

  Chooser(const Lattice& lattice, Requested requested) : lattice_(lattice), requested_(std::move(requested)) {
    for (const Point& point : lattice.points) strategy_.used |= point.present;
    strategy_.protocols.resize(lattice.operands.size(), Protocol::Locate);
    strategy_.over_universe = lattice.has_universe();
    strategy_.by_length.resize(lattice.points.size(), false);
  }

  std::optional<Problem> run() {
    if (strategy_.used == 0) return std::nullopt;
    for_each_used([&](size_t k) { strategy_.protocols[k] = requested_[k].value_or(preferred(k)); });
    if (!strategy_.over_universe) choose_drivers();
    for (size_t k = 0; k < lattice_.operands.size(); k++) {
      if (!has(strategy_.used, k)) continue;
      if (std::optional<std::string> reason = why_not(k)) return Problem{k, *reason};
    }
    for_each_used([&](size_t k) {
      bool follows = strategy_.protocols[k] == Protocol::SeqIter && !requested_[k] && !strategy_.over_universe;
      if (follows && properties(k).ordered == Ordered::Decreasing && format(k).search()) strategy_.by_distance |= Mask{1} << k;
    });
    return undriven_point();
  }

  const Strategy& strategy() const { return strategy_; }

  /// What is wrong with a strategy that somebody else chose.
  static std::optional<Problem> problem_of(const Lattice& lattice, const Strategy& strategy) {
    Chooser chooser(lattice, Requested(lattice.operands.size()));
    chooser.strategy_ = strategy;
    for (size_t k = 0; k < lattice.operands.size(); k++) {
      if (!has(strategy.used, k)) continue;
      if (std::optional<std::string> why = chooser.why_not(k)) return Problem{k, *why};
    }
    return chooser.undriven_point();
  }

 private:
  const level::Format& format(size_t k) const {
    const Operand& operand = lattice_.operands[k];
    return *operand.tensor.format().levels()[operand.level].format;
  }
  level::Properties properties(size_t k) const { return format(k).properties(); }
  bool is_intersection() const { return lattice_.points.size() == 1 && !strategy_.over_universe; }
  bool any_requested() const { return std::any_of(requested_.begin(), requested_.end(), [](const auto& r) { return r.has_value(); }); }
  /// Can its coordinates be compared with those of others, finger by finger?
  bool merges(size_t k) const { return properties(k).ordered == Ordered::Increasing && is_unique(k) && (format(k).position_iteration() || format(k).value_iteration()); }

  bool is_unique(size_t k) const { return properties(k).unique || lattice_.groups(k); }

  template <class Visit>
  void for_each_used(const Visit& visit) const {
    for (size_t k = 0; k < lattice_.operands.size(); k++) {
      if (has(strategy_.used, k)) visit(k);
    }
  }

  Protocol preferred(size_t k) const {
    if (strategy_.over_universe) return finder(k);
    return is_intersection() && format(k).locate() ? Protocol::Locate : Protocol::Step;
  }

  /// How an operand is found that does not drive.
  Protocol finder(size_t k) const {
    if (format(k).locate()) return Protocol::Locate;
    if (merges(k)) return Protocol::SeqIter;
    if (properties(k).ordered == Ordered::Decreasing && properties(k).unique && format(k).position_iteration()) return Protocol::SeqIter;
    return Protocol::Hash;
  }

  /// Coordinates are visited increasing.  So what drives increases, or the universe does the driving.
  void choose_drivers() {
    bool alone = std::popcount(strategy_.used) == 1;
    if (strategy_.all_gallop() && is_intersection()) return;
    if (strategy_.with(Protocol::Step) == 0) promote_one();
    if (alone || drives_alone()) return;
    if (!any_requested()) let_others_follow(), look_up_what_others_lead();
    if (drives_alone()) return;
    if (!any_requested()) let_single_lead();
    std::vector<size_t> out_of_order;
    for_each_used([&](size_t k) {
      if (strategy_.protocols[k] == Protocol::Step && !requested_[k] && !merges(k)) out_of_order.push_back(k);
    });
    for (size_t k : out_of_order) strategy_.protocols[k] = finder(k);
    if (!out_of_order.empty() && undriven_point() && !any_requested()) {
      strategy_.over_universe = true;
      for_each_used([&](size_t k) { strategy_.protocols[k] = finder(k); });
    }
    decide_by_length();
    follow_by_runs();
  }

  /// One operand steps and all others are looked up wherever it is: its order does not matter.
  bool drives_alone() const {
    Mask step = strategy_.with(Protocol::Step);
    bool everywhere = std::all_of(lattice_.points.begin(), lattice_.points.end(), [&](const Point& point) { return (point.present & step) == step; });
    return !strategy_.over_universe && everywhere && std::popcount(step) == 1 && (step | strategy_.with(Protocol::Locate)) == strategy_.used;
  }

  /// An operand that is there at every point but out of order drives alone, if all others can be looked up.
  void let_others_follow() {
    for (size_t k = 0; k < lattice_.operands.size(); k++) {
      if (!has(strategy_.used, k) || merges(k)) continue;
      bool everywhere = std::all_of(lattice_.points.begin(), lattice_.points.end(), [&](const Point& point) { return has(point.present, k); });
      bool found = true;
      for_each_used([&](size_t other) { found = found && (other == k || format(other).locate()); });
      if (!everywhere || !found) continue;
      for_each_used([&](size_t other) { strategy_.protocols[other] = other == k ? Protocol::Step : Protocol::Locate; });
      return;
    }
  }

  /// Has the operand one coordinate each time the loop runs?
  bool is_single(size_t k) const {
    const Operand& operand = lattice_.operands[k];
    const std::vector<Level>& levels = operand.tensor.format().levels();
    bool under_one = operand.level > 0 && levels[static_cast<size_t>(operand.level) - 1].format->properties().unique;
    return under_one && properties(k).branchless && !properties(k).padded && merges(k);
  }

  /// One coordinate is searched for in the others of an intersection, instead of going through these.
  void let_single_lead() {
    if (!is_intersection()) return;
    for (size_t k = 0; k < lattice_.operands.size(); k++) {
      if (!has(strategy_.used, k) || strategy_.protocols[k] != Protocol::Step || !is_single(k)) continue;
      for_each_used([&](size_t other) {
        if (other != k && strategy_.protocols[other] == Protocol::Step && merges(other) && format(other).search() && !lattice_.groups(other)) strategy_.protocols[other] = Protocol::Gallop;
      });
      return;
    }
  }

  /// What can be looked up need not step where all points with it have another operand that does.
  void look_up_what_others_lead() {
    for_each_used([&](size_t k) {
      Mask others = strategy_.with(Protocol::Step) & ~(Mask{1} << k);
      bool led = std::all_of(lattice_.points.begin(), lattice_.points.end(), [&](const Point& point) { return !has(point.present, k) || (point.present & others); });
      if (led && format(k).locate() && strategy_.protocols[k] == Protocol::Step) strategy_.protocols[k] = Protocol::Locate;
    });
  }

  /// Everything could be looked up: the first that nobody asked to look up is walked instead.
  void promote_one() {
    for (size_t k = 0; k < lattice_.operands.size(); k++) {
      if (!has(strategy_.used, k) || requested_[k] || !(format(k).position_iteration() || format(k).value_iteration())) continue;
      strategy_.protocols[k] = Protocol::Step;
      return;
    }
  }

  /// Sizes are known at run time only.
  void decide_by_length() {
    if (strategy_.over_universe || any_requested()) return;
    for (size_t p = 0; p < lattice_.points.size(); p++) {
      Mask present = lattice_.points[p].present, step = present & strategy_.with(Protocol::Step);
      bool searchable = true;
      for_each_used([&](size_t k) { searchable = searchable && (!has(step, k) || (format(k).search() && !lattice_.groups(k))); });
      auto below = [&](const Point& point) { return (point.present & ~present) == 0; };
      bool intersects = std::count_if(lattice_.points.begin(), lattice_.points.end(), below) == 1;
      strategy_.by_length[p] = intersects && std::popcount(step) > 1 && searchable;
    }
  }

  /// Where coordinates come in runs, following another operand from run to run takes fewer steps than merging with it.
  void follow_by_runs() {
    if (!is_intersection() || any_requested()) return;
    for_each_used([&](size_t k) {
      bool others = std::popcount(strategy_.with(Protocol::Step)) > 1;
      if (strategy_.protocols[k] == Protocol::Step && format(k).runs() && others) strategy_.protocols[k] = Protocol::SeqIter;
    });
  }

  std::optional<std::string> why_not(size_t k) const {
    const level::Properties facts = properties(k);
    bool alone = std::popcount(strategy_.used) == 1;
    Protocol protocol = strategy_.protocols[k];
    if (protocol == Protocol::Locate) return format(k).locate() ? std::nullopt : reason("it has no random access");
    bool walked = format(k).position_iteration() || (protocol == Protocol::Step && format(k).value_iteration());
    if (!walked) return reason("its coordinates cannot be walked");
    if (protocol == Protocol::Step) {
      if (strategy_.over_universe) return reason("the loop visits every coordinate of the dimension, so nothing else drives it");
      if (alone || drives_alone()) return std::nullopt;
      if (facts.ordered != Ordered::Increasing) return reason("its coordinates do not increase");
      bool merged = std::popcount(strategy_.with(Protocol::Step)) > 1;
      return merged && !is_unique(k) ? reason("it may have a coordinate twice") : std::nullopt;
    }
    if (protocol == Protocol::SeqIter && strategy_.over_universe && lattice_.groups(k) && facts.ordered == Ordered::Increasing) return std::nullopt;
    if (!facts.unique) return reason("it may have a coordinate twice");
    if (protocol == Protocol::Hash || protocol == Protocol::Scan) return std::nullopt;
    if (protocol == Protocol::Binary) {
      return (format(k).search() && facts.ordered != Ordered::No) || format(k).runs() ? std::nullopt : reason("its coordinates are not sorted in an array");
    }
    if (protocol == Protocol::Gallop && !format(k).search()) {
      if (!format(k).runs()) return reason("its coordinates are not sorted in an array");
      if (strategy_.all_gallop()) return reason("its coordinates come in runs, which can only follow, so another operand has to step");
    }
    bool sorted = facts.ordered == Ordered::Increasing || (protocol == Protocol::SeqIter && facts.ordered == Ordered::Decreasing);
    return sorted ? std::nullopt : reason(protocol == Protocol::SeqIter ? "its coordinates are not sorted" : "its coordinates do not increase, as those of the loop do");
  }
  static std::optional<std::string> reason(std::string text) { return text; }

  /// A point none of whose operands drives.
  std::optional<Problem> undriven_point() const {
    if (strategy_.over_universe || (strategy_.all_gallop() && is_intersection())) return std::nullopt;
    Mask step = strategy_.with(Protocol::Step);
    for (const Point& point : lattice_.points) {
      if (point.present & step) continue;
      for (size_t k = 0; k < lattice_.operands.size(); k++) {
        if (!has(point.present, k) || (any_requested() && !requested_[k])) continue;
        if (std::popcount(strategy_.used) == 1) return Problem{k, "no other operand can drive it"};
        bool alone = std::popcount(point.present) == 1;
        return Problem{k, alone ? "the loop has work where no other operand is present, so this one has to step" : "some operand has to step, and no other does"};
      }
    }
    return std::nullopt;
  }

  const Lattice& lattice_;
  Requested requested_;
  Strategy strategy_;
};

bool is_about(const ProtocolRequest& request, const Operand& operand, const IndexVar& var) {
  return request.variable == var.name() && request.tensor == operand.tensor.name();
}

UserError at_request(UserError error, const ProtocolRequest& request) {
  if (request.source) std::move(error).at(request.source, request.span);
  return error;
}

}  // namespace

Mask Strategy::with(Protocol protocol) const {
  Mask mask = 0;
  for (size_t k = 0; k < protocols.size(); k++) {
    if (has(used, k) && protocols[k] == protocol) mask |= Mask{1} << k;
  }
  return mask;
}

bool Strategy::all_gallop() const { return !over_universe && std::popcount(used) > 1 && with(Protocol::Gallop) == used; }

namespace {

/// The request about each operand, or none.
std::vector<const ProtocolRequest*> requests_by_operand(const Lattice& lattice, const std::vector<ProtocolRequest>& requests) {
  std::vector<const ProtocolRequest*> out(lattice.operands.size(), nullptr);
  for (size_t k = 0; k < lattice.operands.size(); k++) {
    for (const ProtocolRequest& request : requests) {
      if (is_about(request, lattice.operands[k], lattice.var)) out[k] = &request;
    }
  }
  return out;
}

std::string describe(const Problem& problem, const Lattice& lattice, const Strategy& strategy) {
  std::string protocol = concrete::to_string(strategy.protocols[problem.operand]);
  return fmt::format("{} cannot be reached by '{}' in the loop over '{}': {}", level_name(lattice.operands[problem.operand]), protocol, lattice.var.name(), problem.reason);
}

Chooser::Requested protocols_of(const std::vector<const ProtocolRequest*>& requests) {
  Chooser::Requested out;
  for (const ProtocolRequest* request : requests) out.push_back(request ? std::optional(request->protocol) : std::nullopt);
  return out;
}

}  // namespace

Strategy choose_strategy_of_part(const Lattice& lattice, const std::vector<ProtocolRequest>& requests) {
  Chooser::Requested requested = protocols_of(requests_by_operand(lattice, requests));
  while (true) {
    Chooser chooser(lattice, requested);
    std::optional<Problem> problem = chooser.run();
    if (!problem) return chooser.strategy();
    if (!requested[problem->operand]) return choose_strategy(lattice, {});  // not for a request: says why
    requested[problem->operand] = std::nullopt;
  }
}

Strategy choose_strategy(const Lattice& lattice, const std::vector<ProtocolRequest>& requests) {
  std::vector<const ProtocolRequest*> origin = requests_by_operand(lattice, requests);
  Chooser::Requested requested = protocols_of(origin);
  Chooser chooser(lattice, requested);
  std::optional<Problem> problem = chooser.run();
  if (!problem) return chooser.strategy();

  size_t k = problem->operand;
  UserError error(capitalized(describe(*problem, lattice, chooser.strategy())));
  std::vector<std::string> valid;
  for (const std::string& name : concrete::protocol_names()) {
    Chooser::Requested other = requested;
    other[k] = concrete::parse_protocol(name);
    if (!Chooser(lattice, other).run()) valid.push_back(name);
  }
  // Where there are several requests, it may take another one to change.
  std::move(error).hint(valid.empty() ? "let one of the operands that meet there step, or leave this command out" : "valid there: " + join(valid, ", "));
  throw origin[k] ? at_request(std::move(error), *origin[k]) : std::move(error);
}

std::optional<std::string> find_problem(const Lattice& lattice, const Strategy& strategy) {
  std::optional<Problem> problem = Chooser::problem_of(lattice, strategy);
  if (!problem) return std::nullopt;
  return describe(*problem, lattice, strategy);
}

namespace {

/// Walks all loops of a program as lowering meets them.
class Checker {
 public:
  explicit Checker(const concrete::Program& program) : program_(program), met_(program.environment.protocols.size(), false) {}

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
    for (const concrete::Relation& relation : concrete::derived(program_.environment, bound, stmt)) bound.push_back(relation.var);
    walk(stmt, bound);
  }

  void walk(const Stmt& stmt, std::vector<IndexVar> bound) {
    match(
        stmt,
        [&](const concrete::Forall& n) {
          check_targets(n);
          check_flat_loop(n);
          check(build_lattice(n, bound, program_.environment));
          bound.push_back(n.var);
          enter(n.body, bound);
        },
        [&](const concrete::Where& n) { enter(n.producer, bound), enter(n.consumer, bound); },
        [&](const concrete::Sequence& n) { for (const Stmt& s : n.statements) walk(s, bound); },
        [&](const concrete::Multi& n) { for (const Stmt& s : n.statements) walk(s, bound); }, [](const concrete::Assign&) {});
  }

  /// Loops that are cut by positions of an operand must have nothing to do where it has none.
  void check_cuts(const Lattice& lattice, const Strategy& strategy) const {
    for (const concrete::Cut& cut : program_.environment.cuts) {
      if (!cut.positions || !contains(cut.loops, lattice.var)) continue;
      std::vector<IndexVar> vars = concrete::level_vars(*cut.positions);
      int level = static_cast<int>(std::find(vars.begin(), vars.end(), lattice.var) - vars.begin());
      auto own = std::find(lattice.operands.begin(), lattice.operands.end(), operand_at(*cut.positions, level));
      bool leads = !lattice.skipped, walks = true;
      if (own != lattice.operands.end()) {
        int k = static_cast<int>(own - lattice.operands.begin());
        for (const Point& point : lattice.points) leads = leads && has(point.present, k);
        walks = has(strategy.with(Protocol::Step) | strategy.with(Protocol::SeqIter) | strategy.with(Protocol::Gallop), k);
      }
      if (leads && walks) continue;
      std::string why = leads ? "it is looked up there where other operands have something" : "there is something to compute where it stores nothing";
      UserError error(fmt::format("The loop over '{}' cannot be cut by positions of '{}': {}", lattice.var.name(), cut.positions->tensor.name(), why));
      std::move(error).note(concrete::describe_loops(program_.statement, {lattice.var}));
      std::move(error).hint(leads ? "take positions of the operand that leads, or split the variable itself" : "cut it by coordinates: split the variable itself");
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
                 flat->positions ? "store it with a place for every coordinate, or leave the loops apart" : "take positions of the operand that is stored, as in pos(f, p, A)");
        }
      }
    });
    if (flat->positions && without_absent(forall.body, leads)) {
      refuse(fmt::format("there is something to compute where '{}' stores nothing", flat->positions->tensor.name()), "leave the loops apart, or collapse coordinates");
    }
  }

  /// Threads share results, but no workspaces.
  void check_targets(const concrete::Forall& forall) const {
    if (forall.tag.gpu) check_workspaces(forall);
    if (!forall.tag.parallel) return;
    for (const TensorVar& target : concrete::targets(forall)) {
      bool is_result = std::find(program_.results.begin(), program_.results.end(), target) != program_.results.end(), twice = program_.environment.two_passes.count(target) > 0;
      if (is_result && !twice) continue;
      std::string why = twice ? fmt::format("it runs twice, as '{}' is not filled in order", target.name()) : fmt::format("it fills '{}', a temporary that they would share", target.name());
      UserError error(fmt::format("The loop over '{}' cannot be divided among threads: {}", forall.var.name(), why));
      std::move(error).note(concrete::describe_loops(program_.statement, {forall.var}));
      std::string other_result = "store the result so that its components can be written in any order, such as dense";
      if (twice) std::move(error).hint("leave it to one thread, or set the number of threads and leave this command out", "leave it to one thread, or run with --threads and without this command");
      else std::move(error).hint(other_result, other_result + "; --print assemble shows the temporary");
      const concrete::LoopTag::Asked& asked = forall.tag.parallel_by;
      if (asked.source) std::move(error).at(asked.source, asked.span);
      throw error;
    }
  }

  /// Threads of a GPU have scalars of their own, but no tensors.
  void check_workspaces(const concrete::Forall& forall) const {
    for (const TensorVar& tensor : concrete::written(forall)) {
      bool is_result = std::find(program_.results.begin(), program_.results.end(), tensor) != program_.results.end();
      if (is_result || tensor.order() == 0) continue;
      UserError error(fmt::format("The loop over '{}' cannot run on a GPU: '{}', a temporary, is written inside of it", forall.var.name(), tensor.name()));
      std::move(error).note(concrete::describe_loops(program_.statement, {forall.var}));
      std::move(error).hint("leave out the command that makes the temporary, or store the result dense", "leave out the command that makes the temporary, or store the result dense; --print assemble shows the temporary");
      if (forall.tag.parallel_by.source) std::move(error).at(forall.tag.parallel_by.source, forall.tag.parallel_by.span);
      throw error;
    }
  }

  /// Only a loop that knows its iterations beforehand, with no cursor beside it, can be divided among threads or run as vectors.
  void check_tags(const Lattice& lattice, const Strategy& strategy) const {
    bool is_cut = std::any_of(program_.environment.cuts.begin(), program_.environment.cuts.end(), [&](const concrete::Cut& cut) { return cut.var == lattice.var; });
    const concrete::LoopTag& tag = lattice.tag;
    if (tag.is_plain() || is_cut) return;
    Mask steppers = strategy.with(Protocol::Step), cursors = strategy.with(Protocol::SeqIter) | strategy.with(Protocol::Gallop);
    bool one_loop = strategy.over_universe ? steppers == 0 : std::popcount(steppers) == 1 && !lattice.groups(static_cast<size_t>(std::countr_zero(steppers)));
    auto refuse = [&](const char* what, const std::string& hint, const concrete::LoopTag::Asked& asked) {
      UserError error(fmt::format("The loop over '{}' cannot be {}: it goes through several operands side by side", lattice.var.name(), what));
      std::move(error).note(concrete::describe_loops(program_.statement, {lattice.var})).hint(hint);
      if (asked.source) std::move(error).at(asked.source, asked.span);
      throw error;
    };
    bool is_plain = one_loop && cursors == 0 && !lattice.skipped;
    if (tag.parallel && !is_plain) {
      refuse("divided among threads", fmt::format("split it, as in split({0}, {0}0, {0}1, 64), and parallelize the loop over the pieces", lattice.var.name()), tag.parallel_by);
    }
    if (tag.gpu && !is_plain) {
      refuse("divided among units of a GPU", fmt::format("split it, as in split({0}, {0}0, {0}1, 64), and parallelize the loop over the pieces", lattice.var.name()), tag.parallel_by);
    }
    if (tag.vector && !(one_loop && cursors == 0)) refuse("run as vectors", "vectorize a loop over one operand that is stored, or over a dense dimension", tag.vector_by);
    if (tag.unrolled > 0 && !one_loop) refuse("unrolled", "unroll a loop over one operand that is stored, or over a dense dimension", tag.unrolled_by);
  }

  void check(const Lattice& lattice) {
    const std::vector<ProtocolRequest>& requests = program_.environment.protocols;
    Strategy strategy = choose_strategy(lattice, requests);
    check_cuts(lattice, strategy);
    check_tags(lattice, strategy);
    for (size_t k = 0; k < lattice.operands.size(); k++) {
      for (size_t n = 0; n < requests.size(); n++) {
        if (!is_about(requests[n], lattice.operands[k], lattice.var)) continue;
        met_[n] = true;
        remark(fmt::format("in the loop over '{}', {} is reached by '{}', as the schedule asks", lattice.var.name(), level_name(lattice.operands[k]), concrete::to_string(requests[n].protocol)));
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
      if (has(point.present & strategy.with(Protocol::Step), k)) names.push_back("'" + lattice.operands[k].tensor.name() + "'");
    }
    std::string last = names.back(), where = lattice.points.size() == 1 ? "" : "where no other operand has coordinates left, ";
    names.pop_back();
    remark(fmt::format("in the loop over '{}', {}{} and {} are merged, but where one has more than {} times the coordinates of another it is galloped through: decided at run time",
                       lattice.var.name(), where, join(names, ", "), last, gallop_ratio));
  }

  /// Operands out of order are found where others are.
  void remark_on_order(const Lattice& lattice, const Strategy& strategy) {
    for (size_t k = 0; k < lattice.operands.size(); k++) {
      const Operand& operand = lattice.operands[k];
      level::Properties properties = operand.tensor.format().levels()[operand.level].format->properties();
      bool follows = has(strategy.used & ~strategy.with(Protocol::Step), k) && !has(strategy.with(Protocol::Locate), k);
      if (!follows || properties.ordered == Ordered::Increasing) continue;
      std::string searched = has(strategy.by_distance, k) ? fmt::format(", or 'binary' if it is more than {} times as long as the operand that leads", search_ratio) : "";
      remark(fmt::format("in the loop over '{}', {} is found by '{}'{}: its coordinates do not increase", lattice.var.name(), level_name(operand),
                         concrete::to_string(strategy.protocols[k]), searched));
    }
  }

  void remark(const std::string& text) {
    if (std::find(remarks_.begin(), remarks_.end(), text) == remarks_.end()) remarks_.push_back(text);
  }

  /// No lattice has the operand: its level is always found, or its loops never run.
  void refuse_without_loop(const ProtocolRequest& request) const {
    std::optional<Operand> operand = operand_of(request);
    if (!operand) throw at_request(UserError(fmt::format("'{}' is not read in a loop over '{}'", request.tensor, request.variable)), request);
    if (request.protocol == Protocol::Locate) return;
    UserError error(fmt::format("{} cannot be reached by '{}' in the loop over '{}': every coordinate is found where it is looked up",
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
  std::vector<bool> met_;
  std::vector<std::string> remarks_;
};

}  // namespace

std::vector<std::string> check_strategies(const concrete::Program& program) { return Checker(program).run(); }

}  // namespace filigree::lattice

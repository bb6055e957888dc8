#include "autoschedule/cost.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <span>

#include <fmt/format.h>

#include "notation/substitute.h"
#include "support/check.h"

namespace filigree::autoschedule {
namespace {

using Mask = std::uint64_t;  // of read accesses

constexpr size_t most_tensors = 32;
constexpr size_t most_reads = 64;
constexpr size_t most_reads_of_one = 16;  // of one assignment: what is left without some of them is tabled
constexpr std::uint8_t first_mode = 240;  // in the pattern of a temporary, variables for its dimensions
constexpr std::uint8_t end_of_variables = 240;

/// All of these hold.
struct Conjunction {
  std::vector<Atom> atoms;
  std::uint8_t next = most_variables;  // the first variable that is not in use
};
/// One of these holds.
using Pattern = std::vector<Conjunction>;

struct Node {
  enum class Kind { Loop, Where, Assign } kind;
  std::uint8_t var = 0;  // of a loop
  int first = 0;         // the body; the consumer; the number of the assignment
  int second = 0;        // the producer
  int workspace = 0;     // that the producer fills
  Mask reads = 0;        // in all that is inside
};

struct Read {
  int tensor = -1;     // by number, if it is an operand whose pattern is known
  int workspace = -1;  // by number, if it is one
  std::vector<std::uint8_t> vars;
  std::vector<int> choices;  // by dimension; none: it is dense
};

/// What is left of an assignment where some of its operands are absent.
struct Rest {
  Mask reads = 0;        // that are left
  bool nothing = false;  // the left side stays as it is
  bool at_once = false;  // so many equal terms of a scalar are reduced at once
};

struct Leaf {
  notation::Expr rhs;
  std::vector<TensorVar> by_read;
  std::vector<int> reads;  // their numbers
  Mask mask = 0;
  std::optional<Operator> op;
  std::optional<Scalar> fill;  // of what is written
  ElementType type = {};       // of the same
  int workspace = -1;          // that is written
  std::vector<std::uint8_t> vars;
  mutable std::vector<std::optional<Rest>> rests;  // by the subset of operands that are absent

  const Rest& without(Mask gone) const {
    size_t absent = 0;
    for (size_t n = 0; n < reads.size(); n++) absent |= size_t{gone >> reads[n] & 1} << n;
    std::optional<Rest>& rest = rests[absent];
    if (!rest) rest = find_rest(absent);
    return *rest;
  }

 private:
  Rest find_rest(size_t absent) const {
    auto number = [&](const notation::Access& access) {
      return static_cast<size_t>(std::find(by_read.begin(), by_read.end(), access.tensor) - by_read.begin());
    };
    notation::Expr left = absent == 0 ? rhs : notation::substitute_fill(rhs, [&](const notation::Access& access) {
      size_t n = number(access);
      return (absent >> n & 1) && by_read[n].may_be_absent();
    });
    Rest rest;
    for (const notation::Access& access : notation::accesses(left)) rest.reads |= Mask{1} << reads[number(access)];
    const notation::Literal* literal = left.as<notation::Literal>();
    if (!literal || !literal->structural) return rest;
    std::optional<Scalar> neutral = op ? identity(*op, literal->value.type()) : fill;
    rest.nothing = neutral && neutral->cast(literal->value.type()) == literal->value;
    rest.at_once = op && vars.empty() && reduces_at_once(*op, literal->value, type);
    return rest;
  }
};

}  // namespace

struct Analysis::Flat {
  Flat(const Stmt& stmt, const Tensors& tensors, const Universe& universe, const CostOptions& options)
      : tensors(tensors), universe(universe), options(options), choices(autoschedule::choices(stmt, tensors)) {
    root = flatten(stmt);
  }

  std::uint8_t variable(const std::string& index) const {
    auto found = std::find(universe.indices.begin(), universe.indices.end(), index);
    internal_check(found != universe.indices.end(), "autoschedule", "an unknown index", index);
    return static_cast<std::uint8_t>(found - universe.indices.begin());
  }

  int flatten(const Stmt& stmt) {
    Node node = match(
        stmt,
        [&](const Forall& n) {
          int body = flatten(n.body);
          return Node{Node::Kind::Loop, variable(n.index), body, 0, 0, nodes[body].reads};
        },
        [&](const Where& n) {
          int workspace = static_cast<int>(workspaces.size());
          workspaces.push_back(result(n.producer));
          int consumer = flatten(n.consumer);  // first: accesses are numbered as in Choices
          int producer = flatten(n.producer);
          return Node{Node::Kind::Where, 0,         consumer,
                      producer,          workspace, nodes[consumer].reads | nodes[producer].reads};
        },
        [&](const Assign& n) {
          leaves.push_back(leaf(n));
          return Node{Node::Kind::Assign, 0, static_cast<int>(leaves.size()) - 1, 0, 0, leaves.back().mask};
        });
    nodes.push_back(node);
    return static_cast<int>(nodes.size()) - 1;
  }

  int workspace_number(const std::string& name) const {
    auto found = std::find(workspaces.begin(), workspaces.end(), name);
    return found == workspaces.end() ? -1 : static_cast<int>(found - workspaces.begin());
  }

  Leaf leaf(const Assign& assign) {
    std::vector<TensorVar> by_read;
    notation::Expr rhs = to_notation(assign.rhs, tensors, by_read);
    auto written = tensors.find(assign.lhs.tensor);
    Leaf out{rhs,
             by_read,
             {},
             0,
             assign.op,
             written == tensors.end() ? std::nullopt : written->second.fill,
             written == tensors.end() ? rhs.type() : written->second.type,
             workspace_number(assign.lhs.tensor),
             {},
             {}};
    for (const Mode& mode : assign.lhs.modes) out.vars.push_back(variable(mode.index));
    for (const Access& access : accesses(assign.rhs)) {
      if (reads.size() >= most_reads || out.reads.size() >= most_reads_of_one) throw CostsTooMuch{};
      Read read;
      auto number = std::find(universe.tensors.begin(), universe.tensors.end(), access.tensor);
      read.workspace = workspace_number(access.tensor);
      if (read.workspace < 0 && number != universe.tensors.end())
        read.tensor = static_cast<int>(number - universe.tensors.begin());
      for (const Mode& mode : access.modes) read.vars.push_back(variable(mode.index));
      read.choices = choices.by_access[reads.size()];
      out.mask |= Mask{1} << reads.size();
      out.reads.push_back(static_cast<int>(reads.size()));
      reads.push_back(read);
    }
    out.rests.resize(size_t{1} << out.reads.size());
    return out;
  }

  const Tensors& tensors;
  const Universe& universe;
  CostOptions options;
  Choices choices;
  std::vector<Node> nodes;
  std::vector<Leaf> leaves;
  std::vector<Read> reads;
  std::vector<std::string> workspaces;
  int root = 0;
};

namespace {

/// Runs a statement on patterns.  `Flat` is private to Analysis, hence the template.
template <class Flat>
class Interpreter {
 public:
  Interpreter(const Flat& flat, std::uint64_t steps) : flat_(flat), steps_(steps), states_(flat.workspaces.size()) {}

  std::vector<Analysis::Attributed> operator()() {
    Mask gone = 0;
    if (!simplify(flat_.root, gone)) run(flat_.root, 0, {Conjunction{}}, gone);
    return std::move(tasks_);
  }

 private:
  /// Adds to `gone` what is annihilated by what is gone already; returns whether nothing is left to do.
  bool simplify(int at, Mask& gone) const {
    const Node& node = flat_.nodes[at];
    if (node.kind == Node::Kind::Loop) return simplify(node.first, gone);
    if (node.kind == Node::Kind::Assign) {
      const Leaf& leaf = flat_.leaves[node.first];
      const Rest& rest = leaf.without(gone);
      gone |= leaf.mask & ~rest.reads;
      if (rest.nothing) gone |= leaf.mask;
      return rest.nothing;
    }
    bool produces_nothing = simplify(node.second, gone);
    if (produces_nothing && flat_.options.unwritten_annihilate) {
      for (Mask left = flat_.nodes[node.first].reads & ~gone; left != 0; left &= left - 1) {
        int read = std::countr_zero(left);
        if (flat_.reads[read].workspace == node.workspace) gone |= Mask{1} << read;
      }
    }
    bool consumes_nothing = simplify(node.first, gone);
    if (consumes_nothing && flat_.options.unused_producers_skip) gone |= node.reads;
    return consumes_nothing && (produces_nothing || flat_.options.unused_producers_skip);
  }

  /// Are iterations that do nothing but this made up for by their number?
  bool is_done_at_once(int at, Mask gone) const {
    const Node& node = flat_.nodes[at];
    if (node.kind == Node::Kind::Loop) return is_done_at_once(node.first, gone);
    return flat_.options.equal_terms_at_once && node.kind == Node::Kind::Assign &&
           flat_.leaves[node.first].without(gone).at_once;
  }

  bool steps_in(const Read& read, std::uint8_t var) const {
    for (size_t d = 0; d < read.choices.size(); d++) {
      if (read.vars[d] == var && (steps_ >> read.choices[d] & 1)) return true;
    }
    return false;
  }

  void run(int at, std::uint32_t bound, const Pattern& guard, Mask gone) {
    const Node& node = flat_.nodes[at];
    switch (node.kind) {
      case Node::Kind::Loop: return run_loop(node, bound, guard, gone);
      case Node::Kind::Where: {
        states_[node.workspace] = {};
        scope_of_[node.workspace] = bound;
        Mask ignored = gone;
        if (!simplify(node.second, ignored)) run(node.second, bound, guard, gone);
        ignored = gone;
        if (!simplify(node.first, ignored)) run(node.first, bound, guard, gone);
        return;
      }
      case Node::Kind::Assign: {
        const Leaf& leaf = flat_.leaves[node.first];
        if (leaf.without(gone).nothing) return;
        Pattern inside = flat_.options.lookups_ask ? ask(node.first, bound, guard, gone) : guard;
        emit(bound, inside, static_cast<size_t>(node.first));
        if (leaf.workspace >= 0) write(leaf, inside);
        return;
      }
    }
  }

  /// Where an assignment is run once it has asked what it looks up.
  Pattern ask(int number, std::uint32_t bound, const Pattern& guard, Mask gone) {
    constexpr size_t most = 32;  // more patterns are not worth it
    const Leaf& leaf = flat_.leaves[number];
    Pattern inside = guard;
    for (int at : leaf.reads) {
      const Read& read = flat_.reads[at];
      if (gone >> at & 1 || !is_looked_up(read)) continue;
      Pattern there = pattern_of(read, bound);
      if (there.size() * inside.size() > most) continue;
      if (!read.choices.empty()) {
        size_t first = tasks_.size();
        emit(bound, inside, static_cast<size_t>(number));
        for (; first < tasks_.size(); first++) tasks_[first].asks = true;
      }
      if (leaf.without(gone | Mask{1} << at).nothing && !there.empty()) inside = both(inside, there);
    }
    return inside;
  }

  /// May it have nothing where a loop comes by that it does not lead?
  bool is_looked_up(const Read& read) const {
    bool is_known = read.workspace >= 0 ? may_be_absent(read) : read.tensor >= 0;
    auto steps = [&](int choice) { return choice >= 0 && (steps_ >> choice & 1); };
    return is_known && std::none_of(read.choices.begin(), read.choices.end(), steps);
  }
  bool may_be_absent(const Read& read) const {
    auto found = flat_.tensors.find(flat_.workspaces[static_cast<size_t>(read.workspace)]);
    return found != flat_.tensors.end() && found->second.sparse;
  }

  void run_loop(const Node& node, std::uint32_t bound, const Pattern& guard, Mask gone) {
    const std::uint32_t around = bound;
    const size_t number = static_cast<size_t>(&node - flat_.nodes.data());
    bound |= 1u << node.var;
    std::array<int, most_reads> steppers;
    std::array<Pattern, most_reads> patterns;
    size_t count = 0;
    for (Mask left = node.reads & ~gone; left != 0; left &= left - 1) {
      int read = std::countr_zero(left);
      if (!steps_in(flat_.reads[read], node.var)) continue;
      steppers[count] = read;
      patterns[count] = pattern_of(flat_.reads[read], bound);
      count++;
    }
    if (flat_.options.loops_begin) {
      size_t first = tasks_.size();
      emit(around, guard);
      using Begins = Analysis::Attributed::Begins;
      for (; first < tasks_.size(); first++) {
        tasks_[first].begins = count == 0 ? Begins::Plain : Begins::Stepping;
        tasks_[first].loop = number;
      }
    }
    bool intersects = true;
    for (size_t n = 0; n < count; n++) {
      Mask without = gone | Mask{1} << steppers[n];
      intersects = intersects && simplify(node.first, without);
    }
    for (size_t n = 0; n < count; n++) {
      size_t before = tasks_.size();
      emit(bound, both(within_others(node, bound, guard, gone, {steppers.data(), count}, n), patterns[n]));
      for (; before < tasks_.size(); before++) {
        tasks_[before].loop = number;
        if (count < 2) continue;
        tasks_[before].meeting = meetings_;
        tasks_[before].intersects = intersects;
        tasks_[before].over = node.var;
      }
    }
    meetings_++;
    if (count == 0) {
      if (flat_.options.plain_loops_cost) emit(bound, guard);
      return run(node.first, bound, guard, gone);
    }
    std::vector<Mask> cases;
    for (std::uint64_t absent = 0; absent < std::uint64_t{1} << count; absent++) {
      Mask left = gone;
      for (size_t n = 0; n < count; n++) left |= (absent >> n & 1) ? Mask{1} << steppers[n] : 0;
      if (simplify(node.first, left) || (absent != 0 && is_done_at_once(node.first, left))) continue;
      if (std::find(cases.begin(), cases.end(), left) != cases.end()) continue;
      cases.push_back(left);
      Pattern inside = guard;
      for (size_t n = 0; n < count; n++) {
        if (!(left >> steppers[n] & 1)) inside = both(inside, patterns[n]);
      }
      if (!inside.empty()) run(node.first, bound, inside, left);
    }
  }

  /// Where number `n` of those that step in a loop does so.
  Pattern within_others(const Node& loop, std::uint32_t bound, const Pattern& guard, Mask gone,
                        std::span<const int> steppers, size_t n) {
    Pattern out = guard;
    for (size_t m = 0; flat_.options.merges_end_early && m < steppers.size(); m++) {
      Mask without = gone | Mask{1} << steppers[m];
      if (m != n && simplify(loop.first, without))
        out = both(out, pattern_of(flat_.reads[steppers[m]], bound & ~(1u << loop.var)));
    }
    return out;
  }

  void emit(std::uint32_t bound, const Pattern& guard, std::optional<size_t> assignment = {}) {
    for (const Conjunction& one : guard) tasks_.push_back({{bound, one.atoms}, assignment});
  }

  /// Where a tensor has something at the coordinates of the loops, whatever its other coordinates are.
  Pattern pattern_of(const Read& read, std::uint32_t bound) const {
    std::array<std::uint8_t, most_variables> names;
    std::uint8_t next = most_variables;
    for (std::uint8_t var = 0; var < most_variables; var++) names[var] = bound >> var & 1 ? var : 0;
    for (std::uint8_t var : read.vars) {
      if (!(bound >> var & 1) && names[var] == 0) names[var] = next++;
    }
    if (read.workspace < 0) {
      Conjunction one;
      one.next = next;
      if (read.tensor >= 0) one.atoms.push_back(atom_of(read, names));
      return {one};
    }
    Pattern out;
    for (const Conjunction& state : states_[read.workspace]) {
      Conjunction one;
      std::uint8_t shift = static_cast<std::uint8_t>(next - most_variables);
      for (Atom atom : state.atoms) {
        for (int d = 0; d < atom.order; d++) {
          std::uint8_t& var = atom.vars[d];
          if (var >= first_mode) var = names[read.vars[var - first_mode]];
          else if (var >= most_variables) var = static_cast<std::uint8_t>(var + shift);
        }
        one.atoms.push_back(atom);
      }
      one.next = static_cast<std::uint8_t>(state.next + shift);
      out.push_back(std::move(one));
    }
    return out;
  }

  static Atom atom_of(const Read& read, const std::array<std::uint8_t, most_variables>& names) {
    Atom atom;
    atom.tensor = static_cast<std::uint8_t>(read.tensor);
    atom.order = static_cast<std::uint8_t>(read.vars.size());
    for (size_t d = 0; d < read.vars.size(); d++) atom.vars[d] = names[read.vars[d]];
    return atom;
  }

  Pattern both(const Pattern& a, const Pattern& b) {
    patterns_ += static_cast<std::int64_t>(a.size() * b.size());
    if (patterns_ > flat_.options.most_patterns) throw CostsTooMuch{};
    Pattern out;
    for (const Conjunction& left : a) {
      for (const Conjunction& right : b) {
        Conjunction one = left;
        std::uint8_t shift = static_cast<std::uint8_t>(left.next - most_variables);
        for (Atom atom : right.atoms) {
          for (int d = 0; d < atom.order; d++) {
            if (atom.vars[d] >= most_variables) atom.vars[d] = static_cast<std::uint8_t>(atom.vars[d] + shift);
          }
          if (std::find(one.atoms.begin(), one.atoms.end(), atom) == one.atoms.end()) one.atoms.push_back(atom);
        }
        one.next = static_cast<std::uint8_t>(right.next + shift);
        if (has_repeated_tensors(one)) shrink(one);
        out.push_back(std::move(one));
      }
    }
    return out;
  }

  static bool has_repeated_tensors(const Conjunction& one) {
    std::uint32_t seen = 0;
    for (const Atom& atom : one.atoms) {
      if (seen >> atom.tensor & 1) return true;
      seen |= 1u << atom.tensor;
    }
    return false;
  }

  /// The same without what follows from the rest.
  void shrink(Conjunction& one) const {
    constexpr std::uint32_t all = 0xFFFF;  // nothing is known of who is a coordinate: index variables stay
    Query small = minimized(Query{all, one.atoms}, flat_.universe);
    one.atoms = small.atoms;
    one.next = most_variables;
    for (const Atom& atom : one.atoms) {
      for (int d = 0; d < atom.order; d++)
        if (atom.vars[d] >= one.next) one.next = static_cast<std::uint8_t>(atom.vars[d] + 1);
    }
    internal_check(one.next < end_of_variables / 2, "autoschedule", "a pattern has too many variables");
  }

  /// The temporary has something wherever this runs.  Coordinates of loops around its `where` are what they are; others
  /// are dimensions of the temporary, or there is one.
  void write(const Leaf& leaf, const Pattern& guard) {
    std::uint32_t scope = flat_.options.temporaries_know_loops ? scope_of_[leaf.workspace] : 0;
    for (const Conjunction& one : guard) {
      std::array<std::uint8_t, most_variables> names = {};
      Conjunction state = one;
      for (Atom& atom : state.atoms) {
        for (int d = 0; d < atom.order; d++) {
          std::uint8_t& var = atom.vars[d];
          if (var >= most_variables) continue;
          auto dimension = std::find(leaf.vars.begin(), leaf.vars.end(), var);
          if (dimension != leaf.vars.end()) {
            var = static_cast<std::uint8_t>(first_mode + (dimension - leaf.vars.begin()));
          } else if (!(scope >> var & 1)) {
            if (names[var] == 0) names[var] = state.next++;
            var = names[var];
          }
        }
      }
      states_[leaf.workspace].push_back(std::move(state));
    }
  }

  const Flat& flat_;
  std::uint64_t steps_;
  std::int64_t patterns_ = 0;  // that were gone through
  std::vector<Pattern> states_;
  std::array<std::uint32_t, most_reads> scope_of_ = {};
  std::vector<Analysis::Attributed> tasks_;
  size_t meetings_ = 0;
};

}  // namespace

Analysis::Analysis(const Stmt& stmt, const Tensors& tensors, const Universe& universe, const CostOptions& options)
    : flat_(std::make_unique<Flat>(stmt, tensors, universe, options)) {}
Analysis::~Analysis() = default;
Analysis::Analysis(Analysis&&) noexcept = default;

const Choices& Analysis::choices() const { return flat_->choices; }

std::vector<Analysis::Attributed> Analysis::attributed(std::uint64_t steps) const {
  return Interpreter<Flat>(*flat_, steps)();
}

TaskSet Analysis::tasks(std::uint64_t steps) const {
  TaskSet out;
  for (Attributed& one : attributed(steps)) out.push_back(std::move(one.task));
  return out;
}

TaskSet Analysis::cost(std::uint64_t steps) const {
  TaskSet all = tasks(steps);
  const Universe& universe = flat_->universe;
  if (flat_->options.sunk_costs) {
    all.insert(all.end(), universe.sunk.begin(), universe.sunk.end());
  }
  return minimized(all, universe);
}

std::optional<std::string> find_limit(const Problem& problem) {
  if (problem.indices.size() > most_variables) return fmt::format("there are more than {} indices", most_variables);
  if (problem.tensors.size() > most_tensors) return fmt::format("there are more than {} tensors", most_tensors);
  std::optional<std::string> limit;
  size_t reads = 0;
  std::function<void(const Grouping&)> visit = [&](const Grouping& grouping) {
    if (!grouping.assign) return visit(*grouping.consumer), visit(*grouping.producer);
    std::vector<Access> all = accesses(grouping.assign->rhs);
    reads += all.size();
    for (const Access& access : all) {
      if (access.modes.size() > most_modes)
        limit = fmt::format("'{}' has more than {} dimensions", access.tensor, most_modes);
    }
  };
  visit(problem.body);
  if (reads > most_reads_of_one / 2) limit = fmt::format("there are more than {} operands", most_reads_of_one / 2);
  return limit;
}

Universe universe_of(const Problem& problem, const CostOptions& options) {
  Universe out;
  std::map<std::string, int> dimensions;
  for (const std::string& index : problem.indices) {
    out.indices.push_back(index);
    out.dimensions.push_back(
        dimensions.try_emplace(problem.dimensions.at(index), static_cast<int>(dimensions.size())).first->second);
  }
  std::map<std::string, Access> operands;
  std::function<void(const Grouping&)> visit = [&](const Grouping& grouping) {
    if (!grouping.assign) return visit(*grouping.consumer), visit(*grouping.producer);
    for (const Access& access : accesses(grouping.assign->rhs)) {
      auto known = problem.tensors.find(access.tensor);
      if (known != problem.tensors.end() && known->second.sparse) operands.try_emplace(access.tensor, access);
    }
  };
  visit(problem.body);
  auto variable = [&](const std::string& index) {
    return std::find(out.indices.begin(), out.indices.end(), index) - out.indices.begin();
  };
  for (const auto& [name, access] : operands) {
    Query read;
    Atom atom;
    atom.tensor = static_cast<std::uint8_t>(out.tensors.size());
    atom.order = static_cast<std::uint8_t>(access.modes.size());
    for (size_t d = 0; d < access.modes.size(); d++) {
      auto var = variable(access.modes[d].index);
      atom.vars[d] = static_cast<std::uint8_t>(var);
      read.head |= 1u << var;
    }
    read.atoms = {atom};
    if (options.nonempty) out.nonempty |= 1u << out.tensors.size();
    out.tensors.push_back(name);
    out.sunk.push_back(read);
  }
  for (size_t var = 0; var < out.indices.size(); var++) out.sunk.push_back({1u << var, {}});
  return out;
}

std::uint64_t steps_of(const Stmt& stmt, const Choices& choices) {
  std::uint64_t steps = 0;
  size_t next = 0;
  for_each_assign(stmt, [&](const Assign& assign, const auto&) {
    for (const Access& access : accesses(assign.rhs)) {
      const std::vector<int>& numbers = choices.by_access[next++];
      for (size_t d = 0; d < numbers.size(); d++)
        steps |= std::uint64_t{access.modes[d].protocol == Protocol::Step} << numbers[d];
    }
  });
  return steps;
}

TaskSet cost(const Stmt& stmt, const Problem& problem, const CostOptions& options) {
  Tensors tensors = with_workspaces(stmt, problem.tensors);
  Universe universe = universe_of(problem, options);
  Analysis analysis(stmt, tensors, universe, options);
  return analysis.cost(steps_of(stmt, analysis.choices()));
}

}  // namespace filigree::autoschedule

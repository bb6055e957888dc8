#include "autoschedule/measure.h"

#include <algorithm>
#include <limits>

#include "autoschedule/choose.h"
#include "concrete/derivations.h"
#include "level/level_format.h"
#include "support/fresh_names.h"

namespace filigree::autoschedule {
namespace {

// What assignments weigh, by what they fill.  From times of small kernels: see docs/autoscheduling.md.
constexpr double in_lanes = 0.25;    // neighbours, several at once
constexpr double appended = 2;       // a component of a sparse result
constexpr double listed = 2;         // an array with a list of what was written
constexpr double counted = 4;        // rows that are counted first
constexpr double in_a_table = 15;    // is searched for
constexpr double looked_up = 8;      // in a table, when read
constexpr double flagged = 0.3;      // in an array with a flag for each place, when read
constexpr double merged = 2;         // a step of operands side by side, which nobody can foresee
constexpr double remembered = 1.5;   // of the one that steps alone, where the other is looked up in a map that is kept
constexpr double searched = 12;      // of the shorter one, where it is searched for in the other
constexpr double slow_call = 20, division = 3;
/// Lanes that are added up into one number: so much for each time, shared by the neighbours.
constexpr double lanes_into_one = 30, most_into_one = 1.2;
constexpr size_t most_accesses = 8;  // of one assignment: cases double with each
constexpr size_t most_choices = 48;
// Runs wait for these: patterns are minimized, and tasks are compared with each other.
constexpr std::int64_t most_patterns = 2000;
constexpr size_t most_tasks = 400;

/// Thrown inside of this file only: the loops have a part that costs do not know.
struct Unknown {};

/// Loops in the words of statement.h, and what each assignment weighs.
class Translation {
 public:
  Translation(const concrete::Program& program, const KnownInputs& inputs) : program_(program) {
    const concrete::Environment& environment = program.environment;
    if (!environment.derivations.empty() || !environment.piece_loops.empty() || !environment.flat_loops.empty())
      throw Unknown{};
    extents_ = concrete::all_extents(environment, inputs.extents);
    sizes_.stored = inputs.stored;
  }

  Measure operator()() {
    find_tasks();
    Measure out;
    out.tasks = estimate(all_, universe_, sizes_);
    out.work = out.tasks;
    for (size_t n = 0; n < weights_.size(); n++)
      out.work += (weights_[n] - 1) * estimate(minimized(by_assignment_[n], universe_), universe_, sizes_);
    for (const Meeting& meeting : meetings_) out.work += extra_of(meeting);
    out.work = std::max(out.work, 1.0);
    return out;
  }

  std::string text() {
    find_tasks();
    return to_string(all_, universe_);
  }

 private:
  /// Operands that a loop goes through side by side: the steps of each.
  struct Meeting {
    std::vector<TaskSet> steps;
    bool intersects = true;
    std::uint8_t over = 0;
  };

  /// What the steps take beyond one task each.  The shorter one of an intersection is looked for in the others, if
  /// these are much longer.
  double extra_of(const Meeting& meeting) const {
    double sum = 0, most = 0, least = std::numeric_limits<double>::infinity();
    for (const TaskSet& one : meeting.steps) {
      double steps = estimate(one, universe_, sizes_);
      sum += steps;
      most = std::max(most, steps);
      least = std::min(least, steps);
    }
    double work = merged * sum;
    if (meeting.intersects) work = std::min(work, searched * least);
    const std::string& over = universe_.indices[meeting.over];
    bool is_remembered = std::find(remembering_.begin(), remembering_.end(), over) != remembering_.end();
    if (is_remembered && meeting.intersects) work = std::min(work, remembered * most);
    return work - sum;
  }

  void find_tasks() {
    Stmt stmt = statement(program_.statement, std::nullopt);
    if (universe_.indices.size() > most_variables || universe_.tensors.size() >= 32) throw Unknown{};
    Analysis analysis(stmt, tensors_, universe_,
                      {.unwritten_annihilate = true,
                       .temporaries_know_loops = true,
                       .merges_end_early = true,
                       .most_patterns = most_patterns});
    if (analysis.choices().count > static_cast<int>(most_choices)) throw Unknown{};
    by_assignment_.resize(weights_.size());
    for (Analysis::Attributed& one : analysis.attributed(steps_of(stmt, analysis.choices()))) {
      if (one.assignment) by_assignment_[*one.assignment].push_back(one.task);
      if (one.meeting) {
        if (meetings_.size() <= *one.meeting) meetings_.resize(*one.meeting + 1);
        meetings_[*one.meeting].steps.push_back({one.task});
        meetings_[*one.meeting].intersects = one.intersects;
        meetings_[*one.meeting].over = one.over;
      }
      all_.push_back(std::move(one.task));
    }
    if (all_.size() > most_tasks) throw CostsTooMuch{};
    all_ = minimized(all_, universe_);
  }

  const std::string& index(const IndexVar& var) {
    auto known = names_.find(var);
    if (known != names_.end()) return known->second;
    auto extent = extents_.find(var);
    if (var.map() || extent == extents_.end()) throw Unknown{};
    std::string name = fresh_.make(var.name());
    sizes_.extents[name] = static_cast<double>(extent->second);
    universe_.indices.push_back(name);
    universe_.dimensions.push_back(static_cast<int>(universe_.dimensions.size()));
    return names_[var] = name;
  }

  static const level::Format& level_of(const concrete::Access& access, size_t dimension) {
    const Format& format = access.tensor.format();
    return *format.levels()[static_cast<size_t>(format.level_of(static_cast<int>(dimension)))].format;
  }

  /// What is full is looked up, and so is what can be where something else leads the loop.
  Protocol protocol(const concrete::Access& access, size_t dimension) const {
    const level::Format& level = level_of(access, dimension);
    bool is_led = level.locate() && contains(led_, access.indices[dimension]);
    return level::is_always_found(level) || is_led ? Protocol::Locate : Protocol::Step;
  }

  /// Variables of loops that operands lead which cannot be looked up.
  static std::vector<IndexVar> led_by(const concrete::Expr& rhs) {
    std::vector<IndexVar> out;
    for (const concrete::Access& access : notation::accesses(rhs)) {
      if (!access.tensor.format().is_plain()) throw Unknown{};
      for (size_t d = 0; d < access.indices.size(); d++) {
        if (!level_of(access, d).locate()) out.push_back(access.indices[d]);
      }
    }
    return out;
  }

  Access access(const concrete::Access& access, bool reads) {
    const TensorVar& tensor = access.tensor;
    if (tensor.condition() || tensor.selection() || !tensor.format().is_plain()) throw Unknown{};
    if (tensor.order() > most_modes) throw Unknown{};
    // A number that nothing was added to is left out, wherever that makes no difference.
    tensors_[tensor.name()] = {tensor.type(), tensor.fill(), tensor.may_be_absent() || is_sum(tensor)};
    Access out{tensor.name(), {}};
    for (size_t d = 0; d < access.indices.size(); d++)
      out.modes.push_back({reads ? protocol(access, d) : Protocol::Insert, index(access.indices[d])});
    if (reads && tensor.may_be_absent() && sizes_.stored.count(tensor.name())) note_pattern(out);
    return out;
  }

  /// A temporary without dimensions.
  bool is_sum(const TensorVar& tensor) const {
    auto holds = [&](const std::vector<TensorVar>& all) {
      return std::find(all.begin(), all.end(), tensor) != all.end();
    };
    return tensor.order() == 0 && !holds(program_.operands) && !holds(program_.results);
  }

  /// The pattern of an operand, and the sizes of its dimensions.
  void note_pattern(const Access& read) {
    if (std::find(universe_.tensors.begin(), universe_.tensors.end(), read.tensor) != universe_.tensors.end()) return;
    Query sunk;
    Atom atom;
    atom.tensor = static_cast<std::uint8_t>(universe_.tensors.size());
    atom.order = static_cast<std::uint8_t>(read.modes.size());
    for (size_t d = 0; d < read.modes.size(); d++) {
      auto found = std::find(universe_.indices.begin(), universe_.indices.end(), read.modes[d].index);
      atom.vars[d] = static_cast<std::uint8_t>(found - universe_.indices.begin());
    }
    sunk.atoms = {atom};
    universe_.nonempty |= 1u << universe_.tensors.size();
    universe_.tensors.push_back(read.tensor);
    universe_.sunk.push_back(sunk);
  }

  Expr expression(const concrete::Expr& expr) {
    return match(
        expr, [&](const notation::Literal& n) -> Expr { return Number{n.value}; },
        [&](const notation::Access& n) -> Expr { return access(n, true); },
        [&](const notation::Coordinate&) -> Expr { throw Unknown{}; },
        [&](const notation::Apply& n) -> Expr {
          Apply out{n.op, {}};
          for (const concrete::Expr& operand : n.operands) out.operands.push_back(expression(operand));
          return out;
        },
        [&](const notation::Reduce&) -> Expr { throw Unknown{}; });
  }

  Stmt statement(const concrete::Stmt& stmt, std::optional<IndexVar> innermost) {
    return match(
        stmt,
        [&](const concrete::Forall& n) -> Stmt {
          std::string name = index(n.var);
          if (innermost) note_remembered(n, *innermost);
          return Forall{name, statement(n.body, n.var)};
        },
        [&](const concrete::Where& n) -> Stmt {
          Stmt consumer = statement(n.consumer, std::nullopt);  // first: assignments are numbered so
          return Where{consumer, statement(n.producer, std::nullopt)};
        },
        [&](const concrete::Sequence&) -> Stmt { throw Unknown{}; },
        [&](const concrete::Multi&) -> Stmt { throw Unknown{}; },
        [&](const concrete::Assign& n) -> Stmt {
          if (n.unless_equal || notation::accesses(n.rhs).size() > most_accesses) throw Unknown{};
          Access lhs = access(n.lhs, false);
          weights_.push_back(weight(n, innermost));
          led_ = led_by(n.rhs);
          return Assign{lhs, n.op, expression(n.rhs)};
        });
  }

  /// Does one of two that meet in a loop stay the same while the loop around goes on (lattice/strategy.h)?
  void note_remembered(const concrete::Forall& loop, const IndexVar& around) {
    const concrete::Assign* assign = loop.body.as<concrete::Assign>();
    if (!assign) return;
    size_t changing = 0, unchanged = 0;
    for (const concrete::Access& access : notation::accesses(assign->rhs)) {
      std::vector<IndexVar> vars = concrete::level_vars(access);
      auto own = std::find(vars.begin(), vars.end(), loop.var);
      if (own == vars.end()) continue;
      const Level& level = access.tensor.format().levels()[static_cast<size_t>(own - vars.begin())];
      if (!level.format->search()) continue;
      (std::find(vars.begin(), own, around) != own ? changing : unchanged)++;
    }
    if (changing == 1 && unchanged == 1) remembering_.push_back(index(loop.var));
  }

  double weight(const concrete::Assign& assign, const std::optional<IndexVar>& innermost) const {
    double out = weight_of_filling(assign.lhs.tensor);
    std::vector<concrete::Access> all = notation::accesses(assign.rhs);
    for (const concrete::Access& read : all)
      out += has_table(read.tensor) ? looked_up : 0;
    all.push_back(assign.lhs);
    bool neighbours =
        innermost && std::all_of(all.begin(), all.end(), [&](const concrete::Access& one) {
          std::vector<IndexVar> vars = concrete::level_vars(one);
          auto found = std::find(vars.begin(), vars.end(), *innermost);
          return found == vars.end() ||
                 (found == vars.end() - 1 && level::is_always_found(*one.tensor.format().levels().back().format));
        });
    double reading = 0;
    for (const concrete::Access& read : notation::accesses(assign.rhs)) reading += has_flags(read.tensor) ? flagged : 0;
    bool has_lanes = neighbours && out < looked_up;
    double weight = (has_lanes ? in_lanes : out) + reading;
    if (has_lanes && assign.op && !contains(assign.lhs.indices, *innermost)) {
      double neighbours_in_all = std::max(1.0, static_cast<double>(extents_.at(*innermost)));
      weight = std::min(most_into_one, weight + lanes_into_one / neighbours_in_all);
    }
    return weight + (has_lanes ? in_lanes : 1) * weight_of_calls(assign.rhs, innermost);
  }

  /// What does not change in the innermost loop is computed once.
  static double weight_of_calls(const concrete::Expr& expr, const std::optional<IndexVar>& innermost) {
    double out = 0;
    notation::for_each(expr, [&](const concrete::Expr& one) {
      const notation::Apply* apply = one.as<notation::Apply>();
      bool changes = !innermost || contains(notation::free_vars(one), *innermost);
      if (apply && changes) out += weight_of(apply->op);
    });
    return out;
  }
  static double weight_of(Operator op) {
    switch (op) {
      case Operator::Exp:
      case Operator::Log:
      case Operator::Sin:
      case Operator::Cos:
      case Operator::Tanh:
      case Operator::Power: return slow_call;
      case Operator::Divide:
      case Operator::FloorDivide:
      case Operator::Remainder:
      case Operator::Sqrt: return division;
      default: return is_user_function(op) ? slow_call : 0;
    }
  }

  static bool has_table(const TensorVar& tensor) {
    const std::vector<Level>& levels = tensor.format().levels();
    return std::any_of(levels.begin(), levels.end(), [](const Level& level) { return level.format->uses_table(); });
  }

  static bool has_flags(const TensorVar& tensor) {
    const std::vector<Level>& levels = tensor.format().levels();
    return std::any_of(levels.begin(), levels.end(), [](const Level& level) {
      return level.format->locate() && !level.format->uses_table() && !level::is_always_found(*level.format);
    });
  }

  double weight_of_filling(const TensorVar& tensor) const {
    if (tensor.format().stores_all()) return 1;
    if (has_table(tensor)) return in_a_table;
    if (program_.environment.two_passes.count(tensor)) return counted;
    bool is_result = std::find(program_.results.begin(), program_.results.end(), tensor) != program_.results.end();
    return is_result ? appended : listed;
  }

  const concrete::Program& program_;
  std::map<IndexVar, std::int64_t> extents_;
  std::map<IndexVar, std::string> names_;
  FreshNames fresh_;
  Universe universe_;
  InputSizes sizes_;
  Tensors tensors_;
  std::vector<double> weights_;  // by assignment
  TaskSet all_;
  std::vector<TaskSet> by_assignment_;
  std::vector<Meeting> meetings_;
  std::vector<std::string> remembering_;  // loops with an operand that is remembered
  std::vector<IndexVar> led_;  // of the assignment at hand
};

}  // namespace

std::optional<Measure> measure(const concrete::Program& program, const KnownInputs& inputs) {
  try {
    return Translation(program, inputs)();
  } catch (const Unknown&) {
    return std::nullopt;
  } catch (const CostsTooMuch&) {
    return std::nullopt;
  }
}

std::optional<std::string> tasks_text(const concrete::Program& program, const KnownInputs& inputs) {
  try {
    return Translation(program, inputs).text();
  } catch (const Unknown&) {
    return std::nullopt;
  } catch (const CostsTooMuch&) {
    return std::nullopt;
  }
}

}  // namespace filigree::autoschedule

#include "autoschedule/measure.h"

#include <algorithm>
#include <limits>

#include "autoschedule/choose.h"
#include "autoschedule/weights.h"
#include "concrete/derivations.h"
#include "level/level_format.h"
#include "support/fresh_names.h"

namespace filigree::autoschedule {
namespace {

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
    sizes_.walks = inputs.walks;
  }

  Measure operator()() {
    find_tasks();
    Measure out;
    out.tasks = estimate(all_, universe_, sizes_);
    for (size_t n = 0; n < weights_.size(); n++) out.work += work_of(n);
    for (const auto& [loop, found] : loops_) {
      out.work += begins_plain * total(found.plain) + begins_steps * total(found.stepping) + step * total(found.alone);
    }
    for (const Meeting& meeting : meetings_) out.work += work_of(meeting);
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

  /// Of one loop: how often it begins, and steps of one operand alone.
  struct Loop {
    TaskSet plain, stepping, alone;
  };

  double total(const TaskSet& tasks) const {
    return tasks.empty() ? 0 : estimate(minimized(tasks, universe_), universe_, sizes_);
  }

  /// Of an assignment, with the questions before it.
  double work_of(size_t assignment) const {
    double runs = total(by_assignment_[assignment]), asked = total(asked_[assignment]);
    double there = asked > 0 ? std::min(1.0, runs / asked) : 1;
    return weights_[assignment].work * runs +
           weights_[assignment].questions * (flagged + unforeseen * there * (1 - there)) * asked;
  }

  /// The shorter one of an intersection is looked for in the others, if these are much longer.
  double work_of(const Meeting& meeting) const {
    double sum = 0, most = 0, least = std::numeric_limits<double>::infinity();
    for (const TaskSet& one : meeting.steps) {
      double steps = estimate(one, universe_, sizes_);
      sum += steps;
      most = std::max(most, steps);
      least = std::min(least, steps);
    }
    if (!meeting.intersects) return merged * sum;
    double work = std::min(met * sum, searched * least);
    auto kept = remembering_.find(universe_.indices[meeting.over]);
    if (kept == remembering_.end()) return work;
    auto entries = sizes_.stored.find(kept->second);
    double hits = most > 0 ? std::min(1.0, matches(meeting, least) / most) : 0;
    double looking = (remembered + unforeseen * hits * (1 - hits)) * most;
    return std::min(work, looking + to_remember * (entries == sizes_.stored.end() ? least : entries->second));
  }

  /// How often all of them are there; `otherwise` if that is not easily told.
  double matches(const Meeting& meeting, double otherwise) const {
    Query all;
    for (const TaskSet& one : meeting.steps) {
      if (one.size() != 1) return otherwise;
      all.head |= one[0].head;
      for (const Atom& atom : one[0].atoms) {
        for (int d = 0; d < atom.order; d++) {
          if (atom.vars[d] >= most_variables) return otherwise;
        }
        if (std::find(all.atoms.begin(), all.atoms.end(), atom) == all.atoms.end()) all.atoms.push_back(atom);
      }
    }
    return estimate(all, universe_, sizes_);
  }

  void find_tasks() {
    Stmt stmt = statement(program_.statement, {});
    if (universe_.indices.size() > most_variables || universe_.tensors.size() >= 32) throw Unknown{};
    Analysis analysis(stmt, tensors_, universe_,
                      {.unwritten_annihilate = true,
                       .temporaries_know_loops = true,
                       .merges_end_early = true,
                       .loops_begin = true,
                       .lookups_ask = true,
                       .equal_terms_at_once = true,
                       .most_patterns = most_patterns});
    if (analysis.choices().count > static_cast<int>(most_choices)) throw Unknown{};
    by_assignment_.resize(weights_.size());
    asked_.resize(weights_.size());
    for (Analysis::Attributed& one : analysis.attributed(steps_of(stmt, analysis.choices()))) {
      using Begins = Analysis::Attributed::Begins;
      if (one.begins != Begins::None) {
        Loop& loop = loops_[*one.loop];
        (one.begins == Begins::Plain ? loop.plain : loop.stepping).push_back(std::move(one.task));
        continue;
      }
      if (one.loop && !one.meeting) loops_[*one.loop].alone.push_back(one.task);
      if (one.asks) {
        asked_[*one.assignment].push_back(std::move(one.task));
        continue;
      }
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

  Stmt statement(const concrete::Stmt& stmt, const Place& place) {
    return match(
        stmt,
        [&](const concrete::Forall& n) -> Stmt {
          std::string name = index(n.var);
          if (place.innermost) note_remembered(n, *place.innermost);
          Place inside{n.var, place.loops + 1, place.around};
          inside.around.push_back(n.var);
          return Forall{name, statement(n.body, inside)};
        },
        [&](const concrete::Where& n) -> Stmt {
          Place inside{{}, 0, place.around};
          Stmt consumer = statement(n.consumer, inside);  // first: assignments are numbered so
          return Where{consumer, statement(n.producer, inside)};
        },
        [&](const concrete::Sequence&) -> Stmt { throw Unknown{}; },
        [&](const concrete::Multi&) -> Stmt { throw Unknown{}; },
        [&](const concrete::Assign& n) -> Stmt {
          if (n.unless_equal || notation::accesses(n.rhs).size() > most_accesses) throw Unknown{};
          Access lhs = access(n.lhs, false);
          weights_.push_back(Weights(program_, extents_)(n, place));
          led_ = led_by(n.rhs);
          return Assign{lhs, n.op, expression(n.rhs)};
        });
  }

  /// Does one of two that meet in a loop stay the same while the loop around goes on (lattice/strategy.h)?
  void note_remembered(const concrete::Forall& loop, const IndexVar& around) {
    const concrete::Assign* assign = loop.body.as<concrete::Assign>();
    if (!assign) return;
    size_t changing = 0;
    std::vector<std::string> unchanged;
    for (const concrete::Access& access : notation::accesses(assign->rhs)) {
      std::vector<IndexVar> vars = concrete::level_vars(access);
      auto own = std::find(vars.begin(), vars.end(), loop.var);
      if (own == vars.end()) continue;
      const Level& level = access.tensor.format().levels()[static_cast<size_t>(own - vars.begin())];
      if (!level.format->search()) continue;
      if (std::find(vars.begin(), own, around) != own) changing++;
      else unchanged.push_back(access.tensor.name());
    }
    if (changing == 1 && unchanged.size() == 1) remembering_[index(loop.var)] = unchanged[0];
  }

  const concrete::Program& program_;
  std::map<IndexVar, std::int64_t> extents_;
  std::map<IndexVar, std::string> names_;
  FreshNames fresh_;
  Universe universe_;
  InputSizes sizes_;
  Tensors tensors_;
  std::vector<Weight> weights_;  // by assignment
  TaskSet all_;
  std::vector<TaskSet> by_assignment_, asked_;
  std::vector<Meeting> meetings_;
  std::map<size_t, Loop> loops_;
  std::map<std::string, std::string> remembering_;  // by loop: the operand that is remembered
  std::vector<IndexVar> led_;                       // of the assignment at hand
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

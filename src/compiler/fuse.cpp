#include "compiler/fuse.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "compiler/pipeline.h"
#include "notation/inline.h"

namespace filigree::compiler {
namespace {

using notation::Statement;
using notation::Step;

/// What loops need besides their operands and results, and how often they walk their operands.
struct Cost {
  int copies = 0;      // of operands, in another order
  int dimensions = 0;  // of the largest temporary that is not such a copy
  std::map<std::string, int> repetitions =
      {};  // of walks over an operand's sparse levels, as a number of loops over other variables
};

class CostFinder {
 public:
  explicit CostFinder(const concrete::Program& program) : program_(program) {}

  Cost operator()() {
    visit(program_.statement, {});
    return cost_;
  }

 private:
  using Vars = std::vector<IndexVar>;

  void visit(const concrete::Stmt& stmt, Vars loops) {
    match(
        stmt,
        [&](const concrete::Forall& n) {
          loops.push_back(n.var);
          visit(n.body, loops);
        },
        [&](const concrete::Where& n) {
          visit(n.consumer, loops);
          visit(n.producer, loops);
        },
        [&](const concrete::Sequence& n) {
          for (const concrete::Stmt& s : n.statements) visit(s, loops);
        },
        [&](const concrete::Multi& n) {
          for (const concrete::Stmt& s : n.statements) visit(s, loops);
        },
        [&](const concrete::Assign& n) { visit(n, loops); });
  }

  static bool contains(const std::vector<TensorVar>& tensors, const TensorVar& tensor) {
    return std::find(tensors.begin(), tensors.end(), tensor) != tensors.end();
  }

  void visit(const concrete::Assign& assign, const Vars& loops) {
    const concrete::Access* copied = assign.op ? nullptr : assign.rhs.as<concrete::Access>();
    bool is_result = contains(program_.results, assign.lhs.tensor);
    bool copies = !is_result && copied && contains(program_.operands, copied->tensor);
    if (copies) cost_.copies++;
    else if (!is_result) cost_.dimensions = std::max(cost_.dimensions, assign.lhs.tensor.order());
    for (const concrete::Access& access : notation::accesses(assign.rhs)) {
      if (!contains(program_.operands, access.tensor)) continue;
      int& most = cost_.repetitions[access.tensor.name()];
      most = std::max(most, repetitions(access, loops));
    }
  }

  /// Loops over other variables around the innermost one that walks a level of the access.
  static int repetitions(const concrete::Access& access, const Vars& loops) {
    int others = 0, around = 0;
    for (const IndexVar& var : loops) {
      bool walks = false;
      for (const Level& level : access.tensor.format().levels()) {
        bool is_here = !level.coordinate.plain() || access.indices[static_cast<size_t>(level.dimension())] == var;
        walks |= is_here && !level::is_always_found(*level.format);
      }
      if (filigree::contains(access.indices, var)) around = walks ? others : around;
      else others++;
    }
    return around;
  }

  const concrete::Program& program_;
  Cost cost_;
};

Cost cost_of(const Statement& statement, const policy::Policy& policy) {
  PipelineOptions options;
  options.policy = &policy;
  return CostFinder(plan(statement, options))();
}

/// Nothing if it cannot be compiled.
std::optional<Cost> cost_if_possible(const Statement& statement, const policy::Policy& policy) {
  try {
    return cost_of(statement, policy);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

bool is_worth_it(Cost first, Cost second, const Cost& both) {
  // A row of a temporary is less than the temporary; more than that is no gain.
  if (both.copies > first.copies + second.copies ||
      both.dimensions > std::max({1, first.dimensions, second.dimensions}))
    return false;
  return std::all_of(both.repetitions.begin(), both.repetitions.end(), [&](const auto& operand) {
    const auto& [name, count] = operand;
    return count <= std::max(first.repetitions[name], second.repetitions[name]);
  });
}

/// Statements that grow without end would make every later stage slow.
bool is_small(const Statement& statement) {
  constexpr int most_nodes = 256;
  int nodes = 0;
  notation::for_each(statement.rhs, [&](const notation::Expr&) { nodes++; });
  return nodes <= most_nodes;
}

/// A step, and what is found out about it once: there may be thousands, and each is compared with many.
struct Candidate {
  explicit Candidate(Step s) : step(std::move(s)) { note_reads(); }

  Step step;
  std::set<std::string> reads = {};  // tensors
  std::optional<Cost> cost = {};
  std::set<const Candidate*> refused = {};  // the steps it was not worth to be computed in, as they are

  const std::string& name() const { return step.statement.lhs.tensor.name(); }

  void note_reads() {
    reads.clear();
    for (const notation::Access& access : notation::accesses(step.statement.rhs)) {
      if (access.tensor.read()) reads.insert(access.tensor.read()->name());
    }
  }

  const Cost& known_cost(const policy::Policy& policy) {
    if (!cost) cost = cost_of(step.statement, policy);  // a mistake in it is the user's
    return *cost;
  }
};

class Fuser {
 public:
  Fuser(std::vector<Step> steps, const std::set<std::string>& kept, const policy::Policy& policy)
      : kept_(kept), policy_(policy) {
    for (Step& step : steps) parts_.push_back(std::make_unique<Candidate>(std::move(step)));
  }

  std::vector<Step> operator()() {
    for (size_t producer = 0; producer < parts_.size();)
      producer = fuse(producer) ? first_affected(producer) : producer + 1;
    std::vector<Step> steps;
    for (const std::unique_ptr<Candidate>& part : parts_) steps.push_back(std::move(part->step));
    return steps;
  }

 private:
  /// The one step that reads what step `producer` assigns; nothing if there are several, or if an operand changes on
  /// the way.
  std::optional<size_t> find_consumer(size_t producer) const {
    const Candidate& made = *parts_[producer];
    if (made.reads.count(made.name())) return std::nullopt;
    std::optional<size_t> consumer;
    bool has_changed = false;
    for (size_t n = producer + 1; n < parts_.size(); n++) {
      const Candidate& later = *parts_[n];
      if (later.reads.count(made.name())) {
        if (consumer || has_changed) return std::nullopt;
        consumer = n;
      }
      if (later.name() == made.name()) break;
      has_changed |= made.reads.count(later.name()) > 0;
    }
    return consumer;
  }

  /// Computes what a step assigns where it is needed; false if that cannot be, or is not worth it.
  bool fuse(size_t producer) {
    Candidate& made = *parts_[producer];
    std::optional<size_t> consumer = kept_.count(made.name()) ? std::nullopt : find_consumer(producer);
    if (!consumer) return false;
    Candidate& reader = *parts_[*consumer];
    if (made.refused.count(&reader)) return false;
    std::optional<Statement> together = notation::inlined(made.step.statement, reader.step.statement);
    std::optional<Cost> both;
    if (together && is_small(*together)) {
      Cost first = made.known_cost(policy_), second = reader.known_cost(policy_);
      both = cost_if_possible(*together, policy_);
      if (both && !is_worth_it(first, second, *both)) both.reset();
    }
    if (!both) {
      made.refused.insert(&reader);
      return false;
    }
    merge(made, reader, *together, *both);
    removed_ = std::move(parts_[producer]);
    parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(producer));
    first_released_ = parts_.size();
    for (size_t n = parts_.size(); n-- > 0;) {
      if (parts_[n]->refused.erase(&reader)) first_released_ = n;  // the reader is another one now
    }
    return true;
  }

  static void merge(const Candidate& made, Candidate& reader, const Statement& together, const Cost& cost) {
    Step& step = reader.step;
    step.statement = together;
    step.origins.insert(step.origins.begin(), made.step.origins.begin(), made.step.origins.end());
    std::sort(step.origins.begin(), step.origins.end());
    step.remarks.insert(step.remarks.begin(), made.step.remarks.begin(), made.step.remarks.end());
    step.remarks.push_back(fmt::format("'{}' is not stored: it is computed where '{}' needs it", made.name(),
                                       step.statement.lhs.tensor.name()));
    reader.cost = cost;
    reader.refused.clear();
    reader.note_reads();
  }

  /// The first step before `removed` for which it matters that this one is gone: what it reads has another reader now,
  /// what it assigned does not change any more, and the step that it became a part of may be worth it for others.
  size_t first_affected(size_t removed) const {
    for (size_t n = 0; n < std::min(removed, first_released_); n++) {
      if (removed_->reads.count(parts_[n]->name()) || parts_[n]->reads.count(removed_->name())) return n;
    }
    return std::min(removed, first_released_);
  }

  const std::set<std::string>& kept_;
  const policy::Policy& policy_;
  std::vector<std::unique_ptr<Candidate>> parts_;
  std::unique_ptr<Candidate> removed_;  // the last one
  size_t first_released_ = 0;      // the first step that its reader had refused
};

}  // namespace

std::vector<Step> fuse(std::vector<Step> steps, const std::set<std::string>& kept, const policy::Policy& policy) {
  return Fuser(std::move(steps), kept, policy)();
}

}  // namespace filigree::compiler

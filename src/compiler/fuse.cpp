#include "compiler/fuse.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "compiler/pipeline.h"
#include "notation/inline.h"

namespace filigree::compiler {
namespace {

using notation::Statement;
using notation::Step;

/// The one step that reads what step `producer` assigns; nothing if there are several, or if an operand changes on the way.
std::optional<size_t> find_consumer(const std::vector<Step>& steps, size_t producer) {
  const Statement& made = steps[producer].statement;
  const std::string& name = made.lhs.tensor.name();
  if (notation::reads(made, name)) return std::nullopt;
  std::optional<size_t> consumer;
  bool has_changed = false;
  for (size_t n = producer + 1; n < steps.size(); n++) {
    const Statement& later = steps[n].statement;
    if (notation::reads(later, name)) {
      if (consumer || has_changed) return std::nullopt;
      consumer = n;
    }
    if (notation::assigns(later, name)) break;
    has_changed |= notation::reads(made, later.lhs.tensor.name());
  }
  return consumer;
}

/// What loops need besides their operands and results, and how often they walk their operands.
struct Cost {
  int copies = 0;      // of operands, in another order
  int dimensions = 0;  // of the largest temporary that is not such a copy
  std::map<std::string, int> repetitions = {};  // of walks over an operand's sparse levels, as a number of loops over other variables
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
        [&](const concrete::Sequence& n) { for (const concrete::Stmt& s : n.statements) visit(s, loops); },
        [&](const concrete::Multi& n) { for (const concrete::Stmt& s : n.statements) visit(s, loops); },
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

Cost cost_of(const Statement& statement) { return CostFinder(plan(statement, {}))(); }

/// Nothing if it cannot be compiled.
std::optional<Cost> cost_if_possible(const Statement& statement) {
  try {
    return cost_of(statement);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

bool is_worth_it(const Statement& producer, const Statement& consumer, const Statement& together) {
  Cost first = cost_of(producer), second = cost_of(consumer);  // a mistake in one of these is the user's
  std::optional<Cost> possible = cost_if_possible(together);
  if (!possible) return false;
  const Cost& both = *possible;
  // A row of a temporary is less than the temporary; more than that is no gain.
  if (both.copies > first.copies + second.copies || both.dimensions > std::max({1, first.dimensions, second.dimensions})) return false;
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

/// Inlines one temporary; false if there is none left to inline.
bool fuse_one(std::vector<Step>& steps, const std::set<std::string>& kept) {
  for (size_t producer = 0; producer < steps.size(); producer++) {
    const std::string name = steps[producer].statement.lhs.tensor.name();
    std::optional<size_t> consumer = kept.count(name) ? std::nullopt : find_consumer(steps, producer);
    if (!consumer) continue;
    Step& reader = steps[*consumer];
    std::optional<Statement> together = notation::inlined(steps[producer].statement, reader.statement);
    if (!together || !is_small(*together) || !is_worth_it(steps[producer].statement, reader.statement, *together)) continue;
    reader.statement = *together;
    reader.origins.insert(reader.origins.begin(), steps[producer].origins.begin(), steps[producer].origins.end());
    std::sort(reader.origins.begin(), reader.origins.end());
    reader.remarks.insert(reader.remarks.begin(), steps[producer].remarks.begin(), steps[producer].remarks.end());
    reader.remarks.push_back(fmt::format("'{}' is not stored: it is computed where '{}' needs it", name, reader.statement.lhs.tensor.name()));
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(producer));
    return true;
  }
  return false;
}

}  // namespace

std::vector<Step> fuse(std::vector<Step> steps, const std::set<std::string>& kept) {
  while (fuse_one(steps, kept)) {}
  return steps;
}

}  // namespace filigree::compiler

#include "autoschedule/realize.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "autoschedule/enumerate.h"
#include "concrete/level_space.h"
#include "concrete/loop_order.h"
#include "concrete/visits.h"
#include "concrete/workspace.h"
#include "notation/assignment.h"
#include "support/fresh_names.h"
#include "support/text.h"

namespace filigree::autoschedule {
namespace {

/// Thrown inside of this file only.
struct Refused {
  std::string reason;
};

class Realizer {
 public:
  Realizer(const Stmt& plan, const Problem& problem)
      : problem_(problem), tensors_(with_workspaces(plan, problem.tensors)), result_(make_result()) {
    for (const auto& [name, known] : tensors_) names_.use(name);
    for (const std::string& index : problem.indices) names_.use(index);
    for (const notation::Access& access : notation::accesses(problem.statement.rhs))
      operands_.emplace(access.tensor.name(), access.tensor);
    collect_reads(plan, {});
  }

  concrete::Program operator()(const Stmt& plan) {
    concrete::Stmt body = statement(plan, {}, 0);
    for (const Copy& copy : copies_) body = concrete::Where{body, copy.producer};
    concrete::Program out{body, {result_}, {}, {}};
    for (const notation::Access& access : notation::accesses(problem_.statement.rhs)) {
      if (std::find(out.operands.begin(), out.operands.end(), access.tensor) == out.operands.end())
        out.operands.push_back(access.tensor);
    }
    note_extents();
    out.environment = environment_;
    if (!(result_.format() == problem_.statement.lhs.tensor.format())) out.made = result_.format();
    return out;
  }

 private:
  using Vars = std::vector<IndexVar>;

  struct Copy {
    std::string tensor;
    std::vector<int> dimensions;
    std::string kinds;  // of its levels
    TensorVar copy;
    concrete::Stmt producer;
  };

  TensorVar make_result() const {
    const TensorVar& declared = problem_.statement.lhs.tensor;
    bool direct = concrete::can_be_assembled(declared.format());
    return {declared.name(), declared.type(),
            direct ? declared.format() : concrete::assembled_instead(declared.format()),
            notation::result_fill(problem_.statement)};
  }

  const IndexVar& variable(const std::string& index) const { return problem_.variables.at(index); }

  /// In which order each temporary is read.
  void collect_reads(const Stmt& stmt, std::vector<std::string> loops) {
    match(
        stmt,
        [&](const Forall& n) {
          loops.push_back(n.index);
          collect_reads(n.body, loops);
        },
        [&](const Where& n) {
          collect_reads(n.consumer, loops);
          collect_reads(n.producer, loops);
          make_workspace(target(n.producer).lhs);
        },
        [&](const Assign& n) {
          for (const Access& access : accesses(n.rhs)) {
            if (!operands_.count(access.tensor)) orders_.try_emplace(access.tensor, order_of(access, loops));
          }
        });
  }

  /// Dimensions sorted by when their indices are bound.
  static std::vector<int> order_of(const Access& access, const std::vector<std::string>& loops) {
    std::vector<int> order(access.modes.size());
    for (size_t d = 0; d < order.size(); d++) order[d] = static_cast<int>(d);
    auto rank = [&](int d) { return std::find(loops.begin(), loops.end(), access.modes[d].index) - loops.begin(); };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rank(a) < rank(b); });
    return order;
  }

  void make_workspace(const Access& filled) {
    const TensorFacts& known = tensors_.at(filled.tensor);
    int order = static_cast<int>(filled.modes.size());
    Scalar fill = known.fill.value_or(Scalar(known.type));
    operands_.emplace(filled.tensor,
                      order == 0 && known.sparse
                          ? TensorVar::optional_scalar(filled.tensor, known.type, fill)
                          : TensorVar(filled.tensor, known.type, concrete::workspace_format(order), fill));
  }

  /// `own`: the first of the loops that are inside of where the left side starts.
  concrete::Stmt statement(const Stmt& stmt, const Vars& loops, size_t own) {
    return match(
        stmt,
        [&](const Forall& n) -> concrete::Stmt {
          Vars inside = loops;
          inside.push_back(variable(n.index));
          return concrete::Forall{variable(n.index), statement(n.body, inside, own)};
        },
        [&](const Where& n) -> concrete::Stmt {
          concrete::Stmt consumer = statement(n.consumer, loops, own);
          return concrete::Where{consumer, statement(n.producer, loops, loops.size())};
        },
        [&](const Assign& n) -> concrete::Stmt {
          bool is_result = n.lhs.tensor == result_.name();
          concrete::Access lhs = is_result ? concrete::Access{result_, in_dimensions(n.lhs)} : workspace_access(n.lhs);
          // What is written once does not accumulate.
          bool once = std::all_of(loops.begin() + static_cast<std::ptrdiff_t>(own), loops.end(),
                                  [&](const IndexVar& loop) { return contains(lhs.indices, loop); });
          return concrete::Assign{lhs, once ? std::nullopt : n.op, expression(n.rhs, loops)};
        });
  }

  Vars in_dimensions(const Access& access) const {
    Vars out;
    for (const Mode& mode : access.modes) out.push_back(variable(mode.index));
    return out;
  }

  concrete::Access workspace_access(const Access& access) const {
    Vars indices;
    for (int d : orders_.at(access.tensor)) indices.push_back(variable(access.modes[d].index));
    return {operands_.at(access.tensor), indices};
  }

  concrete::Expr expression(const Expr& expr, const Vars& loops) {
    return match(
        expr, [&](const Number& n) { return concrete::Expr(notation::Literal{n.value}); },
        [&](const Access& n) { return concrete::Expr(read(n, loops)); },
        [&](const Apply& n) {
          std::vector<concrete::Expr> operands;
          for (const Expr& operand : n.operands) operands.push_back(expression(operand, loops));
          return applied(n.op, operands);
        });
  }

  concrete::Access read(const Access& access, const Vars& loops) {
    if (orders_.count(access.tensor)) {
      concrete::Access found = workspace_access(access);
      if (!concrete::follows(found, loops)) throw Refused{fmt::format("'{}' is read in two orders", access.tensor)};
      return found;
    }
    concrete::Access as_is{operands_.at(access.tensor), in_dimensions(access)};
    bool tame = concrete::is_tame(as_is.tensor.format());
    if (tame && concrete::follows(as_is, loops) && allows(access, as_is, loops)) return as_is;
    const Copy& copy = copied(access, as_is, loops);
    Vars indices;
    for (int d : copy.dimensions) indices.push_back(as_is.indices[d]);
    return {copy.copy, indices};
  }

  /// Do the levels do what the protocols say?  A loop around all others may go through all coordinates: that is a sunk
  /// cost.
  static bool allows(const Access& access, const concrete::Access& as_is, const Vars& loops) {
    for (const Level& level : as_is.tensor.format().levels()) {
      Protocol protocol = access.modes[level.dimension()].protocol;
      bool outermost = !loops.empty() && as_is.indices[level.dimension()] == loops[0];
      if (protocol == Protocol::Locate && !level.format->locate()) return false;
      if (protocol == Protocol::Step && level.format->properties().full && !outermost && as_is.tensor.may_be_absent())
        return false;
    }
    return true;
  }

  const Copy& copied(const Access& access, const concrete::Access& as_is, const Vars& loops) {
    const TensorVar& tensor = as_is.tensor;
    std::vector<int> dimensions = concrete::dimensions_in_order(as_is, loops);
    bool rows = tensor.order() == 2 && access.modes[dimensions[1]].protocol == Protocol::Step &&
                (access.modes[dimensions[0]].protocol == Protocol::Locate ||
                 (!loops.empty() && as_is.indices[dimensions[0]] == loops[0]));
    std::string kinds = rows ? "rows" : "tables";
    for (const Copy& copy : copies_) {
      if (copy.tensor == tensor.name() && copy.dimensions == dimensions && copy.kinds == kinds) return copy;
    }
    const Vars& vars = as_is.indices;
    if (concrete::repeats_an_index(as_is))
      throw Refused{fmt::format("a diagonal of '{}' cannot be walked as it is stored", tensor.name())};
    Vars target;
    for (int d : dimensions) target.push_back(vars[static_cast<size_t>(d)]);
    concrete::Access source{tensor, vars};
    std::optional<Operator> op = concrete::has_duplicates(tensor.format()) ? std::optional(Operator::Add)
                                                                           : std::nullopt;
    auto into = [&](const TensorVar& copy) {
      return concrete::foralls(concrete::level_vars(source),
                               concrete::Assign{concrete::Access{copy, target}, op, concrete::Expr(source)}, true);
    };
    std::string name = names_.make(tensor.name() + "_t");
    if (rows) {
      TensorVar copy(name, tensor.type(), concrete::counted_rows_format(), tensor.fill());
      concrete::Stmt producer = into(copy);
      if (std::optional<concrete::TwoPasses> passes = concrete::in_two_passes(producer, copy, environment_)) {
        environment_.two_passes.insert({copy, *passes});
        copies_.push_back({tensor.name(), dimensions, kinds, copy, producer});
        return remarked(copies_.back(), tensor);
      }
    }
    TensorVar copy(name, tensor.type(), concrete::workspace_format(tensor.order()), tensor.fill());
    copies_.push_back({tensor.name(), dimensions, kinds, copy, into(copy)});
    return remarked(copies_.back(), tensor);
  }

  const Copy& remarked(const Copy& copy, const TensorVar& tensor) {
    std::vector<std::string> order;
    for (int d : copy.dimensions) order.push_back(std::to_string(d + 1));
    environment_.remarks.push_back(fmt::format("'{}' is copied into '{}' with dimensions in the order {}",
                                               tensor.name(), copy.copy.name(), join(order, ", ")));
    return copy;
  }

  void note_extents() {
    auto note = [&](const TensorVar& tensor, const Vars& indices) {
      for (size_t d = 0; d < indices.size(); d++)
        environment_.extents.insert({indices[d], concrete::OfDimension{tensor, static_cast<int>(d)}});
    };
    std::function<void(const Grouping&)> visit = [&](const Grouping& grouping) {
      if (!grouping.assign) return visit(*grouping.consumer), visit(*grouping.producer);
      for (const Access& access : accesses(grouping.assign->rhs)) {
        auto operand = operands_.find(access.tensor);
        if (operand != operands_.end() && problem_.tensors.count(access.tensor) && !access.modes.empty())
          note(operand->second, in_dimensions(access));
      }
    };
    visit(problem_.body);
    // Those that stand for variables of the statement are as large as these are.
    for (const auto& [name, var] : problem_.variables) {
      const IndexVar& first = variable(problem_.dimensions.at(name));
      if (!contains(notation::index_vars(problem_.statement), var))
        environment_.extents.insert_or_assign(var, concrete::like(first));
    }
    note(result_, problem_.statement.lhs.indices);
    for (const auto& [var, extent] : problem_.statement.extents)
      environment_.extents.insert({var, relation::from_zero(extent)});
  }

  const Problem& problem_;
  Tensors tensors_;
  TensorVar result_;
  FreshNames names_;
  std::map<std::string, TensorVar> operands_;       // and temporaries
  std::map<std::string, std::vector<int>> orders_;  // of temporaries: dimensions by level
  concrete::Environment environment_;
  std::vector<Copy> copies_;
};

}  // namespace

std::variant<concrete::Program, NotScheduled> realize(const Stmt& plan, const Problem& problem) {
  try {
    return Realizer(plan, problem)(plan);
  } catch (const Refused& refused) {
    return NotScheduled{refused.reason};
  }
}

std::string least_format(const std::string& workspace, const Stmt& plan) {
  std::vector<std::set<Protocol>> uses;
  auto note = [&](const Access& access) {
    if (access.tensor != workspace) return;
    uses.resize(access.modes.size());
    for (size_t d = 0; d < access.modes.size(); d++) uses[d].insert(access.modes[d].protocol);
  };
  for_each_assign(plan, [&](const Assign& assign, const auto&) {
    note(assign.lhs);
    for (const Access& access : accesses(assign.rhs)) note(access);
  });
  std::string letters;
  for (const std::set<Protocol>& use : uses) {
    if (!use.count(Protocol::Step)) letters += 'u';
    else letters += use.count(Protocol::Insert) || use.count(Protocol::Locate) ? 'h' : 'c';
  }
  return letters;
}

}  // namespace filigree::autoschedule

#include "notation/inline.h"

#include <algorithm>
#include <map>

#include "notation/assignment.h"
#include "notation/index_forms.h"
#include "notation/program.h"
#include "notation/substitute.h"
#include "support/fresh_names.h"

namespace filigree::notation {
namespace {

using Vars = std::vector<IndexVar>;

bool are_different(const Vars& vars) {
  for (size_t n = 0; n < vars.size(); n++) {
    if (std::find(vars.begin() + static_cast<std::ptrdiff_t>(n) + 1, vars.end(), vars[n]) != vars.end()) return false;
  }
  return true;
}

/// What stands around an access, from the outside in.
struct Surroundings {
  Vars reduced;           // by reductions around it
  bool only_sums = true;  // nothing but + and - is applied to it, directly and indirectly
};

bool find_surroundings(const Expr& expr, const std::string& tensor, Surroundings& around) {
  return match(
      expr, [](const Literal&) { return false; }, [](const Coordinate&) { return false; },
      [&](const Access& access) { return access.tensor.name() == tensor; },
      [&](const Apply& apply) {
        auto holds = [&](const Expr& operand) { return find_surroundings(operand, tensor, around); };
        if (std::none_of(apply.operands.begin(), apply.operands.end(), holds)) return false;
        around.only_sums &= apply.op == Operator::Add || apply.op == Operator::Subtract || apply.op == Operator::Negate;
        return true;
      },
      [&](const Reduce& reduce) {
        if (!find_surroundings(reduce.body, tensor, around)) return false;
        around.only_sums &= reduce.op == Operator::Add;
        around.reduced.insert(around.reduced.end(), reduce.vars.begin(), reduce.vars.end());
        return true;
      });
}

/// Each component of the temporary is needed at most once if no loop runs around its access but those over its indices.
bool is_read_once(const Access& read, const Statement& consumer, const Surroundings& around) {
  auto is_index = [&](const IndexVar& var) { return contains(read.indices, var); };
  Vars left = free_of(consumer.lhs.indices);
  return std::all_of(left.begin(), left.end(), is_index) &&
         std::all_of(around.reduced.begin(), around.reduced.end(), is_index);
}

/// Does the format store any set of components, and nothing else?
bool stores_anything_exactly(const Format& format) {
  if (!format.is_plain() || format.symmetry() != Symmetry::None || format.pads()) return false;
  const std::vector<Level>& levels = format.levels();
  for (size_t l = 0; l < levels.size(); l++) {
    bool one_child = levels[l].format->properties().branchless;
    if (one_child && (l == 0 || levels[l - 1].format->properties().unique)) return false;
  }
  return true;
}

/// Does the temporary's right side have the same value and is it present at the same coordinates as what would be
/// stored?
bool keeps_meaning(const Statement& producer, const Statement& consumer, const Surroundings& around) {
  const TensorVar& temporary = producer.lhs.tensor;
  std::optional<Scalar> fill = fill_of(producer.rhs);
  if (producer.rhs.type() != temporary.type() || accesses(producer.rhs).empty()) return false;
  const Format& format = temporary.format();
  const Access* copied = producer.rhs.as<Access>();
  bool drops_padding = copied && copied->tensor.order() > 0 && copied->tensor.format().pads();
  if (temporary.order() > 0 && stores_anything_exactly(format)) return fill.has_value() && !drops_padding;
  if (!format.is_dense() && temporary.order() > 0) return false;
  bool hides_padding = consumer.lhs.tensor.order() == 0 || consumer.lhs.tensor.format().is_dense();
  return hides_padding && (!fill || fill->is_zero()) && around.only_sums && !consumer.op;
}

/// The producer's right side in terms of the consumer's variables; what it reduces over gets variables of its own.
class Renaming {
 public:
  Renaming(const Statement& producer, const Access& read, const Statement& consumer) {
    for (size_t n = 0; n < read.indices.size(); n++) renamed_.insert({producer.lhs.indices[n], read.indices[n]});
    for (const Statement* statement : {&producer, &consumer}) {
      names_.use(statement->lhs.tensor.name());
      for (const Access& access : accesses(statement->rhs)) names_.use(access.tensor.name());
    }
    for (const IndexVar& var : index_vars(consumer)) names_.use(var.name());
    for (const IndexVar& var : index_vars(producer.rhs)) {
      if (!renamed_.count(var)) renamed_.insert({var, IndexVar(names_.make(var.name()))});
    }
  }

  const IndexVar& variable(const IndexVar& var) const { return renamed_.at(var); }

  Expr operator()(const Expr& expr) const {
    return match(
        expr, [&](const Literal&) { return expr; },
        [&](const Access& access) { return Expr(Access{access.tensor, variables(access.indices)}, expr.span()); },
        [&](const Coordinate& coordinate) { return Expr(Coordinate{renamed_.at(coordinate.var)}, expr.span()); },
        [&](const Apply&) { return map_children(expr, *this); },
        [&](const Reduce& reduce) {
          return Expr(Reduce{reduce.op, variables(reduce.vars), (*this)(reduce.body)}, expr.span());
        });
  }

 private:
  Vars variables(const Vars& vars) const {
    Vars out;
    for (const IndexVar& var : vars) out.push_back(renamed_.at(var));
    return out;
  }

  std::map<IndexVar, IndexVar> renamed_;
  FreshNames names_;
};

Expr replaced(const Expr& expr, const std::string& tensor, const Expr& by) {
  const Access* access = expr.as<Access>();
  if (access) return access->tensor.name() == tensor ? by : expr;
  return map_children(expr, [&](const Expr& child) { return replaced(child, tensor, by); });
}

}  // namespace

std::optional<Statement> inlined(const Statement& written, const Statement& consumer) {
  Statement producer = as_assignment(written);
  const std::string& name = producer.lhs.tensor.name();
  std::vector<Access> reads;
  for (const Access& access : accesses(consumer.rhs)) {
    if (access.tensor.name() == name) reads.push_back(access);
  }
  for (const Access& access : accesses(consumer.rhs)) {
    bool is_made_from_it = access.tensor.selection() && access.tensor.read() && access.tensor.read()->name() == name;
    if (is_made_from_it) return std::nullopt;
  }
  for (const Access& access : accesses(producer.rhs)) {
    if (access.tensor.selection()) return std::nullopt;  // its sizes may follow from the temporary's
  }
  if (producer.op || producer.prunes || reads.size() != 1 || has_maps(producer) || has_maps(reads[0]))
    return std::nullopt;
  if (!are_different(producer.lhs.indices) || !are_different(reads[0].indices)) return std::nullopt;
  // A variable that no operand has gets its extent from the temporary's dimension.
  Vars reached;
  for (const Access& access : accesses(producer.rhs))
    reached.insert(reached.end(), access.indices.begin(), access.indices.end());
  bool broadcasts = std::any_of(producer.lhs.indices.begin(), producer.lhs.indices.end(),
                                [&](const IndexVar& var) { return !contains(reached, var); });
  Surroundings around;
  find_surroundings(consumer.rhs, name, around);
  if (broadcasts || !is_read_once(reads[0], consumer, around) || !keeps_meaning(producer, consumer, around))
    return std::nullopt;
  Statement together = consumer;
  Renaming renaming(producer, reads[0], consumer);
  together.rhs = replaced(consumer.rhs, name, renaming(producer.rhs));
  for (const auto& [var, extent] : producer.extents) together.extents.insert({renaming.variable(var), extent});
  return made_by(together).fill() == made_by(consumer).fill() ? std::optional(together) : std::nullopt;
}

}  // namespace filigree::notation

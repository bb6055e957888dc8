#include "front/written.h"

#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "notation/assignment.h"
#include "notation/parse.h"
#include "notation/part_update.h"
#include "notation/substitute.h"
#include "support/fresh_names.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree::front {
namespace {

using notation::Access;
using notation::Apply;
using notation::Coordinate;
using notation::Expr;
using notation::Literal;
using notation::Reduce;
using notation::Statement;

/// Tensors that hold data are States, all of them.
StatePtr state_of(const TensorVar& var) { return std::static_pointer_cast<State>(var.tensor()); }

/// Rewrites a statement of tensors that hold data into one of tensor variables.
class Writer {
 public:
  explicit Writer(const StatePtr& self) : self_(self) {}

  Pending operator()(const std::vector<IndexVar>& indices, std::optional<Operator> op, const Expr& right, bool prunes) {
    use_names(indices, right);
    // An old value counts with its own fill; otherwise what is assigned tells.
    TensorVar left(name_of(*self_, "result"), self_->type(), self_->format(),
                   op ? self_->fill() : Scalar(self_->type()));
    self_name_ = left.name();
    Statement statement{Access{left, rewritten(indices)}, op, rewritten(right)};
    statement = notation::complete(statement);
    statement.prunes = prunes;
    Pending pending{statement, operands_, Scalar()};
    pending.has_unnamed = has_unnamed_;
    return pending;
  }

 private:
  void use_names(const std::vector<IndexVar>& indices, const Expr& right) {
    auto use = [&](const IndexVar& var) {
      for (const IndexVar& free : free_of({var})) {
        if (free.is_named()) names_.use(free.name());
      }
    };
    for (const IndexVar& var : indices) use(var);
    notation::for_each(right, [&](const Expr& expr) {
      if (const Access* access = expr.as<Access>())
        for (const IndexVar& var : access->indices) use(var);
      if (const Reduce* reduce = expr.as<Reduce>())
        for (const IndexVar& var : reduce->vars) use(var);
      if (const Coordinate* coordinate = expr.as<Coordinate>()) use(coordinate->var);
    });
  }

  /// A letter would be taken for a variable of the program that happens to have that name.
  std::string name_of(const State& state, const std::string& place) {
    has_unnamed_ = has_unnamed_ || state.name().empty();
    return names_.make(state.name().empty() ? place : state.name());
  }

  IndexVar rewritten(const IndexVar& var) {
    auto known = indices_.find(var);
    if (known != indices_.end()) return known->second;
    std::optional<IndexVar> changed;
    if (const IndexMap* map = var.map()) {
      IndexMap renamed = *map;
      for (IndexMap::Term& term : renamed.terms) term.var = rewritten(term.var);
      if (map->gathered)
        renamed.gathered = std::make_shared<const Gathered>(
            Gathered{variable_for(map->gathered->tensor), rewritten(map->gathered->indices), map->gathered->factor});
      changed = make_index(renamed);
    } else {
      changed = var.is_named() ? var : IndexVar(names_.letter('i', 'n'));
    }
    return indices_.emplace(var, *changed).first->second;
  }

  std::vector<IndexVar> rewritten(const std::vector<IndexVar>& vars) {
    std::vector<IndexVar> out;
    for (const IndexVar& var : vars) out.push_back(rewritten(var));
    return out;
  }

  Expr rewritten(const Expr& expr) {
    if (const Access* access = expr.as<Access>())
      return Expr(Access{variable_for(access->tensor), rewritten(access->indices)});
    if (const Coordinate* coordinate = expr.as<Coordinate>()) return Expr(Coordinate{rewritten(coordinate->var)});
    if (const Reduce* reduce = expr.as<Reduce>()) {
      std::vector<IndexVar> vars = rewritten(reduce->vars);  // first, so that names follow the text
      return Expr(Reduce{reduce->op, vars, rewritten(reduce->body)});
    }
    return notation::map_children(expr, [&](const Expr& child) { return rewritten(child); });
  }

  TensorVar variable_for(const TensorVar& used) {
    StatePtr state = state_of(used);
    if (!state) {
      throw UserError(fmt::format("'{}' is a tensor variable: it holds no data", used.name()))
          .hint(
              "use tensors that hold data on both sides, or compile the statement with Kernel::compile and run it on "
              "data");
    }
    auto known = vars_.find(state.get());
    if (known != vars_.end()) return known->second;
    bool is_self = state == self_;
    StatePtr tensor = is_self ? self_->copy() : state;
    TensorVar var(
        is_self ? names_.make(self_name_ + "_old") : name_of(*state, fmt::format("operand{}", operands_.size() + 1)),
        state->type(), state->format(), state->fill());
    operands_.push_back({var, tensor});
    return vars_.emplace(state.get(), var).first->second;
  }

  const StatePtr& self_;
  std::string self_name_;
  bool has_unnamed_ = false;
  FreshNames names_;
  std::map<IndexVar, IndexVar> indices_;
  std::map<State*, TensorVar> vars_;
  std::vector<Operand> operands_;
};

/// Numbers of a complete statement as operands.
class NumbersAsOperands {
 public:
  enum class Which { All, Factors };

  NumbersAsOperands(const Pending& pending, Which which) : pending_(pending), which_(which) {
    names_.use(pending.statement.lhs.tensor.name());
    for (const Operand& operand : pending.operands) names_.use(operand.var.name());
    for (const IndexVar& var : notation::index_vars(pending.statement)) names_.use(var.name());
  }

  Pending operator()() {
    Pending out = pending_;
    out.statement.rhs = changed(out.statement.rhs);
    out.operands.insert(out.operands.end(), numbers_.begin(), numbers_.end());
    return out;
  }

 private:
  Expr changed(const Expr& expr) {
    const Apply* apply = expr.as<Apply>();
    if (!apply) return notation::map_children(expr, [&](const Expr& child) { return changed(child); });
    std::vector<Expr> operands;
    for (const Expr& operand : apply->operands)
      operands.push_back(takes_any_number(*apply, operand) ? variable_for(*operand.as<Literal>()) : changed(operand));
    return Expr(Apply{apply->op, operands});
  }

  /// Is the operand a number that code may be made without?  Exponents and divisors of integers make it simpler; so do
  /// the smallest numbers.
  bool takes_any_number(const Apply& apply, const Expr& operand) const {
    const Literal* literal = operand.as<Literal>();
    if (!literal || literal->structural || literal->value.type() == ElementType::Bool) return false;
    std::complex<double> value = literal->value.as_complex();
    bool is_simple = value == 0.0 || value == 1.0 || value == -1.0 || value == 2.0 || value == 0.5;
    bool is_factor = apply.op == Operator::Multiply;
    bool is_term = apply.op == Operator::Add || apply.op == Operator::Subtract || apply.op == Operator::Divide ||
                   apply.op == Operator::Min || apply.op == Operator::Max;
    return !is_simple && literal->value.is_finite() && (is_factor || (is_term && which_ == Which::All));
  }

  Expr variable_for(const Literal& literal) {
    TensorVar var(names_.make("c"), literal.value.type(), Format());
    numbers_.push_back({var, std::make_shared<State>("", AnyTensor::scalar(literal.value))});
    return Expr(Access{var, {}});
  }

  const Pending& pending_;
  Which which_;
  FreshNames names_;
  std::vector<Operand> numbers_;
};

/// Does every tensor of the statement have a place for every component?  Then no fill matters.
bool is_all_dense(const Pending& pending) {
  return pending.statement.lhs.tensor.format().stores_all() &&
         std::none_of(pending.operands.begin(), pending.operands.end(),
                      [](const Operand& operand) { return operand.var.may_be_absent(); });
}

/// Numbers become operands where that leaves the result as it is, down to what it stores.
Pending with_numbers_as_operands(const Pending& pending) {
  using Which = NumbersAsOperands::Which;
  for (Which which : {Which::All, Which::Factors}) {
    Pending changed = NumbersAsOperands(pending, which)();
    if (is_all_dense(pending) || notation::fill_of(changed.statement.rhs) == notation::fill_of(pending.statement.rhs))
      return changed;
  }
  return pending;
}

/// The fill that the result will have.
Scalar fill_after(const Statement& statement) {
  if (notation::updates_part(statement)) return statement.lhs.tensor.fill();
  return notation::result_fill(notation::with_old_value(statement));
}

class Key {
 public:
  std::string operator()(const Statement& statement) {
    add(statement.lhs);
    text_ += statement.op ? fmt::format(" {}= ", static_cast<int>(*statement.op)) : " = ";
    if (statement.prunes) text_ += "prune ";
    add(statement.rhs);
    for (const auto& [var, extent] : statement.extents) text_ += fmt::format(" {}:{}", number(var), extent);
    for (size_t n = 0; n < tensors_.size(); n++) {
      const TensorVar tensor = tensors_[n];
      if (const Selection* selection = tensor.selection()) add(*selection);
      text_ += fmt::format("\n{} {} {} {}", tensor.name(), to_string(tensor.type()), to_string(tensor.format()),
                           to_string(tensor.fill()));
    }
    return text_;
  }

 private:
  /// Variables by the order in which they come: names may be the same.
  std::string number(const IndexVar& var) {
    return fmt::format("{}.{}", var.name(), numbers_.emplace(var, numbers_.size()).first->second);
  }

  void add(const IndexVar& var) {
    if (!var.map()) {
      text_ += number(var) + ",";
      return;
    }
    text_ += to_string(*var.map(), [&](const IndexVar& v) { return number(v); });
    text_ += var.map()->padded ? "p," : ",";
  }

  void add(const Selection& selection) {
    if (selection.source) add(*selection.source);
    for (std::int64_t factor : selection.factors) text_ += fmt::format("{},", factor);
    text_ += fmt::format("{} {} {} {} {}", selection.factor, selection.offset, selection.wraps, selection.modulus,
                         selection.padded);
  }

  void add(const TensorVar& tensor) {
    if (std::find(tensors_.begin(), tensors_.end(), tensor) == tensors_.end()) tensors_.push_back(tensor);
    text_ += tensor.name() + " ";
  }

  void add(const Access& access) {
    if (std::find(tensors_.begin(), tensors_.end(), access.tensor) == tensors_.end()) tensors_.push_back(access.tensor);
    text_ += access.tensor.name() + "(";
    for (const IndexVar& var : access.indices) add(var);
    text_ += ")";
  }

  void add(const Expr& expr) {
    match(
        expr,
        [&](const Literal& n) {
          text_ += fmt::format("{}:{}{}", to_string(n.value), to_string(n.value.type()), n.structural ? "s" : "");
        },
        [&](const Access& n) { add(n); }, [&](const Coordinate& n) { text_ += "@", add(n.var); },
        [&](const Apply& n) {
          text_ += fmt::format("{}[", static_cast<int>(n.op));
          for (const Expr& operand : n.operands) add(operand), text_ += ";";
          text_ += "]";
        },
        [&](const Reduce& n) {
          text_ += fmt::format("R{}[", static_cast<int>(n.op));
          for (const IndexVar& var : n.vars) add(var);
          text_ += "|";
          add(n.body);
          text_ += "]";
        });
  }

  std::string text_;
  std::map<IndexVar, size_t> numbers_;
  std::vector<TensorVar> tensors_;
};

}  // namespace

std::vector<TensorVar> tensors_read(const std::vector<IndexVar>& left, const Expr& right) {
  std::vector<TensorVar> tensors;
  std::function<void(const std::vector<IndexVar>&)> add_gathered = [&](const std::vector<IndexVar>& indices) {
    for (const IndexVar& index : indices) {
      if (!index.map() || !index.map()->gathered) continue;
      tensors.push_back(index.map()->gathered->tensor);
      add_gathered(index.map()->gathered->indices);
    }
  };
  add_gathered(left);
  for (const Access& access : notation::accesses(right)) {
    tensors.push_back(access.tensor);
    add_gathered(access.indices);
  }
  return tensors;
}

Pending as_written(const StatePtr& self, const std::vector<IndexVar>& indices, std::optional<Operator> op,
                   const Term& right, bool prunes) {
  Pending pending = with_numbers_as_operands(Writer(self)(indices, op, right.expr(), prunes));
  pending.fill = fill_after(pending.statement);
  for (const Operand& operand : pending.operands) pending.depth = std::max(pending.depth, operand.tensor->depth() + 1);
  return pending;
}

std::string kernel_key(const Statement& statement) { return Key()(statement); }

UserError&& explained(UserError&& error, const Pending& pending) {
  std::vector<std::string> tensors;
  for (const Operand& operand : pending.operands) {
    if (operand.var.order() == 0) continue;
    const auto& dimensions = operand.tensor->known_dimensions();
    tensors.push_back(fmt::format("{} is {}{}", operand.var.name(),
                                  dimensions ? describe_dimensions(*dimensions) + " " : "",
                                  to_string(operand.var.format())));
  }
  std::string text = "the statement is " + notation::to_string(pending.statement);
  std::move(error).note(tensors.empty() ? text : text + ", where " + join(tensors, ", "));
  if (pending.has_unnamed)
    std::move(error).note(
        "operands are counted from left to right; tensors with a name, as in Tensor<double> A(\"A\", {2, 3}), are "
        "called by it");
  return std::move(error);
}

}  // namespace filigree::front

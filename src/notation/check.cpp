#include "notation/check.h"

#include <algorithm>

#include <fmt/format.h>

#include "notation/injective.h"
#include "notation/reductions.h"
#include "notation/written.h"
#include "support/check.h"
#include "support/text.h"

namespace filigree::notation {

UserError reduced_but_not_used(const std::string& var) {
  return UserError(fmt::format("The index variable '{}' of this reduction does not occur in what is reduced", var))
      .hint(fmt::format("leave '{0}' out, or use it inside", var));
}

UserError reduced_twice(const std::string& variable) {
  return UserError(fmt::format("Index variable '{}' is reduced twice", variable)).hint("rename one of them");
}

UserError reduced_and_on_the_left(const std::string& variable) {
  return UserError(fmt::format("Index variable '{}' is reduced but also on the left-hand side", variable))
      .hint("rename one of them");
}

UserError wrong_number_of_indices(const std::string& tensor, int order, int count) {
  return UserError(fmt::format("'{}' has {} but is used with {}", tensor, counted(order, "dimension"),
                               counted(count, "index", "indices")));
}

UserError no_order_of_complex(const std::string& operation) {
  return UserError(fmt::format("'{}' is not defined for complex numbers", operation));
}

UserError written_several_times(const Statement& statement) {
  return UserError(fmt::format("'{}' is assigned several values for one component", written_left(statement)))
      .hint("write += to add them up, or another assignment that combines them");
}

namespace {

[[noreturn]] void fail(const Statement& statement, UserError error, Span span) {
  if (statement.source) throw std::move(error).at(statement.source, span);
  throw error;
}

class Checker {
 public:
  explicit Checker(const Statement& statement) : statement_(statement) {}

  void operator()() {
    check_access(statement_.lhs, statement_.lhs_span);
    bool combines = statement_.op && (can_reduce(*statement_.op) || statement_.op == Operator::Subtract);
    if (!combines && injectivity(statement_.lhs) == Injectivity::Never)
      fail(statement_, written_several_times(statement_), statement_.lhs_span);
    check_subtracted_truth();
    bool complex = is_complex(statement_.lhs.tensor.type()) || is_complex(statement_.rhs.type());
    if (statement_.op && !facts(*statement_.op).takes_complex && complex) {
      bool placed = statement_.op_span != Span{};
      fail(statement_, no_order_of_complex(std::string(facts(*statement_.op).symbol) + "="),
           placed ? statement_.op_span : statement_.lhs_span);
    }
    visit(statement_.rhs);
  }

 private:
  /// Of truth values, true - true - true is not true - (true + true).
  void check_subtracted_truth() const {
    if (statement_.op != Operator::Subtract || statement_.rhs.type() != ElementType::Bool ||
        statement_.lhs.tensor.type() != ElementType::Bool || is_injective(statement_.lhs))
      return;
    fail(statement_,
         UserError(fmt::format("'{}' may subtract several truth values from one component, which has no meaning",
                               to_string(statement_.lhs)))
             .hint(fmt::format("give '{}' a type of numbers, such as int8", statement_.lhs.tensor.name())),
         statement_.lhs_span);
  }

  void visit(const Expr& expr) {
    match(
        expr, [](const Literal&) {}, [](const Coordinate&) {},
        [&](const Access& access) { check_access(access, expr.span()); },
        [&](const Apply& apply) {
          for (const Expr& operand : apply.operands)
            check_order(apply.op, facts(apply.op).symbol, operand, expr.span());
          for (const Expr& operand : apply.operands) visit(operand);
        },
        [&](const Reduce& reduce) {
          check_order(reduce.op, reduction_name(reduce.op), reduce.body, expr.span());
          size_t outer = reduced_.size();
          for (const IndexVar& var : reduce.vars) {
            if (contains(reduced_, var)) fail(statement_, reduced_twice(var.name()), expr.span());
            if (contains(free_of(statement_.lhs.indices), var))
              fail(statement_, reduced_and_on_the_left(var.name()), expr.span());
            reduced_.push_back(var);
          }
          std::vector<IndexVar> used = index_vars(reduce.body);
          for (const IndexVar& var : reduce.vars) {
            if (!contains(used, var)) fail(statement_, reduced_but_not_used(var.name()), expr.span());
          }
          visit(reduce.body);
          reduced_.erase(reduced_.begin() + static_cast<std::ptrdiff_t>(outer), reduced_.end());
        });
  }

  void check_access(const Access& access, Span span) const {
    int count = static_cast<int>(access.indices.size());
    if (count != access.tensor.order()) {
      fail(statement_, wrong_number_of_indices(access.tensor.name(), access.tensor.order(), count), span);
    }
  }

  void check_order(Operator op, const std::string& name, const Expr& operand, Span span) const {
    if (!facts(op).takes_complex && is_complex(operand.type())) fail(statement_, no_order_of_complex(name), span);
  }

  const Statement& statement_;
  std::vector<IndexVar> reduced_;  // by the reductions around this place
};

}  // namespace

void check(const Statement& statement) { Checker{statement}(); }

}  // namespace filigree::notation

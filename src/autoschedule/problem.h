// What is to be scheduled: a statement of index notation with its loops still unordered.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "autoschedule/statement.h"
#include "notation/notation.h"

namespace filigree::autoschedule {

/// What costs and rewrites need to know about a tensor.
struct TensorFacts {
  ElementType type = ElementType::Float64;
  std::optional<Scalar> fill = Scalar(ElementType::Float64);  // what absence means; none: nothing is absent
  bool sparse = false;                                        // may components be absent?
  bool operator==(const TensorFacts&) const = default;
};
using Tensors = std::map<std::string, TensorFacts>;

/// Assignments and the `where`s between them, without loops.  Accesses of temporaries have no indices yet: these follow
/// from the loops (place.h).
struct Grouping {
  std::optional<Assign> assign;  // or else
  std::shared_ptr<const Grouping> consumer = nullptr, producer = nullptr;
  /// What the producer reduces may as well be reduced by the consumer: a loop that only the producer needs may be
  /// around both.
  bool distributes = false;
  /// Of a reduction inside of an expression: the indices that are bound around it.  Its temporary has them wherever the
  /// loops over them are inside of the `where`, even if nothing else in the consumer does.
  std::vector<std::string> kept = {};
};

Grouping leaf(Assign assign);
Grouping where(Grouping consumer, Grouping producer, bool distributes, std::vector<std::string> kept = {});
/// The assignment that a grouping is there for.
const Assign& target(const Grouping& grouping);
std::string to_string(const Grouping& grouping);

struct Problem {
  Tensors tensors;                                // operands and the result
  std::vector<std::string> indices;               // all of them, those of the result first
  std::map<std::string, std::string> dimensions;  // what an index ranges over: equal names are equal sizes
  Grouping body;
  notation::Statement statement;              // as a plain assignment that does not read its left tensor
  std::map<std::string, IndexVar> variables;  // what indices are called
};

/// Why a statement is left to other means, as a clause: "'i+1' is no index variable".
struct NotScheduled {
  std::string reason;
};

/// The problem of a statement.  Reductions inside of expressions become producers; a reduction of the whole right side,
/// and one that may as well be part of it, is what the left side accumulates.  Variables of different reductions get
/// names of their own.  Requires: the statement is complete.
///
///   y(i) = sum(j, A(i,j)*x(j))           y += A(i,j)*x(j)
///   y(i) = sum(j, A(i,j)*x(j)) + b(i)    y = t + b(i) where t += A(i,j)*x(j)
std::variant<Problem, NotScheduled> problem_of(const notation::Statement& statement);

/// The type of an expression.
ElementType type_of(const Expr& expr, const Tensors& tensors);
/// The facts of the temporaries of a statement or grouping beside those of its tensors.
Tensors with_workspaces(const Stmt& stmt, Tensors tensors);
Tensors with_workspaces(const Grouping& grouping, Tensors tensors);

/// An operation on as many operands as there are, one after the other.  Numbers beside each other are one number, as
/// where a person wrote them so: whether a result is its fill where operands are absent is seen by that.
notation::Expr applied(Operator op, const std::vector<notation::Expr>& operands);

/// `expr` for the functions of index notation: by number of its accesses from left to right, tensors that may be absent
/// or not.
notation::Expr to_notation(const Expr& expr, const Tensors& tensors, std::vector<TensorVar>& by_access);

/// Is the value of `expr` where its operands are absent another one than a reduction starts from?
bool skipped_terms_count(const Expr& expr, Operator reducer, const Tensors& tensors);

/// Is a reduction by `reducer` in operand number `position` of `op` the reduction of the whole?
bool moves_out(Operator op, size_t position, Operator reducer, ElementType type);

}  // namespace filigree::autoschedule

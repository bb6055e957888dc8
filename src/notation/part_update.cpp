#include "notation/part_update.h"

#include <fmt/format.h>

#include "notation/assignment.h"
#include "notation/index_forms.h"
#include "notation/injective.h"
#include "support/check.h"

namespace filigree::notation {
namespace {

/// What several terms for one component are combined by, before they meet the old value.
Operator combining(Operator op) {
  return op == Operator::Subtract ? Operator::Add : op == Operator::Divide ? Operator::Multiply : op;
}

/// Is every value of the type `from` also one of `to`?
bool holds(ElementType to, ElementType from) {
  bool rounds = (from == ElementType::Int64 || from == ElementType::UInt64) && !is_integer(to);
  return promote(from, to) == to && !rounds;
}

class PartUpdate {
 public:
  PartUpdate(const Statement& statement, FreshNames& names) : written_(statement), op_(*statement.op), names_(names) {}

  std::vector<Statement> run() {
    Expr terms = combined_with_old(written_).as<Apply>()->operands[1];
    check_types(terms.type());
    Statement part = part_of(terms);
    return {part, combined_with(part.lhs.tensor)};
  }

 private:
  const TensorVar& tensor() const { return written_.lhs.tensor; }

  /// The type in which terms meet the old value, and each other.
  ElementType computed_in(ElementType terms) const {
    return result_type(op_,
                       {tensor().type(), is_injective(written_.lhs) ? terms : reduced_type(combining(op_), terms)});
  }

  void check_types(ElementType terms) const {
    if (holds(computed_in(terms), tensor().type())) return;
    UserError error =
        UserError(
            fmt::format(
                "'{}' is a part of '{}' only, and the rest would not keep its value: {} with {} is computed in {}",
                to_string(written_.lhs), tensor().name(), to_string(tensor().type()), to_string(terms),
                to_string(computed_in(terms))))
            .hint(fmt::format("give '{}' the type {}", tensor().name(), to_string(computed_in(terms))));
    if (written_.source) throw std::move(error).at(written_.source, written_.lhs_span);
    throw error;
  }

  /// The terms in their places; what is in no place leaves an old value as it is.
  Statement part_of(const Expr& terms) {
    ElementType type = computed_in(terms.type());
    std::optional<Scalar> neutral = identity(combining(op_), type);
    internal_check(neutral.has_value(), "notation", "an update by an operator without identity", to_string(written_));
    TensorVar part(names_.make(tensor().name() + "_part"), type, Format::sparse(tensor().order()), *neutral);
    std::optional<Operator> op = is_injective(written_.lhs) ? std::nullopt : std::optional(combining(op_));
    return Statement{Access{part, written_.lhs.indices},
                     op,
                     terms,
                     written_.lhs_span,
                     written_.source,
                     written_.op_span,
                     written_.extents};
  }

  /// All of the tensor, with the part's terms.
  Statement combined_with(const TensorVar& part) {
    std::vector<IndexVar> indices;
    for (const IndexVar& index : written_.lhs.indices)
      indices.push_back(index.map() ? IndexVar(names_.make("i")) : index);
    Access whole{tensor(), indices};
    Expr old(whole, written_.lhs_span), change(Access{part, indices}, written_.rhs.span());
    return Statement{whole,
                     std::nullopt,
                     Expr(Apply{op_, {old, change}}, written_.rhs.span()),
                     written_.lhs_span,
                     written_.source,
                     {},
                     {},
                     written_.prunes};
  }

  const Statement& written_;
  Operator op_;
  FreshNames& names_;
};

}  // namespace

bool updates_part(const Statement& statement) { return statement.op && has_maps(statement.lhs); }

std::vector<Statement> with_old_values(const Statement& statement, FreshNames& names) {
  if (updates_part(statement)) return PartUpdate(statement, names).run();
  return {with_old_value(statement)};
}

}  // namespace filigree::notation

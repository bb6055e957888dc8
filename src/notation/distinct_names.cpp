#include "notation/distinct_names.h"

#include <map>

#include <fmt/format.h>

namespace filigree::notation {
namespace {

std::string describe(const TensorVar& tensor) {
  std::string fill = tensor.fill().is_zero() ? "" : ", fill " + to_string(tensor.fill());
  return fmt::format("{} {}{}", to_string(tensor.type()), tensor.order() == 0 ? "scalar" : to_string(tensor.format()),
                     fill);
}

class TensorNames {
 public:
  /// What text assigns has a new value, and may have another type and format than the one before.
  void assign(const Statement& statement) {
    const TensorVar& tensor = statement.lhs.tensor;
    if (statement.source) known_.insert_or_assign(tensor.name(), tensor);
    else add(tensor, statement, statement.lhs_span);
  }

  void add(const TensorVar& tensor, const Statement& statement, Span span) {
    if (tensor.selection()) {  // each statement makes its own
      if (tensor.read()) add(*tensor.read(), statement, span);
      return;
    }
    auto [known, is_new] = known_.try_emplace(tensor.name(), tensor);
    if (is_new || known->second == tensor) return;
    // In text the name is all there is, and stands for the same tensor everywhere; what became of it may have another
    // fill.
    bool same_kind = known->second.type() == tensor.type() && known->second.format() == tensor.format();
    if (statement.source && same_kind) return;
    UserError error(fmt::format("Two different tensors are named '{}'", tensor.name()));
    if (std::string one = describe(known->second), other = describe(tensor); one != other)
      std::move(error).note(fmt::format("one is {}, the other {}", one, other));
    std::move(error).hint(
        "use the same TensorVar wherever the same tensor is meant, and give other tensors other names");
    if (statement.source) std::move(error).at(statement.source, span);
    throw error;
  }

 private:
  std::map<std::string, TensorVar> known_;
};

}  // namespace

void check_tensor_names(const std::vector<Statement>& statements) {
  TensorNames names;
  for (const Statement& statement : statements) {
    // The old value, if the right side reads it, is the one that was assigned before.
    if (!statement.source) names.assign(statement);
    for_each(statement.rhs, [&](const Expr& expr) {
      if (const Access* access = expr.as<Access>()) names.add(access->tensor, statement, expr.span());
    });
    if (statement.source) names.assign(statement);
  }
}

}  // namespace filigree::notation

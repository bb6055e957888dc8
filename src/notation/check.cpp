#include "notation/check.h"

#include <algorithm>

#include <fmt/format.h>

#include "notation/reductions.h"
#include "support/check.h"

namespace filigree::notation {

UserError repeated_index(const std::string& variable, const std::string& tensor) {
  return UserError(fmt::format("Using index variable '{}' twice in '{}' is not supported yet", variable, tensor));
}

UserError reduced_but_not_used(const std::string& var, const std::string& reduction) {
  return UserError(fmt::format("The index variable '{}' of this '{}' does not occur in what is reduced", var, reduction))
      .hint("use '" + var + "' inside, or leave the reduction out and scale the expression");
}

UserError reduced_twice(const std::string& variable) {
  return UserError(fmt::format("Index variable '{}' is reduced twice", variable)).hint("rename one of them");
}

UserError reduced_and_on_the_left(const std::string& variable) {
  return UserError(fmt::format("Index variable '{}' is reduced but also on the left-hand side", variable))
      .hint("rename one of them");
}

UserError wrong_number_of_indices(const std::string& tensor, int order, int count) {
  return UserError(fmt::format("'{}' has {} {} but is used with {} {}", tensor, order, order == 1 ? "dimension" : "dimensions",
                               count, count == 1 ? "index" : "indices"));
}

UserError no_order_of_complex(const std::string& operation) {
  return UserError(fmt::format("'{}' is not defined for complex numbers", operation));
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
    bool complex = is_complex(statement_.lhs.tensor.type()) || is_complex(statement_.rhs.type());
    if (statement_.op && !facts(*statement_.op).takes_complex && complex) {
      fail(statement_, no_order_of_complex(std::string(facts(*statement_.op).symbol) + "="), statement_.lhs_span);
    }
    visit(statement_.rhs);
  }

 private:
  void visit(const Expr& expr) {
    match(
        expr, [](const Literal&) {},
        [&](const Access& access) { check_access(access, expr.span()); },
        [&](const Apply& apply) {
          for (const Expr& operand : apply.operands) check_order(apply.op, facts(apply.op).symbol, operand, expr.span());
          for (const Expr& operand : apply.operands) visit(operand);
        },
        [&](const Reduce& reduce) {
          check_order(reduce.op, reduction_name(reduce.op), reduce.body, expr.span());
          size_t outer = reduced_.size();
          for (const IndexVar& var : reduce.vars) {
            if (contains(reduced_, var)) fail(statement_, reduced_twice(var.name()), expr.span());
            if (contains(statement_.lhs.indices, var)) fail(statement_, reduced_and_on_the_left(var.name()), expr.span());
            reduced_.push_back(var);
          }
          std::vector<IndexVar> used = index_vars(reduce.body);
          for (const IndexVar& var : reduce.vars) {
            if (!contains(used, var)) fail(statement_, reduced_but_not_used(var.name(), reduction_name(reduce.op)), expr.span());
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
    for (size_t n = 0; n < access.indices.size(); n++) {
      for (size_t m = 0; m < n; m++) {
        if (access.indices[m] == access.indices[n]) fail(statement_, repeated_index(access.indices[n].name(), access.tensor.name()), span);
      }
    }
  }

  void check_order(Operator op, const std::string& name, const Expr& operand, Span span) const {
    if (!facts(op).takes_complex && is_complex(operand.type())) fail(statement_, no_order_of_complex(name), span);
  }

  const Statement& statement_;
  std::vector<IndexVar> reduced_;  // by the reductions around this place
};

/// Where an index variable's extent comes from.
struct Origin {
  std::int64_t extent;
  std::string text;  // "dimension 2 of 'B' has 5"
};

class Extents {
 public:
  Extents(const Statement& statement, const std::map<TensorVar, std::vector<std::int64_t>>& dimensions)
      : statement_(statement), dimensions_(dimensions) {}

  void give(const IndexVar& var, std::int64_t extent) {
    known_.emplace(var, Origin{extent, fmt::format("{} was given", extent)});
  }

  void learn(const Access& access, Span span) {
    auto found = dimensions_.find(access.tensor);
    if (found == dimensions_.end()) return;
    internal_check(found->second.size() == access.indices.size(), "infer_extents", "dimensions of another order", access.tensor.name());
    for (size_t n = 0; n < access.indices.size(); n++) {
      std::int64_t extent = found->second[n];
      if (extent < 0) continue;
      const IndexVar& var = access.indices[n];
      Origin origin{extent, fmt::format("dimension {} of '{}' has {}", n + 1, access.tensor.name(), extent)};
      auto [first, is_new] = known_.emplace(var, origin);
      if (is_new || first->second.extent == extent) continue;
      fail(statement_, UserError(fmt::format("Index variable '{}' has two extents: {} but {}", var.name(),
                                             first->second.text, origin.text)), span);
    }
  }

  std::map<IndexVar, std::int64_t> result() const {
    std::map<IndexVar, std::int64_t> extents;
    for (const auto& [var, origin] : known_) extents.emplace(var, origin.extent);
    return extents;
  }

 private:
  const Statement& statement_;
  const std::map<TensorVar, std::vector<std::int64_t>>& dimensions_;
  std::map<IndexVar, Origin> known_;
};

}  // namespace

void check(const Statement& statement) { Checker{statement}(); }

std::map<IndexVar, std::int64_t> infer_extents(const Statement& statement,
                                               const std::map<TensorVar, std::vector<std::int64_t>>& dimensions,
                                               const std::map<IndexVar, std::int64_t>& given) {
  Extents extents(statement, dimensions);
  for (const auto& [var, extent] : given) extents.give(var, extent);
  for_each(statement.rhs, [&](const Expr& expr) {
    if (const Access* access = expr.as<Access>()) extents.learn(*access, expr.span());
  });
  extents.learn(statement.lhs, statement.lhs_span);
  return extents.result();
}

}  // namespace filigree::notation

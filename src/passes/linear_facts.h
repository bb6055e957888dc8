// What is certain of integers at a place of the code, as sums that are not negative: i >= 0, j - i - 1 >= 0.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/ir.h"

namespace filigree::passes {

/// constant + sum of factor * variable.
struct LinearSum {
  std::int64_t constant = 0;
  std::vector<std::pair<std::uint64_t, std::int64_t>> terms = {};  // by id of the variable, factors not 0
};

/// Sums are of variables that keep their values; what they say is exact, as sums of indices do not overflow.
class LinearFacts {
 public:
  /// A variable that keeps its value from its declaration on; others are not spoken of.  Of indices, sums can be made.
  void know(const ir::Var& var, bool is_index);
  /// The variable is declared anew: what was known was of another one.
  void forget(const ir::Var& var);

  /// Adds what a condition says if it holds (or if it does not).
  void add(const ir::Expr& condition, bool holds = true);
  /// a <= b, where each may be a minimum or maximum.
  void add_at_most(const ir::Expr& a, const ir::Expr& b, std::int64_t difference = 0);

  /// Is a + difference <= b certain?
  bool at_most(const ir::Expr& a, const ir::Expr& b, std::int64_t difference = 0) const;
  /// Is it an index: a sum of indices and numbers?
  bool is_index(const ir::Expr& expr) const { return expr.type() == ElementType::Int64 && sum(expr, true).has_value(); }

 private:
  std::optional<LinearSum> sum(const ir::Expr& expr, bool inside = false) const;
  bool follows(const LinearSum& sum, int depth, int& steps) const;

  std::vector<LinearSum> facts_;  // none is negative
  std::vector<std::uint64_t> known_, indices_;
};

}  // namespace filigree::passes

// Formulas (relation/formula.h) as code.
#pragma once

#include <functional>

#include "ir/ir.h"
#include "relation/formula.h"

namespace filigree::lowering {

/// Writes formulas down, given what stands for the variables in them.
struct FormulaCode {
  std::function<ir::Expr(const IndexVar&)> value = {}, extent = {};
  std::function<ir::Var(const std::vector<std::int64_t>&)> list = {};

  ir::Expr operator()(const relation::Formula& formula) const;
};

}  // namespace filigree::lowering

// Expressions and conditions of a layout at many points at once: what takes a walk through a tree for each point in
// Evaluator takes one for hundreds of them here.
#pragma once

#include <vector>

#include "layouts/data.h"

namespace filigree::layouts {

/// By slot: the values of a variable at all points.  A slot that nothing reads may be empty.
using Column = std::vector<std::int64_t>;
using Columns = std::vector<Column>;

/// The value at each of `count` points.  Throws what Evaluator throws at the first point where it does.
Column values_at(const Evaluator& evaluator, const Evaluator::Code& code, const Columns& columns, size_t count);
/// The number of the element that a Read is of.
Column elements_at(const Evaluator& evaluator, const Evaluator::Code& read, const Columns& columns, size_t count);
/// The same, and -1 for places that are outside of an array.
Column elements_or_none(const Evaluator& evaluator, const Evaluator::Code& read, const Columns& columns, size_t count);
/// 1 where it holds, else 0.
std::vector<char> holds_at(const Evaluator& evaluator, const Evaluator::Test& test, const Columns& columns,
                           size_t count);

/// Leaves out the points at which `kept` is 0, and says how many are left.
size_t keep(Columns& columns, const std::vector<char>& kept);

}  // namespace filigree::layouts

// Whether temporaries are kept in arrays over their extents or in tables.
#pragma once

#include <functional>
#include <map>

#include "concrete/concrete.h"

namespace filigree::compiler {

/// Do temporaries need tables because arrays over their extents would be out of proportion?  `largest`: what the largest operand stores;
/// `visits`: how many components will be visited, asked only if it matters.
bool needs_tables(const concrete::Program& program, const std::map<IndexVar, std::int64_t>& extents, std::int64_t largest, const std::function<double()>& visits);

}  // namespace filigree::compiler

#include "compiler/result_arrays.h"

#include <algorithm>

#include "compiler/views.h"
#include "support/check.h"

namespace filigree::compiler {

using level::ArrayDescription;

lower::ArrayTypes result_array_types(const Format& format, const std::vector<std::int64_t>& dimensions, ElementType positions_type) {
  lower::ArrayTypes types;
  for (size_t k = 0; k < format.levels().size(); k++) {
    const level::Format& level = *format.levels()[k].format;
    std::optional<std::int64_t> largest;  // coordinate of this level and of those whose coordinates it holds
    for (size_t held = k; held <= k + static_cast<size_t>(level.holds_below()); held++) {
      std::optional<relation::Range> range = relation::range(format.levels()[held].coordinate, dimensions);
      if (range) largest = std::max({largest.value_or(0), -range->origin, range->origin + range->extent - 1});
    }
    for (const ArrayDescription& array : level.arrays()) {
      bool positions = array.holds == ArrayDescription::Holds::Positions;
      types.push_back(positions || !largest ? positions_type : index_type_for(*largest));
    }
  }
  return types;
}

void narrow_shared_positions(lower::ArrayTypes& types, const concrete::Program& program, const std::vector<const Tensor*>& operands) {
  const TensorVar& result = program.results[0];
  auto shared = program.environment.shared_patterns.find(result);
  if (shared == program.environment.shared_patterns.end()) return;
  auto operand = std::find(program.operands.begin(), program.operands.end(), shared->second.operand.tensor);
  internal_check(operand != program.operands.end(), "compiler", "a pattern shared with what is no operand", result.name());
  lower::ArrayTypes source = array_types(*operands[static_cast<size_t>(operand - program.operands.begin())]);
  size_t number = 0;
  for (int l = 0; l < shared->second.levels; l++) {
    for (const ArrayDescription& array : result.format().levels()[static_cast<size_t>(l)].format->arrays()) {
      if (array.holds == ArrayDescription::Holds::Positions) types[number] = source[number];
      number++;
    }
  }
}

}  // namespace filigree::compiler

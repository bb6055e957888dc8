#include "compiler/views.h"

#include <algorithm>

#include "support/memory.h"

namespace filigree::compiler {

using level::ArrayDescription;

lowering::ArrayTypes array_types(const AnyTensor& tensor) {
  lowering::ArrayTypes types;
  for (const std::vector<Array>& level : tensor.level_arrays()) {
    for (const Array& array : level) types.push_back(array.type());
  }
  return types;
}

lowering::ArrayTypes result_array_types(const Format& format, const std::vector<std::int64_t>& dimensions,
                                        ElementType positions_type) {
  lowering::ArrayTypes types;
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

ir::TensorView view(const AnyTensor& tensor) {
  ir::TensorView out{tensor.dimensions(), {}};
  for (const Array* array : tensor.all_arrays())
    out.arrays.push_back({array->type(), const_cast<void*>(array->data()), array->count()});
  return out;
}

Array take(const ir::ArrayView& made) {
  return Array::adopt(made.type, trimmed_block(made.data, static_cast<size_t>(made.count * size_in_bytes(made.type))),
                      made.count);
}

AnyTensor adopt(const ir::TensorView& made, const std::vector<std::int64_t>& dimensions, const TensorVar& seen,
                const Format& format, bool has_values) {
  std::vector<std::vector<Array>> levels;
  std::vector<Array> all;  // taken over before anything can go wrong
  all.reserve(made.arrays.size());
  for (const ir::ArrayView& array : made.arrays) all.push_back(take(array));
  size_t number = 0;
  for (const Level& level : seen.format().levels()) {
    levels.emplace_back();
    for (const level::ArrayDescription& description : level.format->arrays()) {
      Array taken = std::move(all[number++]);
      bool positions = description.holds == level::ArrayDescription::Holds::Positions;
      bool narrow = positions && taken.type() == ElementType::Int64 && taken.count() > 0 &&
                    index_type_for(taken.index_at(taken.count() - 1)) == ElementType::Int32;
      if (narrow) taken = taken.converted(ElementType::Int32);
      levels.back().push_back(std::move(taken));
    }
  }
  Array values;
  if (has_values) values = std::move(all[number]);
  return AnyTensor::from_kernel(dimensions, format, std::move(levels), std::move(values), seen.type(), seen.fill());
}

}  // namespace filigree::compiler

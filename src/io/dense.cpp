#include "io/dense.h"

#include <cstring>

#include "level/visit_element_type.h"

namespace filigree::io {
namespace {

/// Is a value the fill?  A NaN is one if the fill is.
template <class T>
bool is_same(T value, T fill) {
  return value == fill || (value != value && fill != fill);
}

template <class T>
T value_of(const Scalar& scalar, ElementType type) {
  Array one(type, 1);
  one.set(0, scalar);
  return one.as<T>()[0];
}

}  // namespace

std::optional<std::vector<std::int64_t>> dense_strides(const Format& format,
                                                       const std::vector<std::int64_t>& dimensions) {
  if (!format.is_dense() || format.symmetry() != Symmetry::None) return std::nullopt;
  std::vector<std::int64_t> strides(dimensions.size(), 1);
  std::int64_t stride = 1;
  for (int k = format.level_count() - 1; k >= 0; k--) {
    const Level& level = format.levels()[k];
    if (!(*level.format == *level::dense())) return std::nullopt;
    strides[level.dimension()] = stride;
    // Too large only if another dimension is empty: then there is nothing that is apart.
    if (__builtin_mul_overflow(stride, dimensions[level.dimension()], &stride)) stride = 0;
  }
  return strides;
}

AnyTensor rearranged(const AnyTensor& tensor, const Format& format) {
  const std::vector<std::int64_t>& dimensions = tensor.dimensions();
  std::vector<std::int64_t> from = *dense_strides(tensor.format(), dimensions), to = *dense_strides(format, dimensions);
  Array values(tensor.type(), tensor.stored());
  visit_element_type(tensor.type(), [&]<class T>(std::type_identity<T>) {
    // Dimensions in the order of the levels that are written, so that writing goes straight through memory.
    std::vector<std::int64_t> extents, strides;
    for (const Level& level : format.levels()) {
      extents.push_back(dimensions[level.dimension()]);
      strides.push_back(from[level.dimension()]);
    }
    const T* source = tensor.values().as<T>().data();
    T* target = values.as<T>().data();
    for_each_component(extents, strides, Fastest::Last,
                       [&](const std::vector<std::int64_t>&, std::int64_t position) { *target++ = source[position]; });
  });
  std::vector<std::vector<Array>> arrays(format.levels().size());
  return AnyTensor::from_arrays(dimensions, format, std::move(arrays), std::move(values));
}

Coordinates other_than(const AnyTensor& tensor, const Scalar& fill) {
  const std::vector<std::int64_t>& dimensions = tensor.dimensions();
  std::vector<std::int64_t> strides = *dense_strides(tensor.format(), dimensions);
  Coordinates kept{dimensions, std::vector<std::vector<std::int64_t>>(dimensions.size()), Array()};
  visit_element_type(tensor.type(), [&]<class T>(std::type_identity<T>) {
    std::span<const T> values = tensor.values().as<T>();
    T absent = value_of<T>(fill, tensor.type());
    std::int64_t count = 0;
    for (T value : values) count += !is_same(value, absent);
    for (std::vector<std::int64_t>& coordinate : kept.coordinate) coordinate.reserve(static_cast<size_t>(count));
    kept.values = Array(tensor.type(), count);
    T* to = kept.values.as<T>().data();
    for_each_component(dimensions, strides, Fastest::Last,
                       [&](const std::vector<std::int64_t>& at, std::int64_t position) {
                         if (is_same(values[position], absent)) return;
                         for (size_t d = 0; d < at.size(); d++) kept.coordinate[d].push_back(at[d]);
                         *to++ = values[position];
                       });
  });
  return kept;
}

}  // namespace filigree::io

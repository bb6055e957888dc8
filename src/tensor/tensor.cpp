#include "tensor/tensor.h"

#include "level/visit_element_type.h"
#include "tensor/size.h"
#include "tensor/sort.h"

namespace filigree {

Tensor::Tensor(ElementType type, std::vector<std::int64_t> dimensions, Format format, const std::string& name) {
  Coordinates nothing;
  nothing.coordinate.resize(dimensions.size());
  nothing.dimensions = std::move(dimensions);
  nothing.values = Array(type, 0);
  *this = pack(nothing, format, Duplicates::Sum, name);
}

Tensor Tensor::scalar(const Scalar& value) {
  Tensor result(value.type(), {}, Format());
  result.values_.set(0, value);
  return result;
}

Tensor Tensor::from_arrays(std::vector<std::int64_t> dimensions, Format format, std::vector<std::vector<Array>> arrays,
                           Array values, const std::string& name) {
  check_shape(dimensions, format, name);
  Tensor result{Empty{}};
  result.dimensions_ = std::move(dimensions);
  result.format_ = std::move(format);
  result.arrays_ = std::move(arrays);
  result.values_ = std::move(values);
  result.fill_ = Scalar(result.type());
  result.validate(name);
  return result;
}

Tensor Tensor::from_kernel(std::vector<std::int64_t> dimensions, Format format, std::vector<std::vector<Array>> arrays,
                           Array values, ElementType type, const Scalar& fill) {
  Tensor result{Empty{}};
  result.dimensions_ = std::move(dimensions);
  result.format_ = std::move(format);
  result.arrays_ = std::move(arrays);
  result.fill_ = fill.cast(type);
  if (values.data()) {
    result.values_ = std::move(values);
    return result;
  }
  std::int64_t size = 1;
  for (int l = 0; l < result.order(); l++) {
    const Level& level = result.format_.levels()[l];
    size = level.format->storage()->size({&result.arrays_[l], result.dimensions_[level.dimension], size});
  }
  result.values_ = Array(type, size);
  if (!result.fill_.is_zero()) for (std::int64_t p = 0; p < size; p++) result.values_.set(p, result.fill_);
  return result;
}

std::vector<const Array*> Tensor::all_arrays() const {
  std::vector<const Array*> all;
  for (const std::vector<Array>& level : arrays_) {
    for (const Array& array : level) all.push_back(&array);
  }
  all.push_back(&values_);
  return all;
}

namespace {

/// Walks a coordinate hierarchy from the root, depth first.
class Walk {
 public:
  using Visit = std::function<void(const std::vector<std::int64_t>&, std::int64_t)>;

  Walk(const Tensor& tensor, const Visit& visit)
      : tensor_(tensor), visit_(visit), coordinates_(static_cast<size_t>(tensor.order())) {
    std::int64_t parents = 1;
    for (int k = 0; k < tensor.order(); k++) {
      const Level& level = tensor.format().levels()[k];
      stored_.push_back({&tensor.level_arrays()[k], tensor.dimensions()[level.dimension], parents});
      parents = level.format->storage()->size(stored_.back());
    }
  }

  void below(int k, std::int64_t position) {
    if (k == tensor_.order()) {
      visit_(coordinates_, position);
      return;
    }
    const Level& level = tensor_.format().levels()[k];
    level.format->storage()->for_each_child(stored_[k], position, [&](std::int64_t coordinate, std::int64_t child) {
      coordinates_[level.dimension] = coordinate;
      below(k + 1, child);
    });
  }

 private:
  const Tensor& tensor_;
  const Visit& visit_;
  std::vector<level::StoredLevel> stored_;
  std::vector<std::int64_t> coordinates_;
};

}  // namespace

void Tensor::for_each(const std::function<void(const std::vector<std::int64_t>&, std::int64_t)>& visit) const {
  Walk(*this, visit).below(0, 0);
}

Coordinates Tensor::coordinates() const {
  Coordinates entries;
  entries.dimensions = dimensions_;
  entries.is_dense = format_.is_dense();
  entries.coordinate.resize(dimensions_.size());
  for (std::vector<std::int64_t>& coordinate : entries.coordinate) coordinate.reserve(static_cast<size_t>(stored()));
  std::vector<std::int64_t> positions;
  positions.reserve(static_cast<size_t>(stored()));
  for_each([&](const std::vector<std::int64_t>& coordinates, std::int64_t position) {
    for (size_t dimension = 0; dimension < coordinates.size(); dimension++) {
      entries.coordinate[dimension].push_back(coordinates[dimension]);
    }
    positions.push_back(position);
  });
  std::int64_t count = static_cast<std::int64_t>(positions.size());
  entries.values = Array(type(), count);
  std::vector<int> dimensions;
  for (int dimension = 0; dimension < order(); dimension++) dimensions.push_back(dimension);
  if (!is_sorted(entries, dimensions)) {
    std::vector<std::int64_t> numbers = sorted_numbers(entries, dimensions);
    auto reorder = [&](std::vector<std::int64_t>& items) {
      std::vector<std::int64_t> sorted(items.size());
      for (size_t n = 0; n < items.size(); n++) sorted[n] = items[numbers[n]];
      items = std::move(sorted);
    };
    for (std::vector<std::int64_t>& coordinate : entries.coordinate) reorder(coordinate);
    reorder(positions);
  }
  visit_element_type(type(), [&]<class T>(std::type_identity<T>) {
    std::span<const T> from = values_.as<T>();
    std::span<T> to = entries.values.as<T>();
    for (std::int64_t n = 0; n < count; n++) to[n] = from[positions[n]];
  });
  return entries;
}

}  // namespace filigree

// Tensors that are made up: ones, zeros, random.
#include <cmath>

#include <fmt/format.h>

#include "input.h"
#include "level/visit_element_type.h"
#include "support/diagnostic.h"
#include "tensor/size.h"

namespace filigree::tool {
namespace {

__extension__ typedef unsigned __int128 Wide;

/// splitmix64: small, good enough for test data, and the same everywhere.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// In (0, 1), never an end point.
  double unit() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

template <class T>
T random_value(Generator& generator, ElementType type) {
  if (type == ElementType::Bool) return T(1);
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(1 + generator.next() % 9);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(generator.unit());
  } else {
    double real = generator.unit();
    return T(static_cast<typename T::value_type>(real), static_cast<typename T::value_type>(generator.unit()));
  }
}

void fill_at_random(Array& values, Generator& generator) {
  visit_element_type(values.type(), [&]<class T>(std::type_identity<T>) {
    for (T& value : values.as<T>()) value = random_value<T>(generator, values.type());
  });
}

/// Throws UserError if so many entries with their coordinates do not fit in memory.
void check_entries_fit(const Shape& shape, double count) {
  double bytes = count * static_cast<double>(8 * shape.dimensions.size() + size_in_bytes(shape.type));
  if (bytes <= physical_memory()) return;
  throw UserError(fmt::format("'{}' ({}) would have about {:.3g} entries, more than fit in memory", shape.name,
                              describe_dimensions(shape.dimensions), count))
      .hint("use smaller dimensions or a smaller density");
}

/// Number of components; throws UserError when they cannot be numbered.
Wide volume(const Shape& shape) {
  double estimate = 1;
  Wide exact = 1;
  for (std::int64_t extent : shape.dimensions) {
    estimate *= static_cast<double>(extent);
    exact *= static_cast<Wide>(extent);
  }
  if (estimate > 0x1p126)
    throw UserError(fmt::format("The dimensions {} of '{}' are too large for random entries",
                                describe_dimensions(shape.dimensions), shape.name));
  return exact;
}

/// The coordinates of component number `component`, the last dimension fastest.
void append_coordinates(Coordinates& entries, Wide component) {
  for (size_t dimension = entries.dimensions.size(); dimension-- > 0;) {
    Wide extent = static_cast<Wide>(entries.dimensions[dimension]);
    entries.coordinate[dimension].push_back(static_cast<std::int64_t>(component % extent));
    component /= extent;
  }
}

/// Every component, or each with probability `density`: the gaps in between have a geometric distribution.
Coordinates random_pattern(const Shape& shape, double density, Generator& generator) {
  Coordinates entries;
  entries.dimensions = shape.dimensions;
  entries.coordinate.resize(shape.dimensions.size());
  Wide end = volume(shape);
  check_entries_fit(shape, density * static_cast<double>(end));
  double scale = density < 1 ? 1 / std::log1p(-density) : 0;
  std::int64_t count = 0;
  for (Wide component = 0; density > 0; component++) {
    double gap = density < 1 ? std::floor(std::log(generator.unit()) * scale) : 0;
    if (gap >= static_cast<double>(end - component)) break;
    component += static_cast<Wide>(gap);
    if (component >= end) break;
    append_coordinates(entries, component);
    count++;
  }
  entries.values = Array(shape.type, count);
  return entries;
}

}  // namespace

AnyTensor make_constant(const Shape& shape, int value) {
  Scalar everywhere = Scalar::of(shape.type, std::int64_t{value});
  auto set = [&](Array& values) {
    visit_element_type(shape.type, [&]<class T>(std::type_identity<T>) {
      for (T& element : values.as<T>()) element = T(value);
    });
  };
  if (shape.fill.is_zero() && (value == 0 || shape.format.is_dense())) {
    AnyTensor tensor(shape.type, shape.dimensions, shape.format, shape.name);
    if (value != 0) set(tensor.values());
    return tensor;
  }
  Generator unused(0);
  Coordinates entries = random_pattern(shape, everywhere == shape.fill ? 0 : 1, unused);
  set(entries.values);
  return AnyTensor::pack(entries, shape.format, Duplicates::Error, shape.name, shape.force, shape.fill);
}

AnyTensor make_random(const Shape& shape, const RandomInput& input) {
  Generator generator(input.seed);
  if (input.density == 1 && shape.format.is_dense() && shape.fill.is_zero()) {
    AnyTensor tensor(shape.type, shape.dimensions, shape.format, shape.name);
    fill_at_random(tensor.values(), generator);
    return tensor;
  }
  Coordinates entries = random_pattern(shape, input.density, generator);
  fill_at_random(entries.values, generator);
  return AnyTensor::pack(entries, shape.format, Duplicates::Error, shape.name, shape.force, shape.fill);
}

}  // namespace filigree::tool

#include "tensor/component.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algebra/operator.h"
#include "support/text.h"
#include "tensor/symmetry.h"

namespace filigree {
namespace {

class Finder {
 public:
  Finder(const AnyTensor& tensor, const std::vector<std::int64_t>& coordinates,
         const std::function<void(std::int64_t)>& visit)
      : tensor_(tensor), coordinates_(coordinates), visit_(visit), stored_(tensor.stored_levels()) {}

  void below(size_t k, std::int64_t position) const {
    if (k == stored_.size()) return visit_(position);
    const Level& level = tensor_.format().levels()[k];
    const level::Storage& storage = *level.format->storage();
    // What follows from the levels above is right already; a count tells nothing about coordinates, so all entries are
    // tried.
    if (level.format->is_implied() || level.coordinate.as<relation::Counter>()) {
      storage.for_each_child(stored_[k], position, [&](std::int64_t, std::int64_t child) { below(k + 1, child); });
      return;
    }
    storage.for_each_child_at(stored_[k], position, relation::value(level.coordinate, coordinates_),
                              [&](std::int64_t child) { below(k + 1, child); });
  }

 private:
  const AnyTensor& tensor_;
  const std::vector<std::int64_t>& coordinates_;
  const std::function<void(std::int64_t)>& visit_;
  std::vector<level::StoredLevel> stored_;
};

}  // namespace

void for_each_position(const AnyTensor& tensor, const std::vector<std::int64_t>& coordinates,
                       const std::function<void(std::int64_t)>& visit) {
  Finder(tensor, coordinates, visit).below(0, 0);
}

void check_coordinates(const std::vector<std::int64_t>& dimensions, const std::vector<std::int64_t>& coordinates,
                       const std::string& name) {
  if (coordinates.size() != dimensions.size()) {
    throw UserError(fmt::format("{} has {}, but {} given", name, counted(dimensions.size(), "dimension"),
                                counted(coordinates.size(), "coordinate is", "coordinates are")));
  }
  for (size_t d = 0; d < dimensions.size(); d++) {
    if (coordinates[d] >= 0 && coordinates[d] < dimensions[d]) continue;
    UserError error(fmt::format("The coordinates ({}) are outside of {}: dimension {} has {}",
                                fmt::join(coordinates, ","), name, d + 1, counted(dimensions[d], "coordinate")));
    throw dimensions[d] > 0 ? std::move(error).hint(fmt::format(
                                  "coordinates are counted from 0; the last one there is {}", dimensions[d] - 1))
                            : error;
  }
}

std::optional<Scalar> find_component(const AnyTensor& tensor, const std::vector<std::int64_t>& coordinates) {
  std::vector<std::int64_t> at = coordinates;
  Symmetry symmetry = tensor.format().symmetry();
  bool is_mirrored = symmetry != Symmetry::None && at[0] < at[1];
  if (is_mirrored) std::swap(at[0], at[1]);
  std::optional<Scalar> sum;
  for_each_position(tensor, at, [&](std::int64_t position) {
    Scalar value = tensor.values().get(position);
    sum = sum ? evaluate(Operator::Add, {*sum, value}).cast(tensor.type()) : value;
  });
  return sum && is_mirrored ? std::optional(mirrored(*sum, symmetry)) : sum;
}

Scalar component(const AnyTensor& tensor, const std::vector<std::int64_t>& coordinates, const std::string& name) {
  check_coordinates(tensor.dimensions(), coordinates, name);
  if (std::optional<Scalar> found = find_component(tensor, coordinates)) return *found;
  bool is_mirrored = tensor.format().symmetry() != Symmetry::None && coordinates[0] < coordinates[1];
  return is_mirrored ? mirrored(tensor.fill(), tensor.format().symmetry()) : tensor.fill();
}

}  // namespace filigree

// Components that are written and read one by one.
#include <atomic>

#include "algebra/operator.h"
#include "front/state.h"
#include "tensor/component.h"

namespace filigree::front {
namespace {

std::atomic<size_t> packing_count = 0;

}  // namespace

size_t packings() { return packing_count; }

void State::insert(std::span<const std::int64_t> coordinates, const void* element, Duplicates how) {
  const std::vector<std::int64_t>& extents = dimensions();
  bool inside = coordinates.size() == extents.size();
  for (size_t d = 0; inside && d < extents.size(); d++) inside = coordinates[d] >= 0 && coordinates[d] < extents[d];
  if (!inside) check_coordinates(extents, {coordinates.begin(), coordinates.end()}, label());
  if (inserted_.empty() || has_readers()) {
    do_waiting();
    before_change();
  }
  inserted_.add(coordinates, element, how);
}

Scalar State::component(const std::vector<std::int64_t>& coordinates) {
  if (!can_answer_unpacked()) return filigree::component(value(), coordinates, label());
  check_coordinates(dimensions(), coordinates, label());
  auto before = [&](const std::vector<std::int64_t>& at) { return stored_component(at); };
  if (std::optional<Scalar> found = inserted_.find(coordinates, before, padding())) return *found;
  return stored_component(coordinates).value_or(fill_);
}

/// Where every component has a place, packing is a store for each entry; where some have none, or must have a mirror
/// image, packing tells what is wrong; and memory that is borrowed is to get what is inserted.
bool State::can_answer_unpacked() const {
  if (failure_ || pending_ || inserted_.empty() || format_.stores_all() || format_.symmetry() != Symmetry::None)
    return false;
  for (const Level& level : format_.levels()) {
    if (level.format->stands_under_rows()) return false;
  }
  return !value_ || !value_->is_borrowed();
}

std::optional<Scalar> State::stored_component(const std::vector<std::int64_t>& coordinates) const {
  return value_ ? find_component(*value_, coordinates) : std::nullopt;
}

std::optional<Scalar> State::padding() const {
  bool pads = format_.pads() && !format_.stores_all() && !fill_.is_zero();
  return pads ? std::optional(fill_) : std::nullopt;
}

void State::pack_inserted(bool force) {
  if (inserted_.empty()) return;
  if (format_.stores_all() && !fill_.is_zero())
    make_value(force);  // a place for every component: what is added comes to the fill
  if (value_ && format_.stores_all() && format_.symmetry() == Symmetry::None) {
    add_to_dense();
    inserted_.clear();
    return;
  }
  packing_count++;
  Coordinates stored;
  if (value_) stored = value_->coordinates();
  else stored = {dimensions(), std::vector<std::vector<std::int64_t>>(static_cast<size_t>(order())), Array(type_, 0)};
  std::optional<Duplicates> kind = inserted_.only_kind();
  bool keeps_repeated = !format_.levels().empty() && !format_.levels().back().format->properties().unique;
  bool is_plain = kind && !padding() && !(keeps_repeated && kind == Duplicates::Last);
  auto before = [&](const std::vector<std::int64_t>& at) { return stored_component(at); };
  Coordinates entries = is_plain ? inserted_.appended_to(std::move(stored))
                                 : inserted_.merged_into(stored, before, padding());
  AnyTensor packed = AnyTensor::pack(entries, format_, kind.value_or(Duplicates::Sum), plain_name(), force, fill_);
  if (value_ && value_->is_borrowed()) {
    write_borrowed(packed);
  } else {
    value_ = std::make_shared<AnyTensor>(std::move(packed));
  }
  inserted_.clear();
}

void State::add_to_dense() {
  own_value();
  inserted_.for_each([&](const std::vector<std::int64_t>& at, const Scalar& value, Duplicates how) {
    for_each_position(*value_, at, [&](std::int64_t position) {
      value_->values().set(
          position, how == Duplicates::Last
                        ? value
                        : filigree::evaluate(Operator::Add, {value_->values().get(position), value}).cast(type_));
    });
  });
  value_->modified();
}

}  // namespace filigree::front

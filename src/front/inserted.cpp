#include "front/inserted.h"

#include <algorithm>
#include <cstring>

#include "algebra/operator.h"

namespace filigree::front {
namespace {

std::string key_of(const std::vector<std::int64_t>& coordinates) {
  return std::string(reinterpret_cast<const char*>(coordinates.data()), coordinates.size() * sizeof(std::int64_t));
}

}  // namespace

void Inserted::add(std::span<const std::int64_t> coordinates, const void* element, Duplicates how) {
  coordinates_.insert(coordinates_.end(), coordinates.begin(), coordinates.end());
  const char* bytes = static_cast<const char*>(element);
  values_.insert(values_.end(), bytes, bytes + size_in_bytes(type_));
  hows_.push_back(how);
}

void Inserted::clear() { *this = Inserted(type_, static_cast<int>(order_)); }

Scalar Inserted::value(size_t entry) const {
  return Scalar::load(type_, values_.data() + entry * static_cast<size_t>(size_in_bytes(type_)));
}

void Inserted::for_each(
    const std::function<void(const std::vector<std::int64_t>&, const Scalar&, Duplicates)>& visit) const {
  for (size_t n = 0; n < hows_.size(); n++) visit(coordinates(n), value(n), hows_[n]);
}

void Inserted::resolve(const Before& before, const std::optional<Scalar>& padding) {
  for (; resolved_ < hows_.size(); resolved_++) {
    std::vector<std::int64_t> at = coordinates(resolved_);
    Scalar added = value(resolved_);
    auto [place, is_new] = places_.try_emplace(key_of(at), components_.size());
    std::optional<Scalar> old;
    if (hows_[resolved_] == Duplicates::Sum) old = is_new ? before(at) : components_[place->second].value;
    if (old && padding && *old == *padding) old.reset();
    Scalar now = old ? evaluate(Operator::Add, {*old, added}).cast(type_) : added;
    if (is_new) components_.push_back({std::move(at), now});
    else components_[place->second].value = now;
  }
}

std::optional<Scalar> Inserted::find(const std::vector<std::int64_t>& coordinates, const Before& before,
                                     const std::optional<Scalar>& padding) {
  resolve(before, padding);
  auto found = places_.find(key_of(coordinates));
  return found == places_.end() ? std::nullopt : std::optional(components_[found->second].value);
}

std::optional<Duplicates> Inserted::only_kind() const {
  bool is_one = !hows_.empty() &&
                std::all_of(hows_.begin(), hows_.end(), [&](Duplicates how) { return how == hows_[0]; });
  return is_one ? std::optional(hows_[0]) : std::nullopt;
}

Coordinates Inserted::appended_to(Coordinates stored) const {
  std::int64_t before = stored.count();
  Array values(type_, before + static_cast<std::int64_t>(hows_.size()));
  if (before > 0) std::memcpy(values.data(), stored.values.data(), static_cast<size_t>(stored.values.bytes()));
  if (!values_.empty())
    std::memcpy(static_cast<char*>(values.data()) + before * size_in_bytes(type_), values_.data(), values_.size());
  stored.values = std::move(values);
  stored.is_dense = false;
  for (size_t n = 0; n < coordinates_.size(); n++) stored.coordinate[n % order_].push_back(coordinates_[n]);
  return stored;
}

Coordinates Inserted::merged_into(const Coordinates& stored, const Before& before,
                                  const std::optional<Scalar>& padding) {
  resolve(before, padding);
  Coordinates merged{stored.dimensions, std::vector<std::vector<std::int64_t>>(order_), Array()};
  std::vector<Scalar> values;
  auto add = [&](const std::vector<std::int64_t>& at, const Scalar& value) {
    for (size_t d = 0; d < order_; d++) merged.coordinate[d].push_back(at[d]);
    values.push_back(value);
  };
  std::vector<std::int64_t> at(order_);
  for (std::int64_t n = 0; n < stored.count(); n++) {
    for (size_t d = 0; d < order_; d++) at[d] = stored.coordinate[d][static_cast<size_t>(n)];
    if (!places_.count(key_of(at))) add(at, stored.values.get(n));
  }
  for (const Component& component : components_) add(component.coordinates, component.value);
  merged.values = Array(type_, static_cast<std::int64_t>(values.size()));
  for (size_t n = 0; n < values.size(); n++) merged.values.set(static_cast<std::int64_t>(n), values[n]);
  return merged;
}

}  // namespace filigree::front

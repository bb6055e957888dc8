// Entries and components of tensors in tests.
#pragma once

#include <map>
#include <random>

#include "tensor/any_tensor.h"

namespace filigree::testing_support {

using Components = std::map<std::vector<std::int64_t>, double>;
using EntryList = std::vector<std::pair<std::vector<std::int64_t>, double>>;

inline Coordinates make_entries(std::vector<std::int64_t> dimensions, const EntryList& list) {
  Coordinates entries;
  entries.coordinate.resize(dimensions.size());
  entries.dimensions = std::move(dimensions);
  entries.values = Array(ElementType::Float64, static_cast<std::int64_t>(list.size()));
  for (size_t n = 0; n < list.size(); n++) {
    for (size_t d = 0; d < entries.dimensions.size(); d++) entries.coordinate[d].push_back(list[n].first[d]);
    entries.values.as<double>()[n] = list[n].second;
  }
  return entries;
}

/// Entries with the same coordinates added up.
inline Components sums(const Coordinates& entries) {
  Components result;
  for (std::int64_t n = 0; n < entries.count(); n++) {
    std::vector<std::int64_t> at;
    for (const auto& coordinate : entries.coordinate) at.push_back(coordinate[n]);
    result[at] += entries.values.as<double>()[n];
  }
  return result;
}

/// Entries in no order, some of them twice; values that are not 0 and whose sums are not.
inline EntryList random_entries(const std::vector<std::int64_t>& shape, int count, unsigned seed) {
  std::mt19937 random(seed);
  EntryList list;
  for (std::int64_t extent : shape) {
    if (extent == 0) return list;
  }
  for (int n = 0; n < count; n++) {
    std::vector<std::int64_t> at;
    for (std::int64_t extent : shape) at.push_back(static_cast<std::int64_t>(random() % extent));
    list.push_back({at, static_cast<double>(1 + random() % 9)});
  }
  return list;
}

}  // namespace filigree::testing_support

#include "first_entries.h"

#include <algorithm>
#include <map>

namespace filigree::tool {
namespace {

using Place = std::vector<std::int64_t>;
using Entries = std::map<Place, Scalar>;

/// Is every component stored once, as itself?  Levels above the last may repeat coordinates where each repetition leads
/// to one component, as in COO.
bool has_one_value_each(const Format& format) {
  if (format.symmetry() != Symmetry::None) return false;
  bool repeats = false;
  for (const Level& level : format.levels()) {
    if (repeats && !level.format->properties().branchless) return false;
    repeats = repeats || !level.format->properties().unique;
  }
  return format.levels().empty() || format.levels().back().format->properties().unique;
}

/// Is storage order that of the coordinates?
bool is_in_order(const Format& format) {
  if (!format.is_plain()) return false;
  for (int n = 0; n < format.level_count(); n++) {
    const Level& level = format.levels()[n];
    if (level.dimension() != n || level.format->properties().ordered != level::Ordered::Increasing) return false;
  }
  return true;
}

/// Keeps the smallest of the places that it is told.
class Smallest {
 public:
  explicit Smallest(size_t count) : count_(count) {}

  bool is_full() const { return entries_.size() >= count_; }
  void note(const Place& place, const Scalar& value) {
    if (is_full() && !(place < std::prev(entries_.end())->first)) return;
    entries_.emplace(place, value);
    if (entries_.size() > count_) entries_.erase(std::prev(entries_.end()));
  }
  const Entries& entries() const { return entries_; }

 private:
  size_t count_;
  Entries entries_;
};

/// Ends a walk over a tensor that has given enough.
struct Enough {};

Coordinates as_coordinates(const Entries& entries, const AnyTensor& tensor) {
  Coordinates list;
  list.dimensions = tensor.dimensions();
  list.coordinate.resize(list.dimensions.size());
  list.values = Array(tensor.type(), static_cast<std::int64_t>(entries.size()));
  std::int64_t n = 0;
  for (const auto& [place, value] : entries) {
    for (size_t d = 0; d < place.size(); d++) list.coordinate[d].push_back(place[d]);
    list.values.set(n++, value);
  }
  return list;
}

Coordinates cut_off(Coordinates entries, std::int64_t count) {
  if (entries.count() <= count) return entries;
  Array values(entries.values.type(), count);
  for (std::int64_t n = 0; n < count; n++) values.set(n, entries.values.get(n));
  entries.values = std::move(values);
  for (std::vector<std::int64_t>& coordinate : entries.coordinate) coordinate.resize(static_cast<size_t>(count));
  return entries;
}

}  // namespace

Coordinates first_entries(const AnyTensor& tensor, std::int64_t count) {
  if (count <= 0) return as_coordinates({}, tensor);
  // Values that are made of several stored ones are left to what makes them.
  if (!has_one_value_each(tensor.format()) || count >= tensor.stored()) return cut_off(tensor.coordinates(), count);
  Smallest smallest(static_cast<size_t>(count));
  bool in_order = is_in_order(tensor.format());
  try {
    tensor.for_each([&](const Place& place, std::int64_t position) {
      smallest.note(place, tensor.values().get(position));
      if (in_order && smallest.is_full()) throw Enough{};
    });
  } catch (const Enough&) {}
  return as_coordinates(smallest.entries(), tensor);
}

}  // namespace filigree::tool

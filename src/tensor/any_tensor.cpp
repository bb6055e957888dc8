#include "tensor/any_tensor.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "level/visit_element_type.h"
#include "level/whole.h"
#include "tensor/size.h"
#include "tensor/entry_list.h"
#include "tensor/sort.h"
#include "tensor/symmetry.h"

namespace filigree {

AnyTensor::AnyTensor(ElementType type, std::vector<std::int64_t> dimensions, Format format, const std::string& name) {
  Coordinates nothing;
  nothing.coordinate.resize(dimensions.size());
  nothing.dimensions = std::move(dimensions);
  nothing.values = Array(type, 0);
  *this = pack(nothing, format, Duplicates::Sum, name);
}

AnyTensor AnyTensor::scalar(const Scalar& value) {
  AnyTensor result(value.type(), {}, Format());
  result.values_.set(0, value);
  return result;
}

AnyTensor AnyTensor::from_arrays(std::vector<std::int64_t> dimensions, Format format,
                                 std::vector<std::vector<Array>> arrays, Array values, const std::string& name,
                                 Validate validate) {
  check_shape(dimensions, format, name);
  AnyTensor result{Empty{}};
  result.dimensions_ = std::move(dimensions);
  result.format_ = std::move(format);
  result.arrays_ = std::move(arrays);
  result.values_ = std::move(values);
  result.fill_ = Scalar(result.type());
  result.validate_ = validate;
  if (validate == Validate::Never) result.check_arrays(name);
  else result.validate(name);
  return result;
}

AnyTensor AnyTensor::from_kernel(std::vector<std::int64_t> dimensions, Format format,
                                 std::vector<std::vector<Array>> arrays, Array values, ElementType type,
                                 const Scalar& fill) {
  AnyTensor result{Empty{}};
  result.dimensions_ = std::move(dimensions);
  result.format_ = std::move(format);
  result.arrays_ = std::move(arrays);
  result.fill_ = fill.cast(type);
  if (values.data()) {
    result.values_ = std::move(values);
    return result;
  }
  std::int64_t size = 1;
  std::vector<level::StoredLevel> levels = result.stored_levels();
  if (!levels.empty()) size = result.format_.levels().back().format->storage()->size(levels.back());
  result.values_ = Array(type, size);
  if (!result.fill_.is_zero())
    for (std::int64_t p = 0; p < size; p++) result.values_.set(p, result.fill_);
  return result;
}

AnyTensor AnyTensor::cast(ElementType type) const {
  // What is stored several times for one component is summed before it is converted, not after.
  bool repeats = std::any_of(format_.levels().begin(), format_.levels().end(),
                             [](const Level& level) { return !level.format->properties().unique; });
  if (repeats && type != this->type()) {
    Coordinates entries = coordinates();
    entries.values = entries.values.converted(type);
    return pack(entries, format_, Duplicates::Sum, "tensor", true, fill_.cast(type));
  }
  AnyTensor result{Empty{}};
  result.dimensions_ = dimensions_;
  result.format_ = format_;
  for (const std::vector<Array>& level : arrays_) {
    result.arrays_.emplace_back();
    for (const Array& array : level) result.arrays_.back().push_back(array.copy());
  }
  result.values_ = values_.converted(type);
  result.fill_ = fill_.cast(type);
  return result;
}

bool AnyTensor::is_borrowed() const {
  std::vector<const Array*> all = all_arrays();
  return std::any_of(all.begin(), all.end(), [](const Array* array) { return array->is_borrowed(); });
}

std::vector<const Array*> AnyTensor::all_arrays() const {
  std::vector<const Array*> all;
  for (const std::vector<Array>& level : arrays_) {
    for (const Array& array : level) all.push_back(&array);
  }
  all.push_back(&values_);
  return all;
}

level::StoredLevel AnyTensor::stored_level(int level, std::int64_t parent_count) const {
  std::optional<relation::Range> range = relation::range(format_.levels()[level].coordinate, dimensions_);
  level::StoredLevel stored{&arrays_[level], range ? range->extent : -1, parent_count, range ? range->origin : 0};
  for (int up = 0; up < level; up++) stored.above.push_back({format_.levels()[up].format.get(), &arrays_[up]});
  return stored;
}

std::vector<level::StoredLevel> AnyTensor::stored_levels() const {
  std::vector<level::StoredLevel> levels;
  std::int64_t parents = 1;
  for (int k = 0; k < format_.level_count(); k++) {
    levels.push_back(stored_level(k, parents));
    parents = format_.levels()[k].format->storage()->size(levels.back());
  }
  return levels;
}

namespace {

/// Walks a coordinate hierarchy from the root, depth first, and recovers the tensor's coordinates from those of the
/// levels.
class Walk {
 public:
  using Visit = std::function<void(const std::vector<std::int64_t>&, std::int64_t)>;

  Walk(const AnyTensor& tensor, const Visit& visit)
      : tensor_(tensor),
        visit_(visit),
        stored_(tensor.stored_levels()),
        recovered_(relation::recover(tensor.format().coordinates(), tensor.order())),
        levels_(stored_.size()),
        coordinates_(static_cast<size_t>(tensor.order())) {}

  void below(int k, std::int64_t position) {
    if (k == tensor_.format().level_count()) {
      if (recover()) visit_(coordinates_, position);
      return;
    }
    tensor_.format().levels()[k].format->storage()->for_each_child(stored_[k], position,
                                                                   [&](std::int64_t coordinate, std::int64_t child) {
                                                                     levels_[k] = coordinate;
                                                                     below(k + 1, child);
                                                                   });
  }

 private:
  /// False where the levels have room for something that is outside of the tensor.
  bool recover() {
    using From = relation::Recovered::Term::From;
    for (const relation::Recovered& r : recovered_) {
      std::int64_t sum = 0;
      for (const relation::Recovered::Term& term : r.terms) {
        sum += term.factor * (term.from == From::Level ? levels_[term.number] : coordinates_[term.number]);
      }
      if (sum < 0 || sum >= tensor_.dimensions()[r.dimension]) return false;
      coordinates_[r.dimension] = sum;
    }
    return true;
  }

  const AnyTensor& tensor_;
  const Visit& visit_;
  std::vector<level::StoredLevel> stored_;
  std::vector<relation::Recovered> recovered_;
  std::vector<std::int64_t> levels_, coordinates_;
};

/// Adds the mirror images of what is off the diagonal.  What is stored above it is padding, which mirror images
/// replace.
void add_mirrored(Coordinates& entries, std::vector<Scalar>& values, Symmetry symmetry) {
  const std::vector<std::int64_t> rows = entries.coordinate[0], columns = entries.coordinate[1];
  std::set<std::pair<std::int64_t, std::int64_t>> below;
  for (size_t n = 0; n < rows.size(); n++) {
    if (rows[n] > columns[n]) below.insert({rows[n], columns[n]});
  }
  std::vector<Scalar> stored = std::move(values);
  values.clear();
  entries.coordinate = {{}, {}};
  auto add = [&](std::int64_t i, std::int64_t j, const Scalar& value) {
    entries.coordinate[0].push_back(i);
    entries.coordinate[1].push_back(j);
    values.push_back(value);
  };
  for (size_t n = 0; n < rows.size(); n++) {
    if (rows[n] < columns[n] && below.count({columns[n], rows[n]}) > 0) continue;
    add(rows[n], columns[n], stored[n]);
    if (rows[n] != columns[n]) add(columns[n], rows[n], mirrored(stored[n], symmetry));
  }
}

/// Sorted entries with neighbours at the same place summed.
void sum_neighbours(Coordinates& entries) {
  std::int64_t kept = 0;
  size_t bytes = static_cast<size_t>(size_in_bytes(entries.values.type()));
  char* data = static_cast<char*>(entries.values.data());
  for (std::int64_t n = 0; n < entries.count(); n++) {
    bool same = n > 0;
    for (const std::vector<std::int64_t>& c : entries.coordinate) same = same && c[n] == c[kept - 1];
    if (same) {
      entries.values.set(
          kept - 1,
          evaluate(Operator::Add, {entries.values.get(kept - 1), entries.values.get(n)}).cast(entries.values.type()));
      continue;
    }
    for (std::vector<std::int64_t>& c : entries.coordinate) c[kept] = c[n];
    if (kept != n) std::memcpy(data + static_cast<size_t>(kept) * bytes, data + static_cast<size_t>(n) * bytes, bytes);
    kept++;
  }
  for (std::vector<std::int64_t>& c : entries.coordinate) c.resize(static_cast<size_t>(kept));
  Array values(entries.values.type(), kept);
  if (kept > 0) std::memcpy(values.data(), entries.values.data(), static_cast<size_t>(values.bytes()));
  entries.values = std::move(values);
}

/// Sorts lists of numbers by all dimensions.
void sort_by_coordinates(Coordinates& entries, std::vector<std::int64_t>& positions) {
  EntryList list = view(entries);
  Array moved = Array::borrow(ElementType::Int64, positions.data(), static_cast<std::int64_t>(positions.size()));
  std::vector<SortKey> keys;
  std::vector<Array*> arrays = {&moved};
  for (int d = 0; d < list.order(); d++) {
    keys.push_back({&list.coordinate[d], list.dimensions[d]});
    arrays.push_back(&list.coordinate[d]);
  }
  if (is_sorted(keys)) return;
  sort_together(keys, arrays);
  auto assign = [](std::vector<std::int64_t>& to, const Array& from) {
    std::copy(from.as<std::int64_t>().begin(), from.as<std::int64_t>().end(), to.begin());
  };
  for (int d = 0; d < list.order(); d++) assign(entries.coordinate[d], list.coordinate[d]);
  assign(positions, moved);
}

}  // namespace

void AnyTensor::for_each(const std::function<void(const std::vector<std::int64_t>&, std::int64_t)>& visit) const {
  const level::Whole* whole = format_.level_count() > 0 ? level::whole_of(*format_.levels()[0].format) : nullptr;
  if (whole) return whole->for_each_entry(arrays_, visit);
  Walk(*this, visit).below(0, 0);
}

Coordinates AnyTensor::coordinates() const {
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
  if (format_.symmetry() != Symmetry::None) return both_halves(std::move(entries), positions);
  std::int64_t count = static_cast<std::int64_t>(positions.size());
  entries.values = Array(type(), count);
  sort_by_coordinates(entries, positions);
  visit_element_type(type(), [&]<class T>(std::type_identity<T>) {
    std::span<const T> from = values_.as<T>();
    std::span<T> to = entries.values.as<T>();
    for (std::int64_t n = 0; n < count; n++) to[n] = from[positions[n]];
  });
  bool unique = std::all_of(format_.levels().begin(), format_.levels().end(),
                            [](const Level& level) { return level.format->properties().unique; });
  if (!unique) sum_neighbours(entries);
  return entries;
}

Coordinates AnyTensor::both_halves(Coordinates entries, const std::vector<std::int64_t>& positions) const {
  std::vector<Scalar> values;
  for (std::int64_t position : positions) values.push_back(values_.get(position));
  add_mirrored(entries, values, format_.symmetry());
  entries.values = Array(type(), static_cast<std::int64_t>(values.size()));
  for (size_t n = 0; n < values.size(); n++) entries.values.set(static_cast<std::int64_t>(n), values[n]);
  AnyTensor whole = pack(entries, Format::sparse(2));
  return whole.coordinates();
}

}  // namespace filigree

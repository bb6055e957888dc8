#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "tensor/compose.h"
#include "support/text.h"
#include "tensor/size.h"
#include "tensor/any_tensor.h"

namespace filigree {
namespace {

using level::ArrayDescription;

std::string level_name(int level, const std::string& tensor) {
  return fmt::format("level {} of '{}'", level + 1, tensor);
}

void check_array_type(const Array& array, const ArrayDescription& description, const std::string& where) {
  if (description.holds == ArrayDescription::Holds::Other) {
    if (array.type() == description.other_type) return;
    throw UserError(fmt::format("Array '{}' of {} holds {}, but must hold {}", description.name, where,
                                to_string(array.type()), to_string(description.other_type)));
  }
  if (array.type() == ElementType::Int32 || array.type() == ElementType::Int64) return;
  throw UserError(fmt::format("Array '{}' of {} holds {}, but must hold int32 or int64", description.name, where,
                              to_string(array.type())));
}

/// Levels that repeat coordinates, with one child each time, are in order and unique together: a level alone cannot see
/// that.
class TogetherCheck {
 public:
  TogetherCheck(const AnyTensor& tensor, const std::string& name) : tensor_(tensor), name_(name) {
    const std::vector<Level>& levels = tensor.format().levels();
    for (size_t k = 0; k < levels.size(); k++) {
      bool unique = levels[k].format->properties().unique, is_last = k + 1 == levels.size();
      bool single_child = !is_last && levels[k + 1].format->properties().branchless;
      repeats_ = repeats_ || (!unique && single_child);
      chained_ = chained_ && (unique || single_child || is_last);
      ordered_ = ordered_ && levels[k].format->properties().ordered == level::Ordered::Increasing &&
                 !levels[k].format->properties().padded;
    }
    unique_ = !levels.empty() && levels.back().format->properties().unique;
  }

  void run() {
    if (!repeats_ || !chained_ || !tensor_.format().is_plain()) return;
    if (ordered_) {
      for (const Level& level : tensor_.format().levels()) dimensions_.push_back(level.dimension());
      tensor_.for_each([&](const std::vector<std::int64_t>& at, std::int64_t position) { in_order(at, position); });
    } else if (unique_) {
      std::int64_t visited = 0;
      tensor_.for_each([&](const std::vector<std::int64_t>&, std::int64_t) { visited++; });
      if (tensor_.coordinates().count() < visited)
        throw UserError(
            fmt::format("'{}' stores a component twice, but {} is unique", name_, to_string(tensor_.format())));
    }
  }

 private:
  void in_order(const std::vector<std::int64_t>& at, std::int64_t position) {
    path_.clear();
    for (int dimension : dimensions_) path_.push_back(at[static_cast<size_t>(dimension)]);
    if (!before_.empty() && (path_ < before_ || (unique_ && path_ == before_))) {
      throw UserError(
          fmt::format("The component of '{}' at position {}, ({}), does not come after the one before it, ({})", name_,
                      position, fmt::join(path_, ", "), fmt::join(before_, ", ")))
          .note("coordinates in the order of the levels, counted from 0")
          .hint("sort the entries, or store them in a format that is unordered, such as coo(unordered)");
    }
    std::swap(before_, path_);
  }

  const AnyTensor& tensor_;
  const std::string& name_;
  bool repeats_ = false, chained_ = true, ordered_ = true, unique_ = true;
  std::vector<int> dimensions_;              // in the order of the levels
  std::vector<std::int64_t> path_, before_;  // kept, so that no entry needs memory of its own
};

/// Entries in slots that differ in one dimension only are in its order: loops may go from slot to slot.
void check_slots(const AnyTensor& tensor, const std::string& name) {
  const std::vector<Level>& levels = tensor.format().levels();
  bool counts =
      std::any_of(levels.begin(), levels.end(), [](const Level& level) { return level.format->counts_entries(); });
  if (!counts || composable_orders(tensor.format()).empty()) return;
  size_t last = static_cast<size_t>(levels.back().dimension());
  std::unordered_map<std::string, std::int64_t> before;  // by the other coordinates
  tensor.for_each([&](const std::vector<std::int64_t>& at, std::int64_t position) {
    std::vector<std::int64_t> others = at;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(last));
    std::string key(reinterpret_cast<const char*>(others.data()), others.size() * sizeof(std::int64_t));
    auto [previous, is_first] = before.try_emplace(std::move(key), at[last]);
    if (!is_first && at[last] <= previous->second) {
      std::vector<std::int64_t> other = at;
      other[last] = previous->second;
      throw UserError(
          fmt::format(
              "The component of '{}' at position {}, ({}), does not come after the one in a slot before it, ({})", name,
              position, fmt::join(at, ", "), fmt::join(other, ", ")))
          .note("coordinates are counted from 0")
          .hint(
              "sort the entries from slot to slot, or store them in a format that is unordered, such as "
              "ell(unordered)");
    }
    previous->second = at[last];
  });
}

/// Nodes that repeat a coordinate, with one child each, stand for one parent: together their children have every
/// coordinate, if those are said to be full.  A level alone cannot see that.
class FullTogetherCheck {
 public:
  FullTogetherCheck(const Format& format, const std::vector<level::StoredLevel>& levels, const std::string& name)
      : format_(format), levels_(levels), name_(name), path_(levels.size()), parents_(levels.size()) {}

  void run() {
    for (size_t k = 0; k < levels_.size(); k++) {
      level::Properties properties = at(k).properties();
      if (!properties.full || !properties.branchless || at(k).is_implied()) continue;
      first_ = last_ = k;
      while (first_ > 0 && at(first_).properties().branchless) first_--;
      children_.clear();
      visit(0, 0);
      for (const auto& [group, coordinates] : children_) check(group, static_cast<std::int64_t>(coordinates.size()));
    }
  }

 private:
  const level::Format& at(size_t k) const { return *format_.levels()[k].format; }

  void visit(size_t k, std::int64_t parent) {
    parents_[k] = parent;
    at(k).storage()->for_each_child(levels_[k], parent, [&](std::int64_t coordinate, std::int64_t position) {
      path_[k] = coordinate;
      if (k < last_) return visit(k + 1, position);
      std::vector<std::int64_t> group = {parents_[first_]};
      group.insert(group.end(), path_.begin() + static_cast<std::ptrdiff_t>(first_),
                   path_.begin() + static_cast<std::ptrdiff_t>(last_));
      children_[group].insert(coordinate);
    });
  }

  void check(const std::vector<std::int64_t>& group, std::int64_t distinct) const {
    if (distinct == levels_[last_].extent) return;
    throw UserError(
        fmt::format("Level {} of '{}' has {} of the {} coordinates below ({}), but a full level has all of them",
                    last_ + 1, name_, distinct, levels_[last_].extent, fmt::join(group.begin() + 1, group.end(), ", ")))
        .note("coordinates of the levels above are counted from 0")
        .hint("leave 'full' out of the format");
  }

  const Format& format_;
  const std::vector<level::StoredLevel>& levels_;
  const std::string& name_;
  size_t first_ = 0, last_ = 0;  // the levels whose nodes have one child each, down to the one that is full
  std::vector<std::int64_t> path_, parents_;  // coordinates and parents' positions of the nodes that are visited
  std::map<std::vector<std::int64_t>, std::set<std::int64_t>>
      children_;  // by the parent of `first_` and the coordinates from there on
};

}  // namespace

void AnyTensor::check_full(const std::string& name) const {
  const std::vector<Level>& levels = format_.levels();
  bool claimed = std::any_of(levels.begin(), levels.end(), [](const Level& level) {
    return level.format->properties().full && level.format->position_iteration();
  });
  if (claimed) validate(name);
}

void AnyTensor::check_arrays(const std::string& name) const {
  check_shape(dimensions_, format_, name);
  if (arrays_.size() != format_.levels().size()) {
    throw UserError(fmt::format("'{}' has arrays for {}, but its format {} has {}", name,
                                counted(arrays_.size(), "level"), to_string(format_), format_.level_count()));
  }
  for (int k = 0; k < format_.level_count(); k++) {
    const Level& level = format_.levels()[k];
    std::string where = level_name(k, name);
    std::vector<ArrayDescription> descriptions = level.format->arrays();
    if (arrays_[k].size() != descriptions.size()) {
      throw UserError(fmt::format("{} ({}) has {}, but needs {}", "L" + where.substr(1), level.format->name(),
                                  counted(arrays_[k].size(), "array"), descriptions.size()));
    }
    for (size_t a = 0; a < descriptions.size(); a++) check_array_type(arrays_[k][a], descriptions[a], where);
  }
}

void AnyTensor::validate(const std::string& name) const {
  check_arrays(name);
  std::int64_t parents = 1;
  for (int k = 0; k < format_.level_count(); k++) {
    const Level& level = format_.levels()[k];
    level::StoredLevel stored = stored_level(k, parents);
    const level::Storage& storage = *level.format->storage();
    if (storage.least_size(static_cast<double>(stored.extent), static_cast<double>(parents), 0) > most_positions) {
      throw UserError(
          fmt::format("'{}' ({}) has more components than 64 bits can count", name, describe_dimensions(dimensions_)));
    }
    parents = storage.validate(stored, level_name(k, name));
  }
  if (values_.count() != parents) {
    throw UserError(fmt::format("'{}' has {}, but its levels have {}", name, counted(values_.count(), "value"),
                                counted(parents, "position")));
  }
  TogetherCheck(*this, name).run();
  check_slots(*this, name);
  FullTogetherCheck(format_, stored_levels(), name).run();
}

}  // namespace filigree

#include "tensor/size.h"

#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

#include "support/text.h"
#include "tensor/any_tensor.h"

namespace filigree {
namespace {

[[noreturn]] void throw_too_large(const std::vector<std::int64_t>& dimensions, ElementType type, double bytes,
                                  const std::string& format, const std::string& name) {
  throw UserError(fmt::format("'{}' ({}, {}{}) needs {} of memory, but this machine has {}", name,
                              describe_dimensions(dimensions), to_string(type), format, human_bytes(bytes),
                              human_bytes(physical_memory())))
      .hint("store it in a sparser format, such as sparse or csf, or use smaller dimensions");
}

}  // namespace

std::string describe_dimensions(const std::vector<std::int64_t>& dimensions) {
  if (dimensions.empty()) return "scalar";
  return fmt::format("{}", fmt::join(dimensions, " x "));
}

double physical_memory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

void check_shape(const std::vector<std::int64_t>& dimensions, const Format& format, const std::string& name) {
  int order = static_cast<int>(dimensions.size());
  if (format.order() != order) {
    throw UserError(fmt::format("The format {} of '{}' has {}, but the tensor has {}", to_map(format), name,
                                counted(format.order(), "dimension"), order));
  }
  for (const Level& level : format.levels()) {
    if (level.format == nullptr || level.format->storage() == nullptr) {
      throw UserError(fmt::format("Level format '{}' cannot hold a level of '{}': it is for workspaces only",
                                  level.format ? level.format->name() : "", name));
    }
  }
  if (std::optional<FormatProblem> problem = find_problem(format.levels(), usual_dimension_names(order))) {
    throw UserError(fmt::format("'{}' cannot be stored as {}: {}", name, to_map(format), problem->message))
        .hint(problem->hint);
  }
  if (format.symmetry() != Symmetry::None) {
    if (std::optional<FormatProblem> problem = find_problem_of_half(format.without_symmetry())) {
      throw UserError(fmt::format("'{}' cannot be stored as {}: {}", name, to_string(format), problem->message))
          .hint(problem->hint);
    }
  }
  for (std::int64_t extent : dimensions) {
    if (extent < 0)
      throw UserError(fmt::format("'{}' has a negative dimension: {}", name, describe_dimensions(dimensions)));
    if (static_cast<double>(extent) > most_positions)
      throw UserError(fmt::format("'{}' has a dimension of more than 2^62: {}", name, describe_dimensions(dimensions)));
  }
  for (const Level& level : format.levels()) {
    if (!level.coordinate.as<relation::Difference>()) continue;
    double diagonals = 0;
    for (int dimension : level.coordinate.dimensions()) diagonals += static_cast<double>(dimensions[dimension]);
    if (diagonals > most_positions) {
      throw UserError(
          fmt::format("'{}' ({}) has more diagonals than 64 bits can count", name, describe_dimensions(dimensions)));
    }
  }
  if (format.symmetry() != Symmetry::None && dimensions[0] != dimensions[1]) {
    throw UserError(fmt::format("'{}' ({}) cannot be stored as {}: it is not square", name,
                                describe_dimensions(dimensions), to_string(format)))
        .hint("store all of it, as csr does");
  }
}

namespace {

/// What storage takes at least.  In floating point, so that nothing overflows; being off by a rounding error decides
/// nothing.
struct Needed {
  double values = 1;        // positions of the last level
  double bytes = 0;         // of the arrays of all levels
  double over_parents = 0;  // those of them that have an element for every position of the level above
  double parents = 0;       // the most of these
  int level = 0;            // that has them
};

Needed least_needed(const std::vector<std::int64_t>& dimensions, const Format& format, std::int64_t count) {
  Needed needed;
  double& parents = needed.values;
  for (int k = 0; k < format.level_count(); k++) {
    const Level& level = format.levels()[k];
    std::optional<relation::Range> range = relation::range(level.coordinate, dimensions);
    double extent = range ? static_cast<double>(range->extent) : 1;
    double size = level.format->storage()->least_size(extent, parents, static_cast<double>(count));
    for (const level::ArrayDescription& array : level.format->arrays()) {
      using IndexedBy = level::ArrayDescription::IndexedBy;
      double length = array.extra + (array.indexed_by == IndexedBy::Parent     ? parents
                                     : array.indexed_by == IndexedBy::Position ? size * array.per
                                                                               : 0);
      double largest = array.holds == level::ArrayDescription::Holds::Positions ? size : extent;
      bool other = array.holds == level::ArrayDescription::Holds::Other;
      double bytes = length * (other ? size_in_bytes(array.other_type) : largest <= 0x7fffffff ? 4 : 8);
      needed.bytes += bytes;
      if (array.indexed_by != IndexedBy::Parent) continue;
      needed.over_parents += bytes;
      if (parents <= needed.parents) continue;
      needed.parents = parents;
      needed.level = k;
    }
    parents = size;
    if (parents > most_positions) break;
  }
  parents = std::max(parents, static_cast<double>(format.pads() ? 0 : count));
  return needed;
}

}  // namespace

void check_storage_fits(const std::vector<std::int64_t>& dimensions, const Format& format, ElementType type,
                        std::int64_t count, const std::string& name) {
  Needed needed = least_needed(dimensions, format, count);
  double bytes = needed.bytes + needed.values * size_in_bytes(type);
  if (needed.values > most_positions || bytes > physical_memory())
    throw_too_large(dimensions, type, bytes, ", " + to_string(format), name);
}

double least_values(const std::vector<double>& extents, const Format& format, int level, double parents,
                    std::int64_t count) {
  for (int k = level; k < format.level_count(); k++) {
    parents = format.levels()[k].format->storage()->least_size(extents[k], parents, static_cast<double>(count));
  }
  return parents;
}

namespace {

constexpr double always_fine = 0x1p26;  // 64 MiB
constexpr double times_entries = 16;

double entry_bytes(ElementType type, int order) { return static_cast<double>(size_in_bytes(type) + 8 * order); }

}  // namespace

double position_bytes(const Format& format, ElementType type) {
  double bytes = size_in_bytes(type);
  if (format.level_count() == 0) return bytes;
  for (const level::ArrayDescription& array : format.levels().back().format->arrays()) {
    if (array.indexed_by != level::ArrayDescription::IndexedBy::Position) continue;
    bytes += static_cast<double>(array.per) *
             (array.holds == level::ArrayDescription::Holds::Other ? size_in_bytes(array.other_type) : 4);
  }
  return bytes;
}

double proportionate_bytes(ElementType type, int order, std::int64_t count) {
  return std::max(always_fine, times_entries * static_cast<double>(count) * entry_bytes(type, order));
}

bool can_be_out_of_proportion(const std::vector<std::int64_t>& dimensions, const Format& format, ElementType type) {
  if (format.is_dense()) return false;
  double all = 1, room = 1,
         most_room = 1;  // positions of a level that is full, and for each node of the last level that is not
  bool sparse_above = false;
  for (const Level& level : format.levels()) {
    std::optional<relation::Range> range = relation::range(level.coordinate, dimensions);
    if (level.format->is_implied()) continue;
    if (!range) {  // the entries decide how many coordinates there are: as many as there is room for, if all are in one
                   // place
      double components = size_in_bytes(type);
      for (std::int64_t dimension : dimensions) components *= static_cast<double>(dimension);
      return components > always_fine;
    }
    double extent = static_cast<double>(range->extent);
    all *= extent;
    // Some coordinates, however few, are enough for it to be sparse; a full level and a bitmap have room for every one.
    bool has_room = level.format->storage()->least_size(extent, 1, 1) > 1;
    if (!has_room) sparse_above = true;
    room = has_room ? room * extent : 1;
    if (sparse_above) most_room = std::max(most_room, room);
  }
  if (!sparse_above) most_room = all;
  double bytes = size_in_bytes(type);
  return all * bytes > always_fine && most_room * bytes > times_entries * entry_bytes(type, format.order());
}

namespace {

UserError out_of_proportion(const std::vector<std::int64_t>& dimensions, const Format& format, std::int64_t count,
                            const std::string& name, double bytes, double times) {
  return UserError(fmt::format("'{}' ({}, {}) would take {} stored as {}, {:.0f} times what its entries take", name,
                               describe_dimensions(dimensions), counted(count, "entry", "entries"), human_bytes(bytes),
                               to_string(format), times));
}

/// What else to do, and how to insist.
UserError&& insisting_hint(UserError&& error, const std::string& advice) {
  return std::move(error).hint(advice + ", or insist with force, of pack or of KernelOptions",
                               advice + ", or insist with --force");
}

}  // namespace

void check_proportion(const std::vector<std::int64_t>& dimensions, const Format& format, ElementType type,
                      double values, std::int64_t count, const std::string& name, bool force) {
  double bytes = values * position_bytes(format, type);
  if (values > most_positions || bytes > physical_memory())
    throw_too_large(dimensions, type, bytes, ", " + to_string(format), name);
  int order = static_cast<int>(dimensions.size());
  if (force || bytes <= proportionate_bytes(type, order, count)) return;
  std::vector<double> extents;
  for (const Level& level : format.levels()) {
    std::optional<relation::Range> range = relation::range(level.coordinate, dimensions);
    extents.push_back(range ? static_cast<double>(range->extent) : 1);
  }
  double components = 1;
  for (std::int64_t dimension : dimensions) components *= static_cast<double>(dimension);
  // A place for each diagonal of a matrix with few rows is one for each column, times as many as there are columns.
  bool is_meant = values <= least_values(extents, format, 0, 1, count) && values <= times_entries * components;
  if (is_meant) return;
  double entries = static_cast<double>(std::max<std::int64_t>(count, 1)) * entry_bytes(type, order);
  throw insisting_hint(out_of_proportion(dimensions, format, count, name, bytes, bytes / entries),
                       "its entries do not suit this format; choose another, such as csr");
}

void check_index_proportion(const std::vector<std::int64_t>& dimensions, const Format& format, ElementType type,
                            std::int64_t count, const std::string& name, bool force) {
  // Rows without entries are usual, and cheap; far more of them than entries are a mistake in the dimensions, or call
  // for another format.
  constexpr double always_fine_index = 0x1p28, times_entries_of_index = 64;
  Needed needed = least_needed(dimensions, format, count);
  double entries = static_cast<double>(std::max<std::int64_t>(count, 1)) *
                   entry_bytes(type, static_cast<int>(dimensions.size()));
  if (force || needed.over_parents <= std::max(always_fine_index, times_entries_of_index * entries)) return;
  double bytes = needed.bytes + needed.values * size_in_bytes(type);
  throw insisting_hint(out_of_proportion(dimensions, format, count, name, bytes, needed.over_parents / entries)
                           .note(fmt::format("level {} notes where its entries begin for each of the {:.0f} positions "
                                             "of level {}, with or without entries",
                                             needed.level + 1, needed.parents, needed.level)),
                       "choose a format that stores only what has entries, such as sparse");
}

std::int64_t checked_dense_bytes(const std::vector<std::int64_t>& dimensions, ElementType type,
                                 const std::string& name) {
  double bytes = size_in_bytes(type);
  for (std::int64_t extent : dimensions) bytes *= static_cast<double>(extent);
  if (bytes > physical_memory()) throw_too_large(dimensions, type, bytes, ", dense", name);
  std::int64_t exact = size_in_bytes(type);
  // A dimension of 0 anywhere makes the product 0 without its other factors overflowing first.
  if (std::find(dimensions.begin(), dimensions.end(), 0) != dimensions.end()) return 0;
  for (std::int64_t extent : dimensions) exact *= extent;
  return exact;
}

}  // namespace filigree

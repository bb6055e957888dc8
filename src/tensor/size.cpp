#include "tensor/size.h"

#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

#include "support/text.h"
#include "tensor/tensor.h"

namespace filigree {
namespace {

/// Positions are 64-bit; more of them than this cannot be numbered even where they take no memory.
constexpr double most_positions = 0x1p62;

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
    throw UserError(fmt::format("The format {} of '{}' has {} levels, but the tensor has {} dimensions", to_map(format), name,
                                format.order(), order));
  }
  std::vector<bool> stored(dimensions.size(), false);
  for (const Level& level : format.levels()) {
    if (level.dimension < 0 || level.dimension >= order || stored[level.dimension]) {
      throw UserError(fmt::format("The format of '{}' does not store each of its {} dimensions exactly once", name, order));
    }
    stored[level.dimension] = true;
    if (level.format == nullptr || level.format->storage() == nullptr) {
      throw UserError(fmt::format("Level format '{}' cannot hold a level of '{}': it is for workspaces only",
                                  level.format ? level.format->name() : "", name));
    }
  }
  for (std::int64_t extent : dimensions) {
    if (extent < 0) throw UserError(fmt::format("'{}' has a negative dimension: {}", name, describe_dimensions(dimensions)));
  }
}

void check_storage_fits(const std::vector<std::int64_t>& dimensions, const Format& format, ElementType type,
                        std::int64_t count, const std::string& name) {
  // In floating point, so that nothing overflows; being off by a rounding error decides nothing.
  double parents = 1, bytes = 0;
  for (const Level& level : format.levels()) {
    double extent = static_cast<double>(dimensions[level.dimension]);
    bool full = level.format->properties().full;
    double size = full ? parents * extent : std::min(parents * extent, static_cast<double>(count));
    for (const level::ArrayDescription& array : level.format->arrays()) {
      double length = array.extra + (array.indexed_by == level::ArrayDescription::IndexedBy::Parent ? parents : size);
      double largest = array.holds == level::ArrayDescription::Holds::Positions ? size : extent;
      bool other = array.holds == level::ArrayDescription::Holds::Other;
      bytes += length * (other ? size_in_bytes(array.other_type) : largest <= 0x7fffffff ? 4 : 8);
    }
    parents = size;
    if (parents > most_positions) break;
  }
  bytes += parents * size_in_bytes(type);
  if (parents > most_positions || bytes > physical_memory()) {
    throw_too_large(dimensions, type, bytes, ", " + to_string(format), name);
  }
}

std::int64_t checked_dense_bytes(const std::vector<std::int64_t>& dimensions, ElementType type, const std::string& name) {
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

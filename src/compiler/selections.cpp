#include "compiler/selections.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "level/visit_element_type.h"
#include "support/check.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree::compiler {
namespace {

constexpr std::int64_t far_outside = std::numeric_limits<std::int64_t>::min() / 4;

/// How many entries a table has.  Throws UserError if they do not fit in memory: each takes a coordinate and a bool.
std::int64_t count_of(const std::vector<std::int64_t>& dimensions, const notation::Access& access) {
  if (std::find(dimensions.begin(), dimensions.end(), 0) != dimensions.end()) return 0;
  std::int64_t count = 1;
  bool overflows = false;
  for (std::int64_t extent : dimensions) overflows = overflows || __builtin_mul_overflow(count, extent, &count);
  const double least_bytes = sizeof(std::int32_t) + 1;
  if (!overflows && static_cast<double>(count) * least_bytes <= physical_memory()) return count;
  std::vector<std::string> names;
  for (size_t d = 0; d + 1 < access.indices.size(); d++) names.push_back(access.indices[d].name());
  throw UserError(
      fmt::format("An index that is computed of {} needs a table of {} coordinates, which does not fit in memory",
                  join(names, ", "), describe_dimensions(dimensions)))
      .hint("compute it in several statements, or with smaller dimensions");
}

/// What is left by a division that rounds down.
std::int64_t remainder(std::int64_t value, std::int64_t modulus) {
  std::int64_t left = value % modulus;
  return left < 0 ? left + modulus : left;
}

/// offset + factor*value, or something outside if that is no int64.
std::int64_t shifted(const Selection& selection, std::int64_t value) {
  std::int64_t product, sum;
  bool overflows = __builtin_mul_overflow(selection.factor, value, &product) ||
                   __builtin_add_overflow(product, selection.offset, &sum);
  return overflows ? far_outside : sum;
}

template <class T>
std::int64_t as_coordinate(T value) {
  bool fits =
      !(std::is_unsigned_v<T> && sizeof(T) == 8 && value > static_cast<T>(std::numeric_limits<std::int64_t>::max()));
  return fits ? static_cast<std::int64_t>(value) : std::numeric_limits<std::int64_t>::max();
}

/// The value of every source entry before remainders are taken, in the order of positions.
template <class Visit>
void for_each_value(const Selection& selection, const AnyTensor* source, const std::vector<std::int64_t>& dimensions,
                    std::int64_t count, Visit visit) {
  if (source) {
    visit_element_type(source->type(), [&]<class T>(std::type_identity<T>) {
      if constexpr (std::is_integral_v<T>) {
        std::span<const T> values = source->values().template as<T>();
        for (std::int64_t n = 0; n < count; n++)
          visit(n, shifted(selection, as_coordinate(values[static_cast<size_t>(n)])));
      }
    });
    return;
  }
  std::vector<std::int64_t> at(dimensions.size(), 0);
  for (std::int64_t n = 0; n < count; n++) {
    std::int64_t value = selection.offset;
    bool overflows = false;
    for (size_t d = 0; d < at.size(); d++) {
      std::int64_t product = 0;
      overflows = overflows || __builtin_mul_overflow(selection.factors[d], at[d], &product) ||
                  __builtin_add_overflow(value, product, &value);
    }
    visit(n, overflows ? far_outside : value);
    for (size_t d = at.size(); d-- > 0 && ++at[d] == dimensions[d];) at[d] = 0;
  }
}

/// Of the entry with this number, in the order of positions.
std::vector<std::int64_t> coordinates_at(std::int64_t position, const std::vector<std::int64_t>& dimensions) {
  std::vector<std::int64_t> at(dimensions.size());
  for (size_t d = dimensions.size(); d-- > 0; position /= dimensions[d]) at[d] = position % dimensions[d];
  return at;
}

}  // namespace

std::vector<std::int64_t> Selections::add(const TensorVar& selection, const AnyTensor* source) {
  for (const notation::Access& access : notation::accesses(statement_.rhs)) {
    if (access.tensor == selection) accesses_.push_back(access);
  }
  std::vector<std::int64_t> dimensions(static_cast<size_t>(selection.order()), -1);
  if (source) std::copy(source->dimensions().begin(), source->dimensions().end(), dimensions.begin());
  if (source && !(source->format() == Format::dense(source->order()))) {
    auto copy =
        dense_.insert_or_assign(selection, source->converted(Format::dense(source->order()), selection.read()->name()))
            .first;
    source = &copy->second;
  }
  sources_[selection] = source;
  return dimensions;
}

const notation::Access& Selections::access_of(const TensorVar& selection) const {
  auto found = std::find_if(accesses_.begin(), accesses_.end(),
                            [&](const notation::Access& access) { return access.tensor == selection; });
  internal_check(found != accesses_.end(), "run", "a selection that nothing reads", selection.name());
  return *found;
}

std::vector<std::int64_t> Selections::dimensions_of(const TensorVar& selection,
                                                    const std::map<IndexVar, std::int64_t>& extents) const {
  const notation::Access& access = access_of(selection);
  std::vector<std::int64_t> dimensions;
  if (const AnyTensor* source = sources_.at(selection)) return source->dimensions();
  for (size_t d = 0; d + 1 < access.indices.size(); d++) {
    auto extent = extents.find(access.indices[d]);
    if (extent == extents.end()) {
      throw UserError(
          fmt::format("The extent of '{}' does not follow from a dimension: it only occurs in indices that wrap around",
                      access.indices[d].name()))
          .hint(
              fmt::format("give it among the extents of the run, as in {{{{\"{}\", 100}}}}", access.indices[d].name()),
              fmt::format("give it, as in -d {}:100", access.indices[d].name()));
    }
    dimensions.push_back(extent->second);
  }
  return dimensions;
}

void Selections::find_sizes(const std::map<IndexVar, std::int64_t>& extents,
                            std::map<TensorVar, std::vector<std::int64_t>>& dimensions) const {
  for (const auto& [tensor, source] : sources_) {
    const Selection& selection = *tensor.selection();
    bool is_known = std::any_of(accesses_.begin(), accesses_.end(), [&, t = tensor](const notation::Access& access) {
      return access.tensor == t && extents.count(access.indices.back());
    });
    if (is_known) continue;
    std::int64_t size = selection.modulus;
    if (!selection.wraps) {
      std::vector<std::int64_t> table = dimensions_of(tensor, extents);
      for_each_value(selection, source, table, count_of(table, access_of(tensor)),
                     [&](std::int64_t, std::int64_t value) {
                       size = std::max(size, value == std::numeric_limits<std::int64_t>::max() ? value : value + 1);
                     });
    }
    if (selection.wraps && size == 0) {
      std::vector<std::string> sizes(statement_.lhs.indices.size(), "10");
      throw UserError("The size of the dimension that an index wraps around in is unknown")
          .hint("wrap by a number, or give the result's dimensions",
                fmt::format("write mod and a number instead of wrap, or give the result's dimensions, as in -d {}:{}",
                            statement_.lhs.tensor.name(), join(sizes, ",")));
    }
    dimensions[tensor].back() = size;
  }
}

AnyTensor Selections::make(const TensorVar& tensor, const std::map<IndexVar, std::int64_t>& extents) const {
  const Selection& selection = *tensor.selection();
  std::vector<std::int64_t> dimensions = dimensions_of(tensor, extents);
  std::int64_t count = count_of(dimensions, access_of(tensor)), size = extents.at(access_of(tensor).indices.back());
  std::int64_t modulus = selection.modulus == 0 ? size : selection.modulus;
  ElementType width = index_type_for(std::max<std::int64_t>(size - 1, 0));
  Array coordinates(width, count), ends(index_type_for(count), selection.padded ? count + 1 : 0);
  std::int64_t stored = 0;
  for_each_value(selection, sources_.at(tensor), dimensions, count, [&](std::int64_t n, std::int64_t value) {
    std::int64_t coordinate = selection.wraps && modulus > 0 && value != far_outside ? remainder(value, modulus)
                                                                                     : value;
    bool inside = coordinate >= 0 && coordinate < size;
    if (!inside && !selection.padded) fail_outside(tensor, n, coordinate, dimensions, size);
    if (inside) coordinates.set_index(stored++, coordinate);
    if (selection.padded) ends.set_index(n + 1, stored);
  });
  if (stored < count) {
    Array kept(width, stored);
    if (stored > 0) std::memcpy(kept.data(), coordinates.data(), static_cast<size_t>(kept.bytes()));
    coordinates = std::move(kept);
  }
  Array all(ElementType::Bool, stored);
  std::fill_n(static_cast<std::uint8_t*>(all.data()), stored, std::uint8_t{1});
  std::vector<std::vector<Array>> levels(static_cast<size_t>(tensor.order()));
  if (selection.padded) levels.back().push_back(std::move(ends));
  levels.back().push_back(std::move(coordinates));
  dimensions.push_back(size);
  return AnyTensor::from_kernel(dimensions, tensor.format(), std::move(levels), std::move(all), ElementType::Bool,
                                Scalar(ElementType::Bool));
}

void Selections::fail_outside(const TensorVar& tensor, std::int64_t position, std::int64_t coordinate,
                              const std::vector<std::int64_t>& dimensions, std::int64_t size) const {
  const Selection& selection = *tensor.selection();
  std::vector<std::int64_t> at = coordinates_at(position, dimensions);
  // Whose dimension it is: the tensor that is accessed with the coordinate.
  std::string where, reads;
  Span span = statement_.lhs_span;
  IndexVar selected = access_of(tensor).indices.back();
  auto look = [&](const notation::Access& access, Span here, bool is_operand) {
    for (size_t d = 0; d < access.indices.size() && where.empty(); d++) {
      bool is_selected = access.tensor.selection() && d + 1 == access.indices.size();
      const TensorVar* read = access.tensor.read();
      if (is_selected || !read || !contains(free_of({access.indices[d]}), selected)) continue;
      where = fmt::format("dimension {} of '{}'", d + 1, read->name());
      span = here;
      if (is_operand && !access.tensor.selection()) reads = read->name();
    }
  };
  notation::for_each(statement_.rhs, [&](const notation::Expr& expr) {
    if (const notation::Access* access = expr.as<notation::Access>()) look(*access, expr.span(), true);
  });
  look(statement_.lhs, statement_.lhs_span, false);
  std::string entry = selection.source ? fmt::format("{}({})", selection.source->name(), fmt::join(at, ","))
                                       : "An index";
  std::string value = coordinate == far_outside ? "gives a coordinate that is too large"
                      : selection.source && (selection.factor != 1 || selection.offset != 0)
                          ? fmt::format("gives the coordinate {}", coordinate)
                          : fmt::format("is {}", coordinate);
  UserError error(coordinate < 0 && coordinate != far_outside
                      ? fmt::format("{} {}, but coordinates of {} begin at 0", entry, value, where)
                      : fmt::format("{} {}, but {} has {}", entry, value, where, size));
  if (!reads.empty() && selection.source)
    std::move(error).hint(fmt::format("write pad({}(...)) to read its fill there", reads));
  if (statement_.source) throw std::move(error).at(statement_.source, span);
  throw error;
}

}  // namespace filigree::compiler

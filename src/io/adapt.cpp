#include "io/adapt.h"

#include <cmath>

#include <fmt/format.h>

#include "level/visit_element_type.h"
#include "support/diagnostic.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree::io {
namespace {

/// Can a value be read as the other type?  Rounding is for floating point numbers alone.
bool fits(const Scalar& value, ElementType type) {
  if (is_complex(type) || value.is_nan()) return is_complex(type) || is_floating(type);
  if (is_floating(type)) return std::isinf(value.as_double()) || !std::isinf(value.cast(type).as_double());
  if (is_floating(value.type())) {
    double number = value.as_double();
    bool is_large = type == ElementType::UInt64 ? number >= 0x1p64 : number >= 0x1p63;
    if (number != std::floor(number) || is_large || number < -0x1p63) return false;
  }
  if ((type == ElementType::UInt64) != (value.type() == ElementType::UInt64)) {
    // One of them has values that the other calls negative.
    bool is_negative = is_floating(value.type()) ? value.as_double() < 0 : value.as_int() < 0;
    if (is_negative) return false;
  }
  Scalar cast = value.cast(type);
  return cast.cast(value.type()) == value;
}

Array converted(const Array& values, ElementType type, const std::string& path) {
  if (is_complex(values.type()) && !is_complex(type)) {
    throw UserError(fmt::format("The file holds complex values, but {} are expected", to_string(type)))
        .at_line(path, 0);
  }
  for (std::int64_t n = 0; n < values.count(); n++) {
    Scalar value = values.get(n);
    if (!fits(value, type))
      throw UserError(fmt::format("The value {} does not fit in {}", to_string(value), to_string(type)))
          .at_line(path, 0)
          .hint("read them as another type");
  }
  return values.converted(type);
}

Contents with_type(const Contents& contents, ElementType type, const std::string& path) {
  const AnyTensor* storage = contents.storage();
  if (!storage) {
    EntryList entries = *contents.list();
    entries.values = converted(entries.values, type, path);
    return Contents(std::move(entries));
  }
  return Contents(AnyTensor::from_arrays(storage->dimensions(), storage->format(), storage->level_arrays(),
                                         converted(storage->values(), type, path), path));
}

/// A matrix with one column or row as a vector.
Contents as_vector(const Contents& contents) {
  int dropped = contents.dimensions()[1] == 1 ? 1 : 0;
  if (contents.is_dense() && contents.storage()) {
    return Contents(AnyTensor::from_arrays({contents.dimensions()[1 - dropped]}, Format::dense(1), {{}},
                                           contents.storage()->values()));
  }
  EntryList entries = contents.list() ? *contents.list() : owned(contents.coordinates());
  entries.dimensions.erase(entries.dimensions.begin() + dropped);
  entries.coordinate.erase(entries.coordinate.begin() + dropped);
  return Contents(std::move(entries));
}

}  // namespace

Scalar adapted_fill(const Scalar& fill, ElementType type, const std::string& path) {
  bool has_room = !is_complex(fill.type()) || is_complex(type);
  if (!has_room || !fits(fill, type))
    throw UserError(fmt::format("The fill {} does not fit in {}", to_string(fill), to_string(type))).at_line(path, 0);
  return fill.cast(type);
}

std::string access_hint(const std::string& tensor, int order) {
  std::vector<std::string> names = usual_dimension_names(order);
  return order == 0 ? fmt::format("write {} without indices", tensor)
                    : fmt::format("write {}({})", tensor, join(names, ","));
}

UserError wrong_order(const std::string& what, int found, int expected, const ReadOptions& options) {
  if (options.tensor.empty())
    return UserError(fmt::format("{}, but {} expected", what, counted(expected, "dimension is", "dimensions are")));
  std::string use = expected == 0 ? "without indices" : "with " + counted(expected, "index", "indices");
  return UserError(fmt::format("{}, but '{}' is used {}", what, options.tensor, use))
      .hint(access_hint(options.tensor, found));
}

Contents adapted(Contents contents, const ReadOptions& options, const std::string& path) {
  std::optional<int> order = options.order;
  if (!order && options.dimensions) order = static_cast<int>(options.dimensions->size());
  Contents result = std::move(contents);
  auto keep = [&](Contents changed, bool same_order) {
    if (result.has_usual_format() && same_order) changed.set_usual_format(result.usual_format());
    if (result.fill()) changed.set_fill(adapted_fill(*result.fill(), changed.type(), path));
    result = std::move(changed);
  };
  const std::vector<std::int64_t>& found = result.dimensions();
  if (order == 1 && found.size() == 2 && (found[0] == 1 || found[1] == 1)) keep(as_vector(result), false);
  if (order && *order != result.order()) {
    throw wrong_order(fmt::format("The file holds a tensor with {} ({})", counted(result.order(), "dimension"),
                                  describe_dimensions(result.dimensions())),
                      result.order(), *order, options)
        .at_line(path, 0);
  }
  if (options.dimensions && *options.dimensions != result.dimensions()) {
    throw UserError(fmt::format("The dimensions of the file are {}, but {} are expected",
                                describe_dimensions(result.dimensions()), describe_dimensions(*options.dimensions)))
        .at_line(path, 0);
  }
  if (options.type && *options.type != result.type()) keep(with_type(result, *options.type, path), true);
  return result;
}

}  // namespace filigree::io

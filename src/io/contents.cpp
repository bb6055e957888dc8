#include "io/contents.h"

#include <algorithm>

#include "io/dense.h"
#include "level/visit_element_type.h"
#include "tensor/symmetry.h"

namespace filigree {
namespace {

/// A level that is said to have every coordinate and could be otherwise must get them all.
bool needs_everything(const Format& format) {
  return std::any_of(format.levels().begin(), format.levels().end(), [](const Level& level) {
    return level.format->properties().full && !level.format->is_implied() && !level.format->locate();
  });
}

Coordinates without(const Coordinates& entries, const Scalar& fill) {
  std::vector<std::int64_t> kept;
  for (std::int64_t n = 0; n < entries.count(); n++) {
    if (!(entries.values.get(n) == fill)) kept.push_back(n);
  }
  Coordinates out{entries.dimensions, std::vector<std::vector<std::int64_t>>(entries.dimensions.size()),
                  Array(entries.values.type(), static_cast<std::int64_t>(kept.size()))};
  for (size_t d = 0; d < out.coordinate.size(); d++) {
    for (std::int64_t n : kept) out.coordinate[d].push_back(entries.coordinate[d][n]);
  }
  visit_element_type(entries.values.type(), [&]<class T>(std::type_identity<T>) {
    for (size_t n = 0; n < kept.size(); n++) out.values.as<T>()[n] = entries.values.as<T>()[kept[n]];
  });
  return out;
}

}  // namespace

Format Contents::usual_format() const {
  if (usual_) return *usual_;
  if (is_dense()) return Format::dense(order());
  return storage_ ? storage_->format() : Format::sparse(order());
}

std::string Contents::format_reason() const {
  if (is_dense()) return "an array file";
  return storage_ || usual_ ? "that of the file" : "a coordinate file";
}

Coordinates Contents::entries_for(const Format& format, const std::optional<Scalar>& fill) const {
  Scalar absent = fill.value_or(Scalar(type())).cast(type());
  bool all = format.stores_all() || needs_everything(format);
  if (!storage_) return entries_.is_dense && !all ? without(entries_, absent) : entries_;
  if (io::dense_strides(storage_->format(), dimensions())) {
    if (!all) return io::other_than(*storage_, absent);
    return storage_->format() == Format::dense(order())
               ? storage_->coordinates()
               : io::rearranged(*storage_, Format::dense(order())).coordinates();
  }
  Coordinates entries = storage_->coordinates();
  return storage_->format().pads() && absent.is_zero() ? without(entries, absent) : entries;
}

Coordinates Contents::coordinates() const& {
  if (!storage_) return entries_;
  return entries_for(is_dense() ? Format::dense(order()) : Format::sparse(order()));
}

Coordinates Contents::coordinates() && {
  return storage_ ? static_cast<const Contents&>(*this).coordinates() : std::move(entries_);
}

AnyTensor Contents::with_fill(AnyTensor tensor, const std::optional<Scalar>& fill) const {
  if (fill) check_fill(*fill, tensor.format(), "tensor");
  if (fill) tensor.set_fill(*fill);
  return tensor;
}

AnyTensor Contents::pack(const Format& format, const std::string& name, bool force, std::optional<Scalar> fill) const& {
  if (storage_ && storage_->format() == format) return with_fill(*storage_, fill);
  return repack(format, name, force, fill);
}

AnyTensor Contents::pack(const Format& format, const std::string& name, bool force, std::optional<Scalar> fill) && {
  if (storage_ && storage_->format() == format) return with_fill(std::move(*storage_), fill);
  return repack(format, name, force, fill);
}

AnyTensor Contents::repack(const Format& format, const std::string& name, bool force,
                           const std::optional<Scalar>& fill) const {
  bool both_dense = storage_ && io::dense_strides(storage_->format(), dimensions()) &&
                    io::dense_strides(format, dimensions());
  if (both_dense) return with_fill(io::rearranged(*storage_, format), fill);
  bool as_it_is = !storage_ && (!entries_.is_dense || format.stores_all() || needs_everything(format));
  if (as_it_is) return AnyTensor::pack(entries_, format, Duplicates::Sum, name, force, fill);
  return AnyTensor::pack(entries_for(format, fill), format, Duplicates::Sum, name, force, fill);
}

}  // namespace filigree

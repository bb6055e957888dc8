#include "io/contents.h"

#include <algorithm>

#include "io/dense.h"
#include "level/visit_element_type.h"
#include "tensor/pack.h"
#include "tensor/symmetry.h"

namespace filigree {
namespace {

/// A level that is said to have every coordinate and could be otherwise must get them all.
bool needs_everything(const Format& format) {
  return std::any_of(format.levels().begin(), format.levels().end(), [](const Level& level) {
    return level.format->properties().full && !level.format->is_implied() && !level.format->locate();
  });
}

/// Elements of an array by their numbers.
Array chosen(const Array& from, const std::vector<std::int64_t>& numbers) {
  Array to(from.type(), static_cast<std::int64_t>(numbers.size()));
  visit_element_type(from.type(), [&]<class T>(std::type_identity<T>) {
    for (size_t n = 0; n < numbers.size(); n++) to.as<T>()[n] = from.as<T>()[numbers[n]];
  });
  return to;
}

EntryList without(const EntryList& entries, const Scalar& fill) {
  std::vector<std::int64_t> kept;
  for (std::int64_t n = 0; n < entries.count(); n++) {
    if (!(entries.values.get(n) == fill)) kept.push_back(n);
  }
  EntryList out{entries.dimensions, {}, chosen(entries.values, kept)};
  for (const Array& coordinate : entries.coordinate) out.coordinate.push_back(chosen(coordinate, kept));
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
  if (!storage_) return widened(stores_list(format) ? entries_ : without(entries_, absent));
  if (io::dense_strides(storage_->format(), dimensions())) {
    if (!all) return io::other_than(*storage_, absent);
    return storage_->format() == Format::dense(order())
               ? storage_->coordinates()
               : io::rearranged(*storage_, Format::dense(order())).coordinates();
  }
  Coordinates entries = storage_->coordinates();
  return storage_->format().pads() && absent.is_zero() ? widened(without(view(entries), absent)) : entries;
}

Coordinates Contents::coordinates() const& {
  if (!storage_) return widened(entries_);
  return entries_for(is_dense() ? Format::dense(order()) : Format::sparse(order()));
}

Coordinates Contents::coordinates() && { return static_cast<const Contents&>(*this).coordinates(); }

bool Contents::stores_list(const Format& format) const {
  return !entries_.is_dense || format.stores_all() || needs_everything(format);
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
  if (!storage_ && stores_list(format))
    return pack_list(std::move(entries_), format, Duplicates::Sum, name, force, std::move(fill));
  return repack(format, name, force, fill);
}

AnyTensor Contents::repack(const Format& format, const std::string& name, bool force,
                           const std::optional<Scalar>& fill) const {
  bool both_dense = storage_ && io::dense_strides(storage_->format(), dimensions()) &&
                    io::dense_strides(format, dimensions());
  if (both_dense) return with_fill(io::rearranged(*storage_, format), fill);
  if (!storage_ && stores_list(format)) return pack_list(view(entries_), format, Duplicates::Sum, name, force, fill);
  return AnyTensor::pack(entries_for(format, fill), format, Duplicates::Sum, name, force, fill);
}

}  // namespace filigree

#include "io/components.h"

#include <algorithm>
#include <cmath>

#include "level/visit_element_type.h"
#include "support/diagnostic.h"
#include "support/text.h"
#include "tensor/size.h"
#include "tensor/sort.h"

namespace filigree::io {
namespace {

/// A text file of this many lines takes gigabytes; who wants more must ask for it by densifying.
constexpr double most_expanded = 1 << 27;

AnyTensor with_fill_written_out(const AnyTensor& tensor, const std::string& path) {
  const std::vector<std::int64_t>& dimensions = tensor.dimensions();
  double total = 1;
  for (std::int64_t extent : dimensions) total *= static_cast<double>(extent);
  if (total > most_expanded) {
    throw UserError(
        fmt::format(
            "Cannot write '{}': what is not stored is {}, so all {} components ({:.4g}) would have to be written", path,
            to_string(tensor.fill()), describe_dimensions(dimensions), total))
        .hint("this kind of file holds no fill; use one that does: .tns, .mtx, .ttx or .npz");
  }
  Array values(tensor.type(), static_cast<std::int64_t>(total));
  for (std::int64_t n = 0; n < values.count(); n++) values.set(n, tensor.fill());
  Coordinates stored = tensor.coordinates();
  for (std::int64_t n = 0; n < stored.count(); n++) {
    std::int64_t number = 0;
    for (size_t dimension = 0; dimension < dimensions.size(); dimension++)
      number = number * dimensions[dimension] + stored.coordinate[dimension][n];
    values.set(number, stored.values.get(n));
  }
  std::vector<std::vector<Array>> no_arrays(dimensions.size());
  return AnyTensor::from_arrays(dimensions, Format::dense(tensor.order()), std::move(no_arrays), std::move(values));
}

/// Can a file say that a matrix of this type has the symmetry, so that it is mirrored in the same way when it is read?
Symmetry symmetry_in_files(Symmetry symmetry, ElementType type) {
  if (symmetry == Symmetry::Hermitian) return is_complex(type) ? symmetry : Symmetry::Symmetric;
  bool has_negatives = is_signed_integer(type) || is_floating(type) || is_complex(type);
  return symmetry == Symmetry::Skew && !has_negatives ? Symmetry::None : symmetry;
}

template <class T>
void append_float(fmt::memory_buffer& text, T value) {
  if (std::isnan(value)) {
    text.append(std::string_view("nan"));
  } else {
    fmt::format_to(fmt::appender(text), "{}", value);
  }
}

void append_whole(fmt::memory_buffer& text, std::int64_t number) {
  fmt::format_int digits(number);
  text.append(digits.data(), digits.data() + digits.size());
}

}  // namespace

std::optional<Scalar> Components::fill() const {
  const Scalar& fill = tensor().fill();
  return fill.is_zero() || is_array() || tensor().order() == 0 ? std::nullopt : std::optional(fill);
}

Components::Components(const AnyTensor& tensor, const std::string& path, const FileKind& kind) : given_(&tensor) {
  if (!kind.has_fill && !tensor.fill().is_zero() && !tensor.format().is_dense())
    expanded_ = with_fill_written_out(tensor, path);
  strides_ = dense_strides(this->tensor().format(), dimensions());
  if (strides_) {
    count_ = this->tensor().stored();
    largest_ = dimensions();
    for (std::int64_t& last : largest_) last = count_ > 0 ? last - 1 : -1;
    return;
  }
  if (kind.has_symmetry && !expanded_ && tensor.format().symmetry() != Symmetry::None && take_half()) return;
  if (this->tensor().format().symmetry() != Symmetry::None || !walk_is_sorted()) make_list();
}

bool Components::is_listed(const std::vector<std::int64_t>& at) const {
  if (symmetry_ == Symmetry::None) return true;
  return symmetry_ == Symmetry::Skew ? at[0] > at[1] : at[0] >= at[1];
}

bool Components::walk_is_sorted() {
  count_ = 0;
  largest_.assign(dimensions().size(), -1);
  std::vector<std::int64_t> before;
  bool sorted = true;
  tensor().for_each([&](const std::vector<std::int64_t>& at, std::int64_t) {
    if (!sorted || !is_listed(at)) return;
    sorted = count_ == 0 || before < at;
    before = at;
    count_++;
    for (size_t d = 0; d < at.size(); d++) largest_[d] = std::max(largest_[d], at[d]);
  });
  return sorted;
}

/// The half that is stored, sorted; false if a file could not say how to make the whole of it.
bool Components::take_half() {
  symmetry_ = symmetry_in_files(tensor().format().symmetry(), type());
  if (symmetry_ == Symmetry::None) return false;
  if (symmetry_ == Symmetry::Skew) {
    // A skew-symmetric file has no diagonal; one that computing has left other than 0, such as NaN, is kept in a
    // general file.
    bool zero = true;
    tensor().for_each([&](const std::vector<std::int64_t>& at, std::int64_t position) {
      zero = zero && (at[0] != at[1] || values().get(position).is_zero());
    });
    if (!zero) {
      symmetry_ = Symmetry::None;
      return false;
    }
  }
  if (!walk_is_sorted()) make_list();
  return true;
}

void Components::make_list() {
  list_ = tensor().coordinates();
  if (symmetry_ != Symmetry::None) {
    std::vector<std::int64_t> kept;
    for (std::int64_t n = 0; n < list_->count(); n++) {
      if (is_listed({list_->coordinate[0][n], list_->coordinate[1][n]})) kept.push_back(n);
    }
    Coordinates half{list_->dimensions, {{}, {}}, Array(type(), static_cast<std::int64_t>(kept.size()))};
    for (size_t n = 0; n < kept.size(); n++) {
      for (size_t d : {0, 1}) half.coordinate[d].push_back(list_->coordinate[d][kept[n]]);
      half.values.set(static_cast<std::int64_t>(n), list_->values.get(kept[n]));
    }
    list_ = std::move(half);
  }
  count_ = list_->count();
  largest_.assign(dimensions().size(), -1);
  for (size_t d = 0; d < largest_.size(); d++) {
    for (std::int64_t coordinate : list_->coordinate[d]) largest_[d] = std::max(largest_[d], coordinate);
  }
}

bool Components::are_ones() const {
  bool ones = true;
  Scalar one = Scalar::of(type(), std::int64_t{1});
  for_each([&](const std::vector<std::int64_t>&, std::int64_t number) { ones = ones && values().get(number) == one; });
  return ones;
}

void Components::for_each(const Visit& visit) const {
  if (strides_) return for_each_component(dimensions(), *strides_, Fastest::Last, visit);
  if (!list_) {
    tensor().for_each([&](const std::vector<std::int64_t>& at, std::int64_t position) {
      if (is_listed(at)) visit(at, position);
    });
    return;
  }
  std::vector<std::int64_t> at(dimensions().size());
  for (std::int64_t n = 0; n < list_->count(); n++) {
    for (size_t d = 0; d < at.size(); d++) at[d] = list_->coordinate[d][n];
    visit(at, n);
  }
}

void Components::for_each_by_columns(const Visit& visit) const {
  if (strides_) return for_each_component(dimensions(), *strides_, Fastest::First, visit);
  // Another full format: its list is sorted by rows, so the number of a component follows from its coordinates.
  std::vector<std::int64_t> by_rows =
      *dense_strides(Format::dense(static_cast<int>(dimensions().size())), dimensions());
  std::vector<std::int64_t> numbers;
  if (!list_) for_each([&](const std::vector<std::int64_t>&, std::int64_t number) { numbers.push_back(number); });
  for_each_component(dimensions(), by_rows, Fastest::First, [&](const std::vector<std::int64_t>& at, std::int64_t n) {
    visit(at, list_ ? n : numbers[static_cast<size_t>(n)]);
  });
}

void append_value(fmt::memory_buffer& text, const Array& values, std::int64_t number) {
  visit_element_type(values.type(), [&]<class T>(std::type_identity<T>) {
    T value = values.as<T>()[number];
    if constexpr (std::is_integral_v<T>) {
      fmt::format_int digits(value);
      text.append(digits.data(), digits.data() + digits.size());
    } else if constexpr (std::is_floating_point_v<T>) {
      append_float(text, value);
    } else {
      append_float(text, value.real());
      text.push_back(' ');
      append_float(text, value.imag());
    }
  });
}

void append_entries(OutputFile& file, const Components& components, const LineStyle& style) {
  fmt::memory_buffer& text = file.text();
  const Array& values = components.values();
  components.for_each([&](const std::vector<std::int64_t>& at, std::int64_t number) {
    bool first = true;
    auto separate = [&] {
      if (!first) text.push_back(style.separator);
      first = false;
    };
    for (std::int64_t coordinate : at) separate(), append_whole(text, coordinate + style.base);
    for (int n = 0; n < style.more_ones; n++) separate(), append_whole(text, 1);
    if (style.has_value) separate(), append_value(text, values, number);
    text.push_back('\n');
    file.flush_if_full();
  });
}

}  // namespace filigree::io

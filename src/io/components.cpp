#include "io/components.h"

#include <cmath>

#include "level/visit_element_type.h"
#include "support/diagnostic.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree::io {
namespace {

/// A text file of this many lines takes gigabytes; who wants more must ask for it by densifying.
constexpr double most_expanded = 1 << 27;

Coordinates with_fill(const Tensor& tensor, const std::string& path) {
  const std::vector<std::int64_t>& dimensions = tensor.dimensions();
  double total = 1;
  for (std::int64_t extent : dimensions) total *= static_cast<double>(extent);
  if (total > most_expanded) {
    throw UserError(fmt::format("Cannot write '{}': what is not stored is {}, so all {} components ({:.4g}) would have to be written", path,
                                to_string(tensor.fill()), describe_dimensions(dimensions), total))
        .hint("text files hold no fill value; write a tensor whose fill is 0");
  }
  Coordinates all{dimensions, {}, Array(tensor.type(), static_cast<std::int64_t>(total)), true};
  all.coordinate.assign(dimensions.size(), std::vector<std::int64_t>(static_cast<size_t>(total)));
  std::vector<std::int64_t> at(dimensions.size(), 0);
  for (std::int64_t n = 0; n < all.count(); n++) {
    all.values.set(n, tensor.fill());
    for (size_t dimension = 0; dimension < at.size(); dimension++) all.coordinate[dimension][n] = at[dimension];
    for (size_t dimension = at.size(); dimension-- > 0;) {
      if (++at[dimension] < dimensions[dimension]) break;
      at[dimension] = 0;
    }
  }
  Coordinates stored = tensor.coordinates();
  for (std::int64_t n = 0; n < stored.count(); n++) {
    std::int64_t number = 0;
    for (size_t dimension = 0; dimension < dimensions.size(); dimension++) number = number * dimensions[dimension] + stored.coordinate[dimension][n];
    all.values.set(number, stored.values.get(n));
  }
  return all;
}

template <class T>
void append_float(fmt::memory_buffer& text, T value) {
  if (std::isnan(value)) {
    text.append(std::string_view("nan"));
  } else {
    fmt::format_to(fmt::appender(text), "{}", value);
  }
}

}  // namespace

Coordinates components(const Tensor& tensor, const std::string& path) {
  return tensor.fill().is_zero() || tensor.format().is_dense() ? tensor.coordinates() : with_fill(tensor, path);
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

void append_entries(OutputFile& file, const Coordinates& entries) {
  fmt::memory_buffer& text = file.text();
  for (std::int64_t n = 0; n < entries.count(); n++) {
    for (const std::vector<std::int64_t>& coordinate : entries.coordinate) {
      fmt::format_int digits(coordinate[n] + 1);
      text.append(digits.data(), digits.data() + digits.size());
      text.push_back(' ');
    }
    append_value(text, entries.values, n);
    text.push_back('\n');
    file.flush_if_full();
  }
}

}  // namespace filigree::io

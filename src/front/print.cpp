#include "front/print.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "front/entries.h"
#include "tensor/size.h"

namespace filigree::front {
namespace {

constexpr std::int64_t most_rows = 20, most_columns = 20, most_entries = 10;

std::string shown(const Scalar& value) {
  if (value.type() == ElementType::Bool) return value.as_bool() ? "true" : "false";
  if (!is_complex(value.type())) return to_string(value);
  double imaginary = value.as_complex().imag();
  std::string real = to_string(Scalar::of(ElementType::Float64, value.as_complex().real()));
  return real + (imaginary < 0 ? "" : "+") + to_string(Scalar::of(ElementType::Float64, imaginary)) + "i";
}

std::string header(const AnyTensor& tensor, std::int64_t stored) {
  std::string text = fmt::format("{}, {}, {}, {} stored", describe_dimensions(tensor.dimensions()),
                                 to_string(tensor.type()), to_string(tensor.format()), stored);
  if (!tensor.fill().is_zero()) text += ", the others are " + shown(tensor.fill());
  return text + "\n";
}

/// Rows of cells under each other.
std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 1);
    for (size_t c = 0; c < row.size(); c++) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (size_t c = 0; c < row.size(); c++) line += fmt::format("{}{:>{}}", c == 0 ? "" : "  ", row[c], widths[c]);
    text += line + "\n";
  }
  return text;
}

std::string first_entries(const Entries& entries, ElementType type) {
  std::string text;
  std::vector<std::int64_t> at;
  for (std::int64_t n = 0; n < std::min(entries.count(), most_entries); n++) {
    entries.coordinates(n, at);
    text += fmt::format("({})  {}\n", fmt::join(at, ","), shown(Scalar::load(type, entries.value(n))));
  }
  if (entries.count() > most_entries) text += fmt::format("... and {} more\n", entries.count() - most_entries);
  return text;
}

}  // namespace

std::string to_text(const AnyTensor& tensor) {
  if (tensor.order() == 0) return shown(tensor.values().get(0));
  Entries entries(tensor);
  const std::vector<std::int64_t>& dimensions = tensor.dimensions();
  bool is_vector = tensor.order() == 1;
  bool is_small = tensor.order() <= 2 && dimensions[0] <= (is_vector ? most_columns : most_rows) &&
                  (is_vector || dimensions[1] <= most_columns);
  if (!is_small) return header(tensor, entries.count()) + first_entries(entries, tensor.type());
  size_t rows = is_vector ? 1 : static_cast<size_t>(dimensions[0]), columns = static_cast<size_t>(dimensions.back());
  std::vector<std::vector<std::string>> cells(rows, std::vector<std::string>(columns, "."));
  std::vector<std::int64_t> at;
  for (std::int64_t n = 0; n < entries.count(); n++) {
    entries.coordinates(n, at);
    cells[is_vector ? 0 : static_cast<size_t>(at[0])][static_cast<size_t>(at.back())] =
        shown(Scalar::load(tensor.type(), entries.value(n)));
  }
  return header(tensor, entries.count()) + table(cells);
}

}  // namespace filigree::front

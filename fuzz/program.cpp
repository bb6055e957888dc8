#include "fuzz/program.h"

#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fuzz/random_format.h"
#include "notation/assignment.h"
#include "notation/extents.h"
#include "notation/parse.h"

namespace filigree::fuzz {
namespace {

/// TACO's letters where they say it all, with the dimensions always: "ds:1,0".
std::string format_text(const Format& format) {
  if (!is_dense_and_compressed(format)) return to_string(format);
  std::string text;
  std::vector<int> dimensions;
  for (const Level& level : format.levels()) {
    text += level.format->properties().full ? 'd' : 's';
    dimensions.push_back(level.dimension());
  }
  return fmt::format("{}:{}", text, fmt::join(dimensions, ","));
}

std::string input_text(const ProgramTensor& tensor) {
  std::string text = fmt::format("input {}:", tensor.name);
  bool scalar = tensor.dimensions.empty();
  if (!scalar) text += "\n";
  for (const auto& [coordinates, value] : tensor.entries) {
    text += scalar ? "" : " ";
    for (std::int64_t coordinate : coordinates) text += fmt::format(" {}", coordinate + 1);
    text += " " + to_string(value) + "\n";
  }
  return text;
}

}  // namespace

Scalar value_of(ElementType type, std::int64_t number) {
  bool special = std::abs(number) == infinite || number == not_a_number;
  if (special && is_floating(type)) {
    double value = number == not_a_number ? std::numeric_limits<double>::quiet_NaN()
                   : number < 0           ? -std::numeric_limits<double>::infinity()
                                          : std::numeric_limits<double>::infinity();
    return Scalar::of(type, value);
  }
  if (special) number = 1;
  if (!is_signed_integer(type) && is_integer(type)) number = std::abs(number);
  if (is_complex(type))
    return Scalar::of(type, std::complex<double>(static_cast<double>(number), static_cast<double>(number % 3)));
  return Scalar::of(type, number);
}

Scalar fill_of(ElementType type, std::int64_t number) { return value_of(type, number); }

bool holds_special(const Program& program) {
  auto is_special = [](const Scalar& value) { return !std::isfinite(std::abs(value.as_complex())); };
  for (const ProgramTensor& tensor : program.tensors) {
    if (tensor.format.pads() && is_special(fill_of(tensor.type, tensor.fill))) return true;
    for (const ProgramEntry& entry : tensor.entries) {
      if (is_special(entry.second)) return true;
    }
  }
  return false;
}

std::string to_text(const Program& program) {
  std::string text = "expression: " + program.expression + "\n";
  for (const ProgramTensor& tensor : program.tensors) {
    if (tensor.format.order() > 0) text += fmt::format("format {}: {}\n", tensor.name, format_text(tensor.format));
    if (tensor.type != ElementType::Float64) text += fmt::format("type {}: {}\n", tensor.name, to_string(tensor.type));
    if (tensor.fill != 0)
      text += fmt::format("fill {}: {}\n", tensor.name, to_string(fill_of(tensor.type, tensor.fill)));
  }
  if (!program.schedule.empty()) text += "schedule: " + schedule::to_string(program.schedule) + "\n";
  for (const auto& [name, extent] : program.extents) {
    bool of_result = name.find('.') != std::string::npos;  // stated below
    if (!of_result) text += fmt::format("dimension {}: {}\n", name, extent);
  }
  for (const ProgramTensor& tensor : program.tensors) {
    if (tensor.states_dimensions)
      text += fmt::format("dimension {}: {}\n", tensor.name, fmt::join(tensor.dimensions, ","));
  }
  for (const ProgramTensor& tensor : program.tensors) {
    if (tensor.is_read) text += input_text(tensor);
  }
  return text;
}

AnyTensor pack(const ProgramTensor& tensor) {
  Coordinates entries;
  entries.dimensions = tensor.dimensions;
  entries.coordinate.resize(tensor.dimensions.size());
  entries.values = Array(tensor.type, static_cast<std::int64_t>(tensor.entries.size()));
  for (size_t n = 0; n < tensor.entries.size(); n++) {
    for (size_t d = 0; d < tensor.dimensions.size(); d++) entries.coordinate[d].push_back(tensor.entries[n].first[d]);
    entries.values.set(static_cast<std::int64_t>(n), tensor.entries[n].second);
  }
  return AnyTensor::pack(entries, tensor.format, Duplicates::Sum, tensor.name, false,
                         fill_of(tensor.type, tensor.fill));
}

static std::map<std::string, TensorVar> variables_of(const Program& program) {
  std::map<std::string, TensorVar> vars;
  for (const ProgramTensor& tensor : program.tensors) {
    vars.emplace(tensor.name, TensorVar(tensor.name, tensor.type, tensor.format, fill_of(tensor.type, tensor.fill)));
  }
  return vars;
}

notation::Statement written_of(const Program& program) {
  return notation::resolve_with_indices(notation::parse(program.expression), variables_of(program));
}

notation::Statement statement_of(const Program& program) {
  notation::Statement statement = notation::resolve(notation::parse(program.expression), variables_of(program));
  notation::give_extents(statement, program.extents);
  return program.tensors[0].is_read && !program.schedule.empty() ? notation::with_old_value(statement) : statement;
}

}  // namespace filigree::fuzz

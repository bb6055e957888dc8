#include "tensor/format.h"

#include <algorithm>

#include <fmt/format.h>

#include "support/check.h"
#include "support/text.h"
#include "tensor/named_format.h"

namespace filigree {

const std::vector<NamedFormat>& named_formats() {
  static const std::vector<NamedFormat> table = {
      {"dense", std::nullopt, "d", {}}, {"sparse", std::nullopt, "s", {}}, {"csr", 2, "ds", {0, 1}},
      {"csc", 2, "ds", {1, 0}},         {"dcsr", 2, "ss", {0, 1}},         {"dcsc", 2, "ss", {1, 0}},
      {"csf", std::nullopt, "s", {}},
  };
  return table;
}

level::FormatPtr level_of_letter(char letter) {
  if (letter == 'd') return level::dense();
  if (letter == 's') return level::compressed();
  return nullptr;
}

Format NamedFormat::of_order(int tensor_order) const {
  if (!order) return Format::uniform(tensor_order, level_of_letter(letters[0]));
  std::vector<Level> levels;
  for (int k = 0; k < *order; k++) levels.push_back({dimensions[k], level_of_letter(letters[k])});
  return Format(std::move(levels));
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const NamedFormat& named : named_formats()) names.push_back(named.name);
  return names;
}

Format Format::uniform(int order, const level::FormatPtr& format) {
  std::vector<Level> levels;
  for (int dimension = 0; dimension < order; dimension++) levels.push_back({dimension, format});
  return Format(std::move(levels));
}

int Format::level_of(int dimension) const {
  for (int k = 0; k < order(); k++) {
    if (levels_[k].dimension == dimension) return k;
  }
  throw InternalError("tensor", "level_of a dimension the format does not store", to_map(*this));
}

bool Format::is_dense() const {
  return std::all_of(levels_.begin(), levels_.end(), [](const Level& level) { return level::is_always_found(*level.format); });
}

Format Format::reordered(const std::vector<int>& dimensions) const {
  internal_check(static_cast<int>(dimensions.size()) == order(), "tensor", "reordered to another number of dimensions");
  bool same_order = true;
  for (int k = 0; k < order(); k++) same_order = same_order && levels_[k].dimension == dimensions[k];
  if (same_order) return *this;
  bool dense = is_dense();
  std::vector<Level> levels;
  for (int k = 0; k < order(); k++) {
    const level::FormatPtr& format = levels_[level_of(dimensions[k])].format;
    // A full last level under a compressed one would store components that this format need not.
    bool stays = dense || (k + 1 < order() && format->properties().full);
    levels.push_back({dimensions[k], stays ? format : level::compressed()});
  }
  return Format(std::move(levels));
}

namespace {

bool in_order(const Format& format) {
  for (int k = 0; k < format.order(); k++) {
    if (format.levels()[k].dimension != k) return false;
  }
  return true;
}

std::string dimension_name(int dimension) {
  static const std::string letters = "ijklmnopq";
  return dimension < static_cast<int>(letters.size()) ? std::string(1, letters[dimension]) : fmt::format("i{}", dimension);
}

/// TACO's letters, or nothing if some level has none.
std::optional<std::string> to_letters(const Format& format) {
  std::string letters;
  std::vector<std::string> dimensions;
  for (const Level& level : format.levels()) {
    if (level.format == level::dense()) {
      letters += 'd';
    } else if (level.format == level::compressed()) {
      letters += 's';
    } else {
      return std::nullopt;
    }
    dimensions.push_back(std::to_string(level.dimension));
  }
  return in_order(format) ? letters : letters + ":" + join(dimensions, ",");
}

}  // namespace

std::string to_string(const Format& format) {
  if (format.order() == 0) return "scalar";
  // "csf" says more than "sparse" of a tensor with three or more dimensions.
  if (format.order() > 2 && format == Format::sparse(format.order())) return "csf";
  // A matrix has the better names csr, csc, dcsr and dcsc, except that dense is dense.
  for (const NamedFormat& named : named_formats()) {
    bool fits = named.order ? *named.order == format.order() : named.name != "sparse" || format.order() != 2;
    if (fits && named.of_order(format.order()) == format) return named.name;
  }
  return to_letters(format).value_or(to_map(format));
}

std::string to_map(const Format& format) {
  std::vector<std::string> names, levels;
  for (int dimension = 0; dimension < format.order(); dimension++) names.push_back(dimension_name(dimension));
  for (const Level& level : format.levels()) levels.push_back(dimension_name(level.dimension) + ": " + level.format->name());
  return "(" + join(names, ",") + ") -> (" + join(levels, ", ") + ")";
}

}  // namespace filigree

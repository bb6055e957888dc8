#include "tensor/format.h"

#include <algorithm>

#include <fmt/format.h>

#include "level/properties.h"
#include "support/check.h"
#include "support/text.h"
#include "tensor/named_format.h"

namespace filigree {

int Level::dimension() const {
  std::optional<int> dimension = coordinate.plain();
  internal_check(dimension.has_value(), "tensor", "the dimension of a level that stores a part of one");
  return *dimension;
}

Format::Format(std::vector<Level> levels, Symmetry symmetry) : levels_(std::move(levels)), symmetry_(symmetry) {
  for (const Level& level : levels_) {
    for (int dimension : level.coordinate.dimensions()) order_ = std::max(order_, dimension + 1);
  }
}

std::vector<std::string> format_names() {
  std::vector<std::string> out;
  for (const NamedFormat& named : named_formats()) out.push_back(named.name);
  for (const char* symmetry : {"symmetric", "skew", "hermitian"}) out.push_back(symmetry);
  return out;
}

Format Format::uniform(int order, const level::FormatPtr& format) {
  std::vector<Level> levels;
  for (int dimension = 0; dimension < order; dimension++) levels.push_back({dimension, format});
  return Format(std::move(levels));
}

std::vector<relation::Coordinate> Format::coordinates() const {
  std::vector<relation::Coordinate> out;
  for (const Level& level : levels_) out.push_back(level.coordinate);
  return out;
}

bool Format::is_plain() const {
  return symmetry_ == Symmetry::None && level_count() == order_ &&
         std::all_of(levels_.begin(), levels_.end(), [](const Level& level) { return level.coordinate.plain().has_value(); });
}

int Format::level_of(int dimension) const {
  for (int k = 0; k < level_count(); k++) {
    if (levels_[k].coordinate.plain() == dimension) return k;
  }
  throw InternalError("tensor", "level_of a dimension the format does not store", to_map(*this));
}

bool Format::is_dense() const {
  return is_plain() && std::all_of(levels_.begin(), levels_.end(), [](const Level& level) { return level::is_always_found(*level.format); });
}

bool Format::pads() const {
  auto last = std::find_if(levels_.rbegin(), levels_.rend(), [](const Level& level) { return !level.format->is_implied(); });
  return last != levels_.rend() && last->format->pads();
}

Format Format::level_space() const {
  std::vector<Level> levels;
  for (int k = 0; k < level_count(); k++) levels.push_back({k, levels_[k].format});
  return Format(std::move(levels));
}

Format Format::reordered(const std::vector<int>& dimensions) const {
  internal_check(static_cast<int>(dimensions.size()) == order(), "tensor", "reordered to another number of dimensions");
  bool same_order = true;
  for (int k = 0; k < order(); k++) same_order = same_order && levels_[k].dimension() == dimensions[k];
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

std::vector<std::string> usual_dimension_names(int order) {
  static const std::string letters = "ijklmnopq";
  std::vector<std::string> names;
  for (int d = 0; d < order; d++) names.push_back(d < static_cast<int>(letters.size()) ? std::string(1, letters[d]) : fmt::format("i{}", d));
  return names;
}

namespace {

/// TACO's letters, or nothing if some level has none.
std::optional<std::string> to_letters(const Format& format) {
  if (!format.is_plain()) return std::nullopt;
  std::string letters;
  std::vector<std::string> dimensions;
  bool in_order = true;
  for (const Level& level : format.levels()) {
    std::optional<char> letter = level.format->letter();
    if (!letter) return std::nullopt;
    in_order = in_order && level.dimension() == static_cast<int>(letters.size());
    letters += *letter;
    dimensions.push_back(std::to_string(level.dimension()));
  }
  return in_order ? letters : letters + ":" + join(dimensions, ",");
}

/// The block size of each dimension: 1 unless levels take remainders.
std::vector<std::int64_t> block_sizes(const Format& format) {
  std::vector<std::int64_t> blocks(static_cast<size_t>(format.order()), 1);
  for (const Level& level : format.levels()) {
    const relation::Digits* digits = level.coordinate.as<relation::Digits>();
    if (digits && digits->modulus != 0) blocks[digits->dimension] = digits->modulus;
  }
  return blocks;
}

std::optional<std::string> to_name(const Format& format) {
  std::vector<std::int64_t> blocks = block_sizes(format);
  bool is_blocked = std::any_of(blocks.begin(), blocks.end(), [](std::int64_t block) { return block > 1; });
  static const std::vector<std::vector<std::string>> variants = {{}, {"unordered"}, {"nonunique"}, {"unordered", "nonunique"}, {"decreasing"}};
  for (const NamedFormat& named : named_formats()) {
    // A matrix has the better names dcsr and dcsc; "csf" says more than "sparse" of three or more dimensions.
    if (named.name == "sparse" && format.order() != 1) continue;
    if (named.name == "csf" && format.order() < 3) continue;
    if ((named.order && *named.order != format.order()) || (named.has_blocks && !is_blocked)) continue;
    Format base = named.make(format.order(), blocks);
    for (const std::vector<std::string>& words : variants) {
      std::optional<Format> variant = with_properties(base, words);
      if (!variant || !(*variant == format)) continue;
      std::vector<std::string> arguments = words;
      if (named.has_blocks) for (size_t d = blocks.size(); d-- > 0;) arguments.insert(arguments.begin(), std::to_string(blocks[d]));
      return arguments.empty() ? named.name : named.name + "(" + join(arguments, ",") + ")";
    }
  }
  return std::nullopt;
}

const char* name_of(Symmetry symmetry) {
  return symmetry == Symmetry::Skew ? "skew" : symmetry == Symmetry::Hermitian ? "hermitian" : "symmetric";
}

std::string first_upper(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

/// A level whose coordinates stand in another's arrays is where that one expects it.
std::optional<FormatProblem> find_held_problem(const std::vector<Level>& levels, int k) {
  const level::Format& format = *levels[k].format;
  const char* hint = "entries with their coordinates side by side are (i: tuples(2), j: member)";
  int held = 0;
  while (held < format.holds_below() && k + held + 1 < static_cast<int>(levels.size()) && levels[k + held + 1].format->is_held_above()) held++;
  if (held < format.holds_below()) {
    return FormatProblem{fmt::format("{} has the coordinates of {} more level{}, but {} such level{} below it", first_upper(level::to_string(format)),
                                     format.holds_below(), format.holds_below() == 1 ? "" : "s", held == 0 ? "no" : std::to_string(held), held == 1 ? " is" : "s are"),
                         hint, k, {}};
  }
  if (!format.is_held_above()) return std::nullopt;
  for (int up = k - 1; up >= 0; up--) {
    if (levels[up].format->holds_below() >= k - up) return std::nullopt;
  }
  return FormatProblem{fmt::format("{} stores nothing itself, and no level above has room for its coordinates", first_upper(level::to_string(format))), hint, k, {}};
}

}  // namespace

std::string to_string(const Format& format) {
  if (format.level_count() == 0) return "scalar";
  if (format.symmetry() != Symmetry::None) {
    std::string stored = to_string(format.without_symmetry());
    return stored == "csr" ? name_of(format.symmetry()) : fmt::format("{}({})", name_of(format.symmetry()), stored);
  }
  if (std::optional<std::string> name = to_name(format)) return *name;
  return to_letters(format).value_or(to_map(format));
}

std::string to_map(const Format& format) {
  std::vector<std::string> names = usual_dimension_names(format.order()), levels;
  for (const Level& level : format.levels()) levels.push_back(relation::to_string(level.coordinate, names) + ": " + level::to_string(*level.format));
  std::string map = "(" + join(names, ",") + ") -> (" + join(levels, ", ") + ")";
  return format.symmetry() == Symmetry::None ? map : std::string(name_of(format.symmetry())) + " " + map;
}

std::optional<FormatProblem> find_problem(const std::vector<Level>& levels, const std::vector<std::string>& names) {
  int order = static_cast<int>(names.size());
  std::vector<relation::Coordinate> so_far;
  for (int k = 0; k < static_cast<int>(levels.size()); k++) {
    const Level& level = levels[k];
    const level::Format& format = *level.format;
    so_far.push_back(level.coordinate);
    std::string what = relation::to_string(level.coordinate, names), kind = level::to_string(format);
    bool implied = relation::is_implied(so_far, order), counts = level.coordinate.as<relation::Counter>() != nullptr;
    if (implied && !format.is_implied()) {
      return FormatProblem{fmt::format("{} is stored twice: it follows from the levels before it", what),
                           "leave the level out, or make it an offset level, which stores nothing", k, {}};
    }
    if (!implied && format.is_implied()) {
      return FormatProblem{fmt::format("An offset level stores nothing, but {} does not follow from the levels before it", what),
                           "offset is for the last level of (j-i: compressed, i: range, j: offset)", k, {}};
    }
    if (counts != format.counts_entries()) {
      return FormatProblem{counts ? fmt::format("{} counts entries, which only a slots level can store, not {}", what, kind)
                                  : fmt::format("A slots level counts entries; {} is not a count", what),
                           "ELL is (#i: slots, i: dense, j: singleton(padded))", k, {}};
    }
    level::Properties properties = format.properties();
    bool single = properties.branchless && !properties.padded && !implied;
    if (single && (k == 0 || levels[k - 1].format->properties().unique)) {
      return FormatProblem{first_upper(kind) + " has one child for every parent, so the level above it must repeat coordinates",
                           "make the level above nonunique, as in (i: compressed(nonunique), j: singleton), or this one padded", k, {}};
    }
    if (std::optional<FormatProblem> problem = find_held_problem(levels, k)) return problem;
    bool under_rows = k == 1 && levels[0].coordinate.plain() && levels[0].format->properties().full && level.coordinate.plain();
    if (format.stands_under_rows() && !(under_rows && order == 2 && levels.size() == 2)) {
      return FormatProblem{fmt::format("A level '{}' needs a dense level of rows as the only level above it", kind),
                           fmt::format("a packed triangle is (i,j) -> (i: dense, j: {})", kind), k, {}};
    }
  }
  std::vector<relation::Recovered> recovered = relation::recover(so_far, order);
  for (int dimension = 0; dimension < order; dimension++) {
    auto found = std::find_if(recovered.begin(), recovered.end(), [&](const relation::Recovered& r) { return r.dimension == dimension; });
    if (found != recovered.end()) continue;
    int mentions = -1;
    for (int k = 0; k < static_cast<int>(levels.size()); k++) {
      std::vector<int> of = levels[k].coordinate.dimensions();
      bool says_something = !levels[k].coordinate.as<relation::Counter>() && std::find(of.begin(), of.end(), dimension) != of.end();
      if (says_something && mentions < 0) mentions = k;
    }
    const std::string& name = names[dimension];
    if (mentions < 0) return FormatProblem{fmt::format("No level stores dimension '{}'", name), "each dimension needs a level", {}, dimension};
    return FormatProblem{fmt::format("'{}' cannot be recovered from the levels: {} does not say which {} it is", name,
                                     relation::to_string(levels[mentions].coordinate, names), name),
                         fmt::format("store the whole of it: {0}, or {0}/4 and {0}%4, or a difference with a dimension that is stored", name), mentions, {}};
  }
  return std::nullopt;
}

}  // namespace filigree

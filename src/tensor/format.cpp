#include "tensor/format.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

namespace {

std::vector<int> in_order(size_t count) {
  std::vector<int> dimensions;
  for (size_t d = 0; d < count; d++) dimensions.push_back(static_cast<int>(d));
  return dimensions;
}

}  // namespace

Format::Format(std::initializer_list<formats::Word> words) : Format(words, in_order(words.size())) {}

Format::Format(std::initializer_list<formats::Word> words, const std::vector<int>& order) {
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != in_order(words.size())) {
    throw UserError(fmt::format("The order of the levels, {{{}}}, does not name each of {} once", fmt::join(order, ","),
                                counted(words.size(), "dimension")))
        .hint("dimensions are counted from 0: {1, 0} stores columns first");
  }
  std::vector<Level> levels;
  std::vector<std::string> names = usual_dimension_names(static_cast<int>(words.size()));
  for (const formats::Word& word : words) {
    level::FormatPtr format = level::find(word.name());
    if (!format)
      throw UserError(fmt::format("'{}' is no format of a level", word.name()))
          .hint("levels are dense, compressed, singleton, hashed, bitmap, ...");
    levels.push_back({order[levels.size()], format});
  }
  if (std::optional<FormatProblem> problem = find_problem(levels, names)) {
    UserError error(problem->message);
    throw problem->hint.empty() ? error : std::move(error).hint(problem->hint);
  }
  *this = Format(std::move(levels));
}

Format formats::Word::operator()(int order) const { return parse_format(name_, order); }

Format formats::Word::of_its_order() const {
  std::vector<std::string> halves = symmetry_names();
  if (std::find(halves.begin(), halves.end(), name_) != halves.end()) return (*this)(2);
  std::vector<NamedFormat> all = named_formats();
  auto named = std::find_if(all.begin(), all.end(), [&](const NamedFormat& format) { return format.name == name_; });
  if (named == all.end())
    throw UserError(std::string("'") + name_ + "' is the format of a level, not of a tensor")
        .hint(std::string("write a format for each dimension, as in Format{dense, ") + name_ + "}");
  if (named->order) return (*this)(*named->order);
  throw UserError(std::string("The format ") + name_ +
                  " is for tensors of any order: it does not tell how many dimensions there are")
      .hint(std::string("say how many, as in formats::") + name_ + "(2), or give the dimensions");
}

std::vector<std::string> format_names() {
  std::vector<std::string> out;
  for (const NamedFormat& named : named_formats()) out.push_back(named.name);
  for (const std::string& symmetry : symmetry_names()) out.push_back(symmetry);
  return out;
}

std::vector<std::string> symmetry_names() { return {"symmetric", "skew", "hermitian"}; }

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
         std::all_of(levels_.begin(), levels_.end(),
                     [](const Level& level) { return level.coordinate.plain().has_value(); });
}

int Format::level_of(int dimension) const {
  for (int k = 0; k < level_count(); k++) {
    if (levels_[k].coordinate.plain() == dimension) return k;
  }
  throw InternalError("tensor", "level_of a dimension the format does not store", to_map(*this));
}

bool Format::is_dense() const { return is_plain() && stores_all(); }

bool Format::stores_all() const {
  return std::all_of(levels_.begin(), levels_.end(),
                     [](const Level& level) { return level::is_always_found(*level.format); });
}

bool Format::pads() const {
  auto last =
      std::find_if(levels_.rbegin(), levels_.rend(), [](const Level& level) { return !level.format->is_implied(); });
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
  for (int d = 0; d < order; d++)
    names.push_back(d < static_cast<int>(letters.size()) ? std::string(1, letters[d]) : fmt::format("i{}", d));
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
    if (digits && digits->modulus != 0) blocks[digits->whole] = digits->modulus;
  }
  return blocks;
}

std::optional<std::string> to_name(const Format& format) {
  std::vector<std::int64_t> blocks = block_sizes(format);
  bool is_blocked = std::any_of(blocks.begin(), blocks.end(), [](std::int64_t block) { return block > 1; });
  static const std::vector<std::vector<std::string>> variants = {
      {}, {"unordered"}, {"nonunique"}, {"unordered", "nonunique"}, {"decreasing"}};
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
      if (named.has_blocks)
        for (size_t d = blocks.size(); d-- > 0;) arguments.insert(arguments.begin(), std::to_string(blocks[d]));
      return arguments.empty() ? named.name : named.name + "(" + join(arguments, ",") + ")";
    }
  }
  return std::nullopt;
}

const char* name_of(Symmetry symmetry) {
  return symmetry == Symmetry::Skew ? "skew" : symmetry == Symmetry::Hermitian ? "hermitian" : "symmetric";
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
  for (const Level& level : format.levels())
    levels.push_back(relation::to_string(level.coordinate, names) + ": " + level::to_string(*level.format));
  std::string map = "(" + join(names, ",") + ") -> (" + join(levels, ", ") + ")";
  return format.symmetry() == Symmetry::None ? map : std::string(name_of(format.symmetry())) + " " + map;
}

}  // namespace filigree

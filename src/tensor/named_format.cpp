#include "tensor/named_format.h"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "support/check.h"
#include "support/text.h"

namespace filigree {
namespace {

using relation::Counter;
using relation::Difference;
using relation::Digits;
using Blocks = std::vector<std::int64_t>;

level::FormatPtr nonunique(const level::FormatPtr& format) { return format->with("nonunique"); }

/// `first` for the first dimension of the order, `rest` for the others.
Format first_and_rest(const std::vector<int>& dimensions, const level::FormatPtr& first, const level::FormatPtr& rest) {
  std::vector<Level> levels;
  for (int dimension : dimensions) levels.push_back({dimension, levels.empty() ? first : rest});
  return Format(std::move(levels));
}

std::vector<int> in_order(int order) {
  std::vector<int> dimensions;
  for (int dimension = 0; dimension < order; dimension++) dimensions.push_back(dimension);
  return dimensions;
}

/// Entries one after the other; coordinates above the last one repeat.
std::vector<Level> coo_levels(int order) {
  std::vector<Level> levels;
  for (int dimension = 0; dimension < order; dimension++) {
    level::FormatPtr format = dimension == 0 ? level::compressed() : level::singleton();
    levels.push_back({dimension, dimension + 1 < order ? nonunique(format) : format});
  }
  return levels;
}

/// The same with the coordinates of an entry side by side.
Format coo_aos(int order) {
  if (order < 2) return Format(coo_levels(order));  // one coordinate has no neighbours
  std::vector<Level> levels;
  for (int dimension = 0; dimension < order; dimension++) {
    level::FormatPtr member = dimension + 1 < order ? nonunique(level::member()) : level::member();
    levels.push_back({dimension, dimension == 0 ? level::tuples(order) : member});
  }
  return Format(std::move(levels));
}

/// Level formats for a number of levels.
using Formats = std::function<std::vector<level::FormatPtr>(int count)>;

/// Block coordinates as `outer` says, then what is within a block as `inner` says.
Format blocked(const Blocks& blocks, const Formats& outer, const Formats& inner) {
  std::vector<Level> levels;
  std::vector<int> within;  // in a block of one there is nothing to say
  std::vector<level::FormatPtr> formats = outer(static_cast<int>(blocks.size()));
  for (size_t d = 0; d < blocks.size(); d++) {
    levels.push_back({Digits{static_cast<int>(d), blocks[d], 0}, formats[d]});
    if (blocks[d] > 1) within.push_back(static_cast<int>(d));
  }
  formats = inner(static_cast<int>(within.size()));
  for (size_t n = 0; n < within.size(); n++) levels.push_back({Digits{within[n], 1, blocks[within[n]]}, formats[n]});
  return Format(std::move(levels));
}

std::vector<level::FormatPtr> as_coo(int count) {
  std::vector<level::FormatPtr> out;
  for (const Level& level : coo_levels(count)) out.push_back(level.format);
  return out;
}

Formats all(const level::FormatPtr& first, const level::FormatPtr& rest) {
  return [=](int count) {
    std::vector<level::FormatPtr> out(static_cast<size_t>(count), rest);
    if (count > 0) out[0] = first;
    return out;
  };
}

NamedFormat uniform(const std::string& name, const level::FormatPtr& format) {
  return {name, std::nullopt, false, [format](int order, const Blocks&) { return Format::uniform(order, format); }};
}

NamedFormat fixed(const std::string& name, const Format& format) {
  return {name, format.order(), false, [format](int, const Blocks&) { return format; }};
}

std::vector<NamedFormat> built_in() {
  using level::bitmap, level::compressed, level::dense, level::hashed, level::lower, level::singleton, level::slots,
      level::upper;
  return {
      uniform("dense", dense()),
      uniform("sparse", compressed()),
      fixed("csr", csr_format(0)),
      fixed("csc", csr_format(1)),
      fixed("dcsr", Format({{0, compressed()}, {1, compressed()}})),
      fixed("dcsc", Format({{1, compressed()}, {0, compressed()}})),
      uniform("csf", compressed()),
      {"coo", std::nullopt, false, [](int order, const Blocks&) { return Format(coo_levels(order)); }},
      {"coo_aos", std::nullopt, false, [](int order, const Blocks&) { return coo_aos(order); }},
      {"bcsr", std::nullopt, true, [](int, const Blocks& b) { return block_format(b); }},
      {"mode_generic", std::nullopt, true,
       [](int, const Blocks& b) { return blocked(b, as_coo, all(dense(), dense())); }},
      {"csb", std::nullopt, true, [](int, const Blocks& b) { return blocked(b, all(dense(), dense()), as_coo); }},
      fixed("dia", diagonal_format()),
      fixed("ell", Format({{Counter{0}, slots()}, {0, dense()}, {1, singleton()->with("padded")}})),
      uniform("hash", hashed()),
      {"dok", std::nullopt, false,
       [](int order, const Blocks&) { return first_and_rest(in_order(order), dense(), hashed()); }},
      fixed("lower", Format({{0, dense()}, {1, lower()}})),
      fixed("upper", Format({{0, dense()}, {1, upper()}})),
      {"bitmap", std::nullopt, false,
       [](int order, const Blocks&) {
         std::vector<Level> levels = Format::dense(order).levels();
         if (!levels.empty()) levels.back().format = bitmap();
         return Format(levels);
       }},
  };
}

struct Names {
  std::mutex mutex;
  std::vector<NamedFormat> formats = built_in();
};

Names& names() {
  static Names instance;
  return instance;
}

}  // namespace

Format csr_format(int dense_dimension) {
  return Format({{dense_dimension, level::dense()}, {1 - dense_dimension, level::compressed()}});
}

Format block_format(const Blocks& blocks) {
  return blocked(blocks, all(level::dense(), level::compressed()), all(level::dense(), level::dense()));
}

Format diagonal_format() {
  return Format({{Difference{1, 0}, level::compressed()}, {0, level::range()}, {1, level::offset()}});
}

std::vector<NamedFormat> named_formats() {
  std::lock_guard lock(names().mutex);
  return names().formats;
}

void add_named_format(NamedFormat format) {
  std::vector<std::string> words = symmetry_names();
  words.push_back("scalar");
  if (!is_identifier(format.name)) {
    throw UserError(fmt::format("'{}' cannot be the name of a format", format.name))
        .hint("a name is a letter, then letters, digits and underscores");
  }
  if (std::find(words.begin(), words.end(), format.name) != words.end()) {
    throw UserError(fmt::format("The format '{}' cannot be given another meaning", format.name))
        .hint("choose another name");
  }
  std::lock_guard lock(names().mutex);
  for (NamedFormat& known : names().formats) {
    if (known.name == format.name) {
      known = std::move(format);
      return;
    }
  }
  names().formats.push_back(std::move(format));
}

void add_named_format(const std::string& name, int order, const std::string& map) {
  NamedFormat named = fixed(name, parse_format(map, order, "format '" + name + "'"));
  add_named_format(std::move(named));
}

std::optional<Format> with_properties(const Format& format, const std::vector<std::string>& words) {
  std::vector<Level> levels = format.levels();
  for (const std::string& word : words) {
    bool any = false;
    for (Level& level : levels) {
      // One child is not every coordinate: full are the levels above, which repeat theirs.
      if (word == "full" && level.format->properties().branchless) continue;
      level::FormatPtr changed = level.format->with(word);
      any |= changed != nullptr;
      if (changed) level.format = changed;
    }
    if (!any) return std::nullopt;
  }
  return Format(std::move(levels), format.symmetry());
}

level::FormatPtr level_of_letter(char letter) {
  if (letter == 'c') return level::singleton()->with("nonunique");
  if (letter == 'u') return level::compressed()->with("nonunique");
  for (const std::string& name : level::names()) {
    level::FormatPtr format = level::find(name);
    if (format && format->letter() == letter) return format;
  }
  return nullptr;
}

}  // namespace filigree

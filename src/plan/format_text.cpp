#include "plan/format_text.h"

#include <fmt/format.h>

#include "support/text.h"
#include "tensor/compose.h"
#include "tensor/slice_level.h"

namespace filigree::plan {
namespace {

const std::string composed = "composed ", of = " of ", levels = "levels ", from = " from ";

bool is_users(const Format& format, const std::string& text) {
  try {
    return parse_format(text, format.order()) == format;
  } catch (const UserError&) {
    return false;
  }
}

bool starts_with(const std::string& text, const std::string& prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

/// At separators that are not in parentheses.
std::vector<std::string> split_outside(const std::string& text, char separator) {
  std::vector<std::string> parts = {""};
  int depth = 0;
  for (char c : text) {
    depth += (c == '(') - (c == ')');
    if (c == separator && depth == 0) parts.emplace_back();
    else parts.back() += c;
  }
  for (std::string& part : parts) part = trim(part);
  return parts;
}

std::int64_t number(const std::string& text) {
  long long value = 0;
  if (!parse_int64(trim(text), value)) throw UserError(fmt::format("'{}' is no number", text));
  return value;
}

/// compressed(nonunique), slice(compressed from 1)
level::FormatPtr parse_level(const std::string& text) {
  size_t open = text.find('(');
  std::string name = text.substr(0, open),
              inside = open == std::string::npos ? "" : text.substr(open + 1, text.size() - open - 2);
  if (name == "slice") {
    size_t at = inside.rfind(from);
    if (at == std::string::npos) throw UserError(fmt::format("'{}' does not say where the slice begins", text));
    level::FormatPtr whole = parse_level(inside.substr(0, at));
    if (!can_be_sliced(*whole)) throw UserError(fmt::format("'{}' cannot be sliced", inside.substr(0, at)));
    return sliced_level(whole, number(inside.substr(at + from.size())));
  }
  level::FormatPtr format = level::find_any(name);
  if (!format) throw UserError(fmt::format("There is no level format '{}'", name));
  for (const std::string& word : inside.empty() ? std::vector<std::string>() : split_outside(inside, ',')) {
    format = format->with(word);
    if (!format) throw UserError(fmt::format("A level '{}' cannot be {}", name, word));
  }
  return format;
}

}  // namespace

std::string format_text(const Format& format) {
  std::string text = to_string(format);
  if (is_users(format, text)) return text;
  std::vector<std::string> parts;
  if (std::optional<Format> stored = decompose(format)) {
    for (const Level& level : format.levels()) parts.push_back(std::to_string(level.dimension() + 1));
    return composed + join(parts, ", ") + of + format_text(*stored);
  }
  for (const Level& level : format.levels())
    parts.push_back(fmt::format("{}: {}", level.dimension() + 1, level::to_string(*level.format)));
  return levels + join(parts, ", ");
}

Format parse_format_text(const std::string& text, int order) {
  if (starts_with(text, levels)) {
    std::vector<Level> out;
    for (const std::string& part : split_outside(text.substr(levels.size()), ',')) {
      size_t colon = part.find(':');
      if (colon == std::string::npos) throw UserError(fmt::format("'{}' does not say what it stores", part));
      std::int64_t dimension = number(part.substr(0, colon));
      if (dimension < 1 || dimension > order) throw UserError(fmt::format("There is no dimension {}", dimension));
      out.push_back({static_cast<int>(dimension) - 1, parse_level(trim(part.substr(colon + 1)))});
    }
    return Format(std::move(out));
  }
  if (!starts_with(text, composed)) return parse_format(text, order);
  size_t at = text.find(of);
  if (at == std::string::npos) throw UserError("It does not say what is composed");
  std::vector<int> dimensions;
  for (const std::string& part : split_outside(text.substr(composed.size(), at - composed.size()), ','))
    dimensions.push_back(static_cast<int>(number(part)) - 1);
  std::optional<Format> made = compose(parse_format_text(text.substr(at + of.size()), order), dimensions);
  if (!made) throw UserError(fmt::format("{} cannot be composed in this order", text.substr(at + of.size())));
  return *made;
}

}  // namespace filigree::plan

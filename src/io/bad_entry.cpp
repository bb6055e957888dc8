// What is wrong with a line: the parser only knows that something is, here is time to find out.
#include <fmt/format.h>

#include "io/entries.h"
#include "io/number.h"
#include "level/visit_element_type.h"
#include "support/diagnostic.h"
#include "support/text.h"

namespace filigree::io {
namespace {

std::string expectation(const EntryLayout& layout) {
  std::vector<std::string> parts;
  if (layout.order > 0)
    parts.push_back(layout.order == 1 ? "a coordinate" : fmt::format("{} coordinates", layout.order));
  if (layout.numbers == 1) parts.push_back("a value");
  if (layout.numbers == 2) parts.push_back("a value's real and imaginary part");
  return join(parts, " and ");
}

std::int64_t last_coordinate(int dimension, const EntryLayout& layout) {
  return (*layout.dimensions)[dimension] - 1 + layout.base;
}

/// For a coordinate that would be the last one if they counted from 1.
UserError with_base_hint(UserError error, const EntryLayout& layout) {
  if (layout.usual_base == 1) {
    return std::move(error).hint(
        "Matrix Market and FROSTT files count from 1: leave out the base of ReadOptions, unless this one is different",
        "Matrix Market and FROSTT files count from 1: leave out --base 0, unless this one is different");
  }
  return std::move(error).hint("if this file counts from 1, say so: the base of ReadOptions",
                               "if this file counts from 1, say so with --base 1");
}

UserError coordinate_error(std::string_view word, int dimension, const EntryLayout& layout) {
  long long value = 0;
  bool overflow = false;
  if (!parse_int64(word, value, &overflow) && !overflow) {
    return UserError(fmt::format("Expected a coordinate (a whole number from {}), found {}", layout.base, quoted(word)))
        .hint(fmt::format("each line has {}", expectation(layout)));
  }
  if (!overflow && value == 0 && layout.base == 1) {
    return UserError(fmt::format("The coordinate of dimension {} is 0, but coordinates count from 1", dimension + 1))
        .hint("if this file counts from 0, say so: the base of ReadOptions",
              "if this file counts from 0, say so with --base 0");
  }
  if ((!overflow && value < 0) || word.starts_with('-')) {
    return UserError(fmt::format("The coordinate {} of dimension {} is negative", word, dimension + 1))
        .hint(fmt::format("coordinates count from {}", layout.base));
  }
  bool is_one_too_many = layout.dimensions && !overflow && layout.base == 0 &&
                         value == last_coordinate(dimension, layout) + 1;
  if (layout.dimensions && (overflow || value > last_coordinate(dimension, layout))) {
    UserError error(fmt::format("The coordinate {} of dimension {} is outside of {}..{}", word, dimension + 1,
                                layout.base, last_coordinate(dimension, layout)));
    return is_one_too_many ? with_base_hint(std::move(error), layout)
                           : std::move(error).hint("correct the coordinate or the sizes of the tensor");
  }
  return UserError(fmt::format("The coordinate {} of dimension {} is too large for this program", word, dimension + 1))
      .hint("coordinates have at most 18 digits");
}

bool coordinate_is_good(std::string_view word, int dimension, const EntryLayout& layout) {
  const char* at = word.data();
  std::int64_t value = 0;
  return parse_whole(at, at + word.size(), value) && value >= layout.base &&
         (!layout.dimensions || value <= last_coordinate(dimension, layout));
}

Parsed parse_as(ElementType type, std::string_view word) {
  const char* at = word.data();
  const char* end = at + word.size();
  return visit_element_type(type, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_arithmetic_v<T>) {
      T value{};
      Parsed parsed = parse_number(at, end, value);
      return parsed == Parsed::Ok && type == ElementType::Bool && value > T{1} ? Parsed::DoesNotFit : parsed;
    } else {
      typename T::value_type part{};
      return parse_number(at, end, part);
    }
  });
}

UserError value_error(std::string_view word, ElementType type) {
  Parsed parsed = parse_as(type, word);
  if (parsed == Parsed::DoesNotFit) {
    return UserError(fmt::format("The value {} does not fit in {}", quoted(word), to_string(type)))
        .hint(is_integer(type) || type == ElementType::Bool ? "read them as real numbers, or as a wider type"
                                                            : "scale the values down");
  }
  if ((is_integer(type) || type == ElementType::Bool) && parse_as(ElementType::Float64, word) == Parsed::Ok) {
    return UserError(
               fmt::format("The value {} is not an integer, but the values are {}", quoted(word), to_string(type)))
        .hint("read them as real numbers, such as float64");
  }
  return UserError(fmt::format("Expected a number, found {}", quoted(word)))
      .hint("numbers look like 2, -1.5, 1e-3, nan or inf");
}

/// Of a line whose commas are still there.
UserError empty_field_error(std::string_view text) {
  size_t last = text.rfind(',');
  bool is_last = words(text.substr(last + 1)).empty();
  for (size_t at = 0, comma; is_last && (comma = text.find(',', at)) != text.npos; at = comma + 1)
    is_last = !words(text.substr(at, comma - at)).empty();
  return UserError(is_last ? "The last field is empty" : "A field is empty")
      .hint("each line has two vertices and perhaps a weight");
}

/// The error without its place.
UserError diagnose(std::string_view text, const EntryLayout& layout) {
  if (layout.has_commas && text.find(',') != text.npos) return empty_field_error(text);
  std::vector<std::string_view> found = words(text);
  int expected = layout.order + layout.numbers;
  for (int w = 0; w < std::min(expected, static_cast<int>(found.size())); w++) {
    if (w < layout.order) {
      if (!coordinate_is_good(found[w], w, layout)) return coordinate_error(found[w], w, layout);
    } else if (parse_as(layout.type, found[w]) != Parsed::Ok) {
      return value_error(found[w], layout.type);
    }
  }
  return UserError(
             fmt::format("Expected {} ({}), found {}", counted(expected, "number"), expectation(layout), found.size()))
      .hint(layout.numbers == 0 ? "entries of a pattern have no value"
                                : "each entry is one line, as long as every other");
}

}  // namespace

void throw_bad_entry(const std::string& path, long line, std::string_view text, const EntryLayout& layout) {
  throw diagnose(text, layout).at_line(path, line);
}

}  // namespace filigree::io

// Most lines are numbers in usual forms with a blank between them: these are read in one go.  Whatever looks otherwise,
// be it a comment, a blank line, a number in an unusual form or a mistake, is looked at again with care.
#include "io/parse_lines.h"

#include <cstring>
#include <limits>

#include "io/number.h"
#include "io/quick_number.h"
#include "level/visit_element_type.h"

namespace filigree::io {
namespace {

/// Where the line that begins at `at` ends: at its newline or at `end`.
const char* line_end(const char* at, const char* end) {
  const void* newline = std::memchr(at, '\n', static_cast<size_t>(end - at));
  return newline == nullptr ? end : static_cast<const char*>(newline);
}

bool is_entry(const char* at, const char* stop, Comments comments) { return at < stop && !comments.start(*at); }

void count_from(const char* at, const char* end, const EntryLayout& layout, ParsedBlock& parsed) {
  while (at < end) {
    const char* stop = line_end(at, end);
    if (is_entry(skip_blanks(at, stop), stop, layout.comments)) parsed.entries++;
    else parsed.skipped.push_back(static_cast<std::int32_t>(parsed.entries));
    at = stop + 1;
  }
}

inline const char* skip_usual_blanks(const char* at) {
  while (*at == ' ' || *at == '\t') at++;
  return at;
}

template <class T, class Index>
class LineParser {
 public:
  LineParser(const EntryLayout& layout, const Places& places)
      : layout_(layout), values_(static_cast<T*>(places.values)), largest_(static_cast<size_t>(layout.order), 0) {
    for (void* coordinate : places.coordinate) coordinates_.push_back(static_cast<Index*>(coordinate));
    limits_ = layout.dimensions.value_or(
        std::vector<std::int64_t>(static_cast<size_t>(layout.order), std::numeric_limits<std::int64_t>::max()));
    // Of coordinates from 1 on.
    for (std::int64_t& limit : limits_) limit = std::min(limit, most);
    is_limited_ = layout.dimensions.has_value();
  }

  ParsedBlock parse(const TextBlock& block) {
    ParsedBlock parsed;
    const char* end = block.end();
    for (const char* begin = block.begin(); begin < end;) {
      if (const char* next = quick_line(begin, parsed.entries)) {
        parsed.entries++;
        begin = next;
        continue;
      }
      const char* stop = line_end(begin, end);
      if (!is_entry(skip_blanks(begin, stop), stop, layout_.comments)) {
        parsed.skipped.push_back(static_cast<std::int32_t>(parsed.entries));
      } else if (careful_line(begin, stop, parsed.entries)) {
        parsed.entries++;
      } else if (needs_wide_) {
        return {.needs_wide = true};
      } else {
        parsed.bad_line = parsed.entries + static_cast<std::int64_t>(parsed.skipped.size());
        parsed.bad_text.assign(begin, stop);
        count_from(begin, end, layout_, parsed);
        break;
      }
      begin = stop + 1;
    }
    parsed.largest = std::move(largest_);
    return parsed;
  }

 private:
  static constexpr std::int64_t most = sizeof(Index) == 4 ? std::int64_t{1} << 31
                                                          : std::numeric_limits<std::int64_t>::max();

  bool take(int dimension, std::int64_t from_one, std::int64_t n) {
    if (from_one < 1 || from_one > limits_[dimension]) return false;
    coordinates_[dimension][n] = static_cast<Index>(from_one - 1);
    return true;
  }
  void note_largest(std::int64_t n) {
    if (is_limited_) return;
    for (size_t d = 0; d < largest_.size(); d++)
      largest_[d] = std::max<std::int64_t>(largest_[d], std::int64_t{coordinates_[d][n]} + 1);
  }

  /// The beginning of the next line, or null.
  const char* quick_line(const char* at, std::int64_t n) {
    const int order = layout_.order;
    const std::int64_t before = 1 - layout_.base;
    for (int dimension = 0; dimension < order; dimension++) {
      std::uint64_t coordinate = 0;
      at = quick_whole(skip_usual_blanks(at), coordinate);
      if (!at || !ends_word(*at) || !take(dimension, static_cast<std::int64_t>(coordinate) + before, n)) return nullptr;
    }
    if (layout_.numbers == 0) {
      values_[n] = T(1);
    } else if constexpr (std::is_arithmetic_v<T>) {
      at = quick_number(skip_usual_blanks(at), values_[n]);
      if (!at || (layout_.type == ElementType::Bool && values_[n] > T{1})) return nullptr;
    } else {
      typename T::value_type real = 0, imaginary = 0;
      at = quick_number(skip_usual_blanks(at), real);
      if (at) at = quick_number(skip_usual_blanks(at), imaginary);
      if (!at) return nullptr;
      values_[n] = T(real, imaginary);
    }
    at = skip_usual_blanks(at);
    at += *at == '\r';
    if (*at != '\n') return nullptr;
    note_largest(n);
    return at + 1;
  }

  bool careful_line(const char* at, const char* stop, std::int64_t n) {
    for (int dimension = 0; dimension < layout_.order; dimension++) {
      std::int64_t coordinate = 0;
      at = skip_blanks(at, stop);
      if (!parse_whole(at, stop, coordinate) || coordinate < layout_.base) return false;
      coordinate += 1 - layout_.base;
      needs_wide_ = !is_limited_ && coordinate > most;
      if (!take(dimension, coordinate, n)) return false;
    }
    if (layout_.numbers == 0) {
      values_[n] = T(1);
    } else if (!careful_value(at, stop, values_[n])) {
      return false;
    }
    if (skip_blanks(at, stop) < stop) return false;
    note_largest(n);
    return true;
  }

  bool careful_value(const char*& at, const char* stop, T& value) const {
    at = skip_blanks(at, stop);
    if constexpr (std::is_arithmetic_v<T>) {
      return parse_number(at, stop, value) == Parsed::Ok && (layout_.type != ElementType::Bool || value <= T{1});
    } else {
      typename T::value_type real, imaginary;
      if (parse_number(at, stop, real) != Parsed::Ok) return false;
      at = skip_blanks(at, stop);
      if (parse_number(at, stop, imaginary) != Parsed::Ok) return false;
      value = T(real, imaginary);
      return true;
    }
  }

  const EntryLayout& layout_;
  T* values_;
  std::vector<Index*> coordinates_;
  std::vector<std::int64_t> limits_, largest_;
  bool is_limited_ = false, needs_wide_ = false;
};

}  // namespace

ParsedBlock parse_lines(const TextBlock& block, const EntryLayout& layout, const Places& places) {
  ParsedBlock parsed;
  visit_element_type(layout.type, [&]<class T>(std::type_identity<T>) {
    parsed = places.wide ? LineParser<T, std::int64_t>(layout, places).parse(block)
                         : LineParser<T, std::int32_t>(layout, places).parse(block);
  });
  return parsed;
}

ParsedBlock count_lines(const TextBlock& block, const EntryLayout& layout) {
  ParsedBlock parsed;
  count_from(block.begin(), block.end(), layout, parsed);
  return parsed;
}

}  // namespace filigree::io

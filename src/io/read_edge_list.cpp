#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "io/adapt.h"
#include "io/edge_list.h"
#include "io/entries.h"
#include "io/number.h"
#include "support/diagnostic.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree::io {
namespace {

bool is_number(std::string_view word) {
  const char* at = word.data();
  double value = 0;
  return parse_number(at, at + word.size(), value) != Parsed::NotANumber;
}

bool has_empty_field(const char* at, const char* stop) {
  bool is_empty = true;  // the field so far
  bool any = false;
  for (; at < stop; at++) {
    if (*at == ',') {
      if (is_empty) return true;
      is_empty = any = true;
    } else if (!is_blank(*at)) {
      is_empty = false;
    }
  }
  return any && is_empty;
}

class EdgeListReader {
 public:
  EdgeListReader(TextFile& file, const ReadOptions& options, bool has_heading)
      : file_(file), options_(options), has_heading_(has_heading) {}

  Contents read() {
    if (options_.order && *options_.order != 2) {
      throw wrong_order("An edge list is a matrix", 2, *options_.order, options_).at_line(file_.path, 0);
    }
    layout_.comments = {'#', '%'};
    layout_.has_commas = true;
    replace_commas(file_.begin, file_.end, layout_.comments);
    layout_.order = 2;
    layout_.usual_base = 0;
    Cursor body = read_first_lines();
    bool base_is_known = options_.base || base_;
    layout_.base = options_.base.value_or(base_.value_or(0));
    layout_.type = options_.type.value_or(type_.value_or(ElementType::Float64));
    if (options_.dimensions && dimensions_ && *options_.dimensions != *dimensions_) {
      throw error(fmt::format("The file says that its dimensions are {}, but {} are expected",
                              describe_dimensions(*dimensions_), describe_dimensions(*options_.dimensions)),
                  0);
    }
    layout_.dimensions = options_.dimensions ? options_.dimensions : dimensions_;
    Entries entries = read_entries(file_, body, layout_, options_.threads);
    EntryList result{std::move(entries.dimensions), std::move(entries.coordinate), std::move(entries.values)};
    result.dimensions_implied = !layout_.dimensions;
    if (result.dimensions_implied) result.dimensions.assign(2, std::max(result.dimensions[0], result.dimensions[1]));
    bool looks_wrong = !base_is_known && result.count() > 0 && !has_coordinate_zero(result);
    Contents contents(std::move(result));
    if (layout_.base == 0) contents.set_counts_from_zero();
    if (looks_wrong) {
      contents.warn(UserError(fmt::format("'{}' is read as counting from 0, but no vertex is 0", file_.path))
                        .hint("if it counts from 1, say so: the base of ReadOptions",
                              "if it counts from 1, say so with --base 1"));
    }
    return contents;
  }

 private:
  UserError error(const std::string& message, long line) const { return UserError(message).at_line(file_.path, line); }

  /// Up to the first edge; its length says whether there are weights.
  Cursor read_first_lines() {
    Cursor cursor{file_.begin, file_.end};
    bool is_first = true;
    while (!cursor.at_end()) {
      Cursor before = cursor;
      std::string_view text = cursor.next();
      std::vector<std::string_view> found = words(text);
      if (found.empty()) continue;
      if (found[0][0] == '#' || found[0][0] == '%') {
        if (is_first && found.size() > 2 && found[0] == "#" && found[1] == "filigree") read_mark(found, before.line);
        continue;
      }
      // A comma is still there where a field is empty.
      if (text.find(',') != text.npos) throw_bad_entry(file_.path, before.line, text, layout_);
      if (is_first && has_heading_ && std::none_of(found.begin(), found.end(), is_number)) {
        is_first = false;
        continue;
      }
      take_length(found, before.line);
      return before;
    }
    layout_.numbers = 0;
    return cursor;
  }

  void take_length(const std::vector<std::string_view>& found, long line) {
    ElementType type = options_.type.value_or(type_.value_or(ElementType::Float64));
    int weight = is_complex(type) ? 2 : 1, numbers = static_cast<int>(found.size()) - 2;
    if (numbers != 0 && numbers != weight) {
      throw error(fmt::format("Expected two vertices and perhaps a weight, found {}",
                              found.size() == 1 ? "one number" : fmt::format("{} numbers", found.size())),
                  line)
          .hint(numbers > 0 ? "take out the other columns, for example with cut -d' ' -f1-3"
                            : "a line such as '3 5' is an edge");
    }
    layout_.numbers = numbers;
  }

  void read_mark(const std::vector<std::string_view>& found, long line) {
    for (size_t n = 2; n < found.size(); n++) {
      std::string_view word = found[n], name = word.substr(0, word.find('='));
      if (name.size() == word.size()) return;  // a comment for people
      std::string value(word.substr(name.size() + 1));
      if (name == "base" && (value == "0" || value == "1")) {
        base_ = value == "1";
      } else if (name == "type" && parse_element_type(value)) {
        type_ = parse_element_type(value);
      } else if (name == "dimensions") {
        read_dimensions(value, line);
      } else {
        throw error(fmt::format("Unknown property {}", quoted(word)), line)
            .hint("a line '# filigree ...' has base=0 or 1, type=TYPE and dimensions=N,N");
      }
    }
  }

  void read_dimensions(const std::string& text, long line) {
    std::vector<std::int64_t> extents;
    for (const std::string& word : split(text, ',')) {
      long long extent = 0;
      if (!parse_int64(word, extent) || extent < 0)
        throw error(fmt::format("Expected a dimension, found {}", quoted(word)), line);
      extents.push_back(extent);
    }
    if (extents.size() != 2) throw error(fmt::format("An edge list has two dimensions, found {}", quoted(text)), line);
    dimensions_ = extents;
  }

  TextFile& file_;
  const ReadOptions& options_;
  bool has_heading_;
  EntryLayout layout_;
  std::optional<int> base_;
  std::optional<ElementType> type_;
  std::optional<std::vector<std::int64_t>> dimensions_;
};

}  // namespace

char* replace_commas(char* begin, char* end, Comments comments) {
  if (begin == end || std::memchr(begin, ',', static_cast<size_t>(end - begin)) == nullptr) return end;
  for (char* at = begin; at < end;) {
    char* stop = std::find(at, end, '\n');
    const char* first = skip_blanks(at, stop);
    if (first < stop && !comments.start(*first)) {
      if (has_empty_field(at, stop)) return at;
      std::replace(at, stop, ',', ' ');
    }
    at = stop < end ? stop + 1 : end;
  }
  return end;
}

Contents read_edge_list(TextFile& file, const ReadOptions& options, bool has_heading) {
  return EdgeListReader(file, options, has_heading).read();
}

}  // namespace filigree::io

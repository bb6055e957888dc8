// FROSTT has no header, so the first lines decide what follows:
//
//   1 3 2 1.5        an entry: one coordinate fewer than numbers are dimensions
//   3 8 / 4 4 3      order and count, then the dimensions ("extended FROSTT", as MLIR writes it)
//   3   / 4 4 3      order, then the dimensions (as ParTI writes it)
//
// The headers are told from entries by the lengths of the first three lines, which are equal in plain files.
#include <algorithm>

#include <fmt/format.h>

#include "io/adapt.h"
#include "io/entries.h"
#include "io/fill.h"
#include "io/number.h"
#include "io/tns.h"
#include "support/diagnostic.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree::io {
namespace {

struct Line {
  std::vector<std::string_view> words;
  Cursor cursor;  // at its beginning
  std::string_view text;
};

/// The numbers of a line, if all are integers that are not negative.
std::optional<std::vector<std::int64_t>> whole_numbers(const Line& line) {
  std::vector<std::int64_t> numbers;
  for (std::string_view word : line.words) {
    long long number = 0;
    if (!parse_int64(word, number) || number < 0) return std::nullopt;
    numbers.push_back(number);
  }
  return numbers;
}

class TnsReader {
 public:
  TnsReader(TextFile& file, const ReadOptions& options) : file_(file), options_(options) {}

  Contents read() {
    type_ = options_.type;
    order_ = options_.order;
    expect_dimensions(options_.dimensions, 0);
    read_first_lines();
    layout_.comments = {'#', '#'};
    layout_.base = options_.base.value_or(1);
    layout_.type = type_.value_or(ElementType::Float64);
    layout_.numbers = is_complex(layout_.type) ? 2 : 1;
    Cursor body = first_.empty() ? Cursor{file_.end, file_.end} : first_[0].cursor;
    if (first_.empty()) {
      check_order_is_known();
    } else if (!read_header(body)) {
      take_order_from(first_[0]);
    }
    layout_.order = *order_;
    layout_.dimensions = dimensions_;
    bool implied = !dimensions_;
    if (first_.empty() && implied) layout_.dimensions = std::vector<std::int64_t>(static_cast<size_t>(*order_), 0);
    if (layout_.order == 0 && !layout_.count) layout_.count = 1;
    Entries entries = read_entries(file_, body, layout_, options_.threads);
    EntryList result{std::move(entries.dimensions), std::move(entries.coordinate), std::move(entries.values)};
    result.dimensions_implied = implied;
    std::optional<Scalar> fill;
    if (fill_) fill = parse_fill(fill_->text, result.values.type(), file_.path, fill_->line);
    Contents contents(std::move(result));
    if (fill) contents.set_fill(*fill);
    return contents;
  }

 private:
  /// Takes over dimensions that something states, and checks them against what is known.
  void expect_dimensions(const std::optional<std::vector<std::int64_t>>& dimensions, long line) {
    if (!dimensions) return;
    int order = static_cast<int>(dimensions->size());
    if ((order_ && *order_ != order) || (dimensions_ && *dimensions_ != *dimensions)) {
      throw UserError(
          fmt::format("The dimensions are {}, but {} are expected", describe_dimensions(*dimensions),
                      dimensions_ ? describe_dimensions(*dimensions_) : std::to_string(*order_) + " dimensions"))
          .at_line(file_.path, line);
    }
    order_ = order;
    dimensions_ = dimensions;
  }

  /// Finds the first three lines with numbers; looks at the comments in front of them.
  void read_first_lines() {
    Cursor cursor{file_.begin, file_.end};
    while (!cursor.at_end() && first_.size() < 3) {
      Line line{{}, cursor, cursor.next()};
      line.words = words(line.text);
      if (line.words.empty()) continue;
      if (line.words[0][0] != '#') {
        first_.push_back(std::move(line));
      } else if (first_.empty() && is_mark(line.words)) {
        read_mark(line);
      }
    }
  }

  /// "# filigree type=float32 dimensions=4,5", or one of these; other comments are for people.
  static bool is_mark(const std::vector<std::string_view>& words) {
    if (words.size() < 3 || words[0] != "#" || words[1] != tns_mark) return false;
    return std::all_of(words.begin() + 2, words.end(),
                       [](std::string_view word) { return word.find('=') != word.npos; });
  }

  void read_mark(const Line& line) {
    for (size_t n = 2; n < line.words.size(); n++) {
      std::string_view word = line.words[n], name = word.substr(0, word.find('=')),
                       value = word.substr(name.size() + 1);
      if (name == "type") {
        read_type(value, line);
      } else if (name == "dimensions") {
        read_dimensions(value, line);
      } else if (std::string(name) + "=" == fill_word) {
        fill_ = Fill{std::string(value), line.cursor.line};
      } else {
        throw UserError(fmt::format("Unknown property {}", quoted(name)))
            .at_line(file_.path, line.cursor.line)
            .hint("a line '# filigree ...' has type=TYPE, dimensions=N,N,... and fill=VALUE");
      }
    }
  }

  void read_type(std::string_view text, const Line& line) {
    std::optional<ElementType> marked = parse_element_type(text);
    if (!marked) throw UserError(fmt::format("Unknown type {}", quoted(text))).at_line(file_.path, line.cursor.line);
    if (!type_) type_ = marked;
  }

  void read_dimensions(std::string_view text, const Line& line) {
    std::vector<std::int64_t> extents;
    for (const std::string& word : text.empty() ? std::vector<std::string>() : split(text, ',')) {
      long long extent = 0;
      if (!parse_int64(word, extent) || extent < 0) {
        throw UserError(fmt::format("Expected a dimension, found {}", quoted(word)))
            .at_line(file_.path, line.cursor.line);
      }
      extents.push_back(extent);
    }
    expect_dimensions(extents, line.cursor.line);
  }

  void check_order_is_known() const {
    if (order_) return;
    throw UserError("The file has no entries, so its number of dimensions is unknown")
        .at_line(file_.path, 0)
        .hint("state the tensor's dimensions where it is read");
  }

  /// Recognizes a header of two lines and moves `body` behind it.
  bool read_header(Cursor& body) {
    const Line& first = first_[0];
    size_t length = first.words.size();
    if (length > 2 || first_.size() < 2) return false;
    auto numbers = whole_numbers(first), dimensions = whole_numbers(first_[1]);
    if (!numbers || !dimensions || (*numbers)[0] < 1) return false;
    std::int64_t order = (*numbers)[0];
    if (static_cast<std::int64_t>(dimensions->size()) != order) return false;
    if (first_.size() == 3 && static_cast<std::int64_t>(first_[2].words.size()) != order + layout_.numbers)
      return false;
    // Without a third line "2 0 / 4 4" is also a plain file of two entries, which it is taken for
    // unless a matrix is expected.
    bool both_plain = length == 2 && order == 2;
    if (first_.size() == 2 && both_plain && order_ != 2) return false;
    body = first_[1].cursor;
    body.next();
    if (length == 2) layout_.count = (*numbers)[1];
    expect_dimensions(dimensions, first_[1].cursor.line);
    return true;
  }

  void take_order_from(const Line& line) {
    static const std::vector<std::string> toolbox = {"tensor", "sptensor", "matrix", "ktensor"};
    std::string first = lower_case(line.words[0]);
    if (std::find(toolbox.begin(), toolbox.end(), first) != toolbox.end()) {
      throw UserError(fmt::format("This is a Tensor Toolbox file: it starts with {}", quoted(line.words[0])))
          .at_line(file_.path, line.cursor.line)
          .hint("for an sptensor whose coordinates count from 1, delete the lines in front of the entries");
    }
    int order = static_cast<int>(line.words.size()) - layout_.numbers;
    // A first line of one word is a scalar, or no number at all; then that is the mistake to report.
    if (order == 0) check_is_number(line);
    if (order < 0) {
      throw UserError("Expected a value's real and imaginary part, found one number")
          .at_line(file_.path, line.cursor.line);
    }
    if (order_ && *order_ != order) {
      std::string instead = options_.tensor.empty() ? "" : "; " + access_hint(options_.tensor, order);
      const char* value = layout_.numbers == 2 ? "a value's real and imaginary part" : "a value";
      throw UserError(fmt::format("Expected {} ({} and {}), found {}", counted(*order_ + layout_.numbers, "number"),
                                  counted(*order_, "coordinate"), value, line.words.size()))
          .at_line(file_.path, line.cursor.line)
          .hint(layout_.numbers == 2 ? "the file holds real values, or a tensor with another number of dimensions"
                                     : "the file holds a tensor with another number of dimensions" + instead);
    }
    order_ = order;
  }

  void check_is_number(const Line& line) const {
    const char* at = line.words[0].data();
    double value = 0;
    if (parse_number(at, at + line.words[0].size(), value) == Parsed::NotANumber) {
      throw_bad_entry(file_.path, line.cursor.line, line.text, layout_);
    }
  }

  TextFile& file_;
  const ReadOptions& options_;
  std::optional<ElementType> type_;
  struct Fill {
    std::string text;
    long line;
  };
  std::optional<Fill> fill_;  // of what is not listed
  std::optional<int> order_;
  std::optional<std::vector<std::int64_t>> dimensions_;
  std::vector<Line> first_;
  EntryLayout layout_;
};

}  // namespace

Contents read_tns(TextFile& file, const ReadOptions& options) { return TnsReader(file, options).read(); }

}  // namespace filigree::io

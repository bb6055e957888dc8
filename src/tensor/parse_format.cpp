// Text to formats.  Three notations, told apart by how they begin:
//
//   (i,j) -> (j: dense, i: compressed)    a map
//   csr                                   a name from the table
//   ds:1,0                                letters, and the dimension each level stores
#include <cctype>

#include <fmt/format.h>

#include "support/text.h"
#include "tensor/named_format.h"

namespace filigree {
namespace {

std::string count_of(int number, const std::string& noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string described(int order) {
  return order == 0 ? "the tensor is a scalar" : "the tensor has " + count_of(order, "dimension");
}

/// What a person could write instead, for a tensor of this order.
std::string suggestion(int order) {
  if (order == 0) return "a scalar's format is empty, or 'scalar'";
  if (order == 1) return "for a vector write dense or sparse";
  if (order == 2) return "for a matrix write " + join(format_names(), ", ") + " or one letter per level, such as ds";
  return fmt::format("for {} write csf, dense or one letter per level, such as d{}", count_of(order, "dimension"),
                     std::string(static_cast<size_t>(order - 1), 's'));
}

/// Level formats a tensor can be stored in: some exist for workspaces only.
std::vector<std::string> storable_level_names() {
  std::vector<std::string> names;
  for (const std::string& name : level::names()) {
    if (level::find(name)->storage() != nullptr) names.push_back(name);
  }
  return names;
}

class FormatParser {
 public:
  FormatParser(const std::string& text, int order, const std::string& what)
      : source_(make_source(what, text)), text_(source_->text), order_(order) {}

  Format parse() {
    skip_blanks();
    Format format = at_end() ? parse_empty() : peek() == '(' ? parse_map() : parse_word();
    skip_blanks();
    if (!at_end()) {
      throw error(fmt::format("Unexpected '{}' after the format '{}'", rest(), trim(text_.substr(0, at_))), {at_, size()})
          .hint("the order of levels follows letters, as in ds:1,0; names such as csr have a fixed order");
    }
    return format;
  }

 private:
  struct Word {
    std::string text;
    Span span;
  };

  int size() const { return static_cast<int>(text_.size()); }
  bool at_end() const { return at_ >= size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  std::string rest() const { return trim(text_.substr(at_)); }

  void skip_blanks() {
    while (!at_end() && std::isspace(static_cast<unsigned char>(text_[at_]))) at_++;
  }

  UserError error(const std::string& message, Span span) const { return UserError(message).at(source_, span); }

  /// Letters, digits and underscores; possibly empty.
  Word word() {
    skip_blanks();
    int begin = at_;
    while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '_') at_++;
    return {text_.substr(begin, at_ - begin), {begin, at_}};
  }

  bool accept(char symbol) {
    skip_blanks();
    if (peek() != symbol) return false;
    at_++;
    return true;
  }

  void expect(const std::string& symbol, const std::string& where) {
    skip_blanks();
    if (text_.compare(at_, symbol.size(), symbol) != 0) {
      std::string found = at_end() ? "the end" : fmt::format("'{}'", peek());
      throw error(fmt::format("Expected '{}' {}, found {}", symbol, where, found), {at_, at_ + 1})
          .hint("a map looks like (i,j) -> (i: dense, j: compressed)");
    }
    at_ += static_cast<int>(symbol.size());
  }

  Format parse_empty() {
    if (order_ == 0) return Format();
    throw error(fmt::format("The format is empty, but {}", described(order_)), {0, 1}).hint(suggestion(order_));
  }

  Format parse_word() {
    Word name = word();
    if (name.text.empty()) {
      throw error(fmt::format("Expected a format, found '{}'", peek()), {at_, at_ + 1}).hint(suggestion(order_));
    }
    std::string lower = lower_case(name.text);
    if (lower == "scalar") {
      if (order_ == 0) return Format();
      throw error(fmt::format("Format 'scalar' is for scalars, but {}", described(order_)), name.span).hint(suggestion(order_));
    }
    for (const NamedFormat& named : named_formats()) {
      if (named.name != lower) continue;
      if (named.order && *named.order != order_) {
        throw error(fmt::format("Format '{}' is for matrices, but {}", name.text, described(order_)), name.span)
            .hint(suggestion(order_));
      }
      return named.of_order(order_);
    }
    // TACO's other letters are recognized so that the message can point at the one that is not there.
    if (lower.find_first_not_of("dscuq") == std::string::npos) return parse_letters(name, lower);
    UserError unknown = error(fmt::format("Unknown format '{}'", name.text), name.span);
    if (auto close = did_you_mean(lower, format_names())) std::move(unknown).hint(fmt::format("did you mean '{}'?", *close));
    throw std::move(unknown).hint(fmt::format("formats are: {}; one letter per level (d is dense, s compressed), such as ds; "
                                              "or a map, such as (i,j) -> (i: dense, j: compressed)",
                                              join(format_names(), ", ")));
  }

  Format parse_letters(const Word& name, const std::string& lower) {
    std::vector<Level> levels;
    for (int k = 0; k < static_cast<int>(lower.size()); k++) {
      level::FormatPtr format = level_of_letter(lower[k]);
      if (!format) {
        int at = name.span.begin + k;
        throw error(fmt::format("Unknown level letter '{}' in format '{}'", name.text[k], name.text), {at, at + 1})
            .hint("letters are d for dense and s for compressed");
      }
      levels.push_back({k, format});
    }
    if (static_cast<int>(levels.size()) != order_) {
      throw error(fmt::format("Format '{}' has {}, but {}", name.text, count_of(static_cast<int>(levels.size()), "level"),
                              described(order_)), name.span)
          .hint(suggestion(order_));
    }
    if (accept(':')) parse_level_order(levels);
    return Format(std::move(levels));
  }

  void parse_level_order(std::vector<Level>& levels) {
    std::vector<bool> stored(levels.size(), false);
    skip_blanks();
    int begin = at_;
    size_t k = 0;
    do {
      Word number = word();
      long long dimension = 0;
      if (!parse_int64(number.text, dimension)) {
        throw error("Expected the number of a dimension in the order of levels", {number.span.begin, std::max(number.span.end, at_ + 1)})
            .hint("the order follows the letters, as in ds:1,0: level 1 stores dimension 1, level 2 dimension 0");
      }
      if (dimension < 0 || dimension >= order_) {
        throw error(fmt::format("Dimension {} does not exist", number.text), number.span)
            .hint(order_ == 1 ? "the only dimension is 0" : fmt::format("dimensions are numbered 0 to {}", order_ - 1));
      }
      if (stored[dimension]) throw error(fmt::format("Dimension {} is stored twice", dimension), number.span);
      stored[dimension] = true;
      levels[k++].dimension = static_cast<int>(dimension);
    } while (k < levels.size() && accept(','));
    if (k < levels.size()) {
      throw error(fmt::format("The order of levels names {}, but {}", count_of(static_cast<int>(k), "dimension"), described(order_)),
                  {begin, at_});
    }
    skip_blanks();
    if (peek() == ',') {
      throw error(fmt::format("The order of levels names more dimensions than there are, but {}", described(order_)), {at_, size()});
    }
  }

  /// Names separated by commas up to the closing parenthesis.
  std::vector<Word> parse_dimension_names() {
    std::vector<Word> names;
    expect("(", "at the start of a map");
    if (accept(')')) return names;
    do {
      Word name = word();
      if (!is_identifier(name.text)) {
        throw error("Expected the name of a dimension", {name.span.begin, std::max(name.span.end, name.span.begin + 1)})
            .hint("a map looks like (i,j) -> (i: dense, j: compressed)");
      }
      for (const Word& earlier : names) {
        if (earlier.text == name.text) throw error(fmt::format("Two dimensions are called '{}'", name.text), name.span);
      }
      names.push_back(name);
    } while (accept(','));
    expect(")", "after the names of the dimensions");
    return names;
  }

  Format parse_map() {
    skip_blanks();
    int begin = at_;
    std::vector<Word> names = parse_dimension_names();
    if (static_cast<int>(names.size()) != order_) {
      throw error(fmt::format("The map has {}, but {}", count_of(static_cast<int>(names.size()), "dimension"), described(order_)), {begin, at_})
          .hint(suggestion(order_));
    }
    expect("->", "after the dimensions of a map");
    expect("(", "after '->'");
    std::vector<Level> levels;
    std::vector<bool> stored(names.size(), false);
    if (!accept(')')) {
      do {
        levels.push_back(parse_level(names, stored));
      } while (accept(','));
      expect(")", "after the last level");
    }
    for (size_t dimension = 0; dimension < names.size(); dimension++) {
      if (!stored[dimension]) {
        throw error(fmt::format("No level stores dimension '{}'", names[dimension].text), names[dimension].span)
            .hint("each dimension needs exactly one level");
      }
    }
    return Format(std::move(levels));
  }

  Level parse_level(const std::vector<Word>& names, std::vector<bool>& stored) {
    Word name = word();
    std::vector<std::string> known;
    int dimension = -1;
    for (const Word& candidate : names) {
      if (candidate.text == name.text) dimension = static_cast<int>(known.size());
      known.push_back(candidate.text);
    }
    if (name.text.empty()) throw error("Expected the dimension a level stores", {at_, at_ + 1}).hint("a level looks like i: dense");
    if (dimension < 0) {
      throw error(fmt::format("'{}' is not a dimension of the map", name.text), name.span)
          .hint("dimensions are: " + join(known, ", "));
    }
    if (stored[dimension]) {
      throw error(fmt::format("Dimension '{}' is stored by two levels", name.text), name.span)
          .hint("each dimension needs exactly one level");
    }
    stored[dimension] = true;
    expect(":", fmt::format("after '{}'", name.text));
    return {dimension, parse_level_format()};
  }

  level::FormatPtr parse_level_format() {
    Word name = word();
    if (name.text.empty()) {
      throw error("Expected a level format", {at_, at_ + 1}).hint("level formats are: " + join(storable_level_names(), ", "));
    }
    level::FormatPtr format = level::find(name.text);
    if (!format) format = level::find(lower_case(name.text));
    if (format && format->storage() != nullptr) return format;
    UserError unknown = error(fmt::format("Unknown level format '{}'", name.text), name.span);
    if (auto close = did_you_mean(lower_case(name.text), storable_level_names())) {
      std::move(unknown).hint(fmt::format("did you mean '{}'?", *close));
    }
    throw std::move(unknown).hint("level formats are: " + join(storable_level_names(), ", "));
  }

  Source source_;
  const std::string& text_;
  int order_;
  int at_ = 0;
};

}  // namespace

Format parse_format(const std::string& text, int order, const std::string& what) {
  return FormatParser(text, order, what).parse();
}

}  // namespace filigree

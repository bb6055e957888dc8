// Text to formats.  Three notations, told apart by how they begin:
//
//   (i,j) -> (j: dense, i: compressed)    a map; levels store i, i/4, i%4, j-i or #i
//   csr, bcsr(4,2), coo(unordered)        a name from the table, with block sizes and properties
//   symmetric, symmetric(dcsr)            half of a matrix, stored in some format
//   ds:1,0                                letters, and the dimension each level stores
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "level/properties.h"
#include "support/text.h"
#include "tensor/named_format.h"

namespace filigree {
namespace {

std::string described(int order) {
  return order == 0 ? "the tensor is a scalar" : "the tensor has " + counted(order, "dimension");
}

/// "bcsr(4,4)"
std::string with_blocks(const std::string& name, int order) {
  return fmt::format("{}({})", name, fmt::join(std::vector<int>(static_cast<size_t>(order), 4), ","));
}

std::string described_kind(int order) {
  return order == 1 ? "a vector" : order == 2 ? "a matrix" : counted(order, "dimension");
}

/// What a person could write instead, for a tensor of this order.
std::string suggestion(int order) {
  if (order == 0) return "a scalar's format is empty, or 'scalar'";
  if (order == 1) return "for a vector write dense, sparse, hash or bitmap";
  if (order == 2) return "for a matrix write a name such as csr, coo or dense, or one letter per level, such as ds";
  return fmt::format("for {} write a name such as csf, coo or dense, or one letter per level, such as d{}",
                     described_kind(order), std::string(static_cast<size_t>(order - 1), 's'));
}

/// All there is for a tensor of this order, in lines of one kind.
std::vector<std::string> all_suggestions(int order) {
  std::vector<std::string> plain, blocked;
  for (const NamedFormat& named : named_formats()) {
    if (named.order && *named.order != order) continue;
    if (named.has_blocks) blocked.push_back(with_blocks(named.name, order));
    else plain.push_back(named.name);
  }
  std::vector<std::string> lines = {fmt::format("formats for {} are: {}", described_kind(order), join(plain, ", "))};
  lines.push_back("in blocks: " + join(blocked, ", "));
  if (order == 2) lines.push_back("half of a matrix: " + join(symmetry_names(), ", ") + ", also as in symmetric(dcsr)");
  std::vector<Level> levels = Format::sparse(order).levels();
  if (order > 1) levels[0].format = level::dense();
  std::string letters;
  for (const Level& level : levels) letters += *level.format->letter();
  lines.push_back(fmt::format("or one letter per level (d is dense, s compressed), such as {}; or a map, such as {}",
                              letters, to_map(Format(levels))));
  return lines;
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
    Format format = parse_one();
    skip_blanks();
    if (!at_end()) {
      UserError extra = error(fmt::format("Unexpected '{}' after the format '{}'", rest(), trim(text_.substr(0, at_))),
                              {at_, size()});
      if (peek() == ':')
        std::move(extra).hint(
            "the order of levels follows letters, as in ds:1,0; names such as csr have a fixed order");
      throw std::move(extra);
    }
    return format;
  }

 private:
  struct Word {
    std::string text;
    Span span;
  };

  Format parse_one() {
    skip_blanks();
    return at_end() ? parse_empty() : peek() == '(' ? parse_map() : parse_word();
  }

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

  void expect(const std::string& symbol, const std::string& where,
              const std::string& hint = "a map looks like (i,j) -> (i: dense, j: compressed)") {
    skip_blanks();
    if (text_.compare(at_, symbol.size(), symbol) != 0) {
      std::string found = at_end() ? "the end" : fmt::format("'{}'", peek());
      throw error(fmt::format("Expected '{}' {}, found {}", symbol, where, found), {at_, at_ + 1}).hint(hint);
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
      throw error(fmt::format("Format 'scalar' is for scalars, but {}", described(order_)), name.span)
          .hint(suggestion(order_));
    }
    for (auto [word, symmetry] :
         {std::pair("symmetric", Symmetry::Symmetric), {"skew", Symmetry::Skew}, {"hermitian", Symmetry::Hermitian}}) {
      if (lower == word) return parse_symmetric(name, symmetry);
    }
    for (const NamedFormat& named : named_formats()) {
      if (named.name != lower && named.name != name.text) continue;
      if (named.order && *named.order != order_) {
        std::string is_for = *named.order == 2   ? "matrices"
                             : *named.order == 1 ? "vectors"
                                                 : "tensors with " + counted(*named.order, "dimension");
        throw error(fmt::format("Format '{}' is for {}, but {}", name.text, is_for, described(order_)), name.span)
            .hint(suggestion(order_));
      }
      if (order_ == 0 && !named.has_blocks) return Format();  // a dense or sparse tensor without dimensions
      if (order_ == 0)
        throw error(fmt::format("Format '{}' has blocks, but {}", name.text, described(order_)), name.span)
            .hint(suggestion(order_));
      return parse_arguments(named, name);
    }
    auto letters =
        std::count_if(lower.begin(), lower.end(), [](char letter) { return level_of_letter(letter) != nullptr; });
    std::optional<std::string> close = did_you_mean(lower, format_names());
    // Where all but one are letters of levels, the message can point at that one.
    bool nearly = letters > 0 && letters + 1 == static_cast<int>(lower.size()) &&
                  static_cast<int>(lower.size()) == order_ && !close;
    if (letters == static_cast<int>(lower.size()) || nearly) return parse_letters(name, lower);
    UserError unknown = error(fmt::format("Unknown format '{}'", name.text), name.span);
    if (order_ == 0) throw std::move(unknown).hint(suggestion(order_));
    if (close) std::move(unknown).hint(fmt::format("did you mean '{}'?", *close));
    for (const std::string& line : all_suggestions(order_)) std::move(unknown).hint(line);
    throw unknown;
  }

  Format parse_letters(const Word& name, const std::string& lower) {
    std::vector<Level> levels;
    for (int k = 0; k < static_cast<int>(lower.size()); k++) {
      level::FormatPtr format = level_of_letter(lower[k]);
      if (!format) {
        int at = name.span.begin + k;
        throw error(fmt::format("Unknown level letter '{}' in format '{}'", name.text[k], name.text), {at, at + 1})
            .hint(
                "letters are d for dense, s for compressed, u for compressed and not unique, q for singleton, c for "
                "singleton and not unique, "
                "h for hashed and b for bitmap");
      }
      levels.push_back({k, format});
    }
    if (static_cast<int>(levels.size()) != order_) {
      throw error(
          fmt::format("Format '{}' has {}, but {}", name.text, counted(levels.size(), "level"), described(order_)),
          name.span)
          .hint(suggestion(order_));
    }
    if (accept(':')) parse_level_order(levels);
    check_problems(levels, usual_dimension_names(order_), [&](const FormatProblem& problem) {
      return problem.level ? Span{name.span.begin + *problem.level, name.span.begin + *problem.level + 1} : name.span;
    });
    return Format(std::move(levels));
  }

  template <class Place>
  void check_problems(const std::vector<Level>& levels, const std::vector<std::string>& names, Place place) {
    std::optional<FormatProblem> problem = find_problem(levels, names);
    if (problem) throw error(problem->message, place(*problem)).hint(problem->hint);
  }

  /// symmetric, or symmetric(FORMAT), or symmetric (i,j) -> (...)
  Format parse_symmetric(const Word& name, Symmetry symmetry) {
    if (order_ != 2)
      throw error(fmt::format("Format '{}' is for matrices, but {}", name.text, described(order_)), name.span)
          .hint(suggestion(order_));
    skip_blanks();
    Format stored = Format({{0, level::dense()}, {1, level::compressed()}});
    if (peek() == '(' && is_map_ahead()) {
      stored = parse_map();
    } else if (accept('(')) {
      stored = parse_one();
      expect(")", "after the format of the stored half", "as in symmetric(dcsr)");
    }
    if (std::optional<FormatProblem> problem = find_problem_of_half(stored))
      throw error(problem->message, {name.span.begin, at_}).hint(problem->hint);
    return Format(stored.levels(), symmetry);
  }

  /// Is the parenthesis here the first of a map, and not one around a format?
  bool is_map_ahead() const {
    size_t next = text_.find_first_of("()", static_cast<size_t>(at_) + 1);
    if (next == std::string::npos || text_[next] == '(') return false;
    return trim(std::string_view(text_).substr(next + 1)).starts_with("->");
  }

  /// Block sizes and properties in parentheses.
  Format parse_arguments(const NamedFormat& named, const Word& name) {
    std::vector<std::int64_t> blocks;
    std::vector<Word> words;
    int begin = at_;
    if (accept('(')) {
      do {
        skip_blanks();
        if (peek() == '-') block_size();
        Word argument = word();
        if (argument.text.empty())
          throw error("Expected a block size or a property", {at_, at_ + 1}).hint("as in bcsr(4,4) or coo(unordered)");
        if (std::isdigit(static_cast<unsigned char>(argument.text[0]))) {
          at_ = argument.span.begin;
          blocks.push_back(block_size());
        } else {
          words.push_back(argument);
        }
      } while (accept(','));
      expect(")", fmt::format("after the arguments of '{}'", name.text),
             "arguments are block sizes and properties, as in bcsr(4,4) or coo(unordered)");
    }
    check_number_of_blocks(named, name, static_cast<int>(blocks.size()), begin);
    Format format = named.make(order_, blocks);
    for (const Word& property : words) format = with_property_word(format, property, name);
    check_order_is_given_once(words);
    check_problems(format.levels(), usual_dimension_names(order_),
                   [&](const FormatProblem&) { return Span{name.span.begin, at_}; });
    return format;
  }

  void check_number_of_blocks(const NamedFormat& named, const Word& name, int given, int begin) {
    if (!named.has_blocks && given > 0) {
      std::vector<std::string> blocked;
      for (const NamedFormat& other : named_formats()) {
        if (other.has_blocks && (!other.order || *other.order == order_))
          blocked.push_back(with_blocks(other.name, order_));
      }
      throw error(fmt::format("Format '{}' has no blocks", name.text), {begin, at_})
          .hint("formats with blocks are: " + join(blocked, ", "));
    }
    if (!named.has_blocks || given == order_) return;
    std::string sizes = given == 0 ? "none" : std::to_string(given);
    throw error(fmt::format("Format '{}' needs a block size for each dimension, but has {}, and {}", name.text, sizes,
                            described(order_)),
                {name.span.begin, at_})
        .hint("write " + with_blocks(named.name, order_));
  }

  Format with_property_word(const Format& format, const Word& property, const Word& name) {
    std::optional<Format> changed = with_properties(format, {lower_case(property.text)});
    if (changed) return *changed;
    const std::vector<std::string>& all = level::all_property_words();
    bool known = std::find(all.begin(), all.end(), lower_case(property.text)) != all.end();
    UserError problem = error(known ? fmt::format("No level of '{}' can be {}", name.text, property.text)
                                    : fmt::format("Unknown property '{}'", property.text),
                              property.span);
    if (auto close = did_you_mean(lower_case(property.text), all); close && !known)
      std::move(problem).hint(fmt::format("did you mean '{}'?", *close));
    throw std::move(problem).hint(known ? "leave it out" : "properties are: " + join(all, ", "));
  }

  /// A positive number of reasonable size.
  std::int64_t block_size() {
    skip_blanks();
    int begin = at_;
    bool negative = accept('-');
    Word number = word();
    Span span = {begin, std::max(number.span.end, begin + 1)};
    if (number.text.empty() && !negative)
      throw error("Expected a block size", span).hint("a block size is a number, such as 4");
    long long size = 0;
    bool overflow = false;
    if (!parse_int64(number.text, size, &overflow) && !overflow) {
      throw error(fmt::format("'{}' is not a block size", text_.substr(begin, at_ - begin)), span)
          .hint("a block size is a number, such as 4");
    }
    if (negative || (!overflow && size < 1)) {
      throw error(fmt::format("A block size of {} is not possible", text_.substr(begin, at_ - begin)), span)
          .hint("the smallest is 1");
    }
    if (overflow || size > most_block) {
      throw error(fmt::format("A block size of {} is too large", number.text), span)
          .hint(fmt::format("the largest is {}", most_block));
    }
    return size;
  }
  static constexpr std::int64_t most_block = std::int64_t{1} << 30;

  void parse_level_order(std::vector<Level>& levels) {
    std::vector<bool> stored(levels.size(), false);
    skip_blanks();
    int begin = at_;
    size_t k = 0;
    do {
      Word number = word();
      long long dimension = 0;
      if (!parse_int64(number.text, dimension)) {
        throw error("Expected the number of a dimension in the order of levels",
                    {number.span.begin, std::max(number.span.end, at_ + 1)})
            .hint("the order follows the letters, as in ds:1,0: level 1 stores dimension 1, level 2 dimension 0");
      }
      if (dimension < 0 || dimension >= order_) {
        throw error(fmt::format("Dimension {} does not exist", number.text), number.span)
            .hint(order_ == 1 ? "the only dimension is 0" : fmt::format("dimensions are numbered 0 to {}", order_ - 1));
      }
      if (stored[dimension]) {
        throw error(fmt::format("Dimension {} is stored twice", dimension), number.span)
            .hint("each dimension occurs once in the order of levels");
      }
      stored[dimension] = true;
      levels[k++].coordinate = static_cast<int>(dimension);
    } while (k < levels.size() && accept(','));
    if (k < levels.size()) {
      throw error(fmt::format("The order of levels names {}, but {}", counted(k, "dimension"), described(order_)),
                  {begin, at_})
          .hint("each dimension occurs once in the order of levels");
    }
    skip_blanks();
    if (peek() == ',') {
      throw error(fmt::format("The order of levels names more dimensions than there are, but {}", described(order_)),
                  {at_, size()})
          .hint("each dimension occurs once in the order of levels");
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
        if (earlier.text == name.text)
          throw error(fmt::format("Two dimensions are called '{}'", name.text), name.span)
              .hint("give each dimension a name of its own");
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
      throw error(fmt::format("The map has {}, but {}", counted(names.size(), "dimension"), described(order_)),
                  {begin, at_})
          .hint(suggestion(order_));
    }
    expect("->", "after the dimensions of a map");
    expect("(", "after '->'");
    std::vector<Level> levels;
    std::vector<Span> spans;
    std::vector<std::string> known;
    for (const Word& name : names) known.push_back(name.text);
    if (!accept(')')) {
      do {
        skip_blanks();
        int level_begin = at_;
        relation::Coordinate coordinate = parse_coordinate(known);
        spans.push_back({level_begin, at_});
        expect(":", fmt::format("after '{}'", trim(text_.substr(level_begin, at_ - level_begin))));
        level::FormatPtr format = parse_level_format(known, levels);
        // A dense level of counts has as many as its storage says.
        bool counts = coordinate.as<relation::Counter>() && format == level::dense();
        levels.push_back({coordinate, counts ? level::slots() : format});
      } while (accept(','));
      expect(")", "after the last level");
    }
    check_problems(levels, known, [&](const FormatProblem& problem) {
      return problem.level       ? spans[*problem.level]
             : problem.dimension ? names[*problem.dimension].span
                                 : Span{begin, at_};
    });
    return Format(std::move(levels));
  }

  int parse_dimension(const std::vector<std::string>& known) {
    Word name = word();
    if (name.text.empty())
      throw error("Expected the dimension a level stores", {at_, at_ + 1})
          .hint("a level looks like i: dense, i/4: dense or j-i: compressed");
    if (std::isdigit(static_cast<unsigned char>(name.text[0])))
      throw error("A level cannot store an expression with a number here", name.span).hint(what_levels_store);
    auto found = std::find(known.begin(), known.end(), name.text);
    if (found != known.end()) return static_cast<int>(found - known.begin());
    throw error(fmt::format("'{}' is not a dimension of the map", name.text), name.span)
        .hint("dimensions are: " + join(known, ", "));
  }

  /// i, i/4, i%4, i/4%4, j-i, #i
  relation::Coordinate parse_coordinate(const std::vector<std::string>& known) {
    if (accept('#')) return relation::Counter{parse_dimension(known)};
    int begin = at_, dimension = parse_dimension(known);
    if (accept('-')) {
      int other = parse_dimension(known);
      if (other == dimension) {
        throw error("The difference of a dimension and itself is always 0", {begin, at_})
            .hint("a difference is of two dimensions, as in j-i");
      }
      check_no_more();
      return relation::Difference{dimension, other};
    }
    relation::Digits digits{dimension};
    if (accept('/')) digits.divisor = block_size();
    if (accept('%')) digits.modulus = block_size();
    check_no_more();
    return digits;
  }

  void check_no_more() {
    skip_blanks();
    if (at_end() || std::string("+*/%-").find(peek()) == std::string::npos) return;
    throw error(fmt::format("A level cannot store an expression with '{}' here", peek()), {at_, at_ + 1})
        .hint(what_levels_store);
  }
  static constexpr const char* what_levels_store =
      "levels store a dimension (i), a block of it (i/4, i%4, i/4%4), a difference (j-i) or a count (#i)";

  level::FormatPtr parse_level_format(const std::vector<std::string>& known, const std::vector<Level>& above) {
    Word name = word();
    if (name.text.empty()) {
      throw error("Expected a level format", {at_, at_ + 1})
          .hint("level formats are: " + join(storable_level_names(), ", "));
    }
    level::FormatPtr format = level::find(name.text);
    if (!format) format = level::find(lower_case(name.text));
    if (format && format->storage() != nullptr)
      return accept('[') ? parse_range(format, name, known, above) : parse_properties(format, name);
    UserError unknown = error(fmt::format("Unknown level format '{}'", name.text), name.span);
    if (auto close = did_you_mean(lower_case(name.text), storable_level_names())) {
      std::move(unknown).hint(fmt::format("did you mean '{}'?", *close));
    }
    throw std::move(unknown).hint("level formats are: " + join(storable_level_names(), ", "));
  }

  /// dense[0..i] under a level of i is a lower triangle, dense[i..] an upper one.
  level::FormatPtr parse_range(const level::FormatPtr& format, const Word& name, const std::vector<std::string>& known,
                               const std::vector<Level>& above) {
    const char* hint = "a packed triangle is (i,j) -> (i: dense, j: dense[0..i]), or dense[i..] for the upper one";
    if (format != level::dense())
      throw error(fmt::format("A level '{}' has no range", name.text), {at_ - 1, at_}).hint(hint);
    auto row = [&] {
      skip_blanks();
      int begin = at_, dimension = parse_dimension(known);
      if (above.empty() || above.back().coordinate.plain() != dimension) {
        throw error(fmt::format("'{}' is not what the level above stores", known[dimension]), {begin, at_}).hint(hint);
      }
    };
    bool lower = accept('0');
    if (!lower) row();
    expect("..", "between the ends of a range", hint);
    if (lower) row();
    expect("]", "after a range", hint);
    return lower ? level::lower() : level::upper();
  }

  /// compressed(nonunique, unordered)
  level::FormatPtr parse_properties(level::FormatPtr format, const Word& name) {
    if (!accept('(')) return format;
    std::vector<Word> words;
    do {
      Word property = word();
      level::FormatPtr changed = format->with(lower_case(property.text));
      if (!changed) throw cannot_have(*format, name, property);
      format = changed;
      words.push_back(property);
    } while (accept(','));
    check_order_is_given_once(words);
    expect(")", fmt::format("after the properties of '{}'", name.text), "as in compressed(nonunique, unordered)");
    return format;
  }

  void check_order_is_given_once(const std::vector<Word>& words) {
    const Word* first = nullptr;
    for (const Word& property : words) {
      std::string text = lower_case(property.text);
      if (text != "unordered" && text != "decreasing") continue;
      if (first && lower_case(first->text) != text)
        throw error(fmt::format("A level that is {} is not {}", first->text, property.text), property.span)
            .hint("leave one of them out");
      first = &property;
    }
  }

  UserError cannot_have(const level::Format& format, const Word& name, const Word& property) {
    const std::vector<std::string>& all = level::all_property_words();
    std::vector<std::string> possible;
    for (const std::string& word : all) {
      if (format.with(word)) possible.push_back(word);
    }
    bool known = std::find(all.begin(), all.end(), lower_case(property.text)) != all.end();
    Span span = property.text.empty() ? Span{at_, at_ + 1} : property.span;
    UserError problem = error(property.text.empty() ? "Expected a property"
                              : known               ? fmt::format("A level '{}' cannot be {}", name.text, property.text)
                                                    : fmt::format("Unknown property '{}'", property.text),
                              span);
    if (auto close = did_you_mean(lower_case(property.text), possible); close && !known)
      std::move(problem).hint(fmt::format("did you mean '{}'?", *close));
    if (possible.empty()) return std::move(problem).hint(fmt::format("'{}' has no properties to choose", name.text));
    return std::move(problem).hint(fmt::format("a level '{}' can be: {}", name.text, join(possible, ", ")));
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

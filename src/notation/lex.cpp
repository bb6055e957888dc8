#include "notation/lex.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "support/text.h"

namespace filigree::notation {
namespace {

// The longest first: `//` is not two divisions.
constexpr const char* symbols[] = {"==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "//", "**", "+", "-", "*",
                                   "/",  "%",  "(",  ")",  ",",  "=",  ";",  "^",  "<",  ">",  "{", "}"};

// Operators that are words; no tensor can have their names.
constexpr const char* words[] = {"and", "or", "xor", "not"};

struct Lookalike {
  const char* text;
  const char* hint;
};
constexpr Lookalike lookalikes[] = {
    {"[", "indices stand in parentheses, as in A(i,j)"},
    {"]", "indices stand in parentheses, as in A(i,j)"},
    {"×", "write '*' to multiply"},
    {"·", "write '*' to multiply"},
    {"⋅", "write '*' to multiply"},
    {"−", "write '-' to subtract"},
    {"–", "write '-' to subtract"},
    {"÷", "write '/' to divide"},
    {"&", "write 'and'"},
    {"|", "write 'or'"},
    {"!", "write 'not'"},
    {"?", "write select(condition, a, b)"},
    {"~", "write 'not'"},
    {"≤", "write '<='"},
    {"≥", "write '>='"},
    {"≠", "write '!='"},
    {"#", "there are no comments in index notation"},
    {"∑", "write sum(k, ...)"},
    {"Σ", "write sum(k, ...)"},
    {"@", "write the product as A(i,k)*B(k,j)"},
};

// What would be read as two symbols, though these never stand side by side.
constexpr Lookalike misspelled[] = {
    {"=<", "write '<='"}, {"=>", "write '>='"}, {"<>", "write '!='"}, {":=", "write '='"}};

constexpr const char* range_hint = "a range of coordinates is written i(1,3), and a whole dimension i";

/// The numbers that are words.
std::optional<Scalar> named_number(const std::string& name) {
  if (name == "true" || name == "false") return Scalar::boolean(name == "true");
  if (name == "inf") return Scalar::of(ElementType::Float64, std::numeric_limits<double>::infinity());
  if (name == "nan") return Scalar::of(ElementType::Float64, std::numeric_limits<double>::quiet_NaN());
  return std::nullopt;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) { return is_identifier(std::string_view(&c, 1)); }
bool continues_name(char c) { return starts_name(c) || is_digit(c); }

class Lexer {
 public:
  Lexer(Source source, const char* more) : source_(std::move(source)), text_(source_->text), more_(more) {}

  std::vector<Token> operator()() {
    while (true) {
      while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_]) && text_[at_] != '\0') at_++;
      begin_ = at_;
      if (at_ == text_.size()) break;
      bool number = is_digit(text_[at_]) || (text_[at_] == '.' && is_digit(peek(1)));
      if (number) {
        lex_number();
      } else if (starts_name(text_[at_])) {
        while (continues_name(peek(0))) at_++;
        push_name();
      } else {
        lex_symbol();
      }
    }
    push(TokenKind::End);
    return std::move(tokens_);
  }

 private:
  char peek(size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  Token& push(TokenKind kind) {
    Span span{static_cast<int>(begin_), static_cast<int>(at_)};
    tokens_.push_back(Token{kind, text_.substr(begin_, at_ - begin_), span});
    return tokens_.back();
  }

  void push_name() {
    std::string name = text_.substr(begin_, at_ - begin_);
    if (std::optional<Scalar> number = named_number(name)) push(TokenKind::Number).value = *number;
    else push(is_word(name) ? TokenKind::Symbol : TokenKind::Name);
  }

  [[noreturn]] void fail(UserError error, size_t begin, size_t end) const {
    throw std::move(error).at(source_, Span{static_cast<int>(begin), static_cast<int>(end)});
  }

  void lex_symbol() {
    for (const Lookalike& wrong : misspelled) {
      if (text_.compare(at_, 2, wrong.text) == 0)
        fail(UserError(fmt::format("Unexpected '{}'", wrong.text)).hint(wrong.hint), at_, at_ + 2);
    }
    for (const char* symbol : symbols) {
      if (text_.compare(at_, std::strlen(symbol), symbol) != 0) continue;
      at_ += std::strlen(symbol);
      push(TokenKind::Symbol);
      return;
    }
    if (text_[at_] != '\0' && std::strchr(more_, text_[at_])) {
      at_++;
      push(TokenKind::Symbol);
      return;
    }
    auto byte = static_cast<unsigned char>(text_[at_]);
    size_t length = character_length(text_, at_);
    if (length == 0 || byte < 0x20 || byte == 0x7F)
      fail(UserError(fmt::format("Unexpected byte 0x{:02x}", byte)), at_, at_ + 1);
    std::string character = text_.substr(at_, length);
    UserError error(fmt::format("Unexpected character '{}'", character));
    for (const Lookalike& lookalike : lookalikes) {
      if (character == lookalike.text) std::move(error).hint(lookalike.hint);
    }
    if (character == ":" && lacks_closing(tokens_)) std::move(error).hint(range_hint);
    fail(std::move(error), at_, at_ + length);
  }

  void lex_number() {
    while (is_digit(peek(0))) at_++;
    bool integer = true;
    if (peek(0) == '.') {
      integer = false;
      at_++;
      while (is_digit(peek(0))) at_++;
    }
    if (peek(0) == 'e' || peek(0) == 'E') {
      bool sign = peek(1) == '+' || peek(1) == '-';
      if (!is_digit(peek(sign ? 2 : 1))) {
        std::string head = text_.substr(begin_, at_ + (sign ? 2 : 1) - begin_);
        fail(UserError(fmt::format("The exponent of '{}' has no digits", head))
                 .hint("write a number as in 1e3 or 1.5e-2"),
             begin_, begin_ + head.size());
      }
      integer = false;
      at_ += sign ? 2 : 1;
      while (is_digit(peek(0))) at_++;
    }
    refuse_second_point();
    std::string digits = text_.substr(begin_, at_ - begin_);
    bool imaginary = peek(0) == 'i' && !continues_name(peek(1));
    if (imaginary) at_++;
    refuse_attached_name(digits);
    Token& token = push(TokenKind::Number);
    token.value = integer && !imaginary ? integer_value(digits) : real_value(digits);
    if (imaginary) token.value = Scalar::of(ElementType::Complex128, std::complex<double>(0, token.value.as_double()));
  }

  /// 1.2.3 is no number, and neither is 1e5.5.
  void refuse_second_point() const {
    if (peek(0) != '.') return;
    size_t end = at_;
    while (end < text_.size() && (is_digit(text_[end]) || text_[end] == '.')) end++;
    std::string number = text_.substr(begin_, end - begin_);
    bool has_exponent = number.find_first_of("eE") != std::string::npos;
    fail(UserError(has_exponent ? fmt::format("The exponent of '{}' is not an integer", number)
                                : fmt::format("The number '{}' has two points", number))
             .hint("write a number as in 1.5 or 1.5e-2"),
         begin_, end);
  }

  /// `2x` is no product, and `2j` no imaginary number.
  void refuse_attached_name(const std::string& digits) const {
    if (!starts_name(peek(0))) return;
    size_t end = at_;
    while (end < text_.size() && continues_name(text_[end])) end++;
    std::string name = text_.substr(at_, end - at_);
    UserError error(fmt::format("Missing operator between '{}' and '{}'", text_.substr(begin_, at_ - begin_), name));
    std::string hint = fmt::format("write {}*{} for a product", digits, name);
    if (name == "j") hint += fmt::format(", or {}i for an imaginary number", digits);
    if (digits == "0" && (name[0] == 'x' || name[0] == 'b' || name[0] == 'o')) hint = "numbers are decimal";
    fail(std::move(error).hint(hint), begin_, end);
  }

  Scalar integer_value(const std::string& digits) const {
    long long value = 0;
    if (parse_int64(digits, value)) return Scalar::of(ElementType::Int64, std::int64_t{value});
    fail(UserError(fmt::format("The number '{}' is too large for a 64-bit integer", digits))
             .hint(fmt::format("the largest is {}; write {}.0 for a floating-point number",
                               std::numeric_limits<std::int64_t>::max(), digits)),
         begin_, at_);
  }

  Scalar real_value(const std::string& digits) const {
    double value = 0;
    auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (problem != std::errc()) {
      bool is_large = std::strtod(digits.c_str(), nullptr) > 1;
      fail(UserError(fmt::format("The number '{}' is out of the range of float64", digits))
               .hint(is_large ? "write inf for infinity" : "write 0"),
           begin_, at_);
    }
    return Scalar::of(ElementType::Float64, value);
  }

  Source source_;
  const std::string& text_;
  const char* more_;
  size_t at_ = 0;
  size_t begin_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

bool is_word(const std::string& text) {
  return named_number(text) || std::find(std::begin(words), std::end(words), text) != std::end(words);
}

bool lacks_closing(const std::vector<Token>& tokens) {
  auto count = [&](const char* symbol) {
    return std::count_if(tokens.begin(), tokens.end(), [&](const Token& token) { return token.is(symbol); });
  };
  return count("(") > count(")");
}

std::vector<Token> lex(const Source& source, const char* more) { return Lexer(source, more)(); }

}  // namespace filigree::notation

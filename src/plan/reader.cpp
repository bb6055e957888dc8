#include "plan/reader.h"

#include <algorithm>
#include <cctype>

#include "support/text.h"

namespace filigree::plan {
namespace {

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

}  // namespace

Reader::Reader(const std::string& name, const std::string& text) : source_(make_source(name, text)) {
  for (size_t begin = 0; begin < source_->text.size();) {
    size_t end = std::min(source_->text.find('\n', begin), source_->text.size());
    size_t last = end;
    while (last > begin && std::isspace(static_cast<unsigned char>(source_->text[last - 1]))) last--;
    size_t first = source_->text.find_first_not_of(' ', begin);
    bool is_odd = first < last && (first - begin) % 2 != 0;
    if (first < last) lines_.push_back({begin, last, static_cast<int>(first - begin) / 2, is_odd});
    begin = end + 1;
  }
  go_to_line(0);
}

void Reader::go_to_line(size_t line) {
  line_ = line;
  if (is_done()) return;
  last_ = at_ = lines_[line_].begin;
  skip_blanks();
  if (lines_[line_].is_odd) fail("A line is indented by two blanks for each block that it is in");
}

void Reader::enter() {
  constexpr int most = 1000;  // deeper than anything that is printed
  if (++nesting_ > most) fail("This is nested too deeply");
}

void Reader::finish_line() {
  if (!at_end()) {
    bool is_operator = std::string("+-*/^%<>=&|").find(text()[at_]) != std::string::npos;
    fail(is_operator ? "An operator has two operands here: put parentheses around one part, as in (a * b) * c"
                     : "Something is left over at the end of the line");
  }
  go_to_line(line_ + 1);
}

void Reader::skip_blanks() {
  while (!is_done() && !at_end_here() && text()[at_] == ' ') at_++;
}

bool Reader::at_end() {
  skip_blanks();
  return is_done() || at_end_here();
}

bool Reader::stands(const std::string& token) {
  skip_blanks();
  if (is_done() || at_ + token.size() > lines_[line_].end || text().compare(at_, token.size(), token) != 0)
    return false;
  bool is_part_of_word = is_name_character(token.back()) && at_ + token.size() < lines_[line_].end &&
                         is_name_character(text()[at_ + token.size()]);
  return !is_part_of_word;
}

bool Reader::accept(const std::string& token) {
  bool is_here = stands(token);
  if (!is_here) return false;
  last_ = at_;
  at_ += token.size();
  return true;
}

bool Reader::stands_number() {
  for (const char* word : {"true", "false", "inf", "nan", "complex"}) {
    if (stands(word)) return true;
  }
  size_t digit = peek() == '-' ? at_ + 1 : at_;
  if (at_end() || digit >= lines_[line_].end) return false;
  char c = text()[digit];
  return std::isdigit(static_cast<unsigned char>(c)) || (digit > at_ && (c == 'i' || c == 'n'));
}

void Reader::expect(const std::string& token) {
  if (!accept(token)) fail("'" + token + "' should stand here");
}

char Reader::peek() { return at_end() ? '\0' : text()[at_]; }

std::string Reader::name() {
  skip_blanks();
  size_t begin = at_;
  last_ = begin;
  while (!is_done() && !at_end_here() && is_name_character(text()[at_])) at_++;
  if (at_ == begin) fail("A name should stand here");
  return text().substr(begin, at_ - begin);
}

std::string Reader::number_text() {
  if (at_end()) fail("A number should stand here");
  size_t begin = at_;
  last_ = begin;
  auto is_sign = [&] { return (text()[at_] == '-' || text()[at_] == '+') && (at_ == begin || text()[at_ - 1] == 'e'); };
  while (!at_end_here() && (std::isalnum(static_cast<unsigned char>(text()[at_])) || text()[at_] == '.' || is_sign()))
    at_++;
  return text().substr(begin, at_ - begin);
}

std::int64_t Reader::integer() {
  std::string digits = number_text();
  long long value = 0;
  bool overflow = false;
  bool is_integer = parse_int64(digits, value, &overflow);
  if (overflow) fail_there("'" + digits + "' is no 64-bit integer");
  if (!is_integer) fail_there("An integer should stand here");
  return value;
}

std::string Reader::rest_of_line() {
  if (at_end()) return {};
  last_ = at_;
  std::string rest = text().substr(at_, lines_[line_].end - at_);
  at_ = lines_[line_].end;
  return trim(rest);
}

void Reader::fail(const std::string& message) const {
  int here = static_cast<int>(is_done() ? text().size() : at_);
  throw UserError(message).at(source_, {here, here + 1});
}

void Reader::fail_there(const std::string& message) const {
  if (is_done()) fail(message);
  int here = static_cast<int>(last_);
  throw UserError(message).at(source_, {here, std::max(here + 1, static_cast<int>(at_))});
}

Span Reader::span() const {
  int here = static_cast<int>(is_done() ? text().size() : at_);
  return {here, is_done() ? here + 1 : static_cast<int>(lines_[line_].end)};
}

}  // namespace filigree::plan

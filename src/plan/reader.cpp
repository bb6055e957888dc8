#include "plan/reader.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "support/text.h"

namespace filigree::plan {
namespace {

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

}  // namespace

Reader::Reader(const std::string& text) : source_(make_source("plan", text)) {
  for (size_t begin = 0; begin < source_->text.size();) {
    size_t end = std::min(source_->text.find('\n', begin), source_->text.size());
    size_t first = source_->text.find_first_not_of(' ', begin);
    if (first < end) lines_.push_back({begin, end, static_cast<int>(first - begin) / 2});
    begin = end + 1;
  }
  go_to_line(0);
}

void Reader::go_to_line(size_t line) {
  line_ = line;
  if (!is_done()) at_ = lines_[line_].begin;
}

void Reader::finish_line() {
  if (!at_end()) fail("Something is left over at the end of the line");
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
  if (is_here) at_ += token.size();
  return is_here;
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
  while (!is_done() && !at_end_here() && is_name_character(text()[at_])) at_++;
  if (at_ == begin) fail("A name should stand here");
  return text().substr(begin, at_ - begin);
}

std::string Reader::number_text() {
  if (at_end()) fail("A number should stand here");
  size_t begin = at_;
  auto is_sign = [&] { return (text()[at_] == '-' || text()[at_] == '+') && (at_ == begin || text()[at_ - 1] == 'e'); };
  while (!at_end_here() && (std::isalnum(static_cast<unsigned char>(text()[at_])) || text()[at_] == '.' || is_sign()))
    at_++;
  return text().substr(begin, at_ - begin);
}

std::int64_t Reader::integer() {
  std::string digits = number_text();
  char* end = nullptr;
  std::int64_t value = std::strtoll(digits.c_str(), &end, 10);
  if (digits.empty() || *end) fail("An integer should stand here");
  return value;
}

std::string Reader::rest_of_line() {
  if (at_end()) return {};
  std::string rest = text().substr(at_, lines_[line_].end - at_);
  at_ = lines_[line_].end;
  return trim(rest);
}

void Reader::fail(const std::string& message) const {
  int here = static_cast<int>(is_done() ? text().size() : at_);
  throw UserError(message).at(source_, {here, here + 1});
}

}  // namespace filigree::plan

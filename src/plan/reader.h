// The lines of a plan's text, and a place in the present one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/diagnostic.h"

namespace filigree::plan {

class Reader {
 public:
  Reader(const std::string& name, const std::string& text);

  bool is_done() const { return line_ == lines_.size(); }
  /// How far the present line is indented, two blanks each; behind the last line -1.
  int depth() const { return is_done() ? -1 : lines_[line_].depth; }
  /// The present line has been read.
  void finish_line();
  /// The number of the present line, and back to one.
  size_t line() const { return line_; }
  void go_to_line(size_t line);

  bool at_end();
  /// Takes the token if it stands here; a word only as a whole.
  bool accept(const std::string& token);
  void expect(const std::string& token);
  /// Would `accept` take it?
  bool stands(const std::string& token);
  bool stands_number();
  /// Over one character.
  void skip() { at_++; }
  /// Goes on with what is at this place, inside of parentheses for example, and back.
  void enter();
  void leave() { nesting_--; }
  char peek();
  std::string name();
  std::int64_t integer();
  /// The characters of a number.
  std::string number_text();
  std::string rest_of_line();

  /// Throws UserError that shows the place.
  [[noreturn]] void fail(const std::string& message) const;
  /// The same at the beginning of what was read last: a name, a number or a token that was expected.
  [[noreturn]] void fail_there(const std::string& message) const;
  const Source& source() const { return source_; }
  /// What is left of the present line.
  Span span() const;

 private:
  struct Line {
    size_t begin, end;
    int depth;
    bool is_odd;  // indented by a number of blanks that says nothing
  };
  const std::string& text() const { return source_->text; }
  bool at_end_here() const { return at_ == lines_[line_].end; }
  void skip_blanks();

  Source source_;
  std::vector<Line> lines_;
  size_t line_ = 0, at_ = 0, last_ = 0;
  int nesting_ = 0;
};

}  // namespace filigree::plan

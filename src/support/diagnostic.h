// What a person is told when their input is wrong: one message, where, why, and what would work.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace filigree {

/// A half-open byte range of some source text.
struct Span {
  int begin = 0;
  int end = 0;
  bool operator==(const Span&) const = default;
};

/// The text a span points into, and what it is called ("expression", "spmv.in", "-f A").
struct SourceText {
  std::string name;
  std::string text;
};
using Source = std::shared_ptr<const SourceText>;

Source make_source(std::string name, std::string text);

/// "line 2, column 5", counting characters from 1; of a text that is one line, the column alone.
std::string describe_place(const Source& source, int at);

/// Whom a hint is for: a program calls functions and sets fields, the command line has options.
enum class Wording { Program, CommandLine };

/// A mistake in the user's input.  The message is one sentence with a capital letter and no final
/// period; names the user wrote stand in single quotes; the hint is something the user can do.
class UserError : public std::runtime_error {
 public:
  explicit UserError(std::string message);

  UserError&& at(Source source, Span span) &&;
  /// A place in a file: printed as `file:line: error: ...`; line 0 means the file as a whole.
  UserError&& at_line(std::string file, long line) &&;
  UserError&& hint(std::string text) &&;
  /// The same advice in two wordings, where what a program writes is not what one writes on the command line.
  UserError&& hint(std::string in_program, std::string on_command_line) &&;
  /// The hints of another error, which this one explains better.
  UserError&& hints_of(const UserError& other) &&;
  UserError&& note(std::string text) &&;

  const std::string& message() const { return message_; }
  const std::vector<std::string>& notes() const { return notes_; }
  std::vector<std::string> hints(Wording wording = Wording::Program) const;
  bool has_place() const { return source_ != nullptr || !file_.empty(); }

  /// The whole diagnostic as printed to a terminal, starting with "error: ", ending in a newline.
  std::string text(Wording wording = Wording::Program) const;
  const char* what() const noexcept override;

 private:
  std::string message_;
  Source source_;
  Span span_;
  std::string file_;
  long line_ = 0;
  std::vector<std::string> notes_;
  struct Hint {
    std::string in_program, on_command_line;
  };
  std::vector<Hint> hints_;
  mutable std::string text_;
};

/// The candidate closest to `name`, if any is close enough to be a likely typo.
std::optional<std::string> did_you_mean(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace filigree

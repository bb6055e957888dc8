// What any text or file may lead to: a result, or a message for its author.  Everything else is a finding.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace filigree::fuzz {

/// A program as texts; what is left out is chosen by `seed`.
struct Texts {
  std::string program;
  std::map<std::string, std::string> formats = {}, types = {};  // by tensor
  std::map<std::string, std::int64_t> extents = {};             // of index variables; others are 3
  std::string schedule = {};
  std::uint64_t seed = 0;
};

/// How far a program came.
enum class Reached { Nothing, Parsed, Resolved, Lowered, Ran };

struct TextOutcome {
  Reached reached = Reached::Nothing;
  std::string refusal = {};               // the message for its author, if there was one
  std::optional<std::string> wrong = {};  // in words; nothing if it ran or was refused
};

/// Through all stages, to C text and to a run of the interpreter on small operands.
TextOutcome check_program_texts(const Texts& texts);
/// The same of a program that is loops in concrete notation; what they compute is compared with the oracle's result.
TextOutcome check_loops_text(const Texts& texts);
/// The text of a plan: it is refused, or runs without a fault on operands with the dimensions of these, as far as it
/// has operands of their names; others, and dimensions that nothing tells, have a few coordinates.  `original` is what
/// it was made from: where its loops say the same but run in another way, the result is the same.
TextOutcome check_plan_text(const std::string& text, const std::string& original,
                            const std::map<std::string, std::vector<std::int64_t>>& dimensions, const Texts& texts);
std::optional<std::string> check_format_text(const std::string& text);
/// The schedule applied to a few statements, which then run.
std::optional<std::string> check_schedule_text(const std::string& text);

/// A file of these bytes is read, stored in a format that `seed` chooses, written as another kind of file and read
/// again.
std::optional<std::string> check_file(const std::string& bytes, const std::string& extension, std::uint64_t seed,
                                      bool& was_read);

/// A folder for files of this process and of those that it forks; in memory where that is possible, and gone when this
/// process ends.
const std::string& scratch_folder();

}  // namespace filigree::fuzz

// What the tool says on standard output and standard error, and how it ends.
#pragma once

#include <string>
#include <string_view>

namespace filigree::tool {

enum ExitCode { Success = 0, UserMistake = 1, WrongUsage = 2, InternalFailure = 70, NobodyReads = 141 };

/// What every message about an internal error ends in.
inline constexpr const char* bug_report_request =
    "This is a bug in Filigree.  Please report it with the command, the files that it reads, and what 'filigree "
    "--version' prints.\n";

/// Signals end the program with a message or an exit code and leave no half-written file behind; writing to a pipe
/// that nobody reads is no signal; descriptors 0 to 2 are open.
void prepare_process();
/// A fault handler needs a stack of its own: the fault may be that the stack is used up.  For the thread that does the
/// work.
void use_fault_stack();

enum class ColourChoice { Auto, Always, Never };

/// Whether text is coloured: by default on terminals, unless NO_COLOR or TERM=dumb say otherwise.
void choose_colours(ColourChoice choice);
/// A heading on standard output, which stands out where there are colours.
std::string heading(const std::string& text);
/// A remark beside what is printed on standard output: it steps back where there are colours.
std::string aside(const std::string& text);

/// Text on standard output.  Control characters in it are shown as '?'
/// (support/text.h).
void print(std::string_view text);
/// From now on, what would be printed on standard output goes to standard error: a tensor is written there.
void reserve_standard_output();
/// Text on standard error, without control characters as well.  Where there are colours, "error:", "warning:", "note:"
/// and "hint:" in front of a line and carets below one have theirs.
void print_error(std::string_view text);
/// Throws UserError if something that was printed could not be written; io::ReaderGone if nobody reads it.
void finish_printing();

}  // namespace filigree::tool

// What the tool says on standard output and standard error, and how it ends.
#pragma once

#include <string_view>

namespace filigree::tool {

enum ExitCode { Success = 0, UserMistake = 1, WrongUsage = 2, InternalFailure = 70 };

/// Signals end the program with a message or an exit code and leave no half-written file behind; writing to a pipe
/// that nobody reads is no signal; descriptors 0 to 2 are open.
void prepare_process();

/// Text on standard output.  That nobody reads it is no error.
void print(std::string_view text);
/// From now on, what would be printed on standard output goes to standard error: a tensor is written there.
void reserve_standard_output();
/// Text on standard error.
void print_error(std::string_view text);
/// Throws UserError if something that was printed could not be written.
void finish_printing();

}  // namespace filigree::tool

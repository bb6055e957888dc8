// What --help prints: one screen, and a text for each command and topic.
#pragma once

#include <string>
#include <vector>

#include "options.h"

namespace filigree::tool {

struct Topic {
  std::string name;
  std::string summary;  // one line
  std::string text;
};

/// Texts that are not made from the table of options.
const std::vector<Topic>& written_topics();

/// The screen that `filigree --help` prints.
std::string main_help();
/// About a command or a topic.  Throws UsageError for others, with the topics there are.
std::string help_text(const std::string& topic);
/// The names that `help` takes, commands first.
std::vector<std::string> topic_names();

/// The options of a command under their headings, one line each.
std::string option_lines(Command command);
/// All options, with all that there is to say about them.
std::string all_option_details();
/// The sentences about an option: its summary, its details, its other spellings.
std::string sentences(const Option& option);
/// "compare, convert": the commands that take it; empty if all do.
std::string takers(const Option& option);
/// Broken into lines of at most `width` characters, `indent` blanks in front of each.
std::string wrap(const std::string& text, size_t indent, size_t width);

}  // namespace filigree::tool

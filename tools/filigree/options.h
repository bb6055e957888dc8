// The one table of commands and options: the command line is read, and help, completion and the man page are made from
// it.
#pragma once

#include <string>
#include <vector>

namespace filigree::tool {

enum class Command { Run, Einsum, Compare, Tune, Convert, Info, Help };

struct CommandRow {
  Command command;
  std::string name;      // the first word; empty for an expression
  std::string synopsis;  // "filigree info FILE [options]"
  std::string summary;   // one line
  std::string text;      // paragraphs for its own help
};

/// Headings under which options are listed.
enum class Group { Tensors, Running, Showing, General };

struct Option {
  std::string name;      // without its dashes
  char letter = 0;       // its short form; 0: none
  std::string argument;  // "T:FORMAT"; empty: a switch; in brackets: may be left out
  Group group = Group::General;
  std::vector<Command> commands;  // that take it
  std::string summary;            // one line, starts in lower case
  std::string details = {};       // more sentences, for the topic and the man page
  std::string syntax = {};        // of what it takes, for messages: "TENSOR:FORMAT"
  std::vector<std::string> examples = {};
  std::vector<std::string> words = {};    // that it takes, for completion; those of `T:` behind the colon
  bool takes_file = false;                // the same with names of files
  std::vector<std::string> aliases = {};  // other spellings, without dashes
  bool takes_list = false;                // of words, with commas between them

  bool is_switch() const { return argument.empty(); }
  bool may_lack_argument() const { return argument.starts_with('['); }
  bool names_tensor() const { return argument.starts_with("T:"); }
  bool belongs_to(Command command) const;
  /// "-f, --format T:FORMAT", without a letter "    --fill T:VALUE".
  std::string spelling() const;
};

const std::vector<CommandRow>& all_commands();
const CommandRow& row_of(Command command);

/// In the order in which help lists them.  One that means something else for some commands has a row for those.
const std::vector<Option>& all_options();
std::vector<const Option*> options_of(Command command);
/// By its name or an alias; null if the command has no such option.
const Option* find_option(Command command, const std::string& name);
const Option* find_option(Command command, char letter);
/// The row of an option that is known to be there.
const Option& option(Command command, const std::string& name);

std::string heading_of(Group group, Command command = Command::Run);

/// The stages that --print can show, in the order they run.
const std::vector<std::string>& printable_stages();

}  // namespace filigree::tool

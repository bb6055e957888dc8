#include "completion.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "help.h"
#include "options.h"
#include "support/text.h"

namespace filigree::tool {
namespace {

std::vector<std::string> flags_of(const Option& option) {
  std::vector<std::string> flags = {"--" + option.name};
  for (const std::string& alias : option.aliases) flags.push_back("--" + alias);
  if (option.letter != 0) flags.push_back(std::string("-") + option.letter);
  return flags;
}

std::vector<std::string> words_of(const Option& option) { return option.name == "help" ? topic_names() : option.words; }

std::string words_of_commands() {
  std::vector<std::string> names;
  for (const CommandRow& row : all_commands()) {
    if (!row.name.empty()) names.push_back(row.name);
  }
  return join(names, " ");
}

/// In single quotes for a shell.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// "'-f'|'--format') what it takes;;", once for all rows of an option: they differ in whether a tensor is named.
std::string bash_cases() {
  std::string text;
  std::vector<std::string> seen;
  for (const Option& option : all_options()) {
    bool is_known = std::find(seen.begin(), seen.end(), option.name) != seen.end();
    if (option.is_switch() || is_known) continue;
    seen.push_back(option.name);
    text += fmt::format("    {}) words={} files={} list={} ;;\n", join(flags_of(option), "|"),
                        quoted(join(words_of(option), " ")), option.takes_file ? "yes" : "",
                        option.takes_list ? "yes" : "");
  }
  return text;
}

std::string bash_flags() {
  std::string text;
  for (const CommandRow& row : all_commands()) {
    std::vector<std::string> flags;
    for (const Option* option : options_of(row.command)) {
      for (const std::string& flag : flags_of(*option)) flags.push_back(flag);
    }
    text += fmt::format("    {}) flags={} ;;\n", row.name.empty() ? "*" : row.name, quoted(join(flags, " ")));
  }
  // The pattern that takes all others goes last.
  size_t end = text.find('\n') + 1;
  return text.substr(end) + text.substr(0, end);
}

constexpr const char* bash_frame = R"(# Completion of filigree for bash, made by `filigree --completion bash`.
_filigree() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} option= words= files= list= flags= prefix= before=$((COMP_CWORD - 1))
  COMPREPLY=()
  # Colons and equals signs are words of their own: -i A : file, --input = A : file.
  if [[ $current == : ]]; then
    current=
    before=$((before - 1))
  elif [[ ${{COMP_WORDS[before]}} == : ]]; then
    before=$((before - 2))
  elif [[ $current == = ]]; then
    current=
  fi
  if ((before > 0)) && [[ ${{COMP_WORDS[before]}} == = ]]; then before=$((before - 1)); fi
  ((before > 0)) && option=${{COMP_WORDS[before]}}
  case $option in
{cases}  esac
  if [[ -n $words$files ]]; then
    # Where colons do not separate words, the name of the tensor is in front.
    if [[ $current == *:* ]]; then
      prefix=${{current%%:*}}:
      current=${{current#*:}}
    fi
    if [[ -n $list && $current == *,* ]]; then
      prefix=$prefix${{current%,*}},
      current=${{current##*,}}
    fi
    COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "$current"))
    # A parenthesis is quoted, unless the word is in quotes already; names of files are quoted by bash.
    if [[ -z $files && $current != [\'\"]* ]]; then
      COMPREPLY=("${{COMPREPLY[@]//\(/\\(}}")
      COMPREPLY=("${{COMPREPLY[@]//\)/\\)}}")
    fi
    if [[ -n $files ]]; then
      compopt -o filenames 2> /dev/null
      local IFS=$'\n'
      COMPREPLY+=($(compgen -P "$prefix" -f -- "$current"))
    fi
    return
  fi
  case ${{COMP_WORDS[1]}} in
{flags}  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{commands}' -- "$current"))
  elif [[ ${{COMP_WORDS[1]}} == help ]]; then
    COMPREPLY=($(compgen -W '{topics}' -- "$current"))
  elif [[ ${{COMP_WORDS[1]}} == convert || ${{COMP_WORDS[1]}} == info ]]; then
    compopt -o filenames 2> /dev/null
    local IFS=$'\n'
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -F _filigree filigree
)";

/// Brackets, colons, parentheses and backslashes mean something in what _arguments takes.
std::string zsh_escaped(const std::string& text) {
  std::string out;
  for (char c : text)
    out += std::string_view("[]():\\").find(c) != std::string_view::npos ? std::string("\\") + c : std::string(1, c);
  return out;
}

std::string zsh_action(const Option& option) {
  std::string words = zsh_escaped(join(words_of(option), " "));
  if (option.takes_list) return "_values -s , " + zsh_escaped(option.argument) + " " + words;
  if (option.names_tensor() && option.takes_file) return "{ compset -P '*:'; _files; compadd " + words + " }";
  if (option.names_tensor()) return "{ compset -P '*:'; compadd " + (words.empty() ? "-a empty" : "-- " + words) + " }";
  if (option.takes_file) return "_files";
  return words.empty() ? " " : "(" + words + ")";
}

std::string zsh_arguments(const CommandRow& row) {
  std::string text;
  for (const Option* option : options_of(row.command)) {
    std::string description = "[" + zsh_escaped(option->summary) + "]";
    std::string value = option->is_switch() ? ""
                                            : std::string(option->may_lack_argument() ? "::" : ":") +
                                                  zsh_escaped(option->argument) + ":" + zsh_action(*option);
    for (const std::string& flag : flags_of(*option)) {
      bool is_long = flag.starts_with("--");
      text += fmt::format("    {} \\\n", quoted("*" + flag +
                                                (option->is_switch() ? ""
                                                 : is_long           ? "="
                                                                     : "+") +
                                                description + value));
    }
  }
  bool takes_files = row.command == Command::Convert || row.command == Command::Info;
  std::string rest = takes_files                    ? "*:file:_files"
                     : row.command == Command::Help ? "*:topic:(" + join(topic_names(), " ") + ")"
                                                    : "*:: :";
  return text + "    " + quoted(rest) + "\n";
}

/// What -a offers.  fish would run what is in parentheses; __fish_append is its own, and keeps what stands before the
/// last comma.
std::string fish_words(const Option& option) {
  std::string words;
  for (char c : join(words_of(option), " ")) words += c == '(' || c == ')' ? std::string("\\") + c : std::string(1, c);
  return option.takes_list ? "(__fish_append , " + words + ")" : words;
}

}  // namespace

std::string bash_completion() {
  return fmt::format(bash_frame, fmt::arg("cases", bash_cases()), fmt::arg("flags", bash_flags()),
                     fmt::arg("commands", words_of_commands()), fmt::arg("topics", join(topic_names(), " ")));
}

std::string zsh_completion() {
  std::string text =
      "#compdef filigree\n# Completion of filigree for zsh, made by `filigree --completion zsh`.\n_filigree() {\n  "
      "case $words[2] in\n";
  std::string otherwise;
  for (const CommandRow& row : all_commands()) {
    std::string block = fmt::format("  {})\n{}    _arguments \\\n{}    ;;\n", row.name.empty() ? "*" : row.name,
                                    row.name.empty()
                                        ? fmt::format("    (( CURRENT == 2 )) && compadd {}\n", words_of_commands())
                                        : "    shift words; (( CURRENT-- ))\n",
                                    zsh_arguments(row));
    (row.name.empty() ? otherwise : text) += block;
  }
  return text + otherwise + "  esac\n}\n_filigree \"$@\"\n";
}

std::string fish_completion() {
  std::string text =
      "# Completion of filigree for fish, made by `filigree --completion fish`.\ncomplete -c filigree -f\n";
  std::string commands = words_of_commands();
  for (const CommandRow& row : all_commands()) {
    std::string condition = row.name.empty() ? fmt::format("not __fish_seen_subcommand_from {}", commands)
                                             : fmt::format("__fish_seen_subcommand_from {}", row.name);
    if (!row.name.empty())
      text += fmt::format("complete -c filigree -n __fish_use_subcommand -a {} -d {}\n", row.name, quoted(row.summary));
    if (row.command == Command::Convert || row.command == Command::Info)
      text += fmt::format("complete -c filigree -n {} -F\n", quoted(condition));
    if (row.command == Command::Help)
      text += fmt::format("complete -c filigree -n {} -a {}\n", quoted(condition), quoted(join(topic_names(), " ")));
    for (const Option* option : options_of(row.command)) {
      std::string letter = option->letter != 0 ? fmt::format(" -s {}", option->letter) : "";
      std::string value = option->is_switch()           ? ""
                          : option->may_lack_argument() ? " -x"
                          : option->takes_file          ? " -r -F"
                                                        : " -x";
      std::string words = option->is_switch() || words_of(*option).empty() || option->names_tensor()
                              ? ""
                              : " -a " + quoted(fish_words(*option));
      text += fmt::format("complete -c filigree -n {}{} -l {}{}{} -d {}\n", quoted(condition), letter, option->name,
                          value, words, quoted(option->summary));
      for (const std::string& alias : option->aliases)
        text += fmt::format("complete -c filigree -n {} -l {}{}{} -d {}\n", quoted(condition), alias, value, words,
                            quoted(option->summary));
    }
  }
  return text;
}

}  // namespace filigree::tool

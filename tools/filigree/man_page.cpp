#include "man_page.h"

#include <cctype>

#include <fmt/format.h>

#include "help.h"
#include "support/text.h"

namespace filigree::tool {
namespace {

/// Text that roff takes as it is.
std::string escaped(const std::string& text) {
  std::string out;
  for (size_t n = 0; n < text.size(); n++) {
    char c = text[n];
    bool starts_line = n == 0 || text[n - 1] == '\n';
    if (starts_line && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else if (c == '^') out += "\\(ha";
    else if (c == '~') out += "\\(ti";
    else if (c == '\'') out += "\\(aq";
    else out += c;
  }
  return out;
}

std::string upper_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// Lines that stay as they are.
std::string verbatim(const std::string& text) { return ".nf\n" + escaped(text) + ".fi\n"; }

std::string section(const std::string& title) { return ".SH \"" + escaped(upper_case(title)) + "\"\n"; }

std::string option_entry(const Option& option) {
  std::string text = ".TP\n.B " + escaped(trim(option.spelling())) + "\n" + escaped(sentences(option)) + "\n";
  std::string commands = takers(option);
  return commands.empty() ? text : text + escaped("Taken by " + commands + ".") + "\n";
}

std::string commands_section() {
  std::string text = section("commands");
  for (const CommandRow& row : all_commands()) {
    text += ".TP\n.B " + escaped(row.synopsis) + "\n";
    for (const std::string& line : split(row.text, '\n')) text += line.empty() ? ".IP\n" : escaped(line) + "\n";
    while (text.ends_with(".IP\n")) text.resize(text.size() - 4);
  }
  return text;
}

std::string options_section() {
  std::string text = section("options");
  for (Group group : {Group::Tensors, Group::Running, Group::Showing, Group::General}) {
    text += ".SS \"" + escaped(heading_of(group)) + "\"\n";
    for (const Option& option : all_options()) {
      if (option.group == group) text += option_entry(option);
    }
  }
  return text;
}

/// Manual pages have names of their own for some sections.
std::string title_of(const Topic& topic) { return topic.name == "exit-codes" ? "exit status" : topic.name; }

}  // namespace

std::string man_page() {
  std::string text = ".TH FILIGREE 1 \"\" \"Filigree " FILIGREE_VERSION "\" \"User Commands\"\n";
  text += section("name") + "filigree \\- compile and run sparse tensor algebra\n" + section("synopsis");
  for (const CommandRow& row : all_commands()) text += ".B " + escaped(row.synopsis) + "\n.br\n";
  text += section("description") +
          escaped("Filigree compiles tensor algebra in index notation to one fused kernel, and runs it.\n");
  text += commands_section() + options_section();
  for (const Topic& topic : written_topics()) text += section(title_of(topic)) + verbatim(topic.text);
  return text;
}

}  // namespace filigree::tool

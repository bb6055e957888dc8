#include <algorithm>

#include <fmt/format.h>

#include "notation/cursor.h"
#include "schedule/commands.h"
#include "support/text.h"

namespace filigree::schedule {
namespace {

using notation::Token;
using notation::TokenKind;

std::string shown(const Token& token) { return token.kind == TokenKind::End ? "the end" : "'" + token.text + "'"; }

class Parser {
 public:
  explicit Parser(const Source& source) : at_(source, ":") {}  // formats have colons

  Schedule run() {
    Schedule schedule;
    while (true) {
      schedule.push_back(command());
      if (at_.now().kind == TokenKind::End) return schedule;
      expect(",", "commands stand one after the other, with commas between them");
    }
  }

 private:
  void expect(const char* symbol, const std::string& hint) {
    if (at_.take_if(symbol)) return;
    at_.fail(UserError(fmt::format("Expected '{}', found {}", symbol, shown(at_.now()))).hint(hint), at_.now().span);
  }

  const CommandSyntax& syntax(const Token& name) const {
    std::vector<std::string> names;
    for (const CommandSyntax& syntax : commands()) {
      for (const char* known : syntax.names) {
        if (name.text == known) return syntax;
      }
      names.push_back(syntax.names[0]);
    }
    std::string known = "commands are: " + join(names, ", ") + "; serial, auto and default stand alone";
    if (name.kind != TokenKind::Name)
      at_.fail(UserError("Expected a command, found " + shown(name)).hint(known), name.span);
    if (name.text == "serial" || name.text == "auto")
      at_.fail(UserError(fmt::format("'{}' is no command but a schedule of its own", name.text))
                   .hint("leave it out: with a list of commands, nothing is added to it"),
               name.span);
    UserError error(fmt::format("Unknown command '{}'", name.text));
    if (auto guess = did_you_mean(name.text, names)) {
      auto meant = std::find_if(commands().begin(), commands().end(),
                                [&](const CommandSyntax& syntax) { return syntax.names[0] == *guess; });
      std::move(error).hint("did you mean " + usage(*meant) + "?");
    }
    at_.fail(std::move(error).hint(known), name.span);
  }

  Command command() {
    Token name = at_.now();
    const CommandSyntax& found = syntax(name);
    at_.take();
    std::string hint = "write " + usage(found);
    expect("(", hint);
    std::vector<Argument> all;
    while (!at_.now().is(")")) {
      all.push_back(argument(hint));
      if (!at_.now().is(")")) expect(",", hint);
    }
    at_.take();
    Arguments arguments(name.text, usage(found), std::move(all), {at_.source(), at_.span_from(name.span.begin)});
    Command command = found.read(arguments);
    arguments.end();
    return command;
  }

  /// Up to a comma or parenthesis that is not inside of others.
  Argument argument(const std::string& hint) {
    Argument argument;
    int depth = 0;
    while (depth > 0 || !(at_.now().is(",") || at_.now().is(")"))) {
      if (at_.now().kind == TokenKind::End && depth == 0 && argument.tokens.empty()) break;
      if (at_.now().kind == TokenKind::End) expect(")", hint);
      if (at_.now().is("(") || at_.now().is("{")) depth++;
      if (at_.now().is(")") || at_.now().is("}")) depth--;
      argument.tokens.push_back(at_.take());
    }
    if (argument.tokens.empty())
      at_.fail(UserError("Expected an argument, found " + shown(at_.now())).hint(hint), at_.now().span);
    argument.span = {argument.tokens.front().span.begin, argument.tokens.back().span.end};
    return argument;
  }

  notation::Cursor at_;
};

}  // namespace

std::string usage(const CommandSyntax& syntax) {
  return fmt::format("{}({})", syntax.names[0], join({syntax.parameters.begin(), syntax.parameters.end()}, ", "));
}

Schedule parse(const std::string& text, const std::string& name) { return Parser(make_source(name, text)).run(); }

}  // namespace filigree::schedule

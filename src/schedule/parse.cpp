#include <fmt/format.h>

#include "notation/lex.h"
#include "schedule/commands.h"
#include "support/text.h"

namespace filigree::schedule {
namespace {

using notation::Token;
using notation::TokenKind;

std::string usage(const CommandSyntax& syntax) {
  return fmt::format("{}({})", syntax.name, join({syntax.parameters.begin(), syntax.parameters.end()}, ", "));
}

class Parser {
 public:
  explicit Parser(const Source& source) : source_(source), tokens_(notation::lex(source)) {}

  Schedule run() {
    Schedule schedule;
    while (true) {
      schedule.push_back(command());
      if (token().kind == TokenKind::End) return schedule;
      expect(",", "commands stand one after the other, with commas between them");
    }
  }

 private:
  const Token& token() const { return tokens_[at_]; }
  std::string shown() const { return token().kind == TokenKind::End ? "the end" : "'" + token().text + "'"; }

  void expect(const char* symbol, const std::string& hint) {
    if (!token().is(symbol)) throw UserError(fmt::format("Expected '{}', found {}", symbol, shown())).at(source_, token().span).hint(hint);
    at_++;
  }

  Name name(const char* what, const std::string& hint) {
    if (token().kind != TokenKind::Name) throw UserError(fmt::format("Expected {}, found {}", what, shown())).at(source_, token().span).hint(hint);
    Name name(token().text, token().span);
    at_++;
    return name;
  }

  Command command() {
    std::vector<std::string> names, usages;
    for (const CommandSyntax& syntax : commands()) names.push_back(syntax.name), usages.push_back(usage(syntax));
    std::string known = "commands are: " + join(usages, ", ");
    Call call{name("a command", known), {}, source_, {}};
    for (const CommandSyntax& syntax : commands()) {
      if (call.name.text == syntax.name) return arguments(syntax, call);
    }
    UserError error(fmt::format("Unknown command '{}'", call.name.text));
    if (auto guess = did_you_mean(call.name.text, names)) std::move(error).hint("did you mean '" + *guess + "'?");
    throw std::move(error).hint(known).at(source_, call.name.span);
  }

  Command arguments(const CommandSyntax& syntax, Call& call) {
    std::string hint = "write " + usage(syntax);
    expect("(", hint);
    while (true) {
      call.arguments.push_back(name("a name", hint));
      if (token().is(")")) break;
      expect(",", hint);
    }
    call.span = {call.name.span.begin, token().span.end};
    at_++;
    if (call.arguments.size() != syntax.parameters.size()) {
      throw UserError(fmt::format("'{}' takes {} arguments, found {}", syntax.name, syntax.parameters.size(), call.arguments.size())).at(source_, call.span).hint(hint);
    }
    return syntax.read(call);
  }

  Source source_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
};

}  // namespace

Schedule parse(const std::string& text, const std::string& name) { return Parser(make_source(name, text)).run(); }

}  // namespace filigree::schedule

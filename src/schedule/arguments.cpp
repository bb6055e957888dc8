#include "schedule/arguments.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "support/text.h"

namespace filigree::schedule {
namespace {

using notation::Token;
using notation::TokenKind;

std::string shown(const Argument& argument) {
  std::string text;
  for (const Token& token : argument.tokens) text += token.text;
  return text;
}

/// CPUThread, cpu_thread and cputhread are one word.
std::string plain(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c != '_') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

/// The word of an argument that is one, also after what it belongs to: ParallelUnit::CPUThread.
std::optional<std::string> word_of(const Argument& argument) {
  const std::vector<Token>& tokens = argument.tokens;
  bool is_qualified = tokens.size() == 4 && tokens[0].kind == TokenKind::Name && tokens[1].is(":") && tokens[2].is(":");
  return tokens.size() == 1 || is_qualified ? std::optional(plain(tokens.back().text)) : std::nullopt;
}

}  // namespace

void Arguments::fail(UserError error, Span span) const {
  if (place_.source) throw std::move(error).at(place_.source, span);
  throw error;
}

const Argument& Arguments::next(const char* what) {
  if (at_ < all_.size()) return all_[at_++];
  fail(UserError(fmt::format("'{}' is missing an argument: {}", command_, what)).hint("write " + usage_), next_span());
}

Name Arguments::name(const char* what) {
  const Argument& argument = next(what);
  if (argument.tokens.size() != 1 || argument.tokens[0].kind != TokenKind::Name) {
    fail(UserError(fmt::format("Expected {}, found '{}'", what, shown(argument))).hint("write " + usage_),
         argument.span);
  }
  return {argument.tokens[0].text, argument.span};
}

Name Arguments::tensor() {
  const Argument& argument = next("a tensor");
  bool is_access = argument.tokens.size() > 1 && argument.tokens[1].is("(") && argument.tokens.back().is(")");
  if (argument.tokens[0].kind != TokenKind::Name || (argument.tokens.size() > 1 && !is_access)) {
    fail(UserError(fmt::format("Expected a tensor, found '{}'", shown(argument))).hint("write " + usage_),
         argument.span);
  }
  return {argument.tokens[0].text, argument.tokens[0].span};
}

std::vector<Name> Arguments::names(const char* what) {
  bool is_list = at_ < all_.size() && all_[at_].tokens.front().is("{") && all_[at_].tokens.back().is("}");
  if (!is_list) return {name(what)};
  const Argument& argument = next(what);
  std::vector<Name> out;
  for (size_t n = 1; n + 1 < argument.tokens.size(); n++) {
    const Token& token = argument.tokens[n];
    bool is_comma = n % 2 == 0;
    if (is_comma ? !token.is(",") : token.kind != TokenKind::Name) {
      fail(UserError(fmt::format("Expected {}, found '{}'", is_comma ? "','" : what, token.text))
               .hint("write " + usage_),
           token.span);
    }
    if (!is_comma) out.push_back({token.text, token.span});
  }
  return out;
}

Name Arguments::text(const char* what) {
  const Argument& argument = next(what);
  bool in_braces = argument.tokens.size() > 2 && argument.tokens.front().is("{") && argument.tokens.back().is("}");
  Span span = in_braces ? Span{argument.tokens[1].span.begin, argument.tokens[argument.tokens.size() - 2].span.end}
                        : argument.span;
  return {place_.source->text.substr(static_cast<size_t>(span.begin), static_cast<size_t>(span.end - span.begin)),
          span};
}

bool Arguments::is_number() const {
  return at_ < all_.size() && all_[at_].tokens.size() == 1 && all_[at_].tokens[0].is_integer();
}

std::int64_t Arguments::size() {
  bool whole = is_number();
  const Argument& argument = next("a number");
  std::int64_t value = whole ? argument.tokens[0].value.as_int() : 0;
  if (value < 1) {
    fail(UserError(fmt::format("'{}' needs a whole number of at least 1, found '{}'", command_, shown(argument)))
             .hint("write " + usage_),
         argument.span);
  }
  return value;
}

std::optional<int> Arguments::word_if(const std::vector<Word>& words) {
  std::optional<std::string> given = at_ < all_.size() ? word_of(all_[at_]) : std::nullopt;
  if (!given) return std::nullopt;
  auto found = std::find_if(words.begin(), words.end(), [&](const Word& word) { return plain(word.text) == *given; });
  if (found == words.end()) return std::nullopt;
  at_++;
  return found->value;
}

int Arguments::word(const char* what, const std::vector<Word>& words) {
  if (std::optional<int> value = word_if(words)) return *value;
  const Argument& argument = next(what);
  std::vector<std::string> known;
  for (size_t n = 0; n < words.size(); n++) {
    bool is_first = std::none_of(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(n),
                                 [&](const Word& other) { return other.value == words[n].value; });
    if (is_first) known.push_back(words[n].text);  // others are other spellings of it
  }
  UserError error(fmt::format("Expected {}, found '{}'", what, shown(argument)));
  if (auto guess = did_you_mean(shown(argument), known)) std::move(error).hint("did you mean '" + *guess + "'?");
  fail(std::move(error).hint("there are: " + join(known, ", ")), argument.span);
}

void Arguments::end() const {
  if (at_ == all_.size()) return;
  fail(
      UserError(fmt::format("'{}' has an argument too many: '{}'", command_, shown(all_[at_]))).hint("write " + usage_),
      all_[at_].span);
}

}  // namespace filigree::schedule

// A place in a list of tokens, for parsers by recursive descent.
#pragma once

#include <algorithm>

#include "notation/lex.h"

namespace filigree::notation {

class Cursor {
 public:
  explicit Cursor(const Source& source, const char* more_symbols = "")
      : source_(source), tokens_(lex(source, more_symbols)) {}

  const Source& source() const { return source_; }
  const Token& now() const { return tokens_[at_]; }
  const Token& next(size_t ahead = 1) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  const Token& before() const { return tokens_[at_ - 1]; }
  Token take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool take_if(const char* symbol) {
    if (!now().is(symbol)) return false;
    take();
    return true;
  }
  [[noreturn]] void fail(UserError error, Span span) const { throw std::move(error).at(source_, span); }

  /// Does `name` stand somewhere without a '(' behind it, as index variables and scalars do?
  bool stands_alone(const std::string& name) const {
    for (size_t n = 0; n + 1 < tokens_.size(); n++) {
      if (tokens_[n].kind == TokenKind::Name && tokens_[n].text == name && !tokens_[n + 1].is("(")) return true;
    }
    return false;
  }

  const std::vector<Token>& tokens() const { return tokens_; }
  bool lacks_closing() const { return notation::lacks_closing(tokens_); }

  /// The text from `begin` up to the last token taken.
  Span span_from(int begin) const { return {begin, before().span.end}; }

 private:
  Source source_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
};

}  // namespace filigree::notation

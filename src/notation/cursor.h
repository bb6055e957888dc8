// A place in a list of tokens, for parsers by recursive descent.
#pragma once

#include <algorithm>

#include "notation/lex.h"

namespace filigree::notation {

class Cursor {
 public:
  explicit Cursor(const Source& source, const char* more_symbols = "") : source_(source), tokens_(lex(source, more_symbols)) {}

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

  /// The text from `begin` up to the last token taken.
  Span span_from(int begin) const { return {begin, before().span.end}; }

 private:
  Source source_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
};

}  // namespace filigree::notation

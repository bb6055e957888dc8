// Text of index notation -> tokens with their places.
#pragma once

#include <string>
#include <vector>

#include "algebra/scalar.h"
#include "support/diagnostic.h"

namespace filigree::notation {

/// `and`, `or`, `xor` and `not` are symbols.
enum class TokenKind { Name, Number, Symbol, End };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string text;  // as written; empty at the end
  Span span;
  Scalar value = {};  // of a number: int64, float64 (inf and nan, too), complex128, or bool for true and false

  bool is(const char* symbol) const { return kind == TokenKind::Symbol && text == symbol; }
  bool is_integer() const { return kind == TokenKind::Number && value.type() == ElementType::Int64; }
};

/// All tokens, the last one End.  Throws UserError on characters and numbers that mean nothing.  Characters of `more`
/// are symbols too.
std::vector<Token> lex(const Source& source, const char* more = "");

/// Is this a word of the notation, an operator or a number, and so no name?
bool is_word(const std::string& text);

/// Are there more '(' than ')'?
bool lacks_closing(const std::vector<Token>& tokens);

}  // namespace filigree::notation

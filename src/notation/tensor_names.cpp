#include "notation/tensor_names.h"

namespace filigree::notation {
namespace {

/// Do indices without tensors stand in the parenthesis that opens at number `open`?
bool has_plain_indices(const std::vector<Token>& tokens, size_t open, const std::set<std::string>& declared) {
  size_t n = open + 1;
  while (n + 1 < tokens.size() && !tokens[n].is(")")) {
    const Token& token = tokens[n++];
    bool is_variable = token.kind == TokenKind::Name && !tokens[n].is("(") && !declared.count(token.text);
    bool belongs = is_variable || token.is_integer() || token.is(",") || token.is("+") || token.is("-") ||
                   token.is("*");
    if (!belongs) return false;
  }
  return n > open + 1 && tokens[n].is(")");
}

}  // namespace

TensorNames::TensorNames(const std::vector<Token>& tokens, const std::set<std::string>& declared)
    : declared_(declared) {
  for (size_t n = 0; n + 1 < tokens.size(); n++) {
    if (tokens[n].kind != TokenKind::Name) continue;
    bool begins_statement = n == 0 || tokens[n - 1].is(";");
    if (begins_statement) assigned_.insert(tokens[n].text);
    if (tokens[n + 1].is("(") && has_plain_indices(tokens, n + 1, declared)) plain_.insert(tokens[n].text);
  }
}

}  // namespace filigree::notation

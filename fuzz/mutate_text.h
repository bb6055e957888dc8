// Text that is nearly right: edits of tokens, of whole operands and of single characters.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace filigree::fuzz {

/// Words, numbers, blanks and single other characters, which together are the text.
std::vector<std::string> tokens_of(const std::string& text);

/// A statement with 1 to 4 changes, most of which leave it grammatical: another variable, operator or number, an
/// operand inside of a function or a reduction, an index of another form, an operand of `other` instead of one of this,
/// a further statement.
std::string mutate_statement(const std::string& statement, const std::string& other, std::mt19937_64& random);

/// A format or a schedule with 1 or 2 tokens changed, for others of `vocabulary` or numbers.
std::string mutate_tokens(const std::string& text, const std::vector<std::string>& vocabulary, std::mt19937_64& random);

/// The bytes of a file with 1 to 4 changes: numbers, words and lines of a text, else bits, parts and the end.
std::string mutate_bytes(std::string bytes, std::mt19937_64& random);

}  // namespace filigree::fuzz

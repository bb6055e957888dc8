// What the parser says: one function per message, and the names that it must not take for tensors.
#pragma once

#include <string>

#include "notation/lex.h"

namespace filigree::notation {

extern const char* const example_hint;
extern const char* const padding_function;

/// Is `name` with a parenthesis behind it a function or reduction?
bool is_function_name(const std::string& name);
/// Was a function more likely meant than a tensor: is this a function's name with a typo, or one of libm's?
bool is_likely_function(const std::string& name);

UserError no_function(const std::string& name);
UserError function_on_the_left(const std::string& name);
UserError unknown_assignment(const std::string& written);
UserError missing_assignment(const std::string& left, const Token& found);
UserError missing_operand(const Token& before, const Token& found);
UserError missing_index(const Token& before, const Token& found);
UserError missing_parenthesis(const Token& open);
UserError no_index(const std::string& tensor, const std::string& written);
UserError wrong_operands(const std::string& function, int wanted, int count);
/// In reduce(op, k, ...).
UserError not_reducing(const std::string& symbol);
UserError chained_comparison();
UserError too_few_operands(const std::string& function, int count);
UserError reduction_without_variable(const std::string& reduction);
UserError nested_too_deeply();
UserError too_many_operators();
/// A ';' where one statement is read.
UserError several_statements();
/// Nothing stands before a ';', or behind the last one.
UserError missing_statement(bool at_end);
/// A complete expression is followed by something that does not belong there.
UserError leftover(const Token& found);

}  // namespace filigree::notation

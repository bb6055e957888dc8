// What the parser says: one function per message, and the names that it must not take for tensors.
#pragma once

#include <string>

#include "notation/lex.h"

namespace filigree::notation {

extern const char* const example_hint;
extern const char* const padding_function;
extern const char* const pruning_function;
extern const char* const wrapping_function;
/// How a choice is written.
inline constexpr const char* select_use = "select(condition, a, b)";

/// Is `name` with a parenthesis behind it a function or reduction?
bool is_function_name(const std::string& name);

UserError function_on_the_left(const std::string& name);
UserError unknown_assignment(const std::string& written);
/// `+ =`
UserError assignment_in_two(const std::string& operation);
UserError missing_assignment(const std::string& left, const Token& found);
UserError missing_operand(const Token& before, const Token& found);
UserError missing_index(const Token& before, const Token& found);
/// At the end of the text.
UserError missing_parenthesis(const Source& source, const Token& open);
/// Before an operator: `written` is what the parenthesis should have closed.
UserError missing_parenthesis_after(const std::string& written, const std::string& operation);
/// A(i, j*x(j)), where `access` is x and `instead` is A(i, j)*x(...).
UserError access_in_index(const std::string& tensor, const std::string& access, const std::string& instead);
UserError no_index(const std::string& tensor, const std::string& written);
/// A({1,2}, j)
UserError list_without_variable();
/// In a window or a list; `what` begins the sentence.
UserError no_integer(const std::string& what, const std::string& written);
UserError wrong_operands(const std::string& function, int wanted, int count);
/// In reduce(op, k, ...).
UserError not_reducing(const std::string& symbol);
UserError chained_comparison();
UserError too_few_operands(const std::string& function, int count, const std::string& variables = "k",
                           const std::string& body = "...");
/// sum(A(i,j)): `variables` are those that it could run over.
UserError reduction_without_variable(const std::string& reduction, const std::string& variables = "k",
                                     const std::string& body = "...");
/// sum(j A(i,j)) and sum(A(i,j), j); `opening` is what a reduction begins with.
UserError missing_comma(const std::string& opening, const std::string& variable);
UserError variable_behind(const std::string& opening, const std::string& variable);
UserError nested_too_deeply();
UserError too_many_operators();
UserError too_many_indices(const std::string& tensor);
/// A ';' where one statement is read.
UserError several_statements();
/// Nothing stands before a ';', or behind the last one.
UserError missing_statement(bool at_end);
/// Two statements without a ';' between them; `found` begins the second.
UserError missing_separator(const Token& found);
/// Is this one of the assignments that are symbols?
bool assigns(const Token& token);
/// A complete expression is followed by something that does not belong there.
UserError leftover(const Token& found, const Token& following);
/// prune(...) that is not the whole right-hand side.
UserError prune_inside();
/// nan(i)
UserError word_as_name(const std::string& word);

}  // namespace filigree::notation

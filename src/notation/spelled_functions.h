// What functions that are not part of the notation come to, as statements.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace filigree::notation {

using Texts = std::vector<std::string>;

/// f(j, A(i,j)) in a statement, as text.
struct WrittenCall {
  std::string function;
  Texts operands;      // A(i,j); of dot(x(i), y(i)) there are two
  Texts vars;          // j: those it runs over; none if the text does not say
  Texts indices;       // i, j: all index variables of the operands, each once
  std::string left;    // y(i), if the call is all of what is assigned to it; else empty
  Texts left_indices;  // i
  Texts names;         // all names of the text, which new ones must differ from
};

/// Is there a text for this function?
bool is_spelled(const std::string& function);

/// Statements that compute it; nothing if the operands do not fit the function.
std::optional<std::string> spelled(const WrittenCall& call);
/// The same with made up operands.
std::string spelled_example(const std::string& function);

}  // namespace filigree::notation

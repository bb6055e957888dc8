// The iteration space of a statement: the points that its loops visit, as the operands' relations and the accesses say
// (P0 section 4).
//
//   y(i) = A(i,j), A csr    { [i, j, A_c1 = i, A_p2] : 0 <= i < n_i and A_pos2(A_c1) <= A_p2 and ... }
//
// A product visits where all its operands store something, a sum where one of them does: the statement is split, one
// space for each.  An operand whose relation is not stated, or that an operator turns into something everywhere, is
// everywhere.  isl takes out what follows from the rest, and finds spaces with nothing in them.
#pragma once

#include <string>
#include <vector>

#include "layouts/layout.h"
#include "notation/notation.h"

namespace filigree::polyhedral {

struct Space {
  std::vector<std::string> operands;         // that are present: "A(i,j)"
  std::vector<std::string> variables;        // index variables, then physical ones of the operands
  std::vector<layouts::Formula> conditions;  // all of them hold
};
/// Throws UserError if there would be more than a few hundred.
std::vector<Space> spaces_of(const notation::Statement& statement);

/// "A(i,j) * x(j): { [...] : ... }", simplified if isl is there; "nothing" for an empty space.
std::string to_string(const Space& space);

}  // namespace filigree::polyhedral

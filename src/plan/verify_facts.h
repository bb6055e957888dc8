// What is checked of what a plan says about tensors and variables, where a person may have written it.  Internal to
// verify.cpp.
#pragma once

#include "plan/verify.h"

namespace filigree::plan {

/// Nothing if
///  1. results, operands and temporaries are different tensors; what is written is a result or a temporary, and what is
///     computed has the types that operators ask for;
///  2. every variable that is used has a value somewhere: how far it goes follows from dimensions of results and
///     operands, and a variable follows from others in one way that is not in a circle;
///  3. pieces and points are those of loops that stand one inside the other, each made once;
///  4. what else follows from what is so because of pieces, points and indices;
///  5. windows and selections show operands, and tensors are stored so that their levels are what loops see.
std::optional<Mistake> find_wrong_fact(const Plan& plan);

}  // namespace filigree::plan

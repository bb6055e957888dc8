// The registry of users' functions, as the questions about operators see it.  Internal to algebra.
#pragma once

#include <vector>

#include "algebra/operator.h"

namespace filigree {

const OperatorFacts& user_facts(Operator op);
std::vector<Operator> all_user_functions();

}  // namespace filigree

// Proves what layouts need to know, by asking Z3 for a counterexample.
#pragma once

#include <optional>
#include <string>

#include "layouts/facts.h"

namespace filigree::polyhedral {

/// The question in SMT-LIB: premises, and that the conclusion does not hold.
std::string to_smt(const layouts::Question& question);

struct Proof {
  bool proven = false;
  std::string counterexample;  // values of the variables, if there is one: "pi = 0, pi' = 1"
};
Proof prove(const layouts::Question& question);

/// The same as a function: a yes is certain.
layouts::Prover prover();

}  // namespace filigree::polyhedral

// How a position can be found inside of loops: algorithms 2 and 3 of P0, appendix A.
//
// Loops run over some operands; in another one, the position q within [lower, upper) is looked for at which
// key(q) = wanted.  Templates are enumerated, each with the direction of its cursor, and kept if Z3 finds no
// counterexample to what they assume:
//
//   scan     nothing
//   hash     no key occurs twice in a segment
//   binary   keys are in an array, sorted either way, each once
//   seqiter  a cursor is moved while its key is too small.  What it passes is not wanted later (equation 3), and what
//            comes after where it stops is not wanted now (equation 4)
//   gallop   the same, and keys are in an array, rising
//   locate   the key is the variable itself
//
// What is kept from one search to the next, a cursor or a table, is good for the iterations in which the *state
// indices* have the same values, and is set up anew at the innermost of these loops.  All loops are correct; those that
// can be left out are, from the innermost on, and loops before variables that follow from them (reduced indices).
#pragma once

#include <string>
#include <vector>

#include "layouts/facts.h"

namespace filigree::polyhedral {

struct FindProblem {
  std::vector<std::string> loops;            // outermost first
  std::vector<std::string> reduced;          // variables that follow from loops
  std::vector<layouts::Formula> context;     // bounds and conditions of the loops, at one iteration
  std::vector<layouts::Formula> properties;  // of their arrays, at two iterations: the second is primed
  std::string variable;
  layouts::Expr lower, upper, key, wanted;
  /// Of the arrays that are searched, at two positions: the second is primed, and so are the loops around it.
  std::vector<layouts::Formula> searched = {};
};

enum class Template { Locate, Binary, Gallop, SeqIter, Hash, Scan };
std::string to_string(Template name);

struct Find {
  Template name = Template::Scan;
  bool falls = false;              // the cursor moves down
  std::vector<std::string> state;  // loops and reduced indices, outermost first; of templates that keep nothing, all
};

/// Every template that is valid, each with the fewest state indices.  Always with scan.
std::vector<Find> find_templates(const FindProblem& problem);

/// "seqiter falling, kept for i"
std::string to_string(const Find& find);

}  // namespace filigree::polyhedral

// Runs the compiler on a case and says what each of the case's sections should hold.
#pragma once

#include "compiler/executable.h"
#include "tests/cases/case.h"

namespace filigree::cases {

struct Outcome {
  std::vector<Section> sections;  // those of the case, as the compiler makes them
  std::string failure;  // what no golden text may excuse: an exception, a result that the oracle does not expect
};

/// [result] runs on `target`, and its values and pattern are compared with the oracle's.
Outcome run_case(const Case& c, compiler::Target target);

}  // namespace filigree::cases

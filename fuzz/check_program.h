// Oracle = interpreter = compiled code, for one program.
#pragma once

#include <string>

#include "compiler/kernel.h"
#include "fuzz/program.h"

namespace filigree::fuzz {

struct Verdict {
  enum class Kind { Right, Wrong, Refused };  // refused: the notation's own checks say no
  Kind kind = Kind::Right;
  std::string message = {};

  /// Two failures with the same category are taken for the same bug: the message without numbers and names.
  std::string category() const;
};

Verdict check_program(const Program& program, compiler::Target target);

}  // namespace filigree::fuzz

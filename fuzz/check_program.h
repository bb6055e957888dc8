// Oracle = interpreter = compiled code, for one program.
#pragma once

#include <string>

#include "compiler/kernel.h"
#include "fuzz/program.h"
#include "support/sanitizers.h"
#include "tests/reference/evaluate.h"

namespace filigree::fuzz {

/// Limits on times are this many times as long where sanitizers watch every step.
inline constexpr int slowed_down = is_sanitized ? 8 : 1;

struct Verdict {
  enum class Kind { Right, Wrong, Refused };  // refused: the notation's own checks say no
  Kind kind = Kind::Right;
  std::string message = {};

  /// Two failures with the same category are taken for the same bug: the message without numbers and names.
  std::string category() const;
};

/// How far values may be from the oracle's.
double tolerance(const notation::Statement& statement);
/// Does it read or write coordinates that others select?
bool has_selections(const notation::Statement& statement);
/// Are the values of a size at which nothing overflows or rounds?
bool is_moderate(const reference::Box& box);
/// Without NaN and infinities, which factors of sums make others of.
bool is_finite(const reference::Box& box);

struct CheckOptions {
  bool with_plan = true;      // also that the plan's text parses back and makes the same code: a quarter of the time
  size_t frontier = 0;        // run so many members of the frontier, too (check_frontier.h)
  size_t* members = nullptr;  // how many were run
};

Verdict check_program(const Program& program, compiler::Target target, const CheckOptions& how = {});

}  // namespace filigree::fuzz

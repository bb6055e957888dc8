// Internal checks: what must hold unless Filigree itself has a bug.  Never reachable by user input.
#pragma once

#include <stdexcept>
#include <string>

namespace filigree {

/// A bug in Filigree: names the stage that noticed and shows the statement it was working on.
class InternalError : public std::logic_error {
 public:
  InternalError(const std::string& stage, const std::string& what, const std::string& statement = "")
      : std::logic_error("internal error in " + stage + ": " + what +
                         (statement.empty() ? "" : "\n  while working on: " + statement)) {}
};

inline void internal_check(bool condition, const char* stage, const char* what, const std::string& statement = "") {
  if (!condition) throw InternalError(stage, what, statement);
}

}  // namespace filigree

// What a person is told when something is done as it is written, but probably was not meant so.
#pragma once

#include "support/diagnostic.h"

namespace filigree {

/// Has the form of a UserError: one sentence, where, why, and what would work.
class Warning {
 public:
  explicit Warning(UserError what) : what_(std::move(what)) {}

  const std::string& message() const { return what_.message(); }
  const std::vector<std::string>& notes() const { return what_.notes(); }
  std::vector<std::string> hints(Wording wording = Wording::Program) const { return what_.hints(wording); }
  /// As printed to a terminal, starting with "warning: ", ending in a newline.
  std::string text(Wording wording = Wording::Program) const;

 private:
  UserError what_;
};

}  // namespace filigree

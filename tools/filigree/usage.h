// What is wrong with a command line whatever the expression and the files are.
#pragma once

#include <stdexcept>
#include <string>

namespace filigree::tool {

/// Ends in exit code 2.
class UsageError : public std::runtime_error {
 public:
  explicit UsageError(const std::string& message, std::string hint = "")
      : std::runtime_error(message), hint_(std::move(hint)) {}
  const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

inline constexpr const char* help_hint = "filigree --help lists all options";

}  // namespace filigree::tool

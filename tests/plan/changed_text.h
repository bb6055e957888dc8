// Plans as text, changed as a person may change them.
#pragma once

#include <gtest/gtest.h>

#include "plan/text.h"
#include "support/diagnostic.h"

namespace filigree::plan {

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " in\n" << text;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// What is wrong with a plan, or "none".
inline std::string error_of(const std::string& text) {
  try {
    parse(text);
    return "none";
  } catch (const UserError& error) {
    return error.message();
  }
}

}  // namespace filigree::plan

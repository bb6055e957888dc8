// What a person would be told.
#pragma once

#include <string>

#include "support/diagnostic.h"

namespace filigree {

/// What `tell` says of the UserError that `function` throws.
template <class Function, class Tell>
std::string told_by(Function function, Tell tell) {
  try {
    function();
  } catch (const UserError& error) {
    return tell(error);
  }
  return "no error";
}

/// Its message alone.
template <class Function>
std::string message_of(Function function) {
  return told_by(function, [](const UserError& error) { return error.message(); });
}

/// With its notes and hints.
template <class Function>
std::string text_of(Function function) {
  return told_by(function, [](const UserError& error) { return error.text(); });
}

}  // namespace filigree

// What a person would be told.
#pragma once

#include <string>

#include "support/diagnostic.h"

namespace filigree {

/// The message of the UserError that `function` throws.
template <class Function>
std::string message_of(Function function) {
  try {
    function();
  } catch (const UserError& error) {
    return error.message();
  }
  return "no error";
}

}  // namespace filigree

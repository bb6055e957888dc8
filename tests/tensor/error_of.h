// What a call complains about.
#pragma once

#include <string>

#include "support/diagnostic.h"

namespace filigree::testing_support {

/// The text of the UserError that `call` throws; "no error" if it does not.
template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const UserError& error) {
    return error.text();
  }
  return "no error";
}

}  // namespace filigree::testing_support

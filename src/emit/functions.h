// Helper functions for operators that are no operators of C.  Internal to emission.
#pragma once

#include <set>
#include <string>

namespace filigree::emit {

/// The text of those functions among `helpers` that compute with elements: min_i32, floor_divide_f64, user_f_f64, ...
std::string function_text(const std::set<std::string>& helpers);

}  // namespace filigree::emit

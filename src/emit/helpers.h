// The helper functions that kernels call, as C text.  Internal to the C back end.
#pragma once

#include <set>
#include <string>

namespace filigree::emit {

/// Definitions of the helpers that a file needs and no others: "min_i64", "multiply_c128", "sort_i32",
/// "hash_find_i32", "table", "parallel_for", and for memory "allocate", "allocate_zero", "resize", "release".  Without
/// `standalone`, sorts and tables are calls through runtime->functions.
std::string helper_text(const std::set<std::string>& helpers, bool standalone);

/// A runtime header without its include guard and includes: every file starts with what they declare.
std::string runtime_section(std::string_view name);

}  // namespace filigree::emit

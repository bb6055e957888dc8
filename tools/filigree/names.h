// Whether options name tensors and index variables of the program.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "arguments.h"
#include "front/program_names.h"

namespace filigree::tool {

/// Tensors that -i gives a value.
std::set<std::string> given_names(const RunArguments& arguments);
/// Names that options say are tensors: no function is meant by them.
std::set<std::string> declared_names(const RunArguments& arguments);
/// Throws UserError for an option that names no tensor, or one that it does not fit.
void check_names(const front::ProgramNames& names, const RunArguments& arguments, const Source& source);
UserError unknown_name(const Setting& setting, const std::string& kind, const std::vector<std::string>& known);
/// 'a', 'b'
std::string quoted_list(const std::vector<std::string>& names);

}  // namespace filigree::tool

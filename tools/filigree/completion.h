// Completion for shells, made from the table of options.
#pragma once

#include <string>

namespace filigree::tool {

std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace filigree::tool

// How many dimensions an operand has, from what the command line says about it.
#pragma once

#include <optional>

#include "arguments.h"

namespace filigree::tool {

/// From its dimensions, its file or its format, in this order; nothing if none of them tells.  `base` is what the
/// coordinates in its file count from.
std::optional<int> operand_order(const std::string& name, const Settings& dimensions, const Settings& inputs,
                                 const Settings& formats, std::optional<int> base);

}  // namespace filigree::tool

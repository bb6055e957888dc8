// Formats of options: as anywhere, or layouts, from a file or as text.
#pragma once

#include <string>
#include <vector>

#include "front/declare.h"
#include "tensor/format.h"

namespace filigree::tool {

/// parse_format, and "layout FILE" and "layout NAME(...) { ... }".  Throws UserError.
Format parse_format_option(const std::string& text, int order, const std::string& what);

/// What --explain says of those formats that are layouts.
std::vector<std::string> remarks_on_layouts();

/// For --print layout: the relation of each tensor's format.
std::string layouts_text(const front::DeclaredProgram& program);

/// For --print space: what the loops of each statement visit.
std::string spaces_text(const front::DeclaredProgram& program);

}  // namespace filigree::tool

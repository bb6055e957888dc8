// Formats of options: as anywhere, or layouts, from a file or as text.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arguments.h"
#include "front/declare.h"
#include "input.h"
#include "io/contents.h"
#include "tensor/format.h"

namespace filigree::tool {

/// parse_format, and "layout FILE" and "layout NAME(...) { ... }".  Throws UserError.
Format parse_format_option(const std::string& text, int order, const std::string& what);

/// The arrays of the tensor, if they are given as such and the option -f says a layout for it: -i T:NAME=FILE,... or -i
/// T:FILE.npz with arrays of the layout.  Null if the input is something else.  Throws UserError for arrays that are
/// not those of the layout, and for arrays without a layout.
std::shared_ptr<Contents> read_layout_arrays(const Input& input, const std::string& tensor, int order,
                                             const Setting* format,
                                             const std::optional<std::vector<std::int64_t>>& dimensions,
                                             std::optional<ElementType> type);

/// What --explain says of those formats that are layouts.
std::vector<std::string> remarks_on_layouts();

/// For --print layout: the relation of each tensor's format.
std::string layouts_text(const front::DeclaredProgram& program);

/// For --print space: what the loops of each statement visit.
std::string spaces_text(const front::DeclaredProgram& program);

}  // namespace filigree::tool

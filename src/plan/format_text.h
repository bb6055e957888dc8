// Formats in plans' text: those that users write, and those that only plans have.
//
//   csr                            as users write it
//   composed 1, 2 of bcsr(4,4)     levels of a format with a map, as loops over dimensions 1 and 2 see them
//   levels 1: scattered            a workspace's, and views of levels, each with the dimension that it stores
#pragma once

#include "tensor/format.h"

namespace filigree::plan {

std::string format_text(const Format& format);
/// Throws UserError.
Format parse_format_text(const std::string& text, int order);

}  // namespace filigree::plan

// Makes a layout a format: with levels that loops walk and search, if the relation can be taken apart by dimensions; or
// else one that data is unpacked into.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "layouts/relation_level.h"

namespace filigree::polyhedral {

struct UsedLayout {
  layouts::Layout layout;
  Format format;
  std::string name;                  // by which parse_format knows the format
  bool direct = true;                // loops go through the layout's own arrays
  std::vector<std::string> remarks;  // for --explain: how dimensions are reached, and what is proven
};

/// The layout as a format, which has the layout's name from now on (NAME_layout, if a format has that name already).
/// Asking for the same layout again gives the same answer.  Throws UserError for another layout of that name.
UsedLayout use_layout(const layouts::Layout& layout);

/// A tensor that stores what these arrays do.  Throws UserError for arrays that break what the layout says of them.
AnyTensor make_tensor(const UsedLayout& layout, const layouts::Data& data, const std::string& name = "tensor");

/// Those that were used so far, by the names of their formats.
std::map<std::string, UsedLayout> used_layouts();

}  // namespace filigree::polyhedral

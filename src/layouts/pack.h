// Fills the arrays of a layout from coordinates, where the relation determines them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "layouts/data.h"

namespace filigree::layouts {

struct PackedData {
  std::map<std::string, Array> arrays;  // index arrays, and arrays of values that hold 0
  std::vector<std::int64_t> elements;   // where each entry's value goes
  std::int64_t size = 0;                // of the array of values
};

/// Variables that follow from coordinates are looked up; others number nodes: an entry is in the node before it if what
/// that node holds suits it, else in a new one, as near its beginning as can be.  Entries are taken in the order of
/// what is looked up, then of their coordinates.  Requires: no entry twice. Throws UserError, with what is in the way,
/// if arrays do not follow so: then they have to be given.
PackedData pack_arrays(const Layout& layout, const std::vector<std::int64_t>& dimensions,
                       const std::vector<std::vector<std::int64_t>>& coordinates);

/// What is in the way; nothing if the layout can be packed.
std::optional<std::string> why_not_packed(const Layout& layout);

}  // namespace filigree::layouts

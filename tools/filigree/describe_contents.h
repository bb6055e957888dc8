// What the entries of a file are like, for `filigree info`: symmetry, the range of the values, what is empty.
#pragma once

#include <string>

#include "tensor/coordinates.h"

namespace filigree::tool {

/// What the banner of a Matrix Market file says; empty for other files.
struct Banner {
  std::string layout;    // "coordinate", "array"
  std::string field;     // "real", "pattern", ...
  std::string symmetry;  // "general", ...
};
Banner parse_banner(const std::string& line);

/// Lines with a label in front.  Entries at one place count as their sum.
std::string describe_symmetry(const Coordinates& entries, const Banner& banner);
std::string describe_range(const Coordinates& entries);
std::string describe_empty(const Coordinates& entries);

}  // namespace filigree::tool

// The fill of a tensor in a text file: what is not listed is not always 0.
//
//   # filigree type=float64 dimensions=3,4 fill=inf        in the first line of a .tns file
//   %filigree fill=inf                                      behind the banner of a .mtx or .ttx file
//
// Other programs skip these comments, and take what is not listed for 0.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "algebra/scalar.h"

namespace filigree::io {

inline constexpr const char* fill_word = "fill=";

/// "inf", "2.5"; "1,-2" is complex.
std::string fill_text(const Scalar& fill);
/// Reads it back; throws UserError at the line if it is no number or does not fit the type.
Scalar parse_fill(std::string_view text, ElementType type, const std::string& path, long line);

}  // namespace filigree::io

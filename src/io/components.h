// What of a tensor goes into a file, and how its values are spelled.
#pragma once

#include <fmt/format.h>

#include "io/output.h"
#include "tensor/tensor.h"

namespace filigree::io {

/// The stored components sorted by coordinates; all components if the fill is not 0, since files have no
/// fill.  Throws UserError with the size if those are too many to write.
Coordinates components(const Tensor& tensor, const std::string& path);

/// Appends the shortest text that reads back as the same value; a complex one as two numbers.
void append_value(fmt::memory_buffer& text, const Array& values, std::int64_t number);

/// Appends a line for each entry: its coordinates, counted from 1, and its value.
void append_entries(OutputFile& file, const Coordinates& entries);

}  // namespace filigree::io

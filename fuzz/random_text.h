// Random texts for the parsers of statements and formats: bytes, tokens, and damaged programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace filigree::fuzz {

std::string random_text(std::uint64_t seed);

/// Parses the text as a statement and as a format; what is wrong if that ends in anything but a value or a
/// UserError.
std::optional<std::string> check_text(const std::string& text);

}  // namespace filigree::fuzz

// Plans that are nearly right: the text of a kernel's plan with numbers, words and lines changed.
#pragma once

#include <random>
#include <string>

#include "fuzz/program.h"

namespace filigree::fuzz {

/// The plan of the program's kernel; nothing if the program is refused.
std::string plan_text(const Program& program, std::mt19937_64& random);

/// The text with 1 to 3 changes: numbers, words for others of the text, words that decide how loops run, and lines that
/// are deleted, doubled or exchanged.
std::string mutate_plan(const std::string& text, std::mt19937_64& random);

}  // namespace filigree::fuzz

// The lines of one block of a text, parsed into their places in the lists of all entries.
#pragma once

#include <span>

#include "io/entries.h"

namespace filigree::io {

/// Where the entries of a block go, and what was found.
struct ParsedBlock {
  std::int64_t entries = 0;
  std::vector<std::int32_t> skipped = {};     // of each line that is no entry, how many entries are before it
  std::vector<std::int64_t> largest = {};     // coordinate of each dimension, plus 1; only if nothing limits them
  std::optional<std::int64_t> bad_line = {};  // how many lines are before the first that is wrong
  std::string bad_text = {};
  bool needs_wide = false;  // a coordinate does not fit in 32 bits: nothing else is said then
};

/// Memory for the entries of one block.
struct Places {
  std::vector<void*> coordinate;  // of Int32, or of Int64 if `wide`
  void* values;
  bool wide;
};

/// Parses lines up to the first that is wrong, and counts the others.
ParsedBlock parse_lines(const TextBlock& block, const EntryLayout& layout, const Places& places);
/// Counts the entries.
ParsedBlock count_lines(const TextBlock& block, const EntryLayout& layout);

}  // namespace filigree::io

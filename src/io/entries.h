// The body of a text file: one entry per line, coordinates first, then the value.  Shared by all readers.
#pragma once

#include <optional>

#include "io/input.h"
#include "level/array.h"
#include "tensor/coordinates.h"

namespace filigree::io {

/// First characters of lines to skip; the same one twice if there is one kind of comment.
struct Comments {
  char first = '%', second = '%';
  bool start(char c) const { return c == first || c == second; }
};

struct EntryLayout {
  Comments comments;
  int order = 0;       // coordinates in front of the value
  int base = 1;        // what they count from, 0 or 1
  int usual_base = 1;  // the same in files of this kind, if nobody says another
  int numbers = 1;     // a value has: 0 (a pattern: every value is 1), 1, or 2 (complex)
  ElementType type = ElementType::Float64;
  std::optional<std::vector<std::int64_t>> dimensions;  // limits of the coordinates, if the file states them
  std::optional<std::int64_t> count;                    // entries there must be, if the file states it
};

/// Entries in the order of the file; coordinates count from 0.
struct Entries {
  std::vector<std::vector<std::int64_t>> coordinate;
  Array values;
  std::vector<std::int64_t> dimensions;  // the file's, or just large enough
};

/// Reads all lines from `body` on.  Throws UserError for the first line that is wrong.
Entries read_entries(const TextFile& file, Cursor body, const EntryLayout& layout, int threads, bool show_progress);

/// The number of the line that holds entry `number`; for messages, so it may be slow.
long line_of_entry(Cursor body, Comments comments, std::int64_t number);

/// Does an entry have the coordinate 0?  If none does, coordinates may have been taken to count from 0 by mistake.
bool has_coordinate_zero(const Coordinates& entries);

/// Throws the UserError that says what is wrong with a line.  Requires: something is.
[[noreturn]] void throw_bad_entry(const TextFile& file, long line, std::string_view text, const EntryLayout& layout);

}  // namespace filigree::io

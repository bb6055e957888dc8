// The body of a text file: one entry per line, coordinates first, then the value.  Shared by all readers.
#pragma once

#include <optional>

#include "io/input.h"
#include "level/array.h"
#include "tensor/entry_list.h"

namespace filigree::io {

/// First characters of lines to skip; the same one twice if there is one kind of comment.
struct Comments {
  char first = '%', second = '%';
  bool start(char c) const { return c == first || c == second; }
};

struct EntryLayout {
  Comments comments;
  int order = 0;            // coordinates in front of the value
  int base = 1;             // what they count from, 0 or 1
  int usual_base = 1;       // the same in files of this kind, if nobody says another
  int numbers = 1;          // a value has: 0 (a pattern: every value is 1), 1, or 2 (complex)
  bool has_commas = false;  // between numbers, besides blanks
  ElementType type = ElementType::Float64;
  std::optional<std::vector<std::int64_t>> dimensions;  // limits of the coordinates, if the file states them
  std::optional<std::int64_t> count;                    // entries there must be, if the file states it
};

/// Which lines entries are on; nothing is kept of those that follow each other.
class EntryLines {
 public:
  /// Entries that stand on lines from `first_line` on; `skipped` has for each line that is none how many entries are
  /// before it.
  void add(std::int64_t entries, long first_line, std::vector<std::int32_t> skipped);
  long line_of(std::int64_t entry) const;

 private:
  struct Piece {
    std::int64_t first_entry;
    long first_line;
    std::vector<std::int32_t> skipped;
  };
  std::vector<Piece> pieces_;
  std::int64_t count_ = 0;
};

/// Entries in the order of the file; coordinates count from 0.
struct Entries {
  std::vector<Array> coordinate;  // of Int32 or Int64
  Array values;
  std::vector<std::int64_t> dimensions;  // the file's, or just large enough
  EntryLines lines;
};

/// Reads all lines from `body` on, which is in the first lines of the file.  Throws UserError for the first line that
/// is wrong.
Entries read_entries(TextFile& file, Cursor body, const EntryLayout& layout, int threads);

/// Does an entry have the coordinate 0?  If none does, coordinates may have been taken to count from 0 by mistake.
bool has_coordinate_zero(const EntryList& entries);

/// Commas in lines from `begin` to `end` become blanks, up to the line where one stands beside an empty field.  Returns
/// where that line begins, or `end`.
char* replace_commas(char* begin, char* end, Comments comments);

/// Throws the UserError that says what is wrong with a line.  Requires: something is.
[[noreturn]] void throw_bad_entry(const std::string& path, long line, std::string_view text, const EntryLayout& layout);

}  // namespace filigree::io

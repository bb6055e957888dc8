// A file in memory, and a cursor over the lines of a text.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace filigree::io {

struct Free {
  void operator()(char* data) const { std::free(data); }
};

/// The whole of a file; one that was gzipped is unpacked.
struct Bytes {
  std::string path;  // as messages call it
  std::unique_ptr<char, Free> data;
  size_t size = 0;

  std::string_view view() const { return {data.get(), size}; }
};

/// Reads a file; "-" and "-.EXTENSION" are standard input.  Throws UserError if it is not there, not readable, or its
/// gzip stream is damaged.
Bytes load_bytes(const std::string& path, bool show_progress);

/// The whole text of a file.  Lines end in \n; a \r before it counts as a blank.
struct TextFile {
  std::string path;
  std::unique_ptr<char, Free> data;
  const char* begin = nullptr;
  const char* end = nullptr;
};

/// Throws UserError if it is not text.
TextFile as_text(Bytes bytes);

/// The part of a text from `at` on, where `line` is the number of the line there.
struct Cursor {
  const char* at;
  const char* end;
  long line = 1;

  bool at_end() const { return at >= end; }
  /// The next line without its newline; the cursor moves behind it.
  std::string_view next();
};

/// The words of a line, separated by blanks.
std::vector<std::string_view> words(std::string_view line);

/// A word for a message: in quotes, shortened, with unprintable bytes escaped.
std::string quoted(std::string_view word);

}  // namespace filigree::io

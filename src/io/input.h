// A file as a stream of bytes that are unpacked on the way, as a block in memory, or as a text in blocks of lines; and
// a cursor over lines.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace filigree::io {

struct Free {
  void operator()(char* data) const { std::free(data); }
};

/// Bytes one after the other.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Puts up to `room` bytes at `to` and returns how many; 0 only at the end.
  virtual size_t read(char* to, size_t room) = 0;
};

/// A file that was opened; one that is gzipped is unpacked as it is read.
struct Input {
  std::string path;       // as messages call it
  std::string beginning;  // what was read already: 64 KiB, or all there is
  std::unique_ptr<ByteStream> rest;
  std::int64_t size = 0;  // of the file as it is stored; 0 if that is not known
  bool is_packed = false;
};

/// Opens a file; "-" and "-.EXTENSION" are standard input.  Throws UserError if it is not there, not readable, or its
/// gzip stream is damaged; reading on may throw, too.
Input open_input(const std::string& path, bool show_progress);

/// The whole of a file.
struct Bytes {
  std::string path;
  std::unique_ptr<char, Free> data;
  size_t size = 0;

  std::string_view view() const { return {data.get(), size}; }
};
Bytes load_bytes(Input input);

/// Whole lines of a text, which can be changed.  Behind them is a newline, and then some zeros: a parser need not look
/// for the end of the block before each character.
class TextBlock {
 public:
  static constexpr size_t padding = 64;

  char* begin() const { return begin_; }
  char* end() const { return end_; }
  bool is_empty() const { return begin_ == end_; }
  /// How many lines, the last of which may be without a newline.
  std::int64_t line_count() const;
  /// Lines of another block, which keeps them.
  void set(char* begin, char* end) {
    begin_ = begin;
    end_ = end;
  }

 private:
  friend class TextFile;
  void make_room(size_t size);  // keeps what is there
  void finish(char* begin, char* end);

  std::vector<char> data_;
  char* begin_ = nullptr;
  char* end_ = nullptr;
};

/// A text.  Lines end in \n; a \r before it counts as a blank.  The first lines are there from the start, with at least
/// four that are neither blank nor comments, if there are as many; the others follow in blocks.
class TextFile {
 public:
  static constexpr size_t usual_block = 1 << 18;

  /// Throws UserError if it is not text.
  explicit TextFile(Input input, size_t block_size = usual_block);

  std::string path;
  char* begin = nullptr;  // of the first lines
  char* end = nullptr;
  std::int64_t size = 0;  // as Input says
  bool is_packed = false;

  /// The next lines, in the memory of `block`; false if there are none.
  bool next(TextBlock& block);

 private:
  /// More bytes behind the first `used` ones of a block; false at the end.
  bool fill(TextBlock& block, size_t& used, size_t wanted);
  void find_line_ends(TextBlock& block, size_t& used);

  std::string ahead_;  // bytes that were read already and come first
  std::unique_ptr<ByteStream> stream_;
  size_t block_size_;
  bool has_lone_returns_ = false;  // at the ends of lines, as in files from old Macintosh programs
  TextBlock first_;
};

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

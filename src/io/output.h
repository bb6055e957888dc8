// Files that appear under their name only when complete.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "io/output_target.h"
#include "io/progress.h"
#include "support/diagnostic.h"
#include "support/temporary.h"

namespace filigree::io {

/// "Cannot write 'path': reason", with a hint.
UserError cannot_write(const std::string& path, int error);

/// Throws UserError if it can be told beforehand that nothing can be written there.  `path` is what the user wrote.
void check_target(const std::string& path, const OutputTarget& target);

/// Whoever read the pipe that is written has gone away: what was written is cut off.
class ReaderGone : public UserError {
 public:
  explicit ReaderGone(const std::string& path);
};

/// Writes to a temporary file in the folder of the target, which `commit` renames when everything is on the disk.
/// Without commit nothing stays.  So after a crash of the process or the machine, the target is what it was or what it
/// was to be.  Links are followed.  A target that is no file (a pipe, /dev/null) is written directly, as is standard
/// output, "-"; ReaderGone is thrown if nobody reads that any more.  What is written is gzipped if the name ends in
/// .gz.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path, bool shows_progress = false);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Text to be written; call `flush_if_full` between lines.
  fmt::memory_buffer& text() { return text_; }
  void flush_if_full() {
    if (text_.size() >= buffer_bytes) flush();
  }
  /// More bytes behind the text.
  void write(std::string_view bytes);
  void commit();

 private:
  static constexpr size_t buffer_bytes = 1 << 20;

  void open_target();
  void flush();
  void put(const char* bytes, size_t count);
  void close_file();
  void finish_temporary();
  [[noreturn]] void throw_failed(int error) const;

  std::string path_;  // as the user wrote it
  OutputTarget target_;
  std::optional<Temporary> temporary_;  // unless the target is written directly
  int file_ = -1;
  void* gzip_ = nullptr;  // a gzFile
  fmt::memory_buffer text_;
  Progress progress_;
};

}  // namespace filigree::io

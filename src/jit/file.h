// Files by descriptor: whole reads and writes, and directories that clean up after themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "support/temporary.h"

namespace filigree::jit {

/// Owns a file descriptor; a negative one is no file.
class OpenFile {
 public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  /// Gives the descriptor to the caller.
  int release() { return std::exchange(descriptor_, -1); }
  /// Closes the file; false when the system reports a late write error.
  bool close_now();

 private:
  int descriptor_;
};

bool write_all(int descriptor, std::string_view bytes);
/// The file's contents from its start, or nothing when it cannot be read.
std::optional<std::string> read_all(int descriptor);
std::optional<std::string> read_file(const std::string& path);

/// $TMPDIR, or /tmp.
std::string temporary_directory();

/// A fresh private directory, removed with its contents, also by signals (support/temporary.h).  A UserError if none
/// can be made.
class TemporaryDirectory {
 public:
  TemporaryDirectory();

  const std::string& path() const { return folder_.path(); }
  /// Was it made by this process, and not by the one that this was forked from?
  bool is_own() const { return folder_.is_own(); }

 private:
  Temporary folder_;
};

}  // namespace filigree::jit

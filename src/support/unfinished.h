// Files and folders that must not outlive the process: a signal handler can remove them.
#pragma once

#include <string>

namespace filigree {

enum class PathKind { File, Folder };

/// A path that is to be removed if a signal ends the process.  It may be registered before it exists.
class Unfinished {
 public:
  Unfinished(PathKind kind, const std::string& path);
  /// Forgets the path; nothing is removed.
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

 private:
  int slot_;  // -1 when there was none left, or the path is too long: then a signal leaves it behind
};

/// Removes every path that this process registered, not those of one that it was forked from.  May be called from a
/// signal handler.
void remove_unfinished();

/// Removes a folder with what is in it.  May be called from a signal handler.
void remove_folder(const char* path);

}  // namespace filigree

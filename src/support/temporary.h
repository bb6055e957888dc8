// Files and folders that a process works on before they are what was asked for.
//
// Each has a random name and is locked while it is open.  The owner removes it when it is done or a signal ends it.  If
// it is killed, its lock is free, and the next process that makes a temporary in the same folder removes what it left.
// The lock, and not a process number, tells that the owner is gone: numbers are used again, and mean nothing in another
// container or on another machine.  A child of fork() has its parent's objects, and the parent's files are none of its
// business: it leaves them where they are.
#pragma once

#include <optional>
#include <string>

#include <sys/types.h>

#include "support/unfinished.h"

namespace filigree {

class Temporary {
 public:
  /// Makes one in `folder`, with these permissions.  If that fails, it is not open, and `error` is the reason.
  Temporary(PathKind kind, const std::string& folder, unsigned mode);
  /// Removes it, unless it was renamed or belongs to the process that this one was forked from.
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  int error() const { return error_; }
  int descriptor() const { return descriptor_; }
  const std::string& path() const { return path_; }
  /// Was it made by this process, and not by the one that this was forked from?
  bool is_own() const;

  /// Gives it its final name, in place of what has that name.  False, with errno, if that fails.
  bool rename_to(const std::string& path);

 private:
  bool create(unsigned mode);
  bool claim() const;
  void close_now();

  PathKind kind_;
  std::string path_;
  int descriptor_ = -1;
  int error_ = 0;
  pid_t owner_;
  std::optional<Unfinished> unfinished_;
};

}  // namespace filigree

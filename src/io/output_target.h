// Where what is written to a path goes: links are followed, and devices, pipes and open descriptors are told from
// files.
#pragma once

#include <optional>
#include <string>

#include <sys/stat.h>

namespace filigree::io {

struct OutputTarget {
  std::string path;                       // with links followed, down to the last one
  std::optional<int> descriptor = {};     // what it is a name of, as /dev/stdout is of 1
  std::optional<struct stat> facts = {};  // if it exists
  int error = 0;                          // why it cannot be found out, such as ELOOP
  bool is_foreign_link = false;           // it stops at a link that is not followed, see find_target

  /// Is it a file, or will it be one?  Then it is replaced as a whole.  Anything else is written directly.
  bool is_replaced() const { return !descriptor && (!facts || S_ISREG(facts->st_mode)); }
  std::string folder() const;
};

/// "-" and the like are standard output.  As the system does, a link is not followed that lies in a folder where
/// everybody may put one, and that belongs to neither this user nor the folder's owner: it may lead to any file of this
/// user's.
OutputTarget find_target(const std::string& path);

/// Is it there, and neither file nor folder: a device, a pipe, an open descriptor?
bool is_no_file(const OutputTarget& target);

/// Would what is written to one be lost, or mixed with what is written to the other?  Devices such as /dev/null are not
/// asked.
bool are_same_place(const OutputTarget& one, const OutputTarget& other);

}  // namespace filigree::io

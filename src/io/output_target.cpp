#include "io/output_target.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "io/files.h"

namespace filigree::io {
namespace {

namespace fs = std::filesystem;

std::optional<struct stat> facts_of(int descriptor) {
  struct stat facts;
  return fstat(descriptor, &facts) == 0 ? std::optional(facts) : std::nullopt;
}

std::string folder_of(const std::string& path) {
  std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// The links in /proc/PID/fd lead to what is open, not to a path: following their text would miss it.
bool is_in_proc(const std::string& path) {
  std::error_code failed;
  std::string folder = fs::canonical(folder_of(path), failed).string();
  return !failed && folder.starts_with("/proc/");
}

/// The number of a descriptor of this process that a link of /proc stands for.
std::optional<int> own_descriptor(const std::string& path) {
  std::error_code failed;
  std::string folder = fs::canonical(folder_of(path), failed).string(), name = fs::path(path).filename().string();
  bool is_number = !name.empty() && name.size() < 8 &&
                   std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  if (failed || !is_number || folder != fmt::format("/proc/{}/fd", getpid())) return std::nullopt;
  return std::stoi(name);
}

/// May somebody else have put this link into a folder for all, such as /tmp, to have another file overwritten?
bool is_foreign(const std::string& path, const struct stat& link) {
  struct stat folder;
  constexpr mode_t for_all = S_ISVTX | S_IWOTH;
  if (stat(folder_of(path).c_str(), &folder) != 0 || (folder.st_mode & for_all) != for_all) return false;
  return link.st_uid != geteuid() && link.st_uid != folder.st_uid;
}

OutputTarget open_descriptor(const std::string& path, int descriptor) {
  OutputTarget target{path, descriptor, facts_of(descriptor)};
  if (!target.facts) target.error = EBADF;
  return target;
}

}  // namespace

std::string OutputTarget::folder() const { return folder_of(path); }

OutputTarget find_target(const std::string& path) {
  if (is_standard_stream(path)) return open_descriptor(path, STDOUT_FILENO);
  OutputTarget target{path};
  constexpr int most_links = 40;  // as many as the system follows
  for (int followed = 0; followed <= most_links; followed++) {
    struct stat facts;
    if (lstat(target.path.c_str(), &facts) != 0) {
      if (errno != ENOENT) target.error = errno;
      return target;
    }
    if (!S_ISLNK(facts.st_mode)) {
      target.facts = facts;
      return target;
    }
    if (std::optional<int> descriptor = own_descriptor(target.path)) return open_descriptor(target.path, *descriptor);
    if (is_in_proc(target.path)) {
      if (stat(target.path.c_str(), &facts) != 0) target.error = errno;
      else target.facts = facts;
      return target;
    }
    if (is_foreign(target.path, facts)) {
      target.is_foreign_link = true;
      target.error = EACCES;
      return target;
    }
    std::error_code failed;
    fs::path next = fs::read_symlink(target.path, failed);
    if (failed) {
      target.error = failed.value();
      return target;
    }
    target.path = (next.is_absolute() ? next : fs::path(folder_of(target.path)) / next).string();
  }
  target.error = ELOOP;
  return target;
}

bool is_no_file(const OutputTarget& target) {
  return target.error == 0 && !target.is_replaced() && !S_ISDIR(target.facts->st_mode);
}

bool are_same_place(const OutputTarget& one, const OutputTarget& other) {
  if (one.facts && other.facts) {
    return !S_ISCHR(one.facts->st_mode) && one.facts->st_dev == other.facts->st_dev &&
           one.facts->st_ino == other.facts->st_ino;
  }
  if (one.facts || other.facts || fs::path(one.path).filename() != fs::path(other.path).filename()) return false;
  struct stat folder, other_folder;
  if (stat(one.folder().c_str(), &folder) != 0 || stat(other.folder().c_str(), &other_folder) != 0) return false;
  return folder.st_dev == other_folder.st_dev && folder.st_ino == other_folder.st_ino;
}

}  // namespace filigree::io

#include "support/temporary.h"

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace filigree {
namespace {

constexpr size_t random_letters = 12;
constexpr std::string_view letters = "0123456789abcdefghijklmnopqrstuvwxyz";

std::string_view prefix_of(PathKind kind) { return kind == PathKind::File ? ".filigree-" : "filigree-"; }
std::string_view suffix_of(PathKind kind) { return kind == PathKind::File ? ".part" : ".work"; }

std::string random_name(PathKind kind) {
  unsigned char bytes[random_letters];
  if (getrandom(bytes, sizeof bytes, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof bytes)) {
    // Names have to differ, not to be secret.
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    auto state = static_cast<unsigned long long>(now.tv_nsec) * 1000003u + static_cast<unsigned long long>(now.tv_sec) +
                 static_cast<unsigned long long>(getpid()) * 7919u;
    for (unsigned char& byte : bytes) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      byte = static_cast<unsigned char>(state >> 33);
    }
  }
  std::string name(prefix_of(kind));
  for (unsigned char byte : bytes) name += letters[byte % letters.size()];
  return name.append(suffix_of(kind));
}

bool is_own_name(PathKind kind, std::string_view name) {
  std::string_view prefix = prefix_of(kind), suffix = suffix_of(kind);
  if (name.size() != prefix.size() + random_letters + suffix.size() || !name.starts_with(prefix) ||
      !name.ends_with(suffix))
    return false;
  return name.substr(prefix.size(), random_letters).find_first_not_of(letters) == std::string_view::npos;
}

bool try_lock(int descriptor) {
  int status;
  while ((status = flock(descriptor, LOCK_EX | LOCK_NB)) != 0 && errno == EINTR) {}
  return status == 0;
}

void remove_path(PathKind kind, const char* path) {
  if (kind == PathKind::File) unlink(path);
  else remove_folder(path);
}

std::string in_folder(const std::string& folder, const std::string& name) {
  return folder + (folder.ends_with('/') ? "" : "/") + name;
}

/// Removes a temporary of this user whose lock is free.  What its owner has renamed meanwhile is not there under this
/// name any more.
void remove_if_abandoned(PathKind kind, const std::string& path) {
  int how = kind == PathKind::File ? O_WRONLY | O_NONBLOCK : O_RDONLY | O_DIRECTORY;
  int found = open(path.c_str(), how | O_NOFOLLOW | O_CLOEXEC);
  if (found < 0) return;
  struct stat facts;
  bool is_ours = fstat(found, &facts) == 0 && facts.st_uid == geteuid() &&
                 (kind == PathKind::File ? S_ISREG(facts.st_mode) : S_ISDIR(facts.st_mode));
  if (is_ours && try_lock(found)) {
    remove_path(kind, path.c_str());
  }
  close(found);
}

void remove_abandoned(PathKind kind, const std::string& folder) {
  // Once is enough: what this process leaves, it removes.
  static std::mutex mutex;
  static std::set<std::pair<PathKind, std::string>> done;
  {
    std::lock_guard lock(mutex);
    if (!done.emplace(kind, folder).second) return;
  }
  DIR* list = opendir(folder.c_str());
  if (list == nullptr) return;
  while (const dirent* entry = readdir(list)) {
    if (is_own_name(kind, entry->d_name)) remove_if_abandoned(kind, in_folder(folder, entry->d_name));
  }
  closedir(list);
}

}  // namespace

Temporary::Temporary(PathKind kind, const std::string& folder, unsigned mode) : kind_(kind), owner_(getpid()) {
  remove_abandoned(kind, folder);
  constexpr int attempts = 100;
  for (int attempt = 0; attempt < attempts; attempt++) {
    path_ = in_folder(folder, random_name(kind));
    // Registered before it exists: a signal in between then removes nothing, instead of forgetting a file.
    unfinished_.emplace(kind, path_);
    if (create(mode)) {
      if (claim()) return;
      close_now();
    } else if (errno != EEXIST) {
      error_ = errno;
      break;
    }
    error_ = EEXIST;
  }
  unfinished_.reset();
}

bool Temporary::create(unsigned mode) {
  if (kind_ == PathKind::File) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    return descriptor_ >= 0;
  }
  if (mkdir(path_.c_str(), mode) != 0) return false;
  descriptor_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor_ >= 0) return true;
  // Before it is open, another process may take it for abandoned: then another name is needed.
  int error = errno == ENOENT ? EEXIST : errno;
  rmdir(path_.c_str());
  errno = error;
  return false;
}

/// Before it is locked, another process may take it for abandoned.  Then it is gone or about to be, and another name is
/// needed.  Where there are no locks, nothing is ever taken for abandoned.
bool Temporary::claim() const {
  if (!try_lock(descriptor_)) return errno != EWOULDBLOCK;
  struct stat own, named;
  return fstat(descriptor_, &own) == 0 && lstat(path_.c_str(), &named) == 0 && own.st_ino == named.st_ino &&
         own.st_dev == named.st_dev;
}

bool Temporary::is_own() const { return owner_ == getpid(); }

void Temporary::close_now() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

bool Temporary::rename_to(const std::string& path) {
  if (rename(path_.c_str(), path.c_str()) != 0) return false;
  path_.clear();
  unfinished_.reset();
  return true;
}

Temporary::~Temporary() {
  if (is_open() && !path_.empty() && is_own()) remove_path(kind_, path_.c_str());
  close_now();
}

}  // namespace filigree

#include "support/unfinished.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace filigree {
namespace {

/// Readable from a signal handler: plain memory, published by `in_use`.
struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<bool> in_use{false};
  PathKind kind = PathKind::File;
  pid_t owner = 0;  // a child of fork() has a copy of its parent's slots
  char path[PATH_MAX];
};
constexpr int slot_count = 64;
Slot slots[slot_count];

/// An entry of a folder as the system call gives it: opendir takes memory, which a signal handler must not.
struct Entry {
  std::uint64_t inode;
  std::int64_t next;
  unsigned short length;
  unsigned char type;
  char name[];
};

void empty_folder(int folder, int depth = 0) {
  constexpr int deepest = 8;
  alignas(Entry) char block[2048];
  for (;;) {
    long count = syscall(SYS_getdents64, folder, block, sizeof block);
    if (count <= 0) return;
    for (long at = 0; at < count;) {
      const Entry* entry = reinterpret_cast<const Entry*>(block + at);
      at += entry->length;
      if (std::strcmp(entry->name, ".") == 0 || std::strcmp(entry->name, "..") == 0) continue;
      if (unlinkat(folder, entry->name, 0) == 0 || (errno != EISDIR && errno != EPERM) || depth == deepest) continue;
      int inner = openat(folder, entry->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (inner < 0) continue;
      empty_folder(inner, depth + 1);
      close(inner);
      unlinkat(folder, entry->name, AT_REMOVEDIR);
    }
  }
}

}  // namespace

void remove_folder(const char* path) {
  // A compiler that still runs may make another file in between; once the folder is gone it cannot.
  constexpr int attempts = 100;
  for (int attempt = 0; attempt < attempts; attempt++) {
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return;
    empty_folder(folder);
    close(folder);
    if (rmdir(path) == 0 || errno != ENOTEMPTY) return;
    timespec moment{0, 1000000};
    nanosleep(&moment, nullptr);
  }
}

Unfinished::Unfinished(PathKind kind, const std::string& path) : slot_(-1) {
  if (path.size() >= PATH_MAX) return;
  for (int s = 0; s < slot_count && slot_ < 0; s++) {
    if (slots[s].taken.exchange(true)) continue;
    slots[s].kind = kind;
    slots[s].owner = getpid();
    std::memcpy(slots[s].path, path.c_str(), path.size() + 1);
    slots[s].in_use = true;
    slot_ = s;
  }
}

Unfinished::~Unfinished() {
  if (slot_ < 0) return;
  slots[slot_].in_use = false;
  slots[slot_].taken = false;
}

void remove_unfinished() {
  const pid_t self = getpid();
  for (Slot& slot : slots) {
    if (!slot.in_use || slot.owner != self) continue;
    if (slot.kind == PathKind::File) unlink(slot.path);
    else remove_folder(slot.path);
  }
}

}  // namespace filigree

#include "io/output.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "io/files.h"
#include "support/diagnostic.h"
#include "support/text.h"

namespace filigree {
namespace {

/// Names of unfinished files, readable from a signal handler: plain memory, published by `in_use`.
struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<bool> in_use{false};
  char name[PATH_MAX];
};
constexpr int slot_count = 16;
Slot slots[slot_count];

/// -1 when all slots are taken or the name is too long; then an interruption leaves the file behind.
int register_unfinished(const std::string& name) {
  if (name.size() >= PATH_MAX) return -1;
  for (int s = 0; s < slot_count; s++) {
    if (slots[s].taken.exchange(true)) continue;
    std::memcpy(slots[s].name, name.c_str(), name.size() + 1);
    slots[s].in_use = true;
    return s;
  }
  return -1;
}

void unregister(int slot) {
  if (slot < 0) return;
  slots[slot].in_use = false;
  slots[slot].taken = false;
}

}  // namespace

void remove_unfinished_files() {
  for (Slot& slot : slots) {
    if (slot.in_use) unlink(slot.name);
  }
}

namespace io {

OutputFile::OutputFile(const std::string& path, bool shows_progress)
    : path_(path), target_(path), is_stream_(is_standard_stream(path)), progress_("writing " + path, 0, shows_progress) {
  if (is_stream_) path_ = "standard output";
  open_target();
  if (path.ends_with(".gz")) gzip_ = gzdopen(file_, "wb6");
}

void OutputFile::open_target() {
  namespace fs = std::filesystem;
  if (is_stream_) {
    file_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (file_ < 0) throw_failed(errno);
    return;
  }
  const std::string path = target_;
  std::error_code ignored;
  if (fs::exists(path, ignored)) target_ = fs::canonical(path, ignored).string();
  struct stat facts;
  bool exists = stat(target_.c_str(), &facts) == 0;
  if (exists && S_ISDIR(facts.st_mode)) throw_failed(EISDIR);
  if (exists && !S_ISREG(facts.st_mode)) {
    file_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    if (exists && access(target_.c_str(), W_OK) != 0) throw_failed(errno);
    static std::atomic<int> next{0};
    fs::path name(target_);
    temporary_ = (name.parent_path() / fmt::format(".{}.{}-{}.part", name.filename().string(), getpid(), next++)).string();
    // Registered before it exists: a signal in between then removes nothing, instead of forgetting a file.
    slot_ = register_unfinished(temporary_);
    file_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, exists ? facts.st_mode & 0777 : 0666);
  }
  if (file_ < 0) {
    int error = errno;
    unregister(slot_);
    throw_failed(error);
  }
}

OutputFile::~OutputFile() {
  if (gzip_ != nullptr) {
    gzclose(static_cast<gzFile>(gzip_));
  } else if (file_ >= 0) {
    close(file_);
  }
  if (!temporary_.empty()) unlink(temporary_.c_str());
  unregister(slot_);
}

void OutputFile::throw_failed(int error) const {
  throw UserError(fmt::format("Cannot write '{}': {}", path_, lower_case(std::strerror(error))))
      .hint(error == ENOENT ? "create the directory first" : "choose another place, or make room there");
}

void OutputFile::put(const char* bytes, size_t left) {
  while (left > 0 && !reader_is_gone_) {
    ssize_t count = gzip_ != nullptr ? gzwrite(static_cast<gzFile>(gzip_), bytes, static_cast<unsigned>(std::min<size_t>(left, 1 << 30)))
                                     : ::write(file_, bytes, left);
    if (count < 0 && errno == EINTR) continue;
    reader_is_gone_ = count <= 0 && is_stream_ && errno == EPIPE;
    if (reader_is_gone_) return;
    if (count <= 0) throw_failed(errno);
    bytes += count;
    left -= static_cast<size_t>(count);
    progress_.advance(count);
  }
}

void OutputFile::flush() {
  put(text_.data(), text_.size());
  text_.clear();
}

void OutputFile::write(std::string_view bytes) {
  flush();
  put(bytes.data(), bytes.size());
}

void OutputFile::close_file() {
  int status = gzip_ != nullptr ? gzclose(static_cast<gzFile>(gzip_)) : close(file_);
  gzip_ = nullptr;
  file_ = -1;
  if (status != 0 && !reader_is_gone_ && !(is_stream_ && errno == EPIPE)) throw_failed(errno);
}

void OutputFile::commit() {
  flush();
  close_file();
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) throw_failed(errno);
  temporary_.clear();
  unregister(slot_);
  slot_ = -1;
}

}  // namespace io
}  // namespace filigree

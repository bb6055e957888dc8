#include "io/output.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "io/files.h"
#include "support/text.h"

namespace filigree::io {
namespace {

/// Some file systems cannot be told to write now; they do it when they like.
bool is_on_disk(int descriptor) {
  return fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS || errno == EROFS;
}

std::string hint_for(int error) {
  switch (error) {
    case ENOENT: return "create the directory first";
    case ENOTDIR: return "a part of the path is a file, not a directory; choose another place";
    case EACCES:
    case EPERM:
    case EROFS: return "choose a place that you may write to";
    case ELOOP: return "the links go round in a circle; remove one of them";
    case EFBIG: return "files may not be larger here; raise the limit with ulimit -f";
    case EMFILE: return "more files may not be open here; raise the limit with ulimit -n";
    default: return "choose another place, or make room there";
  }
}

}  // namespace

UserError cannot_write(const std::string& path, int error) {
  return UserError(fmt::format("Cannot write '{}': {}", path, lower_case(std::strerror(error)))).hint(hint_for(error));
}

OutputFile::OutputFile(const std::string& path, bool shows_progress)
    : path_(path),
      target_(find_target(path)),
      is_stream_(target_.descriptor == STDOUT_FILENO),
      progress_("writing " + path, 0, shows_progress) {
  if (is_standard_stream(path)) path_ = "standard output";
  open_target();
  if (!path.ends_with(".gz")) return;
  gzip_ = gzdopen(file_, "wb6");
  if (gzip_ != nullptr) return;
  close(file_);
  throw_failed(ENOMEM);
}

void OutputFile::open_target() {
  if (target_.error != 0) throw_failed(target_.error);
  if (target_.facts && S_ISDIR(target_.facts->st_mode)) throw_failed(EISDIR);
  if (target_.descriptor) {
    file_ = fcntl(*target_.descriptor, F_DUPFD_CLOEXEC, 3);
  } else if (!target_.is_replaced()) {
    file_ = open(target_.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  } else {
    if (target_.facts && access(target_.path.c_str(), W_OK) != 0) throw_failed(errno);
    temporary_.emplace(PathKind::File, target_.folder(),
                       target_.facts ? target_.facts->st_mode & 0700 : 0666);  // the rest when it has its group
    if (!temporary_->is_open()) throw_failed(temporary_->error());
    // The temporary keeps its own descriptor, and with it the lock, until it has its name: that this one is closed
    // tells late errors.
    file_ = fcntl(temporary_->descriptor(), F_DUPFD_CLOEXEC, 3);
  }
  if (file_ < 0) throw_failed(errno);
}

OutputFile::~OutputFile() {
  if (gzip_ != nullptr) {
    gzclose(static_cast<gzFile>(gzip_));
  } else if (file_ >= 0) {
    close(file_);
  }
}

void OutputFile::throw_failed(int error) const { throw cannot_write(path_, error); }

void OutputFile::put(const char* bytes, size_t left) {
  while (left > 0 && !reader_is_gone_) {
    ssize_t count = gzip_ != nullptr ? gzwrite(static_cast<gzFile>(gzip_), bytes,
                                               static_cast<unsigned>(std::min<size_t>(left, 1 << 30)))
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
  errno = 0;
  int status = gzip_ != nullptr ? gzclose(static_cast<gzFile>(gzip_)) : close(file_);
  gzip_ = nullptr;
  file_ = -1;
  if (status != 0 && !reader_is_gone_ && !(is_stream_ && errno == EPIPE)) throw_failed(errno != 0 ? errno : EIO);
}

namespace {

/// Gives a file the owner, the group and the permissions of the one that it replaces, as far as this user may.
/// Permissions for a group are not given to another group.
bool takes_permissions(int file, const struct stat& facts) {
  mode_t mode = facts.st_mode & 0777;
  struct stat own;
  if (fstat(file, &own) != 0) return false;
  bool has_both = own.st_uid == facts.st_uid && own.st_gid == facts.st_gid;
  // Of another user's file, only the superuser can make one.
  if (!has_both && fchown(file, facts.st_uid, facts.st_gid) != 0) {
    bool has_group = own.st_gid == facts.st_gid || fchown(file, static_cast<uid_t>(-1), facts.st_gid) == 0;
    if (!has_group) mode &= ~static_cast<mode_t>(S_IRWXG);
  }
  if (fchmod(file, mode) == 0) return true;
  // Some file systems have the same permissions for all files.
  int error = errno;
  bool gives_no_more = fstat(file, &own) == 0 && (own.st_mode & 0777 & ~mode) == 0;
  errno = error;
  return gives_no_more;
}

}  // namespace

/// What is there under the name is replaced once its successor is on the disk, and then the folder is written, too.  A
/// power failure before that leaves the old file, one after it the new one.
void OutputFile::finish_temporary() {
  int file = temporary_->descriptor();
  if (target_.facts) {
    if (!takes_permissions(file, *target_.facts)) throw_failed(errno);
  }
  if (!is_on_disk(file)) throw_failed(errno);
  if (!temporary_->rename_to(target_.path)) throw_failed(errno);
  int folder = open(target_.folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;  // a folder that may be written and not read
  int error = is_on_disk(folder) ? 0 : errno;
  close(folder);
  if (error != 0) throw_failed(error);
}

void OutputFile::commit() {
  flush();
  close_file();
  if (temporary_) finish_temporary();
  temporary_.reset();
}

}  // namespace filigree::io

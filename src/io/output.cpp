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

bool is_forbidden(int error) { return error == EACCES || error == EPERM || error == EROFS; }

/// A file is replaced, not changed: for that, its folder must be writable, and let this user replace it.
UserError cannot_replace(const std::string& path, const OutputTarget& target, int error) {
  std::string obstacle =
      target.facts ? fmt::format("a file is replaced as a whole, but in the folder '{}' you may not replace this one",
                                 target.folder())
                   : fmt::format("you may not create files in the folder '{}'", target.folder());
  UserError refused(fmt::format("Cannot write '{}': {} ({})", path, obstacle, lower_case(std::strerror(error))));
  if (!target.facts) return std::move(refused).hint("choose a place that you may write to");
  return std::move(refused).hint("choose another place, or write it to a stream, and that to the file",
                                 "choose another place, or overwrite it where it is: '-' as the output and > behind "
                                 "the command");
}

/// Where files belong to whoever made them, as in /tmp, others may write to a file and yet not replace it.
bool is_kept_by_folder(const OutputTarget& target) {
  struct stat folder;
  if (!target.facts || geteuid() == 0 || stat(target.folder().c_str(), &folder) != 0) return false;
  return (folder.st_mode & S_ISVTX) != 0 && folder.st_uid != geteuid() && target.facts->st_uid != geteuid();
}

}  // namespace

UserError cannot_write(const std::string& path, int error) {
  return UserError(fmt::format("Cannot write '{}': {}", path, lower_case(std::strerror(error)))).hint(hint_for(error));
}

void check_target(const std::string& path, const OutputTarget& target) {
  if (target.is_foreign_link) {
    throw UserError(fmt::format("Cannot write '{}': '{}' is a link of another user's in a folder where everybody may "
                                "put one",
                                path, target.path))
        .hint("name the file that it leads to, if that is what you mean");
  }
  if (target.error != 0) throw cannot_write(path, target.error);
  if (target.facts && S_ISDIR(target.facts->st_mode)) throw cannot_write(path, EISDIR);
  if (!target.is_replaced()) return;
  struct stat folder;
  if (stat(target.folder().c_str(), &folder) != 0 || !S_ISDIR(folder.st_mode)) {
    throw UserError(fmt::format("Cannot write '{}': there is no directory '{}'", path, target.folder()))
        .hint("create the directory first");
  }
  if (target.facts && access(target.path.c_str(), W_OK) != 0) throw cannot_write(path, errno);
  if (access(target.folder().c_str(), W_OK | X_OK) != 0) throw cannot_replace(path, target, errno);
  if (is_kept_by_folder(target)) throw cannot_replace(path, target, EPERM);
}

ReaderGone::ReaderGone(const std::string& path)
    : UserError(fmt::format("Cannot write '{}': nobody reads it any more", path)) {}

OutputFile::OutputFile(const std::string& path, bool shows_progress)
    : path_(path), target_(find_target(path)), progress_("writing " + path, 0, shows_progress) {
  if (is_standard_stream(path)) path_ = "standard output";
  open_target();
  if (!path.ends_with(".gz")) return;
  gzip_ = gzdopen(file_, "wb6");
  if (gzip_ != nullptr) return;
  close(file_);
  throw_failed(ENOMEM);
}

void OutputFile::open_target() {
  check_target(path_, target_);
  if (target_.descriptor) {
    file_ = fcntl(*target_.descriptor, F_DUPFD_CLOEXEC, 3);
  } else if (!target_.is_replaced()) {
    file_ = open(target_.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  } else {
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

void OutputFile::throw_failed(int error) const {
  if (error == EPIPE) throw ReaderGone(path_);
  if (temporary_ && is_forbidden(error)) throw cannot_replace(path_, target_, error);
  throw cannot_write(path_, error);
}

void OutputFile::put(const char* bytes, size_t left) {
  while (left > 0) {
    ssize_t count = gzip_ != nullptr ? gzwrite(static_cast<gzFile>(gzip_), bytes,
                                               static_cast<unsigned>(std::min<size_t>(left, 1 << 30)))
                                     : ::write(file_, bytes, left);
    if (count < 0 && errno == EINTR) continue;
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
  if (status != 0) throw_failed(errno != 0 ? errno : EIO);
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

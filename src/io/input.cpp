#include "io/input.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "io/files.h"
#include "io/inflate_end.h"
#include "io/number.h"
#include "io/progress.h"
#include "support/diagnostic.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree::io {
namespace {

constexpr size_t beginning_size = 1 << 16;

[[noreturn]] void throw_unreadable(const std::string& path, int error) {
  throw UserError(fmt::format("Cannot read '{}': {}", path, lower_case(std::strerror(error))))
      .hint(error == ENOENT ? "check the name; paths are relative to the current directory"
                            : "check that it is a file you may read");
}

class FileStream : public ByteStream {
 public:
  FileStream(const std::string& path, bool is_standard, bool show_progress)
      : path_(path), file_(is_standard ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) throw_unreadable(path, errno);
    struct stat facts;
    int error = fstat(file_, &facts) != 0 ? errno : S_ISDIR(facts.st_mode) ? EISDIR : 0;
    if (error != 0) {
      close_file();
      throw_unreadable(path, error);
    }
    if (S_ISREG(facts.st_mode)) size_ = facts.st_size;
    progress_ = std::make_unique<Progress>("reading " + path, size_, show_progress);
  }
  ~FileStream() override { close_file(); }
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;

  /// 0 if that is not known.
  std::int64_t size() const { return size_; }

  size_t read(char* to, size_t room) override {
    while (true) {
      ssize_t count = ::read(file_, to, std::min<size_t>(room, 1 << 30));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw_unreadable(path_, errno);
      progress_->advance(count);
      return static_cast<size_t>(count);
    }
  }

 private:
  void close_file() const {
    if (file_ != STDIN_FILENO) close(file_);
  }

  std::string path_;
  int file_;
  std::int64_t size_ = 0;
  std::unique_ptr<Progress> progress_;
};

/// Unpacks all members of a gzip file, which are concatenated (as `cat a.gz b.gz` makes them).
class GzipStream : public ByteStream {
 public:
  GzipStream(std::string path, std::string beginning, std::unique_ptr<ByteStream> packed)
      : path_(std::move(path)), buffer_(std::move(beginning)), packed_(std::move(packed)) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK)
      throw UserError("Not enough memory to unpack a gzip file").at_line(path_, 0);
    cleanup_.reset(&stream_);
    give(buffer_.size());
  }

  size_t read(char* to, size_t room) override {
    size_t space = std::min<size_t>(room, 1 << 30);
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(space);
    while (stream_.avail_out == space) {
      if (stream_.avail_in == 0 && !fetch()) {
        if (is_complete_) return 0;
        throw UserError(fmt::format("The gzip stream is cut short after {} of text", counted(made_, "byte")))
            .at_line(path_, 0)
            .hint("fetch or pack the file again");
      }
      if (is_complete_) inflateReset(&stream_);
      int status = inflate(&stream_, Z_NO_FLUSH);
      is_complete_ = status == Z_STREAM_END;
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
        throw UserError(fmt::format("The gzip stream is damaged after {} of text: {}",
                                    counted(made_ + static_cast<std::int64_t>(space - stream_.avail_out), "byte"),
                                    stream_.msg != nullptr ? stream_.msg : "data error"))
            .at_line(path_, 0)
            .hint("fetch or pack the file again");
      }
    }
    size_t count = space - stream_.avail_out;
    made_ += static_cast<std::int64_t>(count);
    return count;
  }

 private:
  void give(size_t count) {
    stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_in = static_cast<uInt>(count);
  }
  bool fetch() {
    buffer_.resize(beginning_size);
    give(packed_->read(buffer_.data(), buffer_.size()));
    return stream_.avail_in > 0;
  }

  std::string path_, buffer_;
  std::unique_ptr<ByteStream> packed_;
  z_stream stream_{};
  std::unique_ptr<z_stream, InflateEnd> cleanup_;
  bool is_complete_ = false;  // a member, and nothing of the next one was looked at
  std::int64_t made_ = 0;
};

/// Reads until there are as many bytes, or the end.
void read_up_to(ByteStream& stream, std::string& bytes, size_t size) {
  size_t used = bytes.size();
  bytes.resize(std::max(used, size));
  while (used < size) {
    size_t count = stream.read(bytes.data() + used, size - used);
    if (count == 0) break;
    used += count;
  }
  bytes.resize(used);
}

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

}  // namespace

Input open_input(const std::string& path, bool show_progress) {
  bool is_standard = is_standard_stream(path);
  Input input;
  input.path = is_standard ? "standard input" : path;
  auto file = std::make_unique<FileStream>(input.path, is_standard, show_progress);
  input.size = file->size();
  read_up_to(*file, input.beginning, beginning_size);
  input.is_packed = is_gzip(input.beginning);
  input.rest = std::move(file);
  if (input.is_packed) {
    input.rest = std::make_unique<GzipStream>(input.path, std::move(input.beginning), std::move(input.rest));
    input.beginning.clear();
    read_up_to(*input.rest, input.beginning, beginning_size);
  } else if (path.ends_with(".gz") && !input.beginning.empty()) {
    if (is_standard) throw UserError("This is not gzipped").at_line(input.path, 0).hint("leave out .gz");
    throw UserError("The file is not gzipped, though its name ends in .gz")
        .at_line(input.path, 0)
        .hint("rename it without .gz");
  }
  return input;
}

Bytes load_bytes(Input input) {
  size_t used = input.beginning.size(), capacity = 0;
  std::unique_ptr<char, Free> data;
  auto grow = [&](size_t wanted) {
    char* larger = static_cast<double>(wanted) > physical_memory()
                       ? nullptr
                       : static_cast<char*>(std::realloc(data.get(), wanted));
    if (larger == nullptr) {
      throw UserError(fmt::format("The file does not fit in memory: it needs at least {}",
                                  human_bytes(static_cast<double>(wanted))))
          .at_line(input.path, 0);
    }
    (void)data.release();
    data.reset(larger);
    capacity = wanted;
  };
  // One byte more than the file has, so that the read that finds the end needs no larger block.
  grow(std::max<size_t>(used, input.is_packed ? 0 : static_cast<size_t>(input.size)) + 1);
  std::memcpy(data.get(), input.beginning.data(), used);
  while (true) {
    if (used == capacity) grow(capacity + capacity / 2 + 1);
    size_t count = input.rest->read(data.get() + used, capacity - used);
    if (count == 0) return {std::move(input.path), std::move(data), used};
    used += count;
  }
}

std::string_view Cursor::next() {
  const char* stop = static_cast<const char*>(std::memchr(at, '\n', static_cast<size_t>(end - at)));
  if (stop == nullptr) stop = end;
  std::string_view text(at, static_cast<size_t>(stop - at));
  at = stop < end ? stop + 1 : end;
  line++;
  return text;
}

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> found;
  const char* at = line.data();
  const char* end = at + line.size();
  while ((at = skip_blanks(at, end)) < end) {
    const char* begin = at;
    while (at < end && !is_blank(*at)) at++;
    found.emplace_back(begin, static_cast<size_t>(at - begin));
  }
  return found;
}

std::string quoted(std::string_view word) {
  std::string text = "'";
  for (char c : word.substr(0, 40)) {
    unsigned char byte = static_cast<unsigned char>(c);
    text += byte >= 0x20 && byte != 0x7f ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return text + (word.size() > 40 ? "...'" : "'");
}

}  // namespace filigree::io

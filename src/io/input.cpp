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

/// A growing block of bytes that is never larger than the machine's memory.
class Buffer {
 public:
  explicit Buffer(const std::string& path) : path_(path) {}

  /// Room for at least one more byte.
  char* room(size_t& size) {
    if (used_ == capacity_) grow(std::max<size_t>(1 << 16, capacity_ + capacity_ / 2));
    size = capacity_ - used_;
    return data_.get() + used_;
  }
  void reserve(size_t capacity) {
    if (capacity > capacity_) grow(capacity);
  }
  void add(size_t count) { used_ += count; }
  size_t size() const { return used_; }
  const char* data() const { return data_.get(); }
  std::unique_ptr<char, Free> release() { return std::move(data_); }

 private:
  void grow(size_t capacity) {
    char* larger = static_cast<double>(capacity) > physical_memory()
                       ? nullptr
                       : static_cast<char*>(std::realloc(data_.get(), capacity));
    if (larger == nullptr) {
      throw UserError(fmt::format("The file does not fit in memory: it needs at least {}",
                                  human_bytes(static_cast<double>(capacity))))
          .at_line(path_, 0);
    }
    (void)data_.release();
    data_.reset(larger);
    capacity_ = capacity;
  }

  std::string path_;
  std::unique_ptr<char, Free> data_;
  size_t used_ = 0, capacity_ = 0;
};

[[noreturn]] void throw_unreadable(const std::string& path, int error) {
  throw UserError(fmt::format("Cannot read '{}': {}", path, lower_case(std::strerror(error))))
      .hint(error == ENOENT ? "check the name; paths are relative to the current directory"
                            : "check that it is a file you may read");
}

Buffer read_bytes(const std::string& path, bool is_stream) {
  int file = is_stream ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw_unreadable(path, errno);
  struct Closer {
    int file;
    ~Closer() {
      if (file != STDIN_FILENO) close(file);
    }
  } closer{file};
  struct stat facts;
  if (fstat(file, &facts) != 0) throw_unreadable(path, errno);
  if (S_ISDIR(facts.st_mode)) throw_unreadable(path, EISDIR);
  Buffer buffer(path);
  // One byte more than the file has, so that the read that finds the end needs no larger buffer.
  if (S_ISREG(facts.st_mode) && facts.st_size > 0) buffer.reserve(static_cast<size_t>(facts.st_size) + 1);
  while (true) {
    size_t size = 0;
    char* room = buffer.room(size);
    ssize_t count = read(file, room, std::min<size_t>(size, 1 << 30));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_unreadable(path, errno);
    if (count == 0) return buffer;
    buffer.add(static_cast<size_t>(count));
  }
}

bool is_gzip(const Buffer& bytes) {
  return bytes.size() >= 2 && static_cast<unsigned char>(bytes.data()[0]) == 0x1f &&
         static_cast<unsigned char>(bytes.data()[1]) == 0x8b;
}

/// Unpacks all members of a gzip file, which are concatenated (as `cat a.gz b.gz` makes them).
Buffer unpack(const Buffer& packed, const std::string& path, bool show_progress) {
  Progress progress("unpacking " + path, static_cast<std::int64_t>(packed.size()), show_progress);
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK)
    throw UserError("Not enough memory to unpack a gzip file").at_line(path, 0);
  std::unique_ptr<z_stream, InflateEnd> cleanup(&stream);
  Buffer text(path);
  text.reserve(packed.size() * 4);
  size_t used = 0;
  const size_t step = 1 << 20;
  while (used < packed.size()) {
    size_t room_size = 0;
    char* room = text.room(room_size);
    size_t available = std::min(step, packed.size() - used);
    size_t space = std::min<size_t>(room_size, 1 << 30);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data())) + used;
    stream.avail_in = static_cast<uInt>(available);
    stream.next_out = reinterpret_cast<Bytef*>(room);
    stream.avail_out = static_cast<uInt>(space);
    int status = inflate(&stream, Z_NO_FLUSH);
    size_t consumed = available - stream.avail_in;
    used += consumed;
    text.add(space - stream.avail_out);
    progress.advance(static_cast<std::int64_t>(consumed));
    if (status == Z_STREAM_END) {
      if (used == packed.size()) return text;
      inflateReset(&stream);
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw UserError(fmt::format("The gzip stream is damaged after {} of text: {}", counted(text.size(), "byte"),
                                  stream.msg != nullptr ? stream.msg : "data error"))
          .at_line(path, 0)
          .hint("fetch or pack the file again");
    }
  }
  throw UserError(fmt::format("The gzip stream is cut short after {} of text", counted(text.size(), "byte")))
      .at_line(path, 0)
      .hint("fetch or pack the file again");
}

/// Files from old Macintosh programs end their lines in \r alone.
void convert_lone_returns(char* begin, char* end) {
  char* first = std::find_if(begin, end, [](char c) { return c == '\r' || c == '\n'; });
  bool lone = first < end && *first == '\r' && (first + 1 == end || first[1] != '\n');
  if (lone) std::replace(begin, end, '\r', '\n');
}

}  // namespace

Bytes load_bytes(const std::string& path, bool show_progress) {
  bool is_stream = is_standard_stream(path);
  std::string name = is_stream ? "standard input" : path;
  Buffer bytes = read_bytes(name, is_stream);
  if (is_gzip(bytes)) {
    bytes = unpack(bytes, name, show_progress);
  } else if (path.ends_with(".gz") && bytes.size() > 0) {
    if (is_stream) throw UserError("This is not gzipped").at_line(name, 0).hint("leave out .gz");
    throw UserError("The file is not gzipped, though its name ends in .gz")
        .at_line(name, 0)
        .hint("rename it without .gz");
  }
  size_t size = bytes.size();
  return {name, bytes.release(), size};
}

TextFile as_text(Bytes bytes) {
  TextFile file{bytes.path, std::move(bytes.data)};
  size_t size = bytes.size;
  char* begin = file.data.get();
  char* end = begin + size;
  if (size > 0 && std::memchr(begin, '\0', std::min<size_t>(size, 1 << 16)) != nullptr) {
    throw UserError("The file is not text: it contains zero bytes")
        .at_line(file.path, 0)
        .hint("convert it to one of the text formats in UTF-8 or ASCII");
  }
  if (size >= 3 && std::memcmp(begin, "\xef\xbb\xbf", 3) == 0) begin += 3;
  convert_lone_returns(begin, end);
  file.begin = begin;
  file.end = end;
  return file;
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

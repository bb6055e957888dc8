#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <zlib.h>

#include "io/inflate_end.h"
#include "io/zip.h"
#include "support/diagnostic.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree::io {
namespace {

constexpr std::uint64_t in_extra_16 = 0xffff,
                        in_extra_32 = 0xffffffff;  // "the number is elsewhere, since it does not fit here"
constexpr std::uint64_t deflate_ratio = 1032;      // no data shrinks by more

}  // namespace

bool is_zip(std::string_view bytes) { return bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06"); }

UserError ZipReader::damaged(const std::string& what) const {
  return UserError("The archive is damaged: " + what).at_line(path_, 0).hint("fetch or write the file again");
}

std::string_view ZipReader::part(std::uint64_t at, std::uint64_t count) const {
  if (at > archive_.size() || count > archive_.size() - at) throw damaged("it is cut short, or a place in it is wrong");
  return archive_.substr(at, count);
}

std::uint64_t ZipReader::number(std::uint64_t at, int bytes) const {
  std::string_view digits = part(at, static_cast<std::uint64_t>(bytes));
  std::uint64_t value = 0;
  for (int n = bytes; n-- > 0;) value = value << 8 | static_cast<unsigned char>(digits[static_cast<size_t>(n)]);
  return value;
}

ZipReader::ZipReader(std::string_view archive, std::string path) : archive_(archive), path_(std::move(path)) {
  // The end record is 22 bytes and a comment of up to 65535.
  const std::uint64_t record = 22, longest_comment = 65535;
  if (!is_zip(archive))
    throw UserError("The file is not an archive, as .npz files are")
        .at_line(path_, 0)
        .hint("check the file's extension");
  if (archive.size() < record) throw damaged("it is cut short");
  std::uint64_t end = archive.size() - record;
  const std::uint64_t first = end > longest_comment ? end - longest_comment : 0;
  auto is_end = [&](std::uint64_t at) {
    return part(at, 4) == "PK\x05\x06" && number(at + 20, 2) == archive.size() - at - record;
  };
  while (end > first && !is_end(end)) end--;
  if (!is_end(end)) throw damaged("the directory at its end is missing");
  if (number(end + 4, 2) != 0 && number(end + 4, 2) != in_extra_16) throw damaged("it is one of several parts");
  std::uint64_t count = number(end + 10, 2), size = number(end + 12, 4), at = number(end + 16, 4);
  bool is_large = count == in_extra_16 || size == in_extra_32 || at == in_extra_32;
  if (is_large && end >= 20 && part(end - 20, 4) == "PK\x06\x07") {
    std::uint64_t large = number(end - 12, 8);
    if (part(large, 4) != "PK\x06\x06") throw damaged("its directory is not where it should be");
    count = number(large + 32, 8), size = number(large + 40, 8), at = number(large + 48, 8);
  }
  read_directory(at, size, count);
}

void ZipReader::read_directory(std::uint64_t at, std::uint64_t size, std::uint64_t count) {
  part(at, size);
  const std::uint64_t stop = at + size;
  for (std::uint64_t n = 0; n < count; n++) {
    if (stop - at < 46 || part(at, 4) != "PK\x01\x02") throw damaged("an entry of its directory is wrong");
    std::uint64_t name_size = number(at + 28, 2), extra_size = number(at + 30, 2), comment_size = number(at + 32, 2);
    std::uint64_t entry_size = 46 + name_size + extra_size + comment_size;
    if (entry_size > stop - at) throw damaged("an entry of its directory is cut short");
    if (number(at + 8, 2) & 1) throw UserError("The archive is encrypted").at_line(path_, 0);
    Member member{static_cast<unsigned>(number(at + 10, 2)), static_cast<unsigned>(number(at + 16, 4)),
                  number(at + 20, 4), number(at + 24, 4), number(at + 42, 4)};
    std::string name(part(at + 46, name_size));
    read_large_sizes(at + 46 + name_size, extra_size, member);
    if (!members_.emplace(name, member).second) throw damaged(fmt::format("it holds {} twice", quoted(name)));
    names_.push_back(std::move(name));
    at += entry_size;
  }
}

/// The extra field of large archives: those numbers, in this order, that did not fit into the entry.
void ZipReader::read_large_sizes(std::uint64_t at, std::uint64_t size, Member& member) const {
  const std::uint64_t stop = at + size;
  while (stop - at >= 4) {
    std::uint64_t kind = number(at, 2), length = number(at + 2, 2);
    at += 4;
    if (length > stop - at) throw damaged("an entry of its directory is cut short");
    const std::uint64_t next = at + length;
    if (kind == 1) {
      for (std::uint64_t* field : {&member.size, &member.packed, &member.header}) {
        if (*field != in_extra_32) continue;
        if (next - at < 8) throw damaged("a size is missing in its directory");
        *field = number(at, 8);
        at += 8;
      }
    }
    at = next;
  }
}

bool ZipReader::has(const std::string& name) const { return members_.contains(name); }

Bytes ZipReader::read(const std::string& name) const {
  const Member& member = members_.at(name);
  if (part(member.header, 4) != "PK\x03\x04")
    throw damaged(fmt::format("{} is not where its directory says", quoted(name)));
  std::uint64_t start = 30 + number(member.header + 26, 2) + number(member.header + 28, 2);
  part(member.header, start);
  std::string_view data = part(member.header + start, member.packed);
  if (member.method != 0 && member.method != 8) {
    throw UserError(
        fmt::format("{} is packed with method {}, which this program does not know", quoted(name), member.method))
        .at_line(path_, 0)
        .hint("write it with numpy.savez or scipy.sparse.save_npz");
  }
  bool possible = member.method == 0 ? member.size == member.packed : member.size / deflate_ratio <= member.packed;
  if (!possible) throw damaged(fmt::format("the size of {} is wrong", quoted(name)));
  Bytes bytes = unpacked(name, member, data);
  auto checksum = static_cast<unsigned>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data.get()), bytes.size));
  if (checksum != member.checksum) throw damaged(fmt::format("the checksum of {} is wrong", quoted(name)));
  return bytes;
}

Bytes ZipReader::unpacked(const std::string& name, const Member& member, std::string_view data) const {
  Bytes bytes{path_, {}, static_cast<size_t>(member.size)};
  // One byte more shows data that is longer than it should be.
  bool fits = static_cast<double>(member.size) < physical_memory();
  bytes.data.reset(fits ? static_cast<char*>(std::malloc(bytes.size + 1)) : nullptr);
  if (!bytes.data)
    throw UserError(fmt::format("{} does not fit in memory: it needs {}", quoted(name),
                                human_bytes(static_cast<double>(member.size))))
        .at_line(path_, 0);
  if (member.method == 0) {
    std::memcpy(bytes.data.get(), data.data(), data.size());
    return bytes;
  }
  z_stream stream{};
  if (inflateInit2(&stream, -15) != Z_OK) throw UserError("Not enough memory to unpack an archive").at_line(path_, 0);
  std::unique_ptr<z_stream, InflateEnd> cleanup(&stream);
  size_t used = 0, made = 0;
  const size_t step = 1 << 30;
  int status = Z_OK;
  while (status == Z_OK) {
    size_t available = std::min(step, data.size() - used), room = std::min(step, bytes.size + 1 - made);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data())) + used;
    stream.avail_in = static_cast<uInt>(available);
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data.get()) + made;
    stream.avail_out = static_cast<uInt>(room);
    status = inflate(&stream, Z_NO_FLUSH);
    used += available - stream.avail_in;
    made += room - stream.avail_out;
  }
  if (status != Z_STREAM_END || made != bytes.size) throw damaged(fmt::format("{} cannot be unpacked", quoted(name)));
  return bytes;
}

}  // namespace filigree::io

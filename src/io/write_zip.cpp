// Sizes are known before a member is written, since it is deflated in memory; so no member needs to be gone back to.
// Sizes and places always stand in the fields for large archives, as NumPy writes them, so that small and large ones
// look the same.
#include <algorithm>

#include <zlib.h>

#include "io/zip.h"
#include "support/check.h"

namespace filigree::io {
namespace {

void append(std::string& out, std::uint64_t value, int bytes) {
  for (int n = 0; n < bytes; n++) out += static_cast<char>(value >> (8 * n) & 0xff);
}

/// What local headers and the directory have in common: from the version to the length of the name.
void append_facts(std::string& out, unsigned checksum, size_t name_size) {
  append(out, 45, 2);       // the version that has large sizes
  append(out, 1 << 11, 2);  // names are UTF-8
  append(out, 8, 2);        // deflated
  append(out, 0, 2);        // time and date: the same archive for the same tensor
  append(out, 0x21, 2);
  append(out, checksum, 4);
  append(out, 0xffffffff, 4);  // sizes: in the extra field
  append(out, 0xffffffff, 4);
  append(out, name_size, 2);
}

struct DeflateEnd {
  void operator()(z_stream* stream) const { deflateEnd(stream); }
};

std::string deflated(const std::vector<std::string_view>& parts) {
  z_stream stream{};
  internal_check(deflateInit2(&stream, 1, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK, "io",
                 "deflate cannot start");
  std::unique_ptr<z_stream, DeflateEnd> cleanup(&stream);
  std::string out;
  std::vector<char> room(1 << 18);
  const size_t step = 1 << 30;
  for (size_t p = 0; p <= parts.size(); p++) {
    std::string_view left = p < parts.size() ? parts[p] : std::string_view();
    do {
      size_t count = std::min(step, left.size());
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(left.data()));
      stream.avail_in = static_cast<uInt>(count);
      left.remove_prefix(count);
      do {
        stream.next_out = reinterpret_cast<Bytef*>(room.data());
        stream.avail_out = static_cast<uInt>(room.size());
        deflate(&stream, p < parts.size() ? Z_NO_FLUSH : Z_FINISH);
        out.append(room.data(), room.size() - stream.avail_out);
      } while (stream.avail_out == 0);
    } while (!left.empty());
  }
  return out;
}

}  // namespace

void ZipWriter::put(const std::string& bytes) {
  file_.write(bytes);
  written_ += bytes.size();
}

void ZipWriter::add(const std::string& name, const std::vector<std::string_view>& parts) {
  Member member{name, 0, 0, 0, written_};
  for (std::string_view part : parts) {
    // With no data at all, crc32_z gives the initial value instead of going on from this one.
    if (!part.empty())
      member.checksum =
          static_cast<unsigned>(crc32_z(member.checksum, reinterpret_cast<const Bytef*>(part.data()), part.size()));
    member.size += part.size();
  }
  std::string packed = deflated(parts);
  member.packed = packed.size();
  std::string header = "PK\x03\x04";
  append_facts(header, member.checksum, name.size());
  append(header, 20, 2);
  header += name;
  append(header, 1, 2);
  append(header, 16, 2);
  append(header, member.size, 8);
  append(header, member.packed, 8);
  put(header);
  put(packed);
  members_.push_back(std::move(member));
}

void ZipWriter::finish() {
  std::uint64_t start = written_;
  for (const Member& member : members_) {
    std::string entry = "PK\x01\x02";
    append(entry, 45, 2);
    append_facts(entry, member.checksum, member.name.size());
    append(entry, 28, 2);
    entry.append(2 + 2 + 2 + 4, '\0');  // no comment, no other disk, no attributes
    append(entry, 0xffffffff, 4);
    entry += member.name;
    append(entry, 1, 2);
    append(entry, 24, 2);
    append(entry, member.size, 8);
    append(entry, member.packed, 8);
    append(entry, member.header, 8);
    put(entry);
  }
  std::uint64_t stop = written_;
  std::string end = "PK\x06\x06";
  append(end, 44, 8);
  append(end, 45, 2);
  append(end, 45, 2);
  append(end, 0, 8);
  append(end, members_.size(), 8);
  append(end, members_.size(), 8);
  append(end, stop - start, 8);
  append(end, start, 8);
  end += "PK\x06\x07";
  append(end, 0, 4);
  append(end, stop, 8);
  append(end, 1, 4);
  end += "PK\x05\x06";
  append(end, 0, 4);
  append(end, members_.size(), 2);
  append(end, members_.size(), 2);
  append(end, 0xffffffff, 4);
  append(end, 0xffffffff, 4);
  append(end, 0, 2);
  put(end);
}

}  // namespace filigree::io

// ZIP archives, as far as NumPy's .npz files need them: members that are stored or deflated, of any size.
//
// Reading trusts nothing: every offset and size is checked against the archive before it is used, a size that no
// deflated data can have is refused before memory is taken for it, and a member's checksum must be right.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/input.h"
#include "io/output.h"
#include "support/diagnostic.h"

namespace filigree::io {

/// Does it begin like an archive?
bool is_zip(std::string_view bytes);

class ZipReader {
 public:
  /// Reads the directory.  `path` is for messages.  Throws UserError if it is damaged, encrypted or in several parts.
  ZipReader(std::string_view archive, std::string path);

  const std::vector<std::string>& names() const { return names_; }
  bool has(const std::string& name) const;
  /// Unpacks a member.  Requires: has(name).
  Bytes read(const std::string& name) const;

 private:
  struct Member {
    unsigned method = 0, checksum = 0;
    std::uint64_t packed = 0, size = 0, header = 0;  // bytes, and where its local header is
  };
  UserError damaged(const std::string& what) const;
  std::uint64_t number(std::uint64_t at, int bytes) const;
  std::string_view part(std::uint64_t at, std::uint64_t count) const;
  void read_directory(std::uint64_t at, std::uint64_t size, std::uint64_t count);
  void read_large_sizes(std::uint64_t at, std::uint64_t size, Member& member) const;
  Bytes unpacked(const std::string& name, const Member& member, std::string_view data) const;

  std::string_view archive_;
  std::string path_;
  std::vector<std::string> names_;  // in the order of the archive
  std::map<std::string, Member> members_;
};

/// Members one after the other, then the directory: nothing is gone back to, so it can be a stream.
class ZipWriter {
 public:
  explicit ZipWriter(OutputFile& file) : file_(file) {}
  /// Parts that follow each other, deflated.
  void add(const std::string& name, const std::vector<std::string_view>& parts);
  /// Writes the directory.
  void finish();

 private:
  struct Member {
    std::string name;
    unsigned checksum;
    std::uint64_t packed, size, header;
  };
  void put(const std::string& bytes);

  OutputFile& file_;
  std::uint64_t written_ = 0;
  std::vector<Member> members_;
};

}  // namespace filigree::io

// SHA-256 (FIPS 180-4): names cache entries by their content and detects damaged ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace filigree::jit {

using Digest = std::array<std::uint8_t, 32>;

class Sha256 {
 public:
  /// Appends raw bytes to the message.
  Sha256& add(std::string_view bytes);
  /// Appends one field of a record: its length, then its bytes, so that ("ab","c") and ("a","bc") differ.
  Sha256& add_field(std::string_view bytes);
  /// The digest of everything added; nothing may be added afterwards.
  Digest finish();

 private:
  void process_block(const std::uint8_t* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> pending_{};
  std::size_t pending_size_ = 0;
  std::uint64_t total_bytes_ = 0;
};

std::string hex(const Digest& digest);

}  // namespace filigree::jit

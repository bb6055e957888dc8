#include "support/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>

#include <fmt/format.h>

namespace filigree {

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < parts.size(); i++) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t at = text.find(separator); at != std::string_view::npos; at = text.find(separator, begin)) {
    parts.emplace_back(text.substr(begin, at - begin));
    begin = at + 1;
  }
  parts.emplace_back(text.substr(begin));
  return parts;
}

std::string trim(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return "";
  size_t end = text.find_last_not_of(" \t\r\n");
  return std::string(text.substr(begin, end - begin + 1));
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string indent(std::string_view text, int spaces) {
  std::string out, margin(spaces, ' ');
  size_t begin = 0;
  while (begin < text.size()) {
    size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) end = text.size();
    if (end > begin) out += margin;
    out += text.substr(begin, end - begin);
    if (end < text.size()) out += '\n';
    begin = end + 1;
  }
  return out;
}

std::string human_bytes(double bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"};
  int unit = 0;
  while (bytes >= 1024 && unit < 8) {
    bytes /= 1024;
    unit++;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.1f} {}", bytes, units[unit]);
}

std::string counted(long long number, std::string_view one, std::string_view several) {
  if (number == 1) return fmt::format("1 {}", one);
  return several.empty() ? fmt::format("{} {}s", number, one) : fmt::format("{} {}", number, several);
}

namespace {

/// The number of the character that starts at `at` and has so many bytes.
std::uint32_t code_of(std::string_view text, size_t at, size_t length) {
  auto first = static_cast<unsigned char>(text[at]);
  std::uint32_t code = length == 1 ? first : first & (0x7Fu >> length);
  for (size_t n = 1; n < length; n++) code = code << 6 | (static_cast<unsigned char>(text[at + n]) & 0x3Fu);
  return code;
}

/// Terminals obey these, or show what follows in another order than it has.
bool is_control(std::uint32_t code) {
  bool directs = code == 0x61C || code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
                 (code >= 0x2066 && code <= 0x2069);
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029 || directs;
}

}  // namespace

size_t character_length(std::string_view text, size_t at) {
  auto byte = static_cast<unsigned char>(text[at]);
  size_t length = byte < 0x80                   ? 1
                  : byte >= 0xC2 && byte < 0xE0 ? 2
                  : byte >= 0xE0 && byte < 0xF0 ? 3
                  : byte >= 0xF0 && byte < 0xF5 ? 4
                                                : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (size_t n = 1; n < length; n++) {
    if ((text[at + n] & 0xC0) != 0x80) return 0;
  }
  // Longer than need be, half of a pair, or too large: no character either.
  std::uint32_t code = code_of(text, at, length);
  bool is_valid = length < 3 || (length == 3 && code >= 0x800 && (code < 0xD800 || code > 0xDFFF)) ||
                  (length == 4 && code >= 0x10000 && code <= 0x10FFFF);
  return is_valid ? length : 0;
}

bool has_controls(std::string_view text) {
  // Most texts are plain letters; the others are worth a closer look.
  return std::any_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || static_cast<unsigned char>(c) >= 0x7F;
  });
}

std::string printable(std::string_view text, Tabs tabs) {
  std::string out;
  for (size_t at = 0, length; at < text.size(); at += std::max<size_t>(length, 1)) {
    length = character_length(text, at);
    char byte = text[at];
    bool stays = byte == '\n' || (byte == '\t' && tabs == Tabs::Keep);
    if (stays) out += byte;
    else if (byte == '\t' || byte == '\r') out += ' ';
    else if (length == 0 || is_control(code_of(text, at, length))) out += '?';
    else out += text.substr(at, length);
  }
  return out;
}

bool is_identifier(std::string_view text) {
  if (text.empty() || !(std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_')) return false;
  for (char c : text) {
    if (!(std::isalnum(static_cast<unsigned char>(c)) || c == '_')) return false;
  }
  return true;
}

bool parse_int64(std::string_view text, long long& value, bool* overflow) {
  if (overflow) *overflow = false;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range && overflow) *overflow = true;
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

}  // namespace filigree

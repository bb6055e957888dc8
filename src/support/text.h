// Small text helpers shared by parsers and printers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace filigree {

std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::vector<std::string> split(std::string_view text, char separator);
std::string trim(std::string_view text);
std::string lower_case(std::string_view text);
/// Each line of `text` with `spaces` blanks in front; empty lines stay empty.
std::string indent(std::string_view text, int spaces);
/// 1536 -> "1.5 KiB".
std::string human_bytes(double bytes);
/// "1 entry", "2 entries".  Without `several` the plural is the singular with an s.
std::string counted(long long number, std::string_view one, std::string_view several = {});
/// How many bytes the UTF-8 character at `at` has, or 0 if the bytes there are none.
size_t character_length(std::string_view text, size_t at);
enum class Tabs { Keep, AsBlanks };
/// What a terminal can be sent: control characters, marks that change the direction of text, and bytes that are no
/// UTF-8, are '?'; carriage returns are ' ', as are tabs unless they are kept.
std::string printable(std::string_view text, Tabs tabs = Tabs::AsBlanks);
/// May `printable` change it?
bool has_controls(std::string_view text);
bool is_identifier(std::string_view text);
/// A whole decimal integer, or nothing; `overflow` is set when it is one but does not fit.
bool parse_int64(std::string_view text, long long& value, bool* overflow = nullptr);

}  // namespace filigree

#include "support/diagnostic.h"

#include <algorithm>

#include "support/text.h"

namespace filigree {

Source make_source(std::string name, std::string text) {
  return std::make_shared<const SourceText>(SourceText{std::move(name), std::move(text)});
}

UserError::UserError(std::string message) : std::runtime_error(message), message_(std::move(message)) {}

UserError&& UserError::at(Source source, Span span) && {
  source_ = std::move(source);
  span_ = span;
  return std::move(*this);
}

UserError&& UserError::at_line(std::string file, long line) && {
  file_ = std::move(file);
  line_ = line;
  return std::move(*this);
}

UserError&& UserError::hint(std::string text) && {
  hints_.push_back({text, text});
  return std::move(*this);
}

UserError&& UserError::hint(std::string in_program, std::string on_command_line) && {
  hints_.push_back({std::move(in_program), std::move(on_command_line)});
  return std::move(*this);
}

UserError&& UserError::hints_of(const UserError& other) && {
  hints_.insert(hints_.end(), other.hints_.begin(), other.hints_.end());
  return std::move(*this);
}

std::vector<std::string> UserError::hints(Wording wording) const {
  std::vector<std::string> texts;
  for (const Hint& hint : hints_) texts.push_back(wording == Wording::Program ? hint.in_program : hint.on_command_line);
  return texts;
}

UserError&& UserError::note(std::string text) && {
  notes_.push_back(std::move(text));
  return std::move(*this);
}

namespace {

bool continues_character(char c) { return (c & 0xC0) == 0x80; }

/// Characters that a range of bytes is shown as; what lies behind the end counts, too.
size_t count_characters(const std::string& text, size_t from, size_t to) {
  size_t end = std::min(to, text.size());
  std::string shown = printable(std::string_view(text).substr(from, end - from));
  auto starts = std::count_if(shown.begin(), shown.end(), [](char c) { return !continues_character(c); });
  return static_cast<size_t>(starts) + (to - end);
}

/// Where the line that holds `at` begins.
size_t line_begin_of(const std::string& text, size_t at) {
  size_t newline = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  return newline == std::string::npos ? 0 : newline + 1;
}

/// The source line that holds `span`, with carets under it.
std::string underline(const SourceText& source, Span span) {
  const std::string& text = source.text;
  size_t at = std::min<size_t>(span.begin, text.size());
  size_t line_begin = line_begin_of(text, at);
  size_t line_end = text.find('\n', at);
  if (line_end == std::string::npos) line_end = text.size();
  size_t stop = std::clamp<size_t>(span.end, at + 1, std::max(at + 1, line_end));
  // Of a very long line, what is around the place is enough.
  constexpr size_t before = 60, after = 60;
  bool cut_left = at - line_begin > 2 * before, cut_right = line_end > stop && line_end - stop > 2 * after;
  if (cut_left) line_begin = at - before;
  if (cut_right) line_end = stop + after;
  while (line_begin < at && continues_character(text[line_begin])) line_begin++;  // not inside a character
  while (line_end < text.size() && continues_character(text[line_end])) line_end++;
  std::string line = text.substr(line_begin, line_end - line_begin);
  if (cut_right) line += " ...";
  std::string margin(count_characters(text, line_begin, at), ' ');
  std::string carets(std::max<size_t>(1, count_characters(text, at, stop)), '^');
  std::string indent = cut_left ? "    ... " : "    ";
  return indent + line + "\n" + std::string(indent.size(), ' ') + margin + carets + "\n";
}

}  // namespace

std::string describe_place(const Source& source, int at) {
  const std::string& text = source->text;
  size_t place = std::min<size_t>(at, text.size());
  std::string column = "column " + std::to_string(count_characters(text, line_begin_of(text, place), place) + 1);
  if (text.find('\n') == std::string::npos) return column;
  return "line " +
         std::to_string(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place), '\n') + 1) + ", " +
         column;
}

std::string UserError::text(Wording wording) const {
  std::string out = "error: ";
  if (!file_.empty()) out += file_ + (line_ > 0 ? ":" + std::to_string(line_) : "") + ": ";
  out += message_ + "\n";
  if (source_) {
    if (!source_->name.empty()) out += "  in " + source_->name + ", " + describe_place(source_, span_.begin) + ":\n";
    out += underline(*source_, span_);
  }
  for (const std::string& note : notes_) out += "note: " + note + "\n";
  for (const std::string& hint : hints(wording)) out += "hint: " + hint + "\n";
  return printable(out);
}

const char* UserError::what() const noexcept {
  text_ = text();
  return text_.c_str();
}

namespace {

/// Insertions, deletions, replacements and swaps of neighbours, each one edit.
size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); i++) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); j++) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); i++) {
    for (size_t j = 1; j <= b.size(); j++) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> did_you_mean(const std::string& name, const std::vector<std::string>& candidates) {
  for (const std::string& candidate : candidates) {
    if (candidate != name && lower_case(candidate) == lower_case(name)) return candidate;
  }
  if (name.size() <= 1) return std::nullopt;  // every other letter is one edit away
  std::optional<std::string> best;
  size_t best_distance = name.size() <= 3 ? 2 : 1 + name.size() / 3;
  for (const std::string& candidate : candidates) {
    size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace filigree

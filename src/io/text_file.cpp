#include <algorithm>
#include <optional>
#include <cstring>

#include <fmt/format.h>

#include "io/input.h"
#include "io/number.h"
#include "support/diagnostic.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree::io {
namespace {

/// Does the first line end in a \r alone?  Nothing if it is not there yet.
std::optional<bool> ends_in_lone_return(std::string_view text, bool is_all) {
  size_t first = text.find_first_of("\r\n");
  if (first == text.npos || (text[first] == '\r' && first + 1 == text.size())) {
    if (!is_all) return std::nullopt;
    return first != text.npos;
  }
  return text[first] == '\r' && text[first + 1] != '\n';
}

/// Has the text everything that readers decide by?
bool has_enough_lines(std::string_view text) {
  constexpr int enough = 4;
  int found = 0;
  for (size_t at = 0; found < enough;) {
    size_t stop = text.find('\n', at);
    if (stop == text.npos) return false;
    const char* first = skip_blanks(text.data() + at, text.data() + stop);
    if (first < text.data() + stop && *first != '%' && *first != '#') found++;
    at = stop + 1;
  }
  return true;
}

}  // namespace

std::int64_t TextBlock::line_count() const {
  std::int64_t newlines = std::count(begin_, end_, '\n');
  return newlines + (begin_ < end_ && end_[-1] != '\n');
}

void TextBlock::make_room(size_t size) {
  if (data_.size() < size + padding) data_.resize(size + padding);
}

void TextBlock::finish(char* begin, char* end) {
  begin_ = begin;
  end_ = end;
  std::memset(end, 0, padding);
  *end = '\n';
}

TextFile::TextFile(Input input, size_t block_size)
    : path(std::move(input.path)),
      size(input.size),
      is_packed(input.is_packed),
      ahead_(std::move(input.beginning)),
      stream_(std::move(input.rest)),
      block_size_(block_size) {
  std::string_view seen(ahead_);
  if (seen.find('\0') != seen.npos) {
    throw UserError("The file is not text: it contains zero bytes")
        .at_line(path, 0)
        .hint("convert it to one of the text formats in UTF-8 or ASCII");
  }
  size_t used = 0, wanted = std::min<size_t>(block_size_, 1 << 16);
  if (seen.starts_with("\xef\xbb\xbf")) ahead_.erase(0, 3);
  bool is_all = false;
  std::optional<bool> lone;
  while (!lone) {
    is_all = !fill(first_, used, wanted);
    lone = ends_in_lone_return({first_.data_.data(), used}, is_all);
  }
  has_lone_returns_ = *lone;
  char* start = first_.data_.data();
  if (has_lone_returns_) std::replace(start, start + used, '\r', '\n');
  while (!is_all && !has_enough_lines({first_.data_.data(), used})) is_all = !fill(first_, used, wanted);
  if (is_all) first_.finish(first_.data_.data(), first_.data_.data() + used);
  else find_line_ends(first_, used);
  begin = first_.begin();
  end = first_.end();
}

bool TextFile::fill(TextBlock& block, size_t& used, size_t wanted) {
  size_t filled = used + wanted;
  if (static_cast<double>(filled) > physical_memory()) {
    throw UserError(fmt::format("A line of the file does not fit in memory: it needs at least {}",
                                human_bytes(static_cast<double>(filled))))
        .at_line(path, 0);
  }
  block.make_room(filled);
  char* data = block.data_.data();
  size_t before = used;
  size_t from_ahead = std::min(wanted, ahead_.size());
  std::memcpy(data + used, ahead_.data(), from_ahead);
  ahead_.erase(0, from_ahead);
  used += from_ahead;
  while (used < filled) {
    size_t count = stream_->read(data + used, filled - used);
    if (count == 0) break;
    used += count;
  }
  if (has_lone_returns_) std::replace(data + before, data + used, '\r', '\n');
  return used == filled;
}

/// Leaves what is behind the last newline for the next block, unless it is the end.
void TextFile::find_line_ends(TextBlock& block, size_t& used) {
  size_t searched = 0;
  bool is_all = false;
  while (true) {
    char* data = block.data_.data();
    std::string_view text(data + searched, used - searched);
    size_t last = text.rfind('\n');
    if (last != text.npos) {
      size_t stop = searched + last + 1;
      ahead_.insert(0, data + stop, used - stop);
      return block.finish(data, data + stop);
    }
    if (is_all) return block.finish(data, data + used);
    searched = used;
    is_all = !fill(block, used, block_size_);
  }
}

bool TextFile::next(TextBlock& block) {
  size_t used = 0;
  block.make_room(block_size_);
  fill(block, used, block_size_);
  find_line_ends(block, used);
  return !block.is_empty();
}

}  // namespace filigree::io

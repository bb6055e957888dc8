// The body is read in blocks of lines, one after the other, and each block is parsed by the thread that has read it
// while others read and parse the next: a text need not be in memory as a whole, and unpacking one block goes on beside
// parsing another.  How many lines a block has is counted when it is read, so that its entries have their places in the
// lists at once.  Lines that are no entries leave gaps, which are closed at the end.  No number in the file is trusted
// as a size.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include <fmt/format.h>

#include "io/entries.h"
#include "io/number.h"
#include "io/parse_lines.h"
#include "level/packing.h"
#include "support/diagnostic.h"
#include "support/memory.h"
#include "support/out_of_memory.h"
#include "support/parallel.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree::io {
namespace {

constexpr std::int64_t worth_a_thread = 1 << 20;  // bytes

/// A list that grows at its end, without values of its own.
class GrowingArray {
 public:
  explicit GrowingArray(ElementType type) : type_(type) {}
  ~GrowingArray() { release_block(data_); }
  GrowingArray(GrowingArray&& other) noexcept : type_(other.type_), data_(std::exchange(other.data_, nullptr)) {}
  GrowingArray& operator=(GrowingArray&& other) noexcept {
    std::swap(type_, other.type_);
    std::swap(data_, other.data_);
    return *this;
  }

  void* at(std::int64_t n) const { return static_cast<char*>(data_) + bytes(n); }
  void reserve(std::int64_t count) {
    void* larger = resize_block(data_, std::max<size_t>(bytes(count), 1));
    if (!larger) throw OutOfMemory("Not enough memory for the entries of the file", static_cast<double>(bytes(count)));
    data_ = larger;
  }
  void move(std::int64_t from, std::int64_t to, std::int64_t count) { std::memmove(at(to), at(from), bytes(count)); }
  void widen(std::int64_t count, std::int64_t capacity) {
    GrowingArray wide(ElementType::Int64);
    wide.reserve(capacity);
    for (std::int64_t n = 0; n < count; n++)
      static_cast<std::int64_t*>(wide.data_)[n] = static_cast<std::int32_t*>(data_)[n];
    *this = std::move(wide);
  }
  Array finish(std::int64_t count) {
    if (count == 0) return Array(type_, 0);
    void* block = trimmed_block(std::exchange(data_, nullptr), bytes(count));
    return Array::adopt(type_, block, count);
  }

 private:
  size_t bytes(std::int64_t count) const {
    return static_cast<size_t>(count) * static_cast<size_t>(size_in_bytes(type_));
  }
  ElementType type_;
  void* data_ = nullptr;
};

class BodyReader {
 public:
  BodyReader(TextFile& file, Cursor body, const EntryLayout& layout)
      : file_(file), body_(body), layout_(layout), values_(layout.type) {
    if (layout.dimensions) {
      for (std::int64_t extent : *layout.dimensions) wide_ |= index_type_for(extent - 1) == ElementType::Int64;
    }
    for (int d = 0; d < layout.order; d++) coordinate_.emplace_back(wide_ ? ElementType::Int64 : ElementType::Int32);
    consumed_ = body.at - file.begin;
  }

  Entries read(int threads) {
    std::int64_t most = threads > 0 ? threads : core_count();
    bool knows_size = file_.size > 0 && !file_.is_packed;
    int used = static_cast<int>(knows_size ? std::clamp<std::int64_t>(file_.size / worth_a_thread, 1, most) : most);
    auto work = [](void* reader, std::int64_t, std::int64_t) { static_cast<BodyReader*>(reader)->work(); };
    parallel_for(used, used, work, this);
    if (failure_) std::rethrow_exception(failure_);
    return finish();
  }

 private:
  /// A block, and where it belongs.
  struct Job {
    TextBlock block;
    std::int64_t number = 0, first_place = 0, lines = 0;
  };
  struct Done {
    std::int64_t first_place;
    long first_line;
    ParsedBlock parsed;
  };

  void work() {
    try {
      Job job;
      while (begin(job)) do_job(job);
    } catch (...) {
      std::lock_guard lock(reading_);
      if (!failure_) failure_ = std::current_exception();
      is_at_end_ = true;
    }
  }

  /// The next block; false if there is none.
  bool begin(Job& job) {
    std::lock_guard lock(reading_);
    if (is_at_end_) return false;
    if (blocks_begun_ == 0) {
      job.block.set(file_.end - (body_.end - body_.at), file_.end);
      if (job.block.is_empty() && !file_.next(job.block)) return is_at_end_ = true, false;
    } else if (!file_.next(job.block)) {
      return is_at_end_ = true, false;
    }
    consumed_ += job.block.end() - job.block.begin();
    job.lines = job.block.line_count();
    job.number = blocks_begun_++;
    job.first_place = places_;
    make_room(places_ + job.lines);
    places_ += job.lines;
    return true;
  }

  /// Requires: nobody else reads a block.
  void make_room(std::int64_t places) {
    if (places <= capacity_) return;
    double entry = size_in_bytes(layout_.type) + layout_.order * (wide_ ? 8.0 : 4.0);
    if (entry * static_cast<double>(places) > physical_memory()) throw too_large(places, entry);
    // So many as the file says, but not more than it has bytes for; or as many as what was read so far lets expect.
    std::int64_t wanted = places + places / 2;
    if (!file_.is_packed && file_.size > 0) {
      std::int64_t left = std::max<std::int64_t>(file_.size - consumed_, 0);
      double per_byte = static_cast<double>(places) / static_cast<double>(std::max<std::int64_t>(consumed_, 1));
      std::int64_t shortest = 2 * std::max(1, layout_.order + layout_.numbers);
      std::int64_t expected = layout_.count.value_or(places + static_cast<std::int64_t>(1.03 * per_byte * left) + 16);
      if (capacity_ == 0) wanted = std::min(expected, places + left / shortest);
    } else if (layout_.count) {
      wanted = std::min(*layout_.count, 4 * places);
    }
    wanted = std::max(wanted, places);
    std::unique_lock lock(moving_);
    for (GrowingArray& coordinate : coordinate_) coordinate.reserve(wanted);
    values_.reserve(wanted);
    capacity_ = wanted;
  }

  UserError too_large(std::int64_t count, double entry) const {
    return UserError(fmt::format("The {} of the file {} {} of memory, but this machine has {}",
                                 counted(count, "entry", "entries"), count == 1 ? "needs" : "need",
                                 human_bytes(entry * static_cast<double>(count)), human_bytes(physical_memory())))
        .at_line(file_.path, 0)
        .hint("split the file or use a machine with more memory");
  }

  void do_job(Job& job) {
    char* stop = job.block.end();
    if (layout_.has_commas) stop = replace_commas(job.block.begin(), stop, layout_.comments);
    // A line with an empty field is bad whatever is parsed of it: its commas are still there.
    ParsedBlock parsed;
    do {
      std::shared_lock lock(moving_);
      Places places{{}, values_.at(job.first_place), wide_};
      for (const GrowingArray& coordinate : coordinate_) places.coordinate.push_back(coordinate.at(job.first_place));
      parsed = has_failed_ ? count_lines(job.block, layout_) : parse_lines(job.block, layout_, places);
      lock.unlock();
      if (parsed.needs_wide) widen();
    } while (parsed.needs_wide);
    if (parsed.bad_line) has_failed_ = true;
    std::lock_guard lock(reading_);
    if (static_cast<std::int64_t>(done_.size()) <= job.number) done_.resize(static_cast<size_t>(job.number) + 1);
    done_[static_cast<size_t>(job.number)] = {job.first_place, body_.line + job.first_place, std::move(parsed)};
  }

  /// Coordinates do not fit in 32 bits.
  void widen() {
    std::lock_guard reading(reading_);
    std::unique_lock moving(moving_);
    if (wide_) return;
    for (GrowingArray& coordinate : coordinate_) coordinate.widen(places_, capacity_);
    wide_ = true;
  }

  Entries finish() {
    Entries entries;
    std::int64_t total = 0;
    entries.dimensions.assign(static_cast<size_t>(layout_.order), 0);
    const Done* bad = nullptr;
    for (Done& done : done_) {
      std::int64_t found = done.parsed.entries;
      if (total < done.first_place) {
        for (GrowingArray& coordinate : coordinate_) coordinate.move(done.first_place, total, found);
        values_.move(done.first_place, total, found);
      }
      total += found;
      for (size_t d = 0; d < done.parsed.largest.size(); d++)
        entries.dimensions[d] = std::max(entries.dimensions[d], done.parsed.largest[d]);
      entries.lines.add(found, done.first_line, std::move(done.parsed.skipped));
      if (done.parsed.bad_line && !bad) bad = &done;
    }
    check_count(total, entries.lines);
    if (bad) throw_bad_entry(file_.path, bad->first_line + *bad->parsed.bad_line, bad->parsed.bad_text, layout_);
    for (GrowingArray& coordinate : coordinate_) entries.coordinate.push_back(coordinate.finish(total));
    entries.values = values_.finish(total);
    if (layout_.dimensions) entries.dimensions = *layout_.dimensions;
    return entries;
  }

  void check_count(std::int64_t found, const EntryLines& lines) const {
    if (!layout_.count || found == *layout_.count) return;
    std::string expected = layout_.order == 0 ? counted(*layout_.count, "value")
                                              : counted(*layout_.count, "entry", "entries");
    if (found < *layout_.count) {
      throw UserError(fmt::format("Expected {}, but the file ends after {}", expected, found))
          .at_line(file_.path, body_.line + places_ - 1)
          .hint("the file may be cut short; otherwise correct the count in its header");
    }
    throw UserError(fmt::format("Expected {}, but here is one more", expected))
        .at_line(file_.path, lines.line_of(*layout_.count))
        .note(fmt::format("the file has {}", found))
        .hint("correct the count in the file's header or remove what is too much");
  }

  TextFile& file_;
  Cursor body_;
  const EntryLayout& layout_;

  std::mutex reading_;  // for what follows, and for the file
  std::int64_t blocks_begun_ = 0, places_ = 0, consumed_ = 0;
  bool is_at_end_ = false;
  std::exception_ptr failure_;
  std::vector<Done> done_;

  std::shared_mutex moving_;  // for what follows: who parses holds it shared, who moves the lists alone
  std::vector<GrowingArray> coordinate_;
  GrowingArray values_;
  std::int64_t capacity_ = 0;
  bool wide_ = false;

  std::atomic<bool> has_failed_ = false;  // a line is wrong: what follows it is only counted
};

}  // namespace

void EntryLines::add(std::int64_t entries, long first_line, std::vector<std::int32_t> skipped) {
  skipped.shrink_to_fit();
  pieces_.push_back({count_, first_line, std::move(skipped)});
  count_ += entries;
}

long EntryLines::line_of(std::int64_t entry) const {
  auto next = std::partition_point(pieces_.begin(), pieces_.end(),
                                   [&](const Piece& piece) { return piece.first_entry <= entry; });
  const Piece& piece = *(next - 1);
  std::int64_t within = entry - piece.first_entry;
  auto before = std::partition_point(piece.skipped.begin(), piece.skipped.end(),
                                     [&](std::int32_t entries) { return entries <= within; });
  return piece.first_line + within + (before - piece.skipped.begin());
}

bool has_coordinate_zero(const EntryList& entries) {
  return std::any_of(entries.coordinate.begin(), entries.coordinate.end(), [&](const Array& coordinate) {
    bool found = false;
    level::as_indices(
        coordinate, [&](const auto* c) { found = std::find(c, c + coordinate.count(), 0) != c + coordinate.count(); });
    return found;
  });
}

Entries read_entries(TextFile& file, Cursor body, const EntryLayout& layout, int threads) {
  return BodyReader(file, body, layout).read(threads);
}

}  // namespace filigree::io

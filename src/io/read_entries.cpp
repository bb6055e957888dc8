// The body is split at line ends into one slice per thread.  A first pass counts the entries and lines of
// each slice, so that the second can parse every slice straight into its place in the result, and so that
// no number in the file is trusted as a size.
#include <algorithm>
#include <cstring>
#include <limits>
#include <thread>

#include <fmt/format.h>

#include "io/entries.h"
#include "io/number.h"
#include "io/progress.h"
#include "level/visit_element_type.h"
#include "support/diagnostic.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree::io {
namespace {

constexpr std::int64_t worth_a_thread = 1 << 20;  // bytes

struct Slice {
  Cursor cursor;
  std::int64_t entries = 0, lines = 0;
  std::int64_t first_entry = 0;
  std::vector<std::int64_t> largest = {};  // coordinate of each dimension, plus 1
  long bad_line = 0;
  std::string_view bad_text = {};
};

/// Where the line that begins at `at` ends: at its newline or at `end`.
const char* line_end(const char* at, const char* end) {
  const void* newline = std::memchr(at, '\n', static_cast<size_t>(end - at));
  return newline == nullptr ? end : static_cast<const char*>(newline);
}

bool is_entry(const char* at, const char* stop, Comments comments) { return at < stop && !comments.start(*at); }

void count(Slice& slice, Comments comments) {
  const char* end = slice.cursor.end;
  for (const char* at = slice.cursor.at; at < end;) {
    const char* stop = line_end(at, end);
    if (is_entry(skip_blanks(at, stop), stop, comments)) slice.entries++;
    slice.lines++;
    at = stop + 1;
  }
}

template <class T>
bool parse_value(const char*& at, const char* end, ElementType type, T& value) {
  at = skip_blanks(at, end);
  if constexpr (std::is_arithmetic_v<T>) {
    return parse_number(at, end, value) == Parsed::Ok && (type != ElementType::Bool || value <= T{1});
  } else {
    typename T::value_type real, imaginary;
    if (parse_number(at, end, real) != Parsed::Ok) return false;
    at = skip_blanks(at, end);
    if (parse_number(at, end, imaginary) != Parsed::Ok) return false;
    value = T(real, imaginary);
    return true;
  }
}

/// Parses the entries of a slice; stops at the first line that is wrong and leaves it in `bad_line`.
template <class T>
void parse(Slice& slice, const EntryLayout& layout, Entries& entries, Progress& progress) {
  const int order = layout.order;
  const std::int64_t base = layout.base, before = 1 - base;
  const char* end = slice.cursor.end;
  const char* reported = slice.cursor.at;
  T* values = entries.values.as<T>().data() + slice.first_entry;
  std::vector<std::int64_t*> coordinates;
  for (std::vector<std::int64_t>& coordinate : entries.coordinate)
    coordinates.push_back(coordinate.data() + slice.first_entry);
  std::vector<std::int64_t> limits =
      layout.dimensions.value_or(std::vector<std::int64_t>(order, std::numeric_limits<std::int64_t>::max()));
  slice.largest.assign(order, 0);
  std::int64_t n = 0;
  long line = slice.cursor.line;
  for (const char* begin = slice.cursor.at; begin < end; line++) {
    const char* stop = line_end(begin, end);
    const char* at = skip_blanks(begin, stop);
    if (is_entry(at, stop, layout.comments)) {
      bool good = true;
      for (int dimension = 0; dimension < order && good; dimension++) {
        std::int64_t coordinate = 0;
        at = skip_blanks(at, stop);
        good = parse_whole(at, stop, coordinate) && coordinate >= base;
        coordinate += before;  // from 1 on
        good = good && coordinate <= limits[dimension];
        coordinates[dimension][n] = coordinate - 1;
        slice.largest[dimension] = std::max(slice.largest[dimension], coordinate);
      }
      if (layout.numbers == 0) {
        values[n] = T(1);
      } else {
        good = good && parse_value(at, stop, layout.type, values[n]);
      }
      if (!good || skip_blanks(at, stop) < stop) {
        slice.bad_line = line;
        slice.bad_text = std::string_view(begin, static_cast<size_t>(stop - begin));
        return;
      }
      n++;
    }
    begin = stop + 1;
    if (begin - reported > (1 << 20)) {
      progress.advance(begin - reported);
      reported = begin;
    }
  }
}

std::vector<Slice> split_into_slices(const Cursor& body, int threads) {
  std::int64_t bytes = body.end - body.at;
  std::int64_t most = threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
  std::int64_t number = std::clamp<std::int64_t>(bytes / worth_a_thread, 1, most);
  std::vector<Slice> slices;
  const char* at = body.at;
  for (std::int64_t s = 0; s < number; s++) {
    const char* stop = s + 1 == number ? body.end : std::max(at, body.at + bytes * (s + 1) / number);
    if (stop < body.end) stop = std::min(line_end(stop, body.end) + 1, body.end);
    slices.push_back({.cursor = {at, stop}});
    at = stop;
  }
  return slices;
}

/// Runs `work` on every slice, each on its own thread.
template <class Work>
void for_each_slice(std::vector<Slice>& slices, const Work& work) {
  std::vector<std::exception_ptr> failures(slices.size());
  auto guarded = [&](size_t s) {
    try {
      work(slices[s]);
    } catch (...) {
      failures[s] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    size_t begun = 1;
    try {
      for (; begun < slices.size(); begun++) threads.emplace_back([&, s = begun] { guarded(s); });
    } catch (const std::exception&) {
      // No more threads to be had: this one does the rest.
    }
    for (; begun < slices.size(); begun++) guarded(begun);
    guarded(0);
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

void check_count(const TextFile& file, const Cursor& body, const EntryLayout& layout, std::int64_t found,
                 std::int64_t lines) {
  if (!layout.count || found == *layout.count) return;
  std::string expected = layout.order == 0 ? counted(*layout.count, "value")
                                           : counted(*layout.count, "entry", "entries");
  if (found < *layout.count) {
    throw UserError(fmt::format("Expected {}, but the file ends after {}", expected, found))
        .at_line(file.path, body.line + lines - 1)
        .hint("the file may be cut short; otherwise correct the count in its header");
  }
  throw UserError(fmt::format("Expected {}, but here is one more", expected))
      .at_line(file.path, line_of_entry(body, layout.comments, *layout.count))
      .note(fmt::format("the file has {}", found))
      .hint("correct the count in the file's header or remove what is too much");
}

void check_fits(const TextFile& file, const EntryLayout& layout, std::int64_t count) {
  double bytes = static_cast<double>(count) * (8.0 * layout.order + size_in_bytes(layout.type));
  if (bytes <= physical_memory()) return;
  throw UserError(fmt::format("The {} of the file {} {} of memory, but this machine has {}",
                              counted(count, "entry", "entries"), count == 1 ? "needs" : "need", human_bytes(bytes),
                              human_bytes(physical_memory())))
      .at_line(file.path, 0)
      .hint("split the file or use a machine with more memory");
}

}  // namespace

bool has_coordinate_zero(const Coordinates& entries) {
  return std::any_of(entries.coordinate.begin(), entries.coordinate.end(),
                     [](const std::vector<std::int64_t>& c) { return std::find(c.begin(), c.end(), 0) != c.end(); });
}

Entries read_entries(const TextFile& file, Cursor body, const EntryLayout& layout, int threads, bool show_progress) {
  std::vector<Slice> slices = split_into_slices(body, threads);
  for_each_slice(slices, [&](Slice& slice) { count(slice, layout.comments); });
  std::int64_t total = 0, lines = 0;
  for (Slice& slice : slices) {
    slice.first_entry = total;
    slice.cursor.line = body.line + lines;
    total += slice.entries;
    lines += slice.lines;
  }
  check_count(file, body, layout, total, lines);

  check_fits(file, layout, total);
  Entries entries;
  entries.coordinate.resize(layout.order);
  for (std::vector<std::int64_t>& coordinate : entries.coordinate) coordinate.resize(total);
  entries.values = Array(layout.type, total);
  {
    Progress progress("reading " + file.path, body.end - body.at, show_progress);
    visit_element_type(layout.type, [&]<class T>(std::type_identity<T>) {
      for_each_slice(slices, [&](Slice& slice) { parse<T>(slice, layout, entries, progress); });
    });
  }
  entries.dimensions.assign(layout.order, 0);
  for (const Slice& slice : slices) {
    if (slice.bad_line > 0) throw_bad_entry(file, slice.bad_line, slice.bad_text, layout);
    for (int dimension = 0; dimension < layout.order; dimension++) {
      entries.dimensions[dimension] = std::max(entries.dimensions[dimension], slice.largest[dimension]);
    }
  }
  if (layout.dimensions) entries.dimensions = *layout.dimensions;
  return entries;
}

long line_of_entry(Cursor body, Comments comments, std::int64_t number) {
  while (!body.at_end()) {
    std::string_view text = body.next();
    const char* stop = text.data() + text.size();
    if (is_entry(skip_blanks(text.data(), stop), stop, comments) && number-- == 0) return body.line - 1;
  }
  return body.line;
}

}  // namespace filigree::io
